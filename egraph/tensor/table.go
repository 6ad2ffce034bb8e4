package tensor

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// ShapeID is a shape interned in a Table; 0 is none.
type ShapeID uint32

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
	heads  map[*graph.Op]uint32
	syms   []symbol
	symAt  map[symKey]uint32
	values map[graph.Value]uint32
	shapes []graph.Shape
	cons   map[shapeCell]ShapeID // a shape is its prefix and its last item
	lists  map[[2]uint32]uint32  // a list is its prefix and its last number
	shape  map[[2]uint32]ShapeID // (symbol, list of argument shapes), 0: ill-typed
	rules  uint32
	known  solutions
}

type symKey struct {
	kind symKind
	op   *graph.Op
	name string
	args uint32
}

type shapeCell struct {
	prefix ShapeID
	item   graph.Item
}

// NewTable returns an empty table for the operators registered by now.
func NewTable() *Table {
	t := &Table{
		heads:  map[*graph.Op]uint32{},
		symAt:  map[symKey]uint32{},
		values: map[graph.Value]uint32{},
		cons:   map[shapeCell]ShapeID{},
		lists:  map[[2]uint32]uint32{},
		shape:  map[[2]uint32]ShapeID{},
		syms:   make([]symbol, 1),      // 0 is no symbol
		shapes: make([]graph.Shape, 2), // 0 is no shape, 1 is []
	}
	t.shapes[1] = graph.Shape{}
	for i, op := range graph.Ops() {
		t.heads[op] = uint32(headFirstOp + i)
		if op.IsFunction() {
			t.heads[op] = headPointwise
		}
	}
	return t
}

// Len counts what the table holds: symbols, shapes and solutions. A caller that
// works through many unrelated goals drops a table that has grown large.
func (t *Table) Len() int { return len(t.syms) + len(t.shapes) + len(t.known.all) }

func (t *Table) headOf(sym uint32) uint32 { return t.syms[sym].head }

// Shape returns the shape of an id; the caller must not write to it.
func (t *Table) Shape(id ShapeID) graph.Shape { return t.shapes[id] }

// ShapeID interns a shape.
func (t *Table) ShapeID(s graph.Shape) ShapeID {
	id := ShapeID(1)
	for i, it := range s {
		key := shapeCell{id, it}
		next, ok := t.cons[key]
		if !ok {
			next = ShapeID(len(t.shapes))
			t.cons[key] = next
			t.shapes = append(t.shapes, s[:i+1].Clone())
		}
		id = next
	}
	return id
}

// push interns the list that continues list l by x. 0 is the empty list.
func (t *Table) push(l, x uint32) uint32 {
	key := [2]uint32{l, x}
	n, ok := t.lists[key]
	if !ok {
		n = uint32(len(t.lists) + 1)
		t.lists[key] = n
	}
	return n
}

func (t *Table) value(v graph.Value) uint32 {
	n, ok := t.values[v]
	if !ok {
		n = uint32(len(t.values) + 1)
		t.values[v] = n
	}
	return n
}

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
	args := uint32(0)
	for _, v := range attrs {
		args = t.push(args, t.value(v))
	}
	return t.intern(symKey{kind: symOp, op: op, args: args}, func() symbol {
		f := op.IsFunction()
		vals := make([]uint32, len(attrs))
		for i, v := range attrs {
			vals[i] = t.value(v)
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
	return t.intern(symKey{kind: symFn, name: name, args: t.value(graph.NameValue(sort))}, func() symbol {
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
		return t.shapes[s.shape], nil
	case symFn:
		if len(args) != 1 {
			return nil, fmt.Errorf("function %s: %d arguments, want 1", s.name, len(args))
		}
		return t.shapes[args[0]], nil
	}
	in := make([]graph.Shape, len(args))
	for i, a := range args {
		in[i] = t.shapes[a]
	}
	var f graph.Facts
	out, err := s.op.InferShapes(&f, s.attrs, in)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
