package lower

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// Tensors without elements have buffers of no bytes, and no kernel computes one. An
// operator that makes elements although an operand has none makes the same in every run,
// as its definition says: kernels of a target see no empty operand. A concatenation is that
// of the parts that have elements.

// empty lowers a node of which a result or an operand has no elements; false of one
// without such.
func (l *lowerer) empty(a Attrs, in []ValueID, out []graph.TensorType) (vs []ValueID, ok bool) {
	if !slices.ContainsFunc(out, graph.TensorType.Empty) {
		if len(l.filled(in)) == len(in) {
			return nil, false
		}
		dense := make([]ValueID, len(in))
		for i, v := range in {
			dense[i] = l.dense(v)
		}
		return l.add(Kernel{Kind: Constant, As: a.Op.Name, In: dense}, out...), true
	}
	for _, t := range out {
		if t.Empty() {
			vs = append(vs, l.fresh(t, Arena))
		} else { // of a split, the part that is all of the operand
			vs = append(vs, l.same(in[0]))
		}
	}
	return vs, true
}

// same is another value for what a value holds.
func (l *lowerer) same(id ValueID) ValueID {
	v := l.Values[id]
	l.readers[v.Buffer]-- // who reads the result reads the operand
	return l.value(v.View(0, v.Sizes, v.Strides))
}

// filled are the values that have elements.
func (l *lowerer) filled(vs []ValueID) []ValueID {
	var some []ValueID
	for _, v := range vs {
		if l.Values[v].Elements() > 0 {
			some = append(some, v)
		}
	}
	return some
}
