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
	Class: "pool",
	Params: poolParams(graph.Param{Name: "border", Sort: graph.SortBorder, Default: counted,
		Doc: "counted: divide by kh*kw; excluded: divide by the cells inside"}),
	Doc: "Average over a sliding window.",
	Infer: func(f *graph.Facts, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if n, _ := a[4].Name(); n != "counted" && n != "excluded" && a[4].Kind() != graph.KindVar {
			return nil, fmt.Errorf("border %s is not known", a[4])
		}
		return inferPool(f, a, in)
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		pool := func() entryWin {
			return entryWindow(s, in[0][2].Dim, in[0][3].Dim, dim(a, 0), dim(a, 1), a[2], a[3], at)
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
	Mean: func(a graph.Attrs, in, out [][]int) (*graph.Meaning, error) {
		start, cells, err := poolCells(a, in, out)
		if err != nil {
			return nil, err
		}
		n := graph.NumElements(out[0])
		switch border, _ := a[4].Name(); border {
		case "counted":
			return &graph.Meaning{
				Steps: []graph.Step{{Kind: graph.StepSum, N: n, X: 0, Start: start, A: cells,
					Num: 1, Den: int64(num(a, 0) * num(a, 1))}},
				Outs: []int{0},
			}, nil
		case "excluded":
			return averageInside(n, start, cells), nil
		}
		return nil, fmt.Errorf("border %s is not a name", a[4])
	},
	FLOPs: poolFLOPs,
})

// atLeastOne is what is known of a divisor.
func atLeastOne(_ *graph.Space, n graph.Index, _ []graph.Index) []graph.Fact {
	return []graph.Fact{{Any: []graph.Guard{graph.GuardLe(graph.IndexInt(1), n)}}}
}

// maxOperands is how many operands a gather can tell apart (Step.Src).
const maxOperands = 127

// averageInside divides each sum by its number of cells. A step has one
// divisor, so there is a sum for each divisor that occurs, over the outputs
// that have it, and then gathers that put them in place.
func averageInside(n int, start, cells []int32) *graph.Meaning {
	m := &graph.Meaning{}
	step := map[int32]int{} // divisor to its sum
	at := make([]int32, n)  // place of an output in its sum
	which := make([]int, n) // the sum
	for i := 0; i < n; i++ {
		den := start[i+1] - start[i]
		k, ok := step[den]
		if !ok {
			k = len(m.Steps)
			step[den] = k
			m.Steps = append(m.Steps, graph.Step{Kind: graph.StepSum, X: 0, Start: []int32{0}, Num: 1, Den: int64(den)})
		}
		st := &m.Steps[k]
		at[i], which[i] = int32(st.N), k
		st.N++
		st.A = append(st.A, cells[start[i]:start[i+1]]...)
		st.Start = append(st.Start, int32(len(st.A)))
	}
	sums := len(m.Steps)
	// Operand 0 is what earlier gathers have placed, for the first one any sum.
	placed := 0
	for first := 0; first < sums; first += maxOperands - 1 {
		last := min(first+maxOperands-1, sums)
		pick := graph.Step{Kind: graph.StepGather, N: n, X: graph.Operand(-1 - placed),
			A: make([]int32, n), Src: make([]int8, n), Num: 1, Den: 1}
		for k := first; k < last; k++ {
			if o := graph.Operand(-1 - k); k == first {
				pick.Y = o
			} else {
				pick.More = append(pick.More, o)
			}
		}
		for i, k := range which {
			switch {
			case k >= last:
				pick.A[i] = -1 // a later gather places it
			case k >= first:
				pick.A[i], pick.Src[i] = at[i], int8(1+k-first)
			default:
				pick.A[i] = int32(i)
			}
		}
		placed = len(m.Steps)
		m.Steps = append(m.Steps, pick)
	}
	m.Outs = []int{placed}
	return m
}
