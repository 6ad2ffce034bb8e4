package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

var counted = graph.NameValue("counted")

// PoolAvg is the average over a sliding window. border says what the sum is
// divided by: kh*kw, the border being zeros (counted, as in TASO), or the
// number of cells inside the image (excluded, ONNX's default).
var PoolAvg = graph.Register(&graph.Op{
	Name: "poolavg", In: 1, Out: 1,
	Class: "pool", AxisOf: beforeImage,
	Params: poolParams(graph.Param{Name: "border", Sort: graph.SortBorder, Default: counted,
		Doc: "counted: divide by kh*kw; excluded: divide by the number of elements inside the image"}),
	Doc: "Average over a sliding window.",
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if n, _ := a[4].Name(); n != "counted" && n != "excluded" && a[4].Kind() != graph.KindVar {
			return nil, fmt.Errorf("border %s is not known", a[4])
		}
		return inferPool(f, a, in)
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		pool := func() entryWin {
			return entryWindow(s, in[0][2].Dim, in[0][3].Dim, dim(a, 0), dim(a, 1), a[2], a[3], unit, at)
		}
		win := pool()
		sum := graph.EntrySum(graph.EntryRead(0, at[0], at[1], win.cell[0], win.cell[1]), win.over, win.inside...)
		border, literal := a[4].Name()
		var count *graph.Expr
		switch {
		case !literal:
			// Some divisor, the same for equal windows at equal places.
			s.LeaveValueOpen(a[4])
			count = graph.EntryNumber(s.Func("divisor "+a[4].Key()+" "+a[2].Key()+" "+a[3].Key(), atLeastOne,
				s.Size(in[0][2].Dim), s.Size(in[0][3].Dim), s.Size(dim(a, 0)), s.Size(dim(a, 1)), at[2], at[3]))
		case border == "excluded":
			cells := pool()
			count = graph.EntrySum(graph.EntryNumber(graph.IndexInt(1)), cells.over, cells.inside...)
		default:
			count = graph.EntryMul(graph.EntryNumber(s.Size(dim(a, 0))), graph.EntryNumber(s.Size(dim(a, 1))))
		}
		return graph.EntryMul(graph.EntryInv(count), sum), nil
	},
	FLOPs: poolFLOPs,
	Grad:  gradPoolAvg,
})

// atLeastOne is what is known of a divisor.
func atLeastOne(_ *graph.Space, n graph.Index, _ []graph.Index) []graph.Fact {
	return []graph.Fact{{Any: []graph.Guard{graph.GuardLe(graph.IndexInt(1), n)}}}
}
