package graph

// MaxAhead is the most operations (FLOPs of [Work]) of a node that depends on weights
// only and is computed ahead, before anything runs: half a second in float64 by
// definition, and twice as long for who checks it. What takes more is work for each
// run, so that a search does not call it free.
const MaxAhead = 1e9

// mostAhead is the most elements of a tensor that is computed ahead.
const mostAhead = 1 << 28

// Heavy reports whether an operator on operands of these types, with these outputs, is
// too much work to be computed ahead, or its results are too large.
func Heavy(op *Op, a Attrs, in, out []TensorType) bool {
	for _, t := range out {
		if Product(t.Sizes...) > mostAhead {
			return true
		}
	}
	sizes := func(types []TensorType) [][]int {
		s := make([][]int, len(types))
		for i, t := range types {
			s[i] = t.Sizes
		}
		return s
	}
	return op.WorkOf(a, sizes(in), sizes(out)).FLOPs > MaxAhead
}

// Heavy reports whether a node that applies an operator is [Heavy].
func (g *Graph) Heavy(id NodeID) bool {
	var in, out []TensorType
	for _, t := range g.Operands(id) {
		in = append(in, g.Type(t))
	}
	for i := range g.NumOut(id) {
		out = append(out, g.Type(id.Out(i)))
	}
	return Heavy(g.op[id], g.attrs[id], in, out)
}
