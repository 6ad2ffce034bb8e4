package tensor

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law/rewrite"
)

// What the remainder of a size says of sums and products it does not say of the
// number of windows along it.
func TestDividesWindows(t *testing.T) {
	n := graph.Var("n")
	f := &facts{mods: []rewrite.Residue{{D: n.Sub(graph.Int(1)), K: 2}}} // n is odd
	stride := graph.TupleValue(2, 2)
	windows := graph.Func("strided", graph.DimValue(n), stride, graph.IntValue(0))
	for _, x := range []struct {
		d    graph.Dim
		want bool
	}{
		{n.Add(graph.Int(3)), true},
		{n.Mul(n).Sub(graph.Int(1)), true},
		{n, false},
		// ceil(n/2) - 1 is 0 for n = 1 and 1 for n = 3.
		{windows.Sub(graph.Int(1)), false},
	} {
		if got := f.divides(rewrite.Residue{D: x.d, K: 2}); got != x.want {
			t.Errorf("2 divides %s where n is odd: %v, want %v", x.d, got, x.want)
		}
	}
}
