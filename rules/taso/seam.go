package taso

import "github.com/taso-go/taso/graph"

// seam says where a tensor was joined along one axis, as TASO's generator
// remembers it: the position of the last concatenation and the seams of both
// parts, each relative to its part. A nil seam: nothing is remembered.
type seam struct {
	at          graph.Dim
	left, right *seam
	// ties are positions that must agree for the seam to be one: where two
	// tensors meet element by element, both must have been cut at one place.
	// TASO compares numbers; here sizes are unknown, and the ties are demanded
	// when the seam is used.
	ties [][2]graph.Dim
}

// meet is the seam of two tensors combined element by element: kept if both
// have the same, forgotten otherwise.
func meet(a, b *seam) *seam {
	if !alike(a, b) || a == nil {
		return nil
	}
	s := &seam{at: a.at, left: meet(a.left, b.left), right: meet(a.right, b.right)}
	s.ties = append(append(append(s.ties, a.ties...), b.ties...), [2]graph.Dim{a.at, b.at})
	return s
}

// alike reports that two seams are nested in the same way.
func alike(a, b *seam) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return alike(a.left, b.left) && alike(a.right, b.right)
}

// seamsOf propagates seams, one for each axis of each input (none for tensors
// of unknown rank), through an operator to each of its outputs, as TASO's
// generator does.
func seamsOf(op *graph.Op, attrs graph.Attrs, in [][]*seam, shapes []graph.Shape) [][]*seam {
	if len(in) == 0 {
		return make([][]*seam, op.Out)
	}
	ranks := make([]int, len(in))
	for i := range in {
		ranks[i] = len(in[i])
	}
	axis := -1 // along which the operator joins or cuts
	if i := op.ParamIndex("axis"); i >= 0 {
		d, _ := attrs[i].Dim()
		n, ok := d.Const()
		if !ok || n < 0 || n >= int64(ranks[0]) {
			return make([][]*seam, op.Out)
		}
		axis = int(n)
	}
	out := make([]*seam, ranks[0])
	for k := range out {
		for i, at := range op.OperandAxes(attrs, ranks, k) {
			var s *seam
			if at.Axis < ranks[at.Operand] {
				s = in[at.Operand][at.Axis]
			}
			if i == 0 {
				out[k] = s
			} else {
				out[k] = meet(out[k], s)
			}
		}
	}
	switch op.Name {
	case "conv2d":
		copy(out[min(2, len(out)):], spatial(attrs[0], attrs[1], in[0]))
	case "poolmax", "poolavg":
		clear(out[min(1, len(out)):]) // that of channels is forgotten
		copy(out[min(2, len(out)):], spatial(attrs[2], attrs[3], in[0]))
	case "concat":
		if len(in[1]) != len(in[0]) || axis >= len(shapes[0]) {
			return [][]*seam{nil}
		}
		out[axis] = &seam{at: shapes[0][axis].Dim, left: in[0][axis], right: in[1][axis]}
	case "split":
		second := append([]*seam(nil), out...)
		out[axis], second[axis] = nil, nil
		if s := in[0][axis]; s != nil {
			out[axis], second[axis] = s.left, s.right
		}
		return [][]*seam{out, second}
	}
	return [][]*seam{out}
}

// spatial is the seams of height and width under a window: kept where the
// window keeps positions, which takes stride 1 and SAME padding.
func spatial(stride, pad graph.Value, in []*seam) []*seam {
	name, _ := pad.Name()
	_, sort, _ := pad.Var()
	same := name == graph.SameUpper || name == graph.SameLower || sort == graph.SortSame
	if len(in) != 4 || !same || stride != graph.TupleValue(1, 1) {
		return []*seam{nil, nil}
	}
	return in[2:]
}
