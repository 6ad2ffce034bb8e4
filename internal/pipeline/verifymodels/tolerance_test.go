package verifymodels_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// What is computed in a narrow type widens the tolerance of the outputs that depend on it,
// and of no others.
func TestTolerances(t *testing.T) {
	const head = "x : float32[4]\nw : weight float32[4]\na = ewmul(x, w)\n"
	text := func(y, z string) string {
		return head + "h = cast[to=float16](a)\nb = cast[to=float32](h)\nreturn " + y + ", " + z
	}
	for _, c := range []struct {
		name   string
		of     string
		by     float32 // that the weights deviate
		o      verifymodels.Options
		agrees [2]bool
		within [2]float64
	}{
		{"little", text("a", "b"), 1e-5, verifymodels.Options{}, [2]bool{true, true}, [2]float64{1e-4, 1.0 / 128}},
		{"more", text("a", "b"), 2e-3, verifymodels.Options{}, [2]bool{false, true}, [2]float64{1e-4, 1.0 / 128}},
		{"more, the other way", text("b", "a"), 2e-3, verifymodels.Options{}, [2]bool{true, false}, [2]float64{1.0 / 128, 1e-4}},
		{"much", text("a", "b"), 5e-2, verifymodels.Options{}, [2]bool{false, false}, [2]float64{1e-4, 1.0 / 128}},
		{"a tolerance that is given", text("a", "b"), 2e-3, verifymodels.Options{Tolerance: 1e-6}, [2]bool{false, false}, [2]float64{1e-6, 1e-6}},
	} {
		c.o.A = parse(t, "a", c.of, nil)
		c.o.B = parse(t, "b", c.of, map[string][]float32{"w": {0.5 + c.by/2, 1, 1.5 + c.by*3/2, 2 + c.by*2}})
		c.o.NoExact = true
		r, err := verifymodels.Run(context.Background(), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, o := range r.Numbers.Outputs {
			narrow := c.o.Tolerance == 0 && c.within[i] > 1e-4
			if o.Agrees() != c.agrees[i] || o.Tolerance != c.within[i] || (o.Type == "float16") != narrow {
				t.Errorf("%s: output %d: %+v", c.name, i, o)
			}
			if said := strings.Contains(r.String(), "16 roundings of float16"); said != (c.o.Tolerance == 0) {
				t.Errorf("%s:\n%s", c.name, r)
			}
		}
		if differ := !c.agrees[0] || !c.agrees[1]; (r.Verdict == verifymodels.ModelsDiffer) != differ {
			t.Errorf("%s: %s", c.name, r.Verdict)
		}
	}
}
