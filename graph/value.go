package graph

import (
	"strconv"
	"strings"
	"sync"
)

// ValueKind says what an attribute value is.
type ValueKind uint8

const (
	// KindNone is the zero Value: an attribute that is not given.
	KindNone ValueKind = iota
	// KindDim is an integer expression.
	KindDim
	// KindName is one of a sort's names, such as relu or same_upper.
	KindName
	// KindVar is a variable that stands for any value of its sort.
	KindVar
	// KindTuple is a tuple of integers, such as a stride or explicit pads.
	KindTuple
	// KindShape is a shape.
	KindShape
	// KindNumber is a real number, such as the slope of a leaky relu.
	KindNumber
	// KindPerm is a product of permutation variables and of their inverses.
	KindPerm
	// KindAxis is the axis that such a product, or a variable, takes an axis to.
	KindAxis
)

// Value is an attribute value. Equal values are equal Go values (==); variables
// of different sorts are different values.
type Value struct {
	kind ValueKind
	dim  Dim
	str  string // name, or variable name
	sort string // of a variable
	ext  *ext   // tuple, shape or product of permutations, interned
}

type ext struct {
	text  string // as printed; different shapes may print alike
	tuple []int64
	shape Shape
	word  []letter
}

var extTable struct {
	sync.Mutex
	m map[string]*ext // by Value.appendID
}

// interned is v with the one ext of values that are equal to it.
func (v Value) interned() Value {
	if v.tooLarge() {
		v.ext.text = v.makeText()
		return v
	}
	var buf [128]byte
	key := v.appendID(buf[:0])
	extTable.Lock()
	defer extTable.Unlock()
	if old := extTable.m[string(key)]; old != nil {
		v.ext = old
		return v
	}
	if extTable.m == nil {
		extTable.m = map[string]*ext{}
	}
	v.ext.text = v.makeText()
	extTable.m[string(key)] = v.ext
	return v
}

func (v Value) makeText() string {
	switch v.kind {
	case KindShape:
		return v.ext.shape.String()
	case KindPerm:
		return permText(v.ext.word)
	case KindAxis:
		return "at(" + permText(v.ext.word) + ", " + v.dim.String() + ")"
	}
	parts := make([]string, len(v.ext.tuple))
	for i, x := range v.ext.tuple {
		parts[i] = strconv.FormatInt(x, 10)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// DimValue is the integer expression d.
func DimValue(d Dim) Value { return Value{kind: KindDim, dim: d} }

// IntValue is the integer n.
func IntValue[T int | int64](n T) Value { return DimValue(Int(int64(n))) }

// NameValue is the name s of some sort, such as "relu".
func NameValue(s string) Value { return Value{kind: KindName, str: s} }

// VarValue is a variable that ranges over a sort, such as stride.
func VarValue(name, sort string) Value { return Value{kind: KindVar, str: name, sort: sort} }

// TupleValue is a tuple of integers.
func TupleValue[T int | int64](xs ...T) Value {
	tuple := make([]int64, len(xs))
	for i, x := range xs {
		tuple[i] = int64(x)
	}
	return Value{kind: KindTuple, ext: &ext{tuple: tuple}}.interned()
}

// ShapeValue is a shape as an attribute.
func ShapeValue(s Shape) Value {
	return Value{kind: KindShape, ext: &ext{shape: append(Shape(nil), s...)}}.interned()
}

// Kind says which of the kinds v is.
func (v Value) Kind() ValueKind { return v.kind }

// Dim returns the integer expression of a KindDim value.
func (v Value) Dim() (Dim, bool) { return v.dim, v.kind == KindDim }

// Name returns the name of a KindName value.
func (v Value) Name() (string, bool) { return v.str, v.kind == KindName }

// Var returns the variable's name and sort of a KindVar value.
func (v Value) Var() (name, sort string, ok bool) { return v.str, v.sort, v.kind == KindVar }

// Tuple returns the integers of a KindTuple value; the caller must not write
// to them.
func (v Value) Tuple() ([]int64, bool) {
	if v.kind != KindTuple {
		return nil, false
	}
	return v.ext.tuple, true
}

// Shape returns the shape of a KindShape value; the caller must not write to
// it.
func (v Value) Shape() (Shape, bool) {
	if v.kind != KindShape {
		return nil, false
	}
	return v.ext.shape, true
}

// String is v in the law language's notation, without the sorts of variables.
func (v Value) String() string {
	switch v.kind {
	case KindDim:
		return v.dim.String()
	case KindName, KindVar, KindNumber:
		return v.str
	case KindTuple, KindShape, KindPerm, KindAxis:
		return v.ext.text
	}
	return "?"
}

// Subst replaces bound variables in v.
func (v Value) Subst(b *Substitution) Value {
	switch v.kind {
	case KindDim:
		return DimValue(v.dim.Subst(b))
	case KindVar:
		if w, ok := b.Attrs[v.str]; ok {
			return w
		}
	case KindShape:
		return ShapeValue(v.ext.shape.Subst(b))
	case KindPerm, KindAxis:
		return v.substPerm(b)
	}
	return v
}

// Walk calls f for every size atom inside v.
func (v Value) Walk(f func(Atom)) {
	switch v.kind {
	case KindDim, KindAxis:
		v.dim.Walk(f)
	case KindShape:
		v.ext.shape.Walk(f)
	}
}
