package kernel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// bindMeaning runs an operator by its definition: right for every operator, and slow.
// Sums are computed in float64, those of integers in 64 bits.
func bindMeaning(b *binder, k *lower.Kernel) error {
	a := b.attrs(k.Node)
	if _, _, opaque := b.plan.Graph.Opaque(k.Node); opaque {
		return b.unsupported("its meaning is not known")
	}
	shapes := make([]graph.Shape, len(k.In))
	for i, t := range b.plan.Graph.Operands(k.Node) {
		sizes := b.plan.Graph.Type(t).Sizes
		if shapes[i] = graph.Sizes(sizes...); !slices.Equal(sizes, b.value(k.In[i]).Sizes) {
			return b.unsupported("there is no kernel for %s of operands in another form", k.As)
		}
	}
	if k.Tail != nil && len(k.Tail.Steps) > 0 && k.Tail.Steps[0].Node == k.Node {
		// The definition has the operator's own activation in it.
		own := *k
		own.Tail = &lower.Tail{Steps: k.Tail.Steps[1:], N: k.Tail.N, Mod: k.Tail.Mod}
		k = &own
	}
	for i, v := range k.Out {
		p, _, err := a.Op.Primitive(a.Values, shapes, i)
		if err != nil {
			return err
		}
		if p.Op.Entry == nil {
			return b.unsupported("its meaning is not known")
		}
		if err := b.meaning(k, p, shapes, v); err != nil {
			return err
		}
	}
	return nil
}

// meaning is one output.
func (b *binder) meaning(k *lower.Kernel, p graph.Prim, shapes []graph.Shape, out lower.ValueID) (err error) {
	defer graph.CatchTooLarge(&err)
	s := b.source(append([]lower.ValueID{out}, k.In...)...)
	w := newWriter(s, double, func(in int, at []string) (term, error) { return s.element(k.In[in], at) })
	y := b.value(out)
	n := y.Elements()
	s.each(n)
	names := s.unravel("i", y.Sizes)
	at := make([]graph.Index, len(names))
	for i, name := range names {
		if name != "" {
			v := w.space.Var("i")
			at[i], w.names[v] = v.Index(), name
		}
	}
	e, err := p.Op.Entry(w.space, p.Attrs, shapes, at)
	if err != nil {
		return err
	}
	for _, o := range w.space.Open() {
		return fmt.Errorf("%s %s has no value", o.Sort, o.Name)
	}
	x, err := w.expr(e)
	if err != nil {
		return err
	}
	return b.stored(s, k, out, x, n)
}

// element is an element of a value at an index.
func (s *source) element(v lower.ValueID, at []string) (term, error) {
	x := s.b.value(v)
	if len(at) != len(x.Sizes) {
		return term{}, errors.New("an operand is read at an index of another number of axes")
	}
	idx := make([]string, len(at))
	for i, a := range at {
		if x.Sizes[i] > 1 {
			idx[i] = enclosed(a)
		}
	}
	p, t, err := s.reads(v)
	return term{code: fmt.Sprintf("%s[%s]", p, s.place(idx, x.Strides, 0)), typ: t}, err
}
