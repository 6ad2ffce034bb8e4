package saturate

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
)

// infer finds the type of every class, and checks that its nodes agree on it.
func (p *problem) infer() error {
	e := p.s.g.E()
	p.types, p.typed = make([]graph.TensorType, p.Classes), make([]bool, p.Classes)
	for changed := true; changed; {
		changed = false
		for k, c := range p.at {
			for n := range e.Class(c) {
				t, ok, err := p.typeOf(n)
				if err != nil {
					return err
				}
				switch {
				case !ok:
				case !p.typed[k]:
					p.types[k], p.typed[k], changed = t, true, true
				case p.types[k].DType != t.DType || !slices.Equal(p.types[k].Sizes, t.Sizes):
					return fmt.Errorf("a tensor of type %s is to be equal to one of type %s", p.types[k], t)
				}
			}
		}
	}
	return nil
}

// typeOf infers the type of a node; not ok: that of a child is not known yet, or its
// operands do not fit element by element type, so that it cannot be chosen.
func (p *problem) typeOf(n egraph.NodeID) (t graph.TensorType, ok bool, err error) {
	s := p.s
	op, attrs, name := s.node(n)
	sizes, err := s.piece.sizing.SizesOf(s.g.Shape(n))
	if err != nil {
		return t, false, err
	}
	t = graph.TensorType{DType: s.piece.dtype, Sizes: sizes}
	if op == nil {
		i, known := s.leaf[name]
		if !known {
			return t, false, fmt.Errorf("tensor %s is not an input", name)
		}
		t.DType = s.piece.inputs[i].typ.DType
		return t, true, nil
	}
	kids := s.g.E().Children(n)
	if len(kids) == 0 {
		return t, true, nil
	}
	in := make([]graph.DType, len(kids))
	for i, k := range kids {
		c := p.class[s.g.E().Find(k)]
		if !p.typed[c] {
			return t, false, nil
		}
		in[i] = p.types[c].DType
		if op.DTypes == nil && in[i] != in[0] {
			return t, false, nil
		}
	}
	t.DType = in[0]
	if op.DTypes != nil {
		out, err := op.DTypes(attrs, in)
		if err != nil || len(out) != 1 {
			return t, false, nil
		}
		t.DType = out[0]
	}
	// Laws speak of real numbers: what they would make of others has no proof.
	return t, t.DType.IsReal(), nil
}
