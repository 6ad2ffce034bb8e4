package cost

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// member is the application to one member of families and how many there are; 0 if the
// operator is not applied to each member of any, see [graph.Op.Each].
func (ap Application) member() (one Application, n int) {
	if ap.Op == nil {
		return ap, 0
	}
	op, attrs, over := ap.Op.Member(ap.Attrs)
	if op == nil {
		return ap, 0
	}
	sizes, ok := over.Concrete()
	if !ok {
		return ap, 0
	}
	behind := func(ts []graph.TensorType) []graph.TensorType {
		out := make([]graph.TensorType, len(ts))
		for i, t := range ts {
			out[i] = graph.TensorType{DType: t.DType, Sizes: t.Sizes[len(sizes):]}
		}
		return out
	}
	one = ap
	one.Op, one.Attrs, one.In, one.Out = op, attrs, behind(ap.In), behind(ap.Out)
	return one, graph.NumElements(sizes)
}

// ofEach is the work of n applications like this one to tensors that lie one behind the
// other. Views of parts have gaps between them then.
func (ap Application) ofEach(n int) Work {
	w := WorkOf(ap)
	if w.Class == View && n > 1 && !whole(ap) {
		w.Class = Copy
		for _, t := range ap.Out {
			w.Read = add(w.Read, t.Bytes())
		}
		w.Write, w.Reach = w.Read, 0
	}
	w.Read, w.Write, w.FLOPs, w.Weights = times(w.Read, n), times(w.Write, n), times(w.FLOPs, n), times(w.Weights, n)
	w.Reach, w.Outputs, w.Padded = times(w.Reach, n), times(w.Outputs, n), times(w.Padded, n)
	return w
}

// whole reports that the result has as many elements as the operand.
func whole(ap Application) bool {
	return len(ap.In) == 1 && len(ap.Out) == 1 && graph.NumElements(ap.In[0].Sizes) == graph.NumElements(ap.Out[0].Sizes)
}

func times(a int64, n int) int64 {
	if a > 0 && int64(n) > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * int64(n)
}
