package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
)

// item is an axis, or the run of that name.
type item struct {
	run  string
	size size
}

// shape is a list of axes and runs, outermost first.
type shape []item

func (s shape) equal(u shape) bool {
	return slices.EqualFunc(s, u, func(a, b item) bool { return a.run == b.run && a.size.equal(b.size) })
}

func axes(ds ...size) shape {
	s := make(shape, len(ds))
	for i, d := range ds {
		s[i] = item{size: d}
	}
	return s
}

func (s shape) hasRun() bool {
	return slices.ContainsFunc(s, func(it item) bool { return it.run != "" })
}

// filled requires tensors of the shape to have elements: laws are about sizes of at least 1.
func (s shape) filled() error {
	for _, it := range s {
		if n, ok := it.size.number(); ok && it.run == "" && n.Sign() <= 0 {
			return fmt.Errorf("shape %s has no elements: laws are about sizes of at least 1", s)
		}
	}
	return nil
}

// with is s with an axis of another size.
func (s shape) with(i int, d size) shape {
	u := slices.Clone(s)
	u[i] = item{size: d}
	return u
}

func (s shape) encode(b *strings.Builder) {
	b.WriteString(strconv.Itoa(len(s)))
	for _, it := range s {
		putText(b, it.run)
		it.size.encode(b)
	}
}

// String is for messages.
func (s shape) String() string {
	parts := make([]string, len(s))
	for i, it := range s {
		if parts[i] = it.run + ".."; it.run == "" {
			parts[i] = it.size.String()
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// value is that of an attribute.
type value struct {
	kind  graph.ValueKind
	name  string // of a name, or of a variable of the rule
	sort  string // of a variable
	bits  uint64 // of a number
	size  size
	tuple []int64
	shape shape
}

func sizeValue(d size) value { return value{kind: graph.KindDim, size: d} }

// encode writes a value so that different values are written differently.
func (v *value) encode(b *strings.Builder) {
	b.WriteByte('a' + byte(v.kind))
	putText(b, v.name)
	putText(b, v.sort)
	b.WriteString(strconv.FormatUint(v.bits, 16))
	v.size.encode(b)
	b.WriteString(strconv.Itoa(len(v.tuple)))
	for _, n := range v.tuple {
		b.WriteByte(',')
		b.WriteString(strconv.FormatInt(n, 10))
	}
	v.shape.encode(b)
}

func (v *value) equal(w *value) bool {
	return v.kind == w.kind && v.name == w.name && v.sort == w.sort && v.bits == w.bits &&
		v.size.equal(w.size) && slices.Equal(v.tuple, w.tuple) && v.shape.equal(w.shape)
}

// isSize is the size of a value.
func (v *value) isSize() (size, bool) { return v.size, v.kind == graph.KindDim }

// String is for messages.
func (v value) String() string {
	switch v.kind {
	case graph.KindDim:
		return v.size.String()
	case graph.KindTuple:
		parts := make([]string, len(v.tuple))
		for i, n := range v.tuple {
			parts[i] = strconv.FormatInt(n, 10)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case graph.KindShape:
		return v.shape.String()
	case graph.KindNumber:
		return strconv.FormatFloat(math.Float64frombits(v.bits), 'g', -1, 64)
	}
	return v.name
}

// sortOf requires a value, or a variable, to be of an attribute sort.
func sortOf(v value, sort string) error {
	least := func(n int64) bool { return !slices.ContainsFunc(v.tuple, func(x int64) bool { return x < n }) }
	isVar, isName, isTuple := v.kind == graph.KindVar, v.kind == graph.KindName, v.kind == graph.KindTuple
	same := isVar && v.sort == graph.SortSame || isName && (v.name == graph.SameUpper || v.name == graph.SameLower)
	ok := isVar && v.sort == sort
	switch sort {
	case graph.SortStride:
		ok = ok || isTuple && len(v.tuple) == 2 && least(1)
	case graph.SortPadding:
		ok = ok || same || isTuple && len(v.tuple) == 4 && least(0) || isName && v.name == graph.Valid
	case graph.SortSame:
		ok = same
	case graph.SortAct:
		ok = ok || isName && (v.name == "none" || graph.IsActivation(v.name))
	case graph.SortNumber:
		ok = ok || v.kind == graph.KindNumber
	case graph.SortBorder:
		ok = ok || isName && (v.name == "counted" || v.name == "excluded")
	case graph.SortPerm:
		ok = isTuple && permutes(v.tuple)
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("%s is not of sort %s", v, sort)
	}
	return nil
}
