package bank

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/intern"
)

type (
	symID  uint32
	typeID uint32
)

// symbol is an operator with its attribute values, or a leaf.
type symbol struct {
	op    *graph.Op   // nil for an input
	attrs graph.Attrs // with variables of dynamic sizes
	at    graph.Attrs // the same at the sample sizes
	dtype graph.DType // of what an operator without operands computes
	add   []element   // by output: the constant of the linear hash
	mul   []element   // by operand: its factors
}

// typed is an interned type: the sizes are those of the shape at the sample sizes.
type typed struct {
	graph.TensorType
	shape graph.Shape
}

// inferred is what is known of a symbol on operands of given types.
type inferred struct {
	outs []typeID // nil: they do not fit
	app  uint32   // its number, from 1
	cost int64
	// heavy: it takes more than [graph.MaxAhead] operations, or depends on dynamic sizes: it is
	// not computed ahead.
	heavy bool
	// values says which results have values, by output: see values.go.
	values []values
	err    error
}

// Table interns operators with attributes, and types, and remembers what was
// inferred of them. It never shrinks. Layout and placement of tensors, when there
// are such, are part of their type.
type Table struct {
	num    intern.Table
	syms   []symbol
	symAt  map[symKey]symID
	types  []typed
	typeAt map[typeKey]typeID
	known  map[[2]uint32]*inferred // by symbol and list of types
	sizing *graph.Sizing           // nil: all sizes are fixed
}

type symKey struct {
	op    *graph.Op
	attrs uint32
	dtype graph.DType
	leaf  string
}

type typeKey struct {
	dtype graph.DType
	shape intern.ShapeID
}

func newTable() *Table {
	return &Table{
		num:  intern.New(),
		syms: make([]symbol, 1), symAt: map[symKey]symID{},
		types: make([]typed, 1), typeAt: map[typeKey]typeID{},
		known: map[[2]uint32]*inferred{},
	}
}

func (t *Table) typeID(dtype graph.DType, shape graph.Shape) (typeID, error) {
	of := t.num.ShapeID(shape)
	key := typeKey{dtype, of}
	id, ok := t.typeAt[key]
	if !ok {
		sizes, err := t.sizing.SizesOf(shape)
		if err != nil {
			return 0, err
		}
		id = typeID(len(t.types))
		t.typeAt[key] = id
		t.types = append(t.types, typed{graph.TensorType{DType: dtype, Sizes: sizes}, t.num.Shape(of)})
	}
	return id, nil
}

// symbol is the number of an operator with attribute values; dtype counts for
// operators without operands only. text says what it is in hashes; "" is for
// operators of the registry.
func (t *Table) symbol(op *graph.Op, a graph.Attrs, dtype graph.DType, text string) symID {
	if op.In > 0 {
		dtype = 0
	}
	key := symKey{op: op, attrs: t.num.Attrs(a), dtype: dtype}
	id, ok := t.symAt[key]
	if !ok {
		if text == "" {
			text = "op " + op.Name + " " + a.Key() + " " + dtype.String()
		}
		s := symbol{op: op, attrs: append(graph.Attrs{}, a...), dtype: dtype}
		if s.at = s.attrs; t.sizing != nil && s.attrs.Varies() {
			s.at = s.attrs.Subst(t.sizing.Samples())
		}
		s.hashes(text, op.In, op.Out, op.Commutative)
		id = symID(len(t.syms))
		t.syms, t.symAt[key] = append(t.syms, s), id
	}
	return id
}

// leaf is the number of an input of that name.
func (t *Table) leaf(name string, weight bool, typ typeID) symID {
	tt := &t.types[typ]
	text := fmt.Sprintf("leaf %t %d:%s %s %v", weight, len(name), name, tt.DType, tt.Sizes)
	if _, fixed := tt.shape.Concrete(); !fixed {
		text += " " + tt.shape.Key()
	}
	key := symKey{leaf: text}
	id, ok := t.symAt[key]
	if !ok {
		var s symbol
		s.hashes(text, 0, 1, false)
		id = symID(len(t.syms))
		t.syms, t.symAt[key] = append(t.syms, s), id
	}
	return id
}

// hashes draws the numbers of the linear hash from a text that says what the
// symbol is.
func (s *symbol) hashes(text string, in, out int, commutative bool) {
	draw := func(what byte, i int) element {
		h := sha256.Sum256(append(binary.LittleEndian.AppendUint32([]byte{what}, uint32(i)), text...))
		return element{reduce(binary.LittleEndian.Uint64(h[:])), reduce(binary.LittleEndian.Uint64(h[8:]))}
	}
	s.add, s.mul = make([]element, out), make([]element, in)
	for i := range s.add {
		s.add[i] = draw('o', i)
	}
	for i := range s.mul {
		s.mul[i] = draw('i', i)
		if commutative {
			s.mul[i] = s.mul[0]
		}
	}
}

// infer types a symbol on operands of these types, once.
func (t *Table) infer(sym symID, in []typeID, price Price) *inferred {
	list := uint32(0)
	for _, x := range in {
		list = t.num.Push(list, uint32(x))
	}
	key := [2]uint32{uint32(sym), list}
	k, ok := t.known[key]
	if !ok {
		k = t.inferNow(sym, in, price)
		k.app = uint32(len(t.known)) + 1
		t.known[key] = k
	}
	return k
}

func (t *Table) inferNow(sym symID, in []typeID, price Price) *inferred {
	s := &t.syms[sym]
	types := make([]graph.TensorType, len(in))
	for i, x := range in {
		types[i] = t.types[x].TensorType
	}
	out, err := graph.ApplyTypes(s.op, s.at, types, s.dtype)
	if err != nil {
		return &inferred{err: err}
	}
	shapes, varies, err := t.shapes(s, in, out)
	if err != nil {
		return &inferred{err: err}
	}
	k := &inferred{outs: make([]typeID, len(out))}
	for i, x := range out {
		if k.outs[i], err = t.typeID(x.DType, shapes[i]); err != nil {
			return &inferred{err: err}
		}
	}
	if price != nil {
		k.cost = price(s.op, s.at, types, out)
	}
	k.heavy = varies || graph.Heavy(s.op, s.at, types, out)
	return k
}

// shapes are the shapes of what a symbol computes, which has the types out at the sample
// sizes, and whether it depends on dynamic sizes.
func (t *Table) shapes(s *symbol, in []typeID, out []graph.TensorType) (shapes []graph.Shape, varies bool, err error) {
	if t.sizing != nil {
		varies = s.attrs.Varies()
		shapes = make([]graph.Shape, len(in))
		for i, x := range in {
			shapes[i] = t.types[x].shape
			_, fixed := shapes[i].Concrete()
			varies = varies || !fixed
		}
	}
	if varies {
		shapes, err = t.sizing.Apply(s.op, s.attrs, shapes)
		return shapes, true, err
	}
	shapes = make([]graph.Shape, len(out))
	for i, x := range out {
		shapes[i] = graph.Sizes(x.Sizes...)
	}
	return shapes, false, nil
}
