package pad

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// version stands for a tensor of the network in the padded one.
type version struct {
	kind  kind
	of    graph.Tensor
	sizes []int // with cells
	after []int // cells along each axis; none of a tensor as it came
	sign  sign
	by    *made
	out   int
}

// how is how versions are made.
type how uint8

const (
	read    how = iota // an input
	compute            // the node's operator of versions of its operands
	added              // cells of zeros behind the tensor
	removed            // the tensor without cells
	zeroed             // a mask on cells
)

// made is what makes versions of the results of a node.
type made struct {
	id    graph.NodeID
	how   how
	seq   int // later ones may read earlier ones of one node
	attrs graph.Attrs
	in    []*version
	laws  []*law.Law // by result; nil: equal operands make it equal
	outs  []*version
}

func (v *version) operand(sizes []int) operand { return operand{v.kind, sizes, v.after} }

func (w *writer) make(id graph.NodeID, h how, attrs graph.Attrs, laws []*law.Law, in ...*version) *made {
	w.seq++
	return &made{id: id, how: h, seq: w.seq, attrs: attrs, in: in, laws: laws}
}

// result is a version that something makes.
func (w *writer) result(m *made, t graph.Tensor, k kind, after []int, s sign) *version {
	v := &version{kind: k, of: t, after: after, sizes: longer(w.g.Sizes(t), after), sign: s, by: m, out: int(t.Out)}
	if k == zero {
		v.sign = nothing
	}
	m.outs = append(m.outs, v)
	return v
}

// whole is the tensor as it came.
func (w *writer) whole(t graph.Tensor) (*version, error) {
	if v := w.same[t]; v != nil {
		return v, nil
	}
	from := w.padded[t]
	var l *law.Law
	var err error
	if from.kind == zero {
		if l, err = w.laws.whole(w.ctx, w.g.Sizes(t), from.after); err != nil {
			return nil, err
		}
		if l == nil {
			return nil, fmt.Errorf("%w: node %s: that cells can be taken away is not proved", ErrNone, w.g.Name(t.Node))
		}
	}
	v := w.result(w.make(t.Node, removed, nil, []*law.Law{l}, from), t, same, nil, unknown)
	w.same[t] = v
	return v, nil
}

// with is a version with such cells.
func (w *writer) with(t graph.Tensor, after []int) (*version, error) {
	if v := w.padded[t]; v != nil && slices.Equal(v.after, after) {
		return v, nil
	}
	for _, v := range w.other[t] {
		if slices.Equal(v.after, after) {
			return v, nil
		}
	}
	v, err := w.again(t, after)
	if err != nil {
		return nil, err
	}
	if v == nil {
		x, err := w.whole(t)
		if err != nil {
			return nil, err
		}
		v = w.result(w.make(t.Node, added, nil, nil, x), t, zero, after, nothing)
	}
	w.other[t] = append(w.other[t], v)
	return v, nil
}

// clean is a version with zeros in its cells; nil: there is none.
func (w *writer) clean(v *version) (*version, error) {
	if v.kind != loose {
		return v, nil
	}
	if c := w.cleaned[v]; c != nil {
		return c, nil
	}
	t := v.of
	if !w.g.DType(t).IsFloat() {
		return nil, nil
	}
	l, err := w.laws.masking(w.ctx, w.g.Sizes(t), v.after)
	if l == nil || err != nil {
		return nil, err
	}
	c := w.result(w.make(t.Node, zeroed, nil, []*law.Law{l}, v), t, zero, v.after, nothing)
	w.cleaned[v] = c
	return c, nil
}
