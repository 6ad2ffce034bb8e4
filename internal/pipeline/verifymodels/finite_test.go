package verifymodels_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// product is the product of the elements of x, some of them negated: 1 for one of all inputs.
func product(n int, negated func(i int) bool) string {
	text := fmt.Sprintf("x : bool[%d]\nf = cast[to=float32](x)\no : float32 = one[shape=[1]]()\n", n)
	last := "o"
	for i := range n {
		text += fmt.Sprintf("e%d = slice[axis=0, lo=%d, hi=%d](f)\n", i, i, i+1)
		factor := fmt.Sprintf("e%d", i)
		if negated(i) {
			text += fmt.Sprintf("n%d = ewsub(o, e%d)\n", i, i)
			factor = fmt.Sprintf("n%d", i)
		}
		text += fmt.Sprintf("p%d = ewmul(%s, %s)\n", i, last, factor)
		last = fmt.Sprintf("p%d", i)
	}
	return text + "return " + last
}

// Values of truth values and positions are independent of each other, whatever the seed is:
// of two inputs, of more, of elements of one input, and where positions depend on others.
func TestFiniteInputs(t *testing.T) {
	bools := "a : bool[]\nb : bool[]\nc : bool[]\nx = cast[to=float32](a)\ny = cast[to=float32](b)\nz = cast[to=float32](c)\no : float32 = one[shape=[]]()\n"
	nothing := func(n int) string {
		return fmt.Sprintf("x : bool[%d]\nf = cast[to=float32](x)\ng = slice[axis=0, lo=0, hi=1](f)\ny = ewsub(g, g)\nreturn y", n)
	}
	const table = "i : int64[1]\nj : int64[1]\nE : weight float32[3]\nF : weight float32[4]\n"
	positions := table + "e = gather[axis=0](E, i)\nf = gather[axis=0](F, j)\np = ewmul(e, f)\n"
	alternate := func(i int) bool { return i%2 == 1 }
	for _, c := range []struct {
		name, a, b string
		w          map[string][]float32
		verdict    verifymodels.Conclusion
		not        verifymodels.Conclusion // the verdict if verdict is ""
		statement  string
	}{
		{name: "two inputs", a: bools + "p = ewmul(x, y)\nr = ewmul(p, o)\nreturn r, z", b: bools + "n = ewsub(o, x)\np = ewmul(x, y)\nr = ewmul(p, n)\nreturn r, z",
			verdict: verifymodels.ModelsDiffer},
		{name: "three inputs", a: bools + "n = ewsub(o, y)\np = ewmul(x, n)\nq = ewmul(p, z)\nreturn q", b: bools + "n = ewsub(o, y)\np = ewmul(x, n)\nq = ewmul(p, y)\nr = ewmul(q, z)\nreturn r",
			verdict: verifymodels.ModelsDiffer},
		{name: "three inputs that are equal", a: bools + "n = ewsub(o, y)\np = ewmul(x, n)\nq = ewmul(p, x)\nr = ewmul(q, z)\nreturn r", b: bools + "n = ewsub(o, y)\np = ewmul(x, n)\nr = ewmul(p, z)\nreturn r",
			verdict: verifymodels.ModelsEqual, statement: "equal (all 8 inputs tried)"},
		{name: "elements of one input", a: product(2, alternate), b: nothing(2), verdict: verifymodels.ModelsDiffer},
		{name: "more elements", a: product(10, alternate), b: nothing(10), verdict: verifymodels.ModelsDiffer},
		{name: "too many elements to try all", a: product(30, alternate), b: nothing(30), not: verifymodels.ModelsEqual},
		{name: "no element, of many", a: product(30, func(int) bool { return true }), b: nothing(30), verdict: verifymodels.ModelsDiffer},
		{name: "a pair of positions", a: positions + "return p", b: positions + "q = ewmul(p, p)\nreturn q", w: map[string][]float32{"E": {0, 0, 1}, "F": {0, 0, 2, 1}},
			verdict: verifymodels.ModelsDiffer},
		{name: "positions that are looked up", a: "i : int64[2]\nE : weight float32[4]\ny = gather[axis=0](E, i)\nreturn y",
			b: "i : int64[2]\nE : weight float32[4]\nk : int64 = iota[n=4]()\nj = gather[axis=0](k, i)\ny = gather[axis=0](E, j)\nreturn y", verdict: verifymodels.ModelsEqual, statement: "equal (all 64 inputs tried)"},
		{name: "from the end of a longer table", a: "i : int64[1]\nE : weight float32[3]\ny = gather[axis=0](E, i)\nreturn y",
			b: "i : int64[1]\nE : weight float32[3]\no : float32 = one[shape=[3]]()\nz = ewsub(o, o)\nF = concat[axis=0](E, z)\ny = gather[axis=0](F, i)\nreturn y", verdict: verifymodels.ModelsDiffer},
	} {
		for seed := range uint64(6) {
			r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: parse(t, "a", c.a, c.w), B: parse(t, "b", c.b, c.w), Seed: seed})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if c.verdict != "" && r.Verdict != c.verdict || c.not != "" && r.Verdict == c.not || !strings.HasPrefix(r.Statement, c.statement) {
				t.Errorf("%s, seed %d: %s\n%s", c.name, seed, r.Verdict, r)
				break
			}
			if strings.Contains(r.Statement, "tried") && c.name != "positions that are looked up" && strings.Join(names(r), " ") != "reals" {
				t.Errorf("%s: assumptions %v", c.name, r.Assumptions)
			}
		}
	}
}

func names(r *verifymodels.Report) (list []string) {
	for _, n := range r.Assumptions {
		list = append(list, string(n))
	}
	return list
}
