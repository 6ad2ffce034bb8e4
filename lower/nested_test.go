package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/lower"
)

// TestNested: the results of many steps, each put behind those before: in how many kernels,
// and of what.
func TestNested(t *testing.T) {
	target := lower.CPU()
	target.Parts = 128
	for _, c := range []struct{ steps, kernels, parts int }{{2, 1, 3}, {127, 1, 128}, {128, 2, 2}, {300, 3, 47}} {
		var s strings.Builder
		s.WriteString("x : float32[1, 4]\nc0 = tanh(x)\n")
		for i := 1; i <= c.steps; i++ {
			fmt.Fprintf(&s, "h%d = relu(x)\nc%d = concat[axis=0](c%d, h%d)\n", i, i, i-1, i)
		}
		fmt.Fprintf(&s, "return c%d", c.steps)
		p := lowered(t, parse(t, s.String()), target, lower.Options{})
		check(t, fmt.Sprint(c.steps), p)
		var parts []int
		for _, k := range p.Run {
			if k.As == "concat" {
				parts = append(parts, len(k.In))
			}
		}
		if len(parts) != c.kernels || parts[len(parts)-1] != c.parts {
			t.Errorf("%d steps: concatenations of %v parts, want %d, the last of %d", c.steps, parts, c.kernels, c.parts)
		}
	}
}
