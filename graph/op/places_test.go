package op_test

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// An operator says that it reads at places exactly if its entry looks something up, and
// where it does so; a scatteradd looks nothing up, but adds at them, and a pick looks for keys.
func TestPlaces(t *testing.T) {
	found := 0
	for _, c := range slices.Concat(inferCases, numbered) {
		if slices.ContainsFunc(c.in, graph.Shape.HasAxisRun) || c.op.Entry == nil {
			continue
		}
		attrs, err := c.op.Attr(c.a)
		if err != nil {
			continue
		}
		var f graph.Unifier
		out, err := c.op.InferShapes(&f, attrs, c.in)
		if err != nil {
			continue
		}
		space := &graph.Space{}
		at := make([]graph.Index, len(out[0]))
		for i := range at {
			at[i] = space.Var("i").Index()
		}
		e, err := c.op.Entry(space, attrs, c.in, at)
		if err != nil {
			continue
		}
		var picks []*graph.Expr
		var walk func(e *graph.Expr)
		walk = func(e *graph.Expr) {
			if e.Pick != nil {
				picks = append(picks, e)
			}
			for _, a := range e.Args {
				walk(a)
			}
		}
		walk(e)
		if c.op == op.ScatterAdd {
			if i, n, err := c.op.Places(attrs, c.in); i != 1 || out[0][num0(attrs)].Dim != n || err != nil {
				t.Errorf("%s: adds at operand %d along %s, error %v", c.op.Name, i, n, err)
			}
			continue
		}
		if c.op == op.Pick {
			if i, n, err := c.op.Places(attrs, c.in); i != 2 || graph.DimValue(n) != attrs[0] || err != nil {
				t.Errorf("%s: positions in operand %d along %s, error %v", c.op.Name, i, n, err)
			}
			continue
		}
		if (len(picks) > 0) != (c.op.Places != nil) {
			t.Errorf("%s: %d look-ups, says that it reads at places: %v", c.op.Name, len(picks), c.op.Places != nil)
			continue
		}
		for _, p := range picks {
			found++
			i, n, err := c.op.Places(attrs, c.in)
			if err != nil || p.Pick.At.Kind != graph.ExprRead || p.Pick.At.In != i || len(p.Over) != 1 || !p.Over[0].N.Equal(space.Size(n)) {
				t.Errorf("%s: reads at operand %d along %s, error %v", c.op.Name, i, n, err)
			}
		}
	}
	if found == 0 {
		t.Errorf("nothing is looked up")
	}
	if _, _, err := op.Gather.Places(op.Gather.MustAttr(named{"axis": n(2)}), in(s(2, 3), s(4))); err == nil {
		t.Error("an axis that there is not has a size")
	}
}

// num0 is the first attribute, a number.
func num0(a graph.Attrs) int64 {
	d, _ := a[0].Dim()
	n, _ := d.Const()
	return n
}

// The operators that say so rearrange entries: no other number is in the result, and
// other numbers in the operands are in the result where they were.
func TestRearranges(t *testing.T) {
	seen := map[string]bool{}
	concrete(t, func(o *graph.Op, _ graph.Attrs, in []tensor, run func([]tensor) []tensor) {
		if !o.Rearranges {
			return
		}
		seen[o.Name] = true
		from := map[float64]float64{} // what is read at a place, by what it was
		other := slices.Clone(in)
		for i, x := range in {
			other[i].Data = slices.Clone(x.Data)
			for k, e := range x.Data {
				other[i].Data[k] = -e * e
				from[e] = -e * e
			}
		}
		was, is := run(in)[0], run(other)[0]
		for k, e := range was.Data {
			if x, ok := from[e]; !ok || is.Data[k] != x {
				t.Errorf("%s: %v and then %v at %d", o.Name, e, is.Data[k], k)
			}
		}
	})
	for _, o := range []*graph.Op{op.Concat, op.Slice, op.Reshape, op.Transpose, op.Broadcast, op.Reverse} {
		if !seen[o.Name] {
			t.Errorf("%s is not run", o.Name)
		}
	}
}
