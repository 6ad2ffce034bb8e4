package graph

// MaxAhead is the most operations (FLOPs of [Work]) of a node that depends on weights
// only and is computed ahead, before anything runs: half a second in float64 by
// definition, and twice as long for who checks it. What takes more is work for each
// run, so that a search does not call it free.
const MaxAhead = 1e9

// Heavy reports whether an operator on operands of these types, with these outputs, is
// too much work to be computed ahead.
func Heavy(op *Op, a Attrs, in, out []TensorType) bool {
	sizes := func(types []TensorType) [][]int {
		s := make([][]int, len(types))
		for i, t := range types {
			s[i] = t.Sizes
		}
		return s
	}
	return op.WorkOf(a, sizes(in), sizes(out)).FLOPs > MaxAhead
}
