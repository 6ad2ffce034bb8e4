// Package intern numbers attribute values, lists of numbers and shapes, so that
// tables of terms are keyed by numbers: equal things have one number. Numbers follow
// the order of arrival; nothing is ordered by them.
package intern

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
)

// ShapeID is the number of a shape in a Table; 0 is none.
type ShapeID uint32

// Table numbers things. It never shrinks, and serves one goroutine.
type Table struct {
	values map[graph.Value]uint32
	lists  map[[2]uint32]uint32 // a list is its prefix and its last number
	shapes []graph.Shape
	cells  map[cell]ShapeID // a shape is its prefix and its last item
}

type cell struct {
	prefix ShapeID
	item   graph.Item
}

// New returns an empty table.
func New() Table {
	return Table{values: map[graph.Value]uint32{}, lists: map[[2]uint32]uint32{},
		shapes: make([]graph.Shape, 2), cells: map[cell]ShapeID{}} // 0 is no shape, 1 is []
}

// Push is the number of the list that continues list l by x; 0 is the empty list.
func (t *Table) Push(l, x uint32) uint32 { return number(t.lists, [2]uint32{l, x}) }

// Value is the number of an attribute value, at least 1.
func (t *Table) Value(v graph.Value) uint32 { return number(t.values, v) }

func number[K comparable](m map[K]uint32, x K) uint32 {
	n, ok := m[x]
	if !ok {
		n = uint32(len(m) + 1)
		m[x] = n
	}
	return n
}

// Attrs is the list of the numbers of attribute values.
func (t *Table) Attrs(a graph.Attrs) uint32 {
	list := uint32(0)
	for _, v := range a {
		list = t.Push(list, t.Value(v))
	}
	return list
}

// ShapeID is the number of a shape.
func (t *Table) ShapeID(s graph.Shape) ShapeID {
	id := ShapeID(1)
	for i, it := range s {
		key := cell{id, it}
		next, ok := t.cells[key]
		if !ok {
			next = ShapeID(len(t.shapes))
			t.cells[key] = next
			t.shapes = append(t.shapes, s[:i+1].Clone())
		}
		id = next
	}
	return id
}

// Shape is the shape of a number; the caller must not write to it.
func (t *Table) Shape(id ShapeID) graph.Shape { return t.shapes[id] }

// Shapes is the number of shapes that have a number, and their prefixes.
func (t *Table) Shapes() int { return len(t.shapes) }

// Clone is a copy of a table, with the same numbers.
func Clone(t *Table) Table {
	return Table{values: maps.Clone(t.values), lists: maps.Clone(t.lists), shapes: slices.Clone(t.shapes), cells: maps.Clone(t.cells)}
}
