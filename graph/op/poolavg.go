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
	Params: poolParams(graph.Param{Name: "border", Sort: graph.SortBorder, Default: counted,
		Doc: "counted: divide by kh*kw; excluded: divide by the cells inside"}),
	Doc: "Average over a sliding window.",
	Infer: func(f *graph.Facts, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if n, _ := a[4].Name(); n != "counted" && n != "excluded" && a[4].Kind() != graph.KindVar {
			return nil, fmt.Errorf("border %s is not known", a[4])
		}
		return inferPool(f, a, in)
	},
	Mean: func(a graph.Attrs, in, out [][]int) (*graph.Meaning, error) {
		start, cells, err := poolCells(a, in, out)
		if err != nil {
			return nil, err
		}
		n := graph.NumElements(out[0])
		if a[4] == counted {
			return &graph.Meaning{
				Steps: []graph.Step{{Kind: graph.StepSum, N: n, X: 0, Start: start, A: cells,
					Num: 1, Den: int64(num(a, 0) * num(a, 1))}},
				Outs: []int{0},
			}, nil
		}
		// Excluded: each cell has a divisor of its own. One sum per distinct
		// divisor, then pick.
		m := &graph.Meaning{}
		at := map[int64]int{}
		pick := graph.Step{Kind: graph.StepGather, N: n, A: make([]int32, n), Src: make([]int8, n), Num: 1, Den: 1}
		for i := 0; i < n; i++ {
			den := int64(start[i+1] - start[i])
			k, ok := at[den]
			if !ok {
				k = len(m.Steps)
				at[den] = k
				m.Steps = append(m.Steps, graph.Step{Kind: graph.StepSum, N: n, X: 0, Start: start, A: cells, Num: 1, Den: den})
			}
			pick.A[i], pick.Src[i] = int32(i), int8(k)
		}
		for k := range m.Steps {
			switch k {
			case 0:
				pick.X = -1
			case 1:
				pick.Y = -2
			default:
				pick.More = append(pick.More, graph.Operand(-1-k))
			}
		}
		m.Steps = append(m.Steps, pick)
		m.Outs = []int{len(m.Steps) - 1}
		return m, nil
	},
	FLOPs: poolFLOPs,
})
