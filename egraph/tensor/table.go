package tensor

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/intern"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// ShapeID is a shape interned in a Table; 0 is none.
type ShapeID = intern.ShapeID

// symKind says what a symbol is.
type symKind uint8

const (
	symOp symKind = iota
	symLeaf
	symFn
)

// symbol is what a symbol number stands for.
type symbol struct {
	kind  symKind
	head  uint32
	op    *graph.Op   // symOp
	attrs graph.Attrs // symOp
	vals  []uint32    // attrs, interned
	name  string      // leaf or function variable
	shape ShapeID     // symLeaf
	sort  string      // symFn: the function variable's sort
	zero  bool        // a function of one element with f(0) = 0
	point bool        // a function of one element
}

// Heads 0 and 1 are taken; operators follow.
const (
	headLeaf      = 0
	headPointwise = 1 // function variables and the operators they may stand for
	headFirstOp   = 2
)

// Table interns symbols, attribute values and shapes, and remembers inferred
// shapes. It grows with what it has seen; Len says how far.
type Table struct {
	intern.Table
	heads map[*graph.Op]uint32
	syms  []symbol
	symAt map[symKey]uint32
	shape map[[2]uint32]ShapeID // (symbol, list of argument shapes), 0: ill-typed
	rules uint32
	known solutions

	// Compiled, if not nil, compiles the laws, or has compiled them already.
	Compiled *rewrite.Cache
}

type symKey struct {
	kind symKind
	op   *graph.Op
	name string
	args uint32
}

// NewTable returns an empty table for the operators registered by now, lifted ones among
// them.
func NewTable() *Table {
	t := &Table{
		Table: intern.New(),
		heads: map[*graph.Op]uint32{},
		symAt: map[symKey]uint32{},
		shape: map[[2]uint32]ShapeID{},
		syms:  make([]symbol, 1), // 0 is no symbol
	}
	for i, op := range slices.Concat(graph.Ops(), graph.Lifted(), graph.Defined()) {
		t.heads[op] = uint32(headFirstOp + i)
		if op.IsFunction() {
			t.heads[op] = headPointwise
		}
	}
	return t
}

// Len counts what the table holds: symbols, shapes and solutions. A caller that
// works through many unrelated goals drops a table that has grown large.
func (t *Table) Len() int { return len(t.syms) + t.Shapes() + len(t.known.all) }

func (t *Table) headOf(sym uint32) uint32 { return t.syms[sym].head }

// op returns the symbol of an operator with attribute values. A derived
// operator, such as split, has none: its parts do, see Graph.Add.
func (t *Table) op(op *graph.Op, attrs graph.Attrs) (uint32, error) {
	head, ok := t.heads[op]
	if !ok {
		return 0, fmt.Errorf("operator %s is not registered", op.Name)
	}
	if op.Out != 1 {
		return 0, fmt.Errorf("operator %s has %d outputs and no expansion", op.Name, op.Out)
	}
	if len(attrs) != len(op.Params) {
		return 0, fmt.Errorf("operator %s: %d attributes, want %d", op.Name, len(attrs), len(op.Params))
	}
	return t.intern(symKey{kind: symOp, op: op, args: t.Attrs(attrs)}, func() symbol {
		f := op.IsFunction()
		vals := make([]uint32, len(attrs))
		for i, v := range attrs {
			vals[i] = t.Value(v)
		}
		return symbol{kind: symOp, head: head, op: op, attrs: append(graph.Attrs{}, attrs...), vals: vals,
			point: f, zero: f && op.KeepsZero(attrs)}
	}), nil
}

func (t *Table) leaf(name string, shape ShapeID) uint32 {
	return t.intern(symKey{kind: symLeaf, name: name, args: uint32(shape)}, func() symbol {
		return symbol{kind: symLeaf, head: headLeaf, name: name, shape: shape}
	})
}

func (t *Table) fn(name, sort string) (uint32, error) {
	if !law.IsFuncSort(sort) {
		return 0, fmt.Errorf("function variable %s: sort %q is not a sort of functions", name, sort)
	}
	return t.intern(symKey{kind: symFn, name: name, args: t.Value(graph.NameValue(sort))}, func() symbol {
		return symbol{kind: symFn, head: headPointwise, name: name, sort: sort,
			point: true, zero: sort == law.SortZero1}
	}), nil
}

func (t *Table) intern(key symKey, make func() symbol) uint32 {
	n, ok := t.symAt[key]
	if !ok {
		n = uint32(len(t.syms))
		t.symAt[key] = n
		t.syms = append(t.syms, make())
	}
	return n
}

var errIllTyped = errors.New("tensor: ill-typed term")

// infer is the shape of a symbol over arguments of these shapes, given as a
// list; each combination is inferred once. The error says no more than that
// there is none.
func (t *Table) infer(sym, list uint32, args []ShapeID) (ShapeID, error) {
	key := [2]uint32{sym, list}
	id, ok := t.shape[key]
	if !ok {
		if s, err := t.inferNow(sym, args); err == nil {
			id = t.ShapeID(s)
		}
		t.shape[key] = id
	}
	if id == 0 {
		return 0, errIllTyped
	}
	return id, nil
}

func (t *Table) inferNow(sym uint32, args []ShapeID) (graph.Shape, error) {
	s := &t.syms[sym]
	switch s.kind {
	case symLeaf:
		return t.Shape(s.shape), nil
	case symFn:
		if len(args) != 1 {
			return nil, fmt.Errorf("function %s: %d arguments, want 1", s.name, len(args))
		}
		return t.Shape(args[0]), nil
	}
	in := make([]graph.Shape, len(args))
	for i, a := range args {
		in[i] = t.Shape(a)
	}
	var f graph.Unifier
	out, err := s.op.InferShapes(&f, s.attrs, in)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
