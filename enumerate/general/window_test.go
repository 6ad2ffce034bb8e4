package general

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// Of a pair with two windows each has variables of its own, and the least general form has the
// values of the case.
func TestTwoWindows(t *testing.T) {
	given := []law.Declaration{{Name: "X"}, {Name: "V"}, {Name: "W"}}
	term := func(s string) []*law.Term {
		u, err := law.ParseTerm(s, given)
		if err != nil {
			t.Fatal(err)
		}
		return []*law.Term{u}
	}
	side := "conv2d[stride=(1, 1), pad=valid](conv2d[stride=(2, 2), pad=same_lower](X, V), W)"
	p := &Pair{Left: term("relu(" + side + ")"), Right: term("relu(" + side + ")"),
		Sizes:  map[string][]int{"X": {1, 2, 4, 5}, "V": {2, 2, 3, 3}, "W": {2, 2, 1, 1}},
		Weight: map[string]bool{"V": true, "W": true}}
	for form, want := range map[int][]string{
		0: {"stride=s2, pad=p2](conv2d[stride=s, pad=p]", "p2 : padding", "s2 : stride"},
		1: {"stride=s2, pad=valid](conv2d[stride=s, pad=p]", "p : same"},
		2: {"stride=s2, pad=valid](conv2d[stride=s, pad=same_lower]"},
		3: {"conv2d[pad=valid](conv2d[stride=(2, 2), pad=p]"},
		4: {"conv2d[pad=valid](conv2d[stride=(2, 2), pad=same_lower]"},
	} {
		l, err := p.Law(Form{window: form})
		if err != nil {
			t.Errorf("form %d: %v", form, err)
			continue
		}
		text := strings.Join(strings.Fields(law.Format(l)), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("form %d: %s\nwant %s", form, text, w)
			}
		}
	}
}
