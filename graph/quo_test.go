package graph_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/graph"
)

func TestQuo(t *testing.T) {
	a, b, one := graph.Var("a"), graph.Var("b"), graph.Int(1)
	run := graph.AxisRunLen("P")
	win := graph.Func("window", graph.DimValue(a), graph.DimValue(b))
	for _, c := range []struct {
		d, e, want graph.Dim
		ok         bool
	}{
		{graph.Int(6), graph.Int(2), graph.Int(3), true},
		{graph.Int(6), graph.Int(-2), graph.Int(-3), true},
		{graph.Int(6), graph.Int(4), graph.Dim{}, false},
		{graph.Int(6), graph.Int(0), graph.Dim{}, false},
		{graph.Int(0), a, graph.Int(0), true},
		{a.Mul(b).Scale(6), a.Scale(2), b.Scale(3), true},
		{a.Mul(b), a.Scale(2), graph.Dim{}, false},
		{a.Mul(b).Add(b), a, graph.Dim{}, false},
		{a.Add(b).Mul(b).Scale(6), a.Add(b).Scale(2), b.Scale(3), true},
		{a.Scale(3), graph.Int(2), graph.Dim{}, false},
		{a.Mul(b).Add(one), a, graph.Dim{}, false},
		{a, b, graph.Dim{}, false},
		{a.Mul(b).Add(b), b, a.Add(one), true},
		{a.Mul(a).Sub(b.Mul(b)), a.Add(b), a.Sub(b), true},
		{a.Mul(a).Add(b.Mul(b)), a.Add(b), graph.Dim{}, false},
		{a.Mul(win).Add(run.Mul(win)), win, a.Add(run), true},
		{one, a, graph.Dim{}, false},
		{graph.Int(1 << 62).Mul(graph.Int(4)), graph.Int(2), graph.Dim{}, false}, // too large
	} {
		if got, ok := c.d.Quo(c.e); ok != c.ok || ok && got != c.want {
			t.Errorf("%s / %s: %s %v, want %s %v", c.d, c.e, got, ok, c.want, c.ok)
		}
	}
}

// A product is divided by its factors.
func TestQuoOfProducts(t *testing.T) {
	size := rapid.Custom(func(t *rapid.T) graph.Dim {
		d := graph.Int(int64(rapid.IntRange(-3, 3).Draw(t, "constant")))
		for range rapid.IntRange(0, 3).Draw(t, "terms") {
			m := graph.Int(int64(rapid.IntRange(-3, 3).Draw(t, "factor")))
			for range rapid.IntRange(1, 3).Draw(t, "degree") {
				m = m.Mul(graph.Var(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "variable")))
			}
			d = d.Add(m)
		}
		return d
	})
	rapid.Check(t, func(t *rapid.T) {
		p, q := size.Draw(t, "p"), size.Draw(t, "q")
		if q == graph.Int(0) {
			return
		}
		if got, ok := p.Mul(q).Quo(q); !ok || got != p {
			t.Fatalf("(%s)*(%s) / (%s): %s %v", p, q, q, got, ok)
		}
		if r, ok := p.Quo(q); ok && r.Mul(q) != p {
			t.Fatalf("%s / %s: %s", p, q, r)
		}
	})
}
