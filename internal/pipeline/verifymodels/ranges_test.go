package verifymodels_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
)

// What stays within an integer type is computed as numbers are, and what may leave it is
// not: models that are not one by structure are equal in the former case alone.
func TestRanges(t *testing.T) {
	const (
		head = "x : float32[4]\nk : uint8[4]\nw : weight uint8[4]\n"
		// Of q in the first model, and in the second one in another layout.
		plain   = "\ny = cast[to=float32](q)\nreturn y"
		another = "\nf = cast[to=float32](q)\ng = reshape[shape=[2, 2]](f)\ny = reshape[shape=[4]](g)\nreturn y"
	)
	for _, c := range []struct {
		name, of string
		leaves   bool
	}{
		{"rounded and clipped", "r = round(x)\nc = clip[lo=0, hi=255](r)\nq = cast[to=uint8](c)", false},
		{"clipped and rounded", "c = clip[lo=0, hi=255](x)\nr = round(c)\nq = cast[to=uint8](r)", false},
		{"not clipped", "r = round(x)\nq = cast[to=uint8](r)", true},
		{"clipped above alone", "c = clip[lo=-inf, hi=255](x)\nq = cast[to=uint8](c)", true},
		{"clipped too far above", "c = clip[lo=0, hi=256](x)\nq = cast[to=uint8](c)", true},
		{"clipped to what rounds to too much", "c = clip[lo=0, hi=255.5](x)\nr = round(c)\nq = cast[to=uint8](r)", true},
		{"clipped to what is cut to enough", "c = clip[lo=0, hi=255.5](x)\nq = cast[to=uint8](c)", false},
		{"clipped to what float32 may round to too much", "c = clip[lo=0, hi=255.99999](x)\nq = cast[to=uint8](c)", true},
		{"clipped below 0", "c = clip[lo=-1, hi=255](x)\nq = cast[to=uint8](c)", true},
		{"clipped to what another type holds", "c = clip[lo=0, hi=255](x)\nq = cast[to=int8](c)", true},
		{"clipped to int8", "c = clip[lo=-128, hi=127](x)\nq = cast[to=int8](c)", false},
		{"clipped, and something added", "c = clip[lo=0, hi=255](x)\nd = ewadd(c, x)\nq = cast[to=uint8](d)", true},
		{"clipped, and doubled", "c = clip[lo=0, hi=100](x)\nd = ewadd(c, c)\nq = cast[to=uint8](d)", false},
		{"a sum that is held", "c = clip[lo=0, hi=100](x)\ns = cast[to=uint8](c)\nq = ewadd(s, s)", false},
		{"a sum that is not held", "c = clip[lo=0, hi=128](x)\ns = cast[to=uint8](c)\nq = ewadd(s, s)", true},
		{"a difference", "c = clip[lo=0, hi=100](x)\ns = cast[to=uint8](c)\nq = ewsub(s, s)", true},
		{"a square that is held", "c = clip[lo=-15, hi=15](x)\ns = cast[to=int8](c)\ns2 = cast[to=uint8](s)\nq = ewmul(s2, s2)", true},
		{"a product that is held", "c = clip[lo=0, hi=15](x)\ns = cast[to=uint8](c)\nq = ewmul(s, s)", false},
		{"a product that is not held", "c = clip[lo=0, hi=16](x)\ns = cast[to=uint8](c)\nq = ewmul(s, s)", true},
		{"a sum with what is fed", "c = clip[lo=0, hi=1](x)\ns = cast[to=uint8](c)\nq = ewadd(s, k)", true},
		{"a sum with weights", "c = clip[lo=0, hi=246](x)\ns = cast[to=uint8](c)\nq = ewadd(s, w)", false},
		{"a sum with weights that is not held", "c = clip[lo=0, hi=247](x)\ns = cast[to=uint8](c)\nq = ewadd(s, w)", true},
		{"a sum of all", "c = clip[lo=0, hi=63](x)\ns = cast[to=uint8](c)\nt = reducesum[axes=(0), keep=1](s)\nq = broadcast[shape=[4]](t)", false},
		{"a sum of all that is not held", "c = clip[lo=0, hi=64](x)\ns = cast[to=uint8](c)\nt = reducesum[axes=(0), keep=1](s)\nq = broadcast[shape=[4]](t)", true},
		{"a choice", "c = clip[lo=0, hi=9](x)\nd = clip[lo=3, hi=255](x)\ne = ewwhere(c, c, d)\nq = cast[to=uint8](e)", false},
		{"choices that are a clip", "o : float32 = one[shape=[4]]()\nz = ewsub(o, o)\nl = ewless(x, z)\nm = ewwhere(l, z, x)\nh = ewless(o, m)\nn = ewwhere(h, o, m)\nq = cast[to=uint8](n)", false},
		{"choices that are another one", "o : float32 = one[shape=[4]]()\nz = ewsub(o, o)\nl = ewless(x, z)\nm = ewwhere(l, x, z)\nh = ewless(o, m)\nn = ewwhere(h, o, m)\nq = cast[to=uint8](n)", true},
		{"a choice of the larger one", "o : float32 = one[shape=[4]]()\nz = ewsub(o, o)\nl = ewless(x, z)\nm = ewwhere(l, z, x)\nh = ewless(o, m)\nn = ewwhere(h, m, o)\nq = cast[to=uint8](n)", true},
		{"a sine", "s = sin(x)\na = abs(s)\nq = cast[to=uint8](a)", false},
		{"a logarithm", "c = clip[lo=1, hi=50](x)\nl = log(c)\nq = cast[to=uint8](l)", false},
		{"a logarithm that may be less than 0", "c = clip[lo=0.25, hi=50](x)\nl = log(c)\nq = cast[to=uint8](l)", true},
		{"a choice of something large", "c = clip[lo=0, hi=9](x)\ne = ewwhere(c, c, x)\nq = cast[to=uint8](e)", true},
	} {
		// Nothing that the two models compute is the same by structure.
		moved := strings.Replace(head, "x :", "x0 :", 1) + "x1 = reshape[shape=[2, 2]](x0)\nx = reshape[shape=[4]](x1)\n"
		a, b := parse(t, "a", head+c.of+plain, nil), parse(t, "b", moved+c.of+another, nil)
		for _, m := range []*model.Model{a, b} {
			for id := range m.Weights {
				m.Weights[id] = model.FromBytes(graph.Uint8, []int{4}, []byte{1, 9, 0, 3})
			}
		}
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		leaves := strings.Contains(strings.Join(r.Unreached, "\n"), "values beyond the range of")
		if leaves != c.leaves || r.Exact.Verdict != verifymodels.Equal || r.Exact.Structure || (r.Verdict == verifymodels.ModelsEqual) == leaves {
			t.Errorf("%s: %s, %s, %v", c.name, r.Verdict, r.Exact.Verdict, r.Unreached)
		}
	}
}
