package plan

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// An operator on members has the attributes of its origin, sizes may be parts.
func TestSameAttrs(t *testing.T) {
	slice := func(axis, lo, hi int) graph.Attrs {
		return graph.Attrs{graph.IntValue(axis), graph.IntValue(lo), graph.IntValue(hi)}
	}
	shape := func(sizes ...int) graph.Attrs { return graph.Attrs{graph.ShapeValue(graph.Sizes(sizes...))} }
	for _, c := range []struct {
		o             *graph.Op
		member, whole graph.Attrs
		same          bool
	}{
		{op.Slice, slice(1, 0, 4), slice(1, 0, 4), true},
		{op.Slice, slice(1, 0, 2), slice(1, 0, 8), true},
		{op.Slice, slice(1, 4, 8), slice(1, 0, 4), false},
		{op.Slice, slice(1, 0, 3), slice(1, 0, 4), false},
		{op.Reshape, shape(2, 8), shape(8, 8), true},
		{op.Reshape, shape(8, 2, 1), shape(8, 2), false},
		{op.Reshape, shape(3, 8), shape(8, 8), false},
		{op.Transpose, graph.Attrs{graph.TupleValue(0, 1)}, graph.Attrs{graph.TupleValue(1, 0)}, false},
	} {
		if err := sameAttrs(c.o, c.member, c.whole); (err == nil) != c.same {
			t.Errorf("%s %v of %v: %v", c.o.Name, c.member, c.whole, err)
		}
	}
}
