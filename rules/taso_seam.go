package rules

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
	axis := func(i int) (int, bool) {
		d, _ := attrs[i].Dim()
		n, ok := d.Const()
		return int(n), ok && n >= 0 && len(in[0]) > int(n)
	}
	get := func(i, k int) *seam {
		if k < len(in[i]) {
			return in[i][k]
		}
		return nil
	}
	switch op.Name {
	case "relu", "smul", "sigmoid", "tanh":
		return [][]*seam{in[0]}
	case "ewadd", "ewmul":
		out := make([]*seam, min(len(in[0]), len(in[1])))
		for k := range out {
			out[k] = meet(in[0][k], in[1][k])
		}
		return [][]*seam{out}
	case "matmul":
		return [][]*seam{{get(0, 0), get(1, 1)}}
	case "conv2d":
		return [][]*seam{append([]*seam{get(0, 0), get(1, 0)}, spatial(attrs[0], attrs[1], in[0])...)}
	case "poolmax", "poolavg":
		return [][]*seam{append([]*seam{get(0, 0), nil}, spatial(attrs[2], attrs[3], in[0])...)}
	case "enlarge":
		return [][]*seam{{get(0, 0), get(0, 1), nil, nil}}
	case "transpose":
		perm, _ := attrs[0].Tuple()
		out := make([]*seam, len(perm))
		for k, p := range perm {
			out[k] = get(0, int(p))
		}
		return [][]*seam{out}
	case "concat":
		a, ok := axis(0)
		if !ok || len(in[1]) != len(in[0]) || a >= len(shapes[0]) {
			return [][]*seam{nil}
		}
		out := make([]*seam, len(in[0]))
		for k := range out {
			if k == a {
				out[k] = &seam{at: shapes[0][a].Dim, left: in[0][k], right: in[1][k]}
			} else {
				out[k] = meet(in[0][k], in[1][k])
			}
		}
		return [][]*seam{out}
	case "split":
		a, ok := axis(0)
		if !ok {
			return [][]*seam{nil, nil}
		}
		l, r := append([]*seam(nil), in[0]...), append([]*seam(nil), in[0]...)
		l[a], r[a] = nil, nil
		if s := in[0][a]; s != nil {
			l[a], r[a] = s.left, s.right
		}
		return [][]*seam{l, r}
	}
	// Constants, and operators TASO does not know.
	return make([][]*seam, op.Out)
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
