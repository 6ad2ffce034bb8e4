package enumerate

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// source is an axis of an operand.
type source struct{ arg, axis int }

// keeps lists the axes of operands whose positions are positions along an axis
// of the result: where the operand was joined along one, the result may be cut.
// sizes are those of the operands, of which only the number of axes counts. Of
// an operator that is not named here nothing is known, and nothing is cut.
func keeps(o *graph.Op, attrs graph.Attrs, sizes [][]int, axis int) []source {
	if c := composites[o]; c != nil {
		if c.keep == nil {
			return nil
		}
		return c.keep(attrs, len(sizes[0]), axis)
	}
	same := []source{{0, axis}}
	switch o {
	case op.Concat:
		if instAttr(attrs, 0) == axis {
			return same // and behind the first operand, see store.seams
		}
		return []source{{0, axis}, {1, axis}}
	case op.Split, op.Softmax, op.Slice:
		return same
	case op.PoolMax, op.PoolAvg, op.Enlarge, op.Pad:
		if axis < 2 { // windows and borders lie along the others
			return same
		}
	case op.ReduceSum, op.ReduceMean, op.ReduceMax:
		axes, _ := attrs[0].Tuple()
		for _, a := range axes {
			if int(a) == axis {
				return nil
			}
		}
		return same
	case op.Transpose:
		if perm, _ := attrs[0].Tuple(); axis < len(perm) {
			return []source{{0, int(perm[axis])}}
		}
	case op.MatMul:
		switch r := len(sizes[0]); {
		case axis < r-2:
			return []source{{0, axis}, {1, axis}}
		case axis == r-2:
			return same
		case axis == r-1:
			return []source{{1, axis}}
		}
	case op.Conv2D:
		if axis < 2 {
			return []source{{axis, 0}}
		}
	}
	switch {
	case o.Elementwise && len(sizes) == 2 && len(sizes[1]) == len(sizes[0]):
		return []source{{0, axis}, {1, axis}}
	case o.Pointwise, o.Elementwise:
		return same
	}
	return nil
}

func instAttr(a graph.Attrs, i int) int { return int(lit(a[i])) }
