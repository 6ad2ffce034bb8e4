package parallel

import (
	"testing"

	"github.com/taso-go/taso/graph"
)

// A graph that anybody writes is refused with an error, or devices compute what it says,
// and send what the formulas say.
func FuzzNew(f *testing.F) {
	for _, n := range networks {
		f.Add(n.text)
	}
	for _, b := range bugs {
		f.Add(b.right)
	}
	f.Add("x : float32[4]\np = partition[axis=0, on=1](x)\nq = partition[axis=0, on=1](p)\nr = drop(q)\nz = drop(r)\nreturn z")
	f.Add("x : float32[]\np = replicate[on=3](x)\nq = partition[axis=0, on=3](p)\nr = each_combine[over=[3], axis=0](q)\nz = reduce(p)\nreturn z")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		g, err := graph.ParseText("fuzz", text)
		if err != nil || g.Len() > 40 || g.Work().FLOPs > 1<<14 || g.Work().BytesWrite > 1<<16 {
			return
		}
		p, err := New(ctx, g)
		if err != nil || p.Devices() > 64 {
			return
		}
		for _, id := range g.Inputs() {
			if !g.DType(id.Out(0)).IsFloat() {
				return
			}
		}
		want, err := evalGraph(g, residues(g, 3))
		if err != nil || want == nil {
			return // what it computes is not known, as of a node that is opaque
		}
		if err := differs(p, nil); err != nil {
			t.Fatalf("%v\n%s", err, g)
		}
		h, err := p.Pullback(floatInputs(g))
		if err != nil {
			return
		}
		if _, err := New(ctx, h); err != nil {
			t.Fatalf("%v\n%s", err, h)
		}
	})
}
