package law_test

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// TestInSort: which values an attribute variable may stand for.
func TestInSort(t *testing.T) {
	for _, c := range []struct {
		v    graph.Value
		sort string
		want bool
	}{
		{graph.TupleValue(1, 2), graph.SortStride, true},
		{graph.TupleValue(0, 2), graph.SortStride, false},
		{graph.TupleValue(1, 2, 3, 4), graph.SortStride, false},
		{graph.TupleValue(1, 2, 3, 4), graph.SortPadding, true},
		{graph.NameValue(graph.Valid), graph.SortPadding, true},
		{graph.NameValue(graph.Valid), graph.SortSame, false},
		{graph.NameValue(graph.SameLower), graph.SortSame, true},
		{graph.VarValue("q", graph.SortSame), graph.SortPadding, true},
		{graph.VarValue("p", graph.SortPadding), graph.SortSame, false},
		{graph.VarValue("p", graph.SortPadding), graph.SortStride, false},
		{graph.NameValue("relu"), graph.SortAct, true},
		{graph.NameValue("none"), graph.SortAct, true},
		{graph.NameValue("matmul"), graph.SortAct, false},
		{graph.NameValue("excluded"), graph.SortBorder, true},
		{graph.IntValue(1), graph.SortBorder, false},
		{graph.NameValue("relu"), "", false},
	} {
		if got := law.InSort(c.v, c.sort); got != c.want {
			t.Errorf("%s in %s: %t", c.v, c.sort, got)
		}
	}
}
