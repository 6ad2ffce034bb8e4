package saturate

import (
	"encoding/binary"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
)

// ref is an operand within a piece: a node of it, or ^i for its input i.
type ref int32

// app is a node of a piece: a primitive operator with one output.
type app struct {
	op    *graph.Op
	attrs graph.Attrs
	args  []ref
}

// input is what a piece knows of a tensor that it reads.
type input struct {
	typ   graph.TensorType
	shape graph.Shape // with variables of dynamic sizes
	fixed bool        // it depends on weights only
}

// piece is a part of a network by itself: what it computes from its inputs, which
// are numbered by first use. Parts that are alike have one piece.
type piece struct {
	inputs  []input
	nodes   []app // operands before their users
	outputs []ref
	dtype   graph.DType // of nodes without operands
	sizing  *graph.Sizing
}

// part is a place of a piece in a network.
type part struct {
	piece   int // its number
	inputs  []bank.Tensor
	outputs []bank.Tensor
}

// pieces numbers pieces so that those that are alike have one number.
type pieces struct {
	all []*piece
	at  map[string]int
	num map[any]uint64 // operators, attribute values and names of types
}

func newPieces() *pieces { return &pieces{at: map[string]int{}, num: map[any]uint64{}} }

func (ps *pieces) number(x any) uint64 {
	n, ok := ps.num[x]
	if !ok {
		n = uint64(len(ps.num))
		ps.num[x] = n
	}
	return n
}

// add is the number of p.
func (ps *pieces) add(p *piece) int {
	b := binary.AppendUvarint(nil, uint64(len(p.inputs)))
	b = append(b, byte(p.dtype))
	for _, x := range p.inputs {
		b = binary.AppendUvarint(b, ps.number(x.typ.DType.String()+x.shape.Key()))
		if x.fixed {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	for i := range p.nodes {
		a := &p.nodes[i]
		b = binary.AppendUvarint(b, ps.number(a.op))
		for _, v := range a.attrs {
			b = binary.AppendUvarint(b, ps.number(v))
		}
		b = binary.AppendUvarint(b, uint64(len(a.args)))
		for _, r := range a.args {
			b = binary.AppendVarint(b, int64(r))
		}
	}
	for _, r := range p.outputs {
		b = binary.AppendVarint(b, int64(r))
	}
	n, ok := ps.at[string(b)]
	if !ok {
		n = len(ps.all)
		ps.all = append(ps.all, p)
		ps.at[string(b)] = n
	}
	return n
}

// graph is the piece as a network of its own, with inputs and weights named
// I0, I1, ... and, as outputs, those of the piece.
func (p *piece) graph() (*graph.Graph, error) {
	var gb graph.Builder
	if p.sizing != nil {
		if err := gb.Vary(p.sizing); err != nil {
			return nil, err
		}
	}
	ins := make([]graph.Tensor, len(p.inputs))
	for i, x := range p.inputs {
		var t graph.Tensor
		var err error
		if x.fixed {
			t, err = gb.AddWeight(inputName(i), x.typ.DType, x.typ.Sizes...)
		} else {
			t, err = gb.AddOpen(inputName(i), x.typ.DType, x.shape)
		}
		if err != nil {
			return nil, err
		}
		ins[i] = t
	}
	nodes := make([]graph.Tensor, len(p.nodes))
	at := func(r ref) graph.Tensor {
		if r < 0 {
			return ins[^r]
		}
		return nodes[r]
	}
	for i := range p.nodes {
		a := &p.nodes[i]
		args := make([]graph.Tensor, len(a.args))
		for k, r := range a.args {
			args[k] = at(r)
		}
		var id graph.NodeID
		var err error
		if len(args) == 0 {
			id, err = gb.Constant("", p.dtype, a.op, a.attrs)
		} else {
			id, err = gb.Apply("", a.op, a.attrs, args...)
		}
		if err != nil {
			return nil, err
		}
		nodes[i] = id.Out(0)
	}
	outs := make([]graph.Tensor, len(p.outputs))
	for i, r := range p.outputs {
		outs[i] = at(r)
	}
	return gb.Finish(outs...)
}

func inputName(i int) string { return fmt.Sprintf("I%d", i) }
