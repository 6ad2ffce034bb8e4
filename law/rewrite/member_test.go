package rewrite

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// The window of an operator on each member is that of the operator on one.
func TestKernelOfMember(t *testing.T) {
	over := graph.ShapeValue(graph.ShapeOf(graph.Var("g")))
	for _, c := range []struct {
		op    *graph.Op
		attrs map[string]graph.Value
		in    []graph.Shape
	}{
		{op.Conv2D, map[string]graph.Value{"pad": graph.NameValue("valid")}, []graph.Shape{graph.Sizes(1, 2, 8, 8), graph.Sizes(3, 2, 3, 5)}},
		{op.PoolMax, map[string]graph.Value{"pad": graph.NameValue("valid"), "kh": graph.IntValue(3), "kw": graph.IntValue(5)}, []graph.Shape{graph.Sizes(1, 2, 8, 8)}},
	} {
		attrs := append(graph.Attrs{over}, c.op.MustAttr(c.attrs)...)
		var in []graph.Shape
		for _, x := range c.in {
			in = append(in, append(graph.ShapeOf(graph.Var("g")), x...))
		}
		w, err := Kernel(c.op.Each(), attrs, in)
		if err != nil || len(w) != 2 || w[0] != graph.Int(3) || w[1] != graph.Int(5) {
			t.Errorf("%s: %v, %v", c.op.Name, w, err)
		}
		if _, err := Kernel(c.op.Each(), attrs, []graph.Shape{{}, {}}); err == nil {
			t.Errorf("%s: no error for shapes without the axis of the family", c.op.Name)
		}
	}
}
