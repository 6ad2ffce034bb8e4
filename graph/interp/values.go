package interp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Values are the elements of a tensor of a given element type, row-major, as the type holds
// them.
type Values struct {
	DType graph.DType
	Sizes []int
	// Ints are integers and truth values; a uint64 is the int64 of the same bits.
	Ints []int64
	// Floats are floating-point numbers.
	Floats []float64
}

// NewValues are zeros.
func NewValues(t graph.DType, sizes ...int) Values {
	v := Values{DType: t, Sizes: sizes}
	if n := graph.NumElements(sizes); t.IsFloat() {
		v.Floats = make([]float64, n)
	} else {
		v.Ints = make([]int64, n)
	}
	return v
}

// EvalValues evaluates a graph as its element types say: in holds a tensor for each of its
// inputs, in their order, the result one for each of its outputs. See [ApplyValues].
func EvalValues(ctx context.Context, g *graph.Graph, in []Values) ([]Values, error) {
	if len(in) != len(g.Inputs()) {
		return nil, fmt.Errorf("evaluate graph: %d inputs, want %d", len(in), len(g.Inputs()))
	}
	given := map[graph.NodeID]Values{}
	for i, id := range g.Inputs() {
		x, want := in[i], g.Type(id.Out(0))
		if got := (graph.TensorType{DType: x.DType, Sizes: x.Sizes}); got.String() != want.String() {
			return nil, fmt.Errorf("evaluate graph: input %s is %s, want %s", g.Name(id), got, want)
		}
		given[id] = x
	}
	out, err := walk(ctx, g, func(id graph.NodeID) (Values, error) { return given[id], nil }, func(id graph.NodeID, in []Values) ([]Values, error) {
		if _, _, opaque := g.Opaque(id); opaque {
			return nil, errors.New("operator opaque: what an opaque node computes is not known")
		}
		return ApplyValues(g.Op(id), g.Attrs(id), in, results(g, id))
	})
	if err != nil {
		return nil, fmt.Errorf("evaluate graph: %w", err)
	}
	return out, nil
}

// ApplyValues applies one operator to values; to are the element types of the results.
//
// Integers and truth values are computed exactly and wrap around to their type. Float64 is
// computed in float64. All other floating-point types are computed in float64 with sums
// rounded to float32 after each addition, and each result is rounded to its type once. A
// cast rounds once. It is an error if an element has no value, such as an integer divided
// by 0.
func ApplyValues(op *graph.Op, a graph.Attrs, in []Values, to []graph.DType) ([]Values, error) {
	if op.Name == "cast" {
		mode, _ := a[1].Name()
		x, err := in[0].Cast(to[0], mode)
		return []Values{x}, err
	}
	whole, double := true, false
	for _, x := range in {
		whole, double = whole && !x.DType.IsFloat(), double || x.DType == graph.Float64
	}
	for _, t := range to {
		whole, double = whole && !t.IsFloat(), double || t == graph.Float64
	}
	switch {
	case whole:
		return applyValues(wholes{}, op, a, in, to, Values.whole, Values.putWholes)
	case double:
		return applyValues(Float{}, op, a, in, to, Values.float, Values.putFloats)
	}
	return applyValues(rounded{}, op, a, in, to, Values.float, Values.putFloats)
}

// applyValues applies an operator in a ring. read is element i of an operand; put stores
// elements, and returns the first one that has no value, or -1.
func applyValues[T any](r Ring[T], op *graph.Op, a graph.Attrs, in []Values, to []graph.DType,
	read func(v Values, i int) (T, bool), put func(v Values, xs []T) int) ([]Values, error) {
	args := make([]Tensor[T], len(in))
	for k, x := range in {
		args[k] = Tensor[T]{Sizes: x.Sizes, Data: make([]T, len(x.Ints)+len(x.Floats))}
		for i := range args[k].Data {
			var ok bool
			if args[k].Data[i], ok = read(x, i); !ok {
				return nil, fmt.Errorf("operator %s: element %d of operand %d is an integer beyond 2^53 in float64 arithmetic", op.Name, i, k)
			}
		}
	}
	res, err := Apply(r, op, a, args)
	if err != nil {
		return nil, err
	}
	out := make([]Values, len(res))
	for k, x := range res {
		out[k] = NewValues(to[k], x.Sizes...)
		if i := put(out[k], x.Data); i >= 0 {
			return nil, fmt.Errorf("operator %s: element %d of result %d has no value of type %s", op.Name, i, k, to[k])
		}
	}
	return out, nil
}

// whole is element i, an integer or a truth value.
func (v Values) whole(i int) (whole, bool) {
	if v.DType == graph.Uint64 {
		return unsigned(uint64(v.Ints[i])), true
	}
	return whole{low: v.Ints[i]}, true
}

func (v Values) putWholes(xs []whole) int {
	for i, x := range xs {
		if x.is >= nothing {
			return i
		}
		v.Ints[i] = graph.WrapInt(v.DType, x.low)
	}
	return -1
}

// float is element i as a number; false for an integer that float64 does not hold.
func (v Values) float(i int) (float64, bool) {
	if v.DType.IsFloat() {
		return v.Floats[i], true
	}
	n, _ := v.whole(i)
	return n.as(v.DType)
}

// putFloats rounds to the type of the result. A result of integers is one of whole numbers.
func (v Values) putFloats(xs []float64) int {
	if !v.DType.IsFloat() {
		return v.putWholes(wholesOf(xs))
	}
	mode := "default"
	if slices.Contains(graph.Modes(v.DType), "overflow") {
		mode = "overflow"
	}
	round := graph.CastValue(v.DType, mode)
	for i, x := range xs {
		v.Floats[i] = round(x)
	}
	return -1
}

// wholesOf are numbers as integers. One that is none has no value.
func wholesOf(xs []float64) []whole {
	out := make([]whole, len(xs))
	for i, x := range xs {
		var ok bool
		if out[i], ok = wholeOf(x); !ok {
			out[i].is = nothing
		}
	}
	return out
}

// Cast is what the operator cast makes of the elements, in one of its modes.
func (v Values) Cast(to graph.DType, mode string) (Values, error) {
	out := NewValues(to, v.Sizes...)
	round := graph.CastValue(to, mode)
	var ns []whole
	switch {
	case to == graph.Float64 && !v.DType.IsFloat():
		for i := range out.Floats {
			out.Floats[i] = v.nearest(i)
		}
	case to.IsFloat():
		for i := range out.Floats {
			out.Floats[i] = round(v.sticky(i))
		}
	case v.DType.IsFloat():
		xs := make([]float64, len(v.Floats))
		for i, x := range v.Floats {
			xs[i] = round(x)
		}
		ns = wholesOf(xs)
	default:
		for i := range v.Ints {
			n, _ := v.whole(i)
			ns = append(ns, n.cast(to, mode))
		}
	}
	if i := out.putWholes(ns); i >= 0 {
		return out, fmt.Errorf("operator cast: element %d has no value of type %s", i, to)
	}
	return out, nil
}

// nearest is the float64 next to integer i.
func (v Values) nearest(i int) float64 {
	if v.DType == graph.Uint64 {
		return float64(uint64(v.Ints[i]))
	}
	return float64(v.Ints[i])
}

// sticky is element i as a float64 that rounds to a type of at most 51 bits of fraction as the
// element does. An integer that is no float64 becomes the next one towards 0 with its lowest
// bit set: that bit says that the number is not exact.
func (v Values) sticky(i int) float64 {
	if v.DType.IsFloat() {
		return v.Floats[i]
	}
	n, _ := v.whole(i)
	m := n.magnitude()
	cut := max(bits.Len64(m)-53, 0)
	kept := m >> cut
	if kept<<cut != m {
		kept |= 1
	}
	x := math.Ldexp(float64(kept), cut)
	if n.negative() {
		return -x
	}
	return x
}

// rounded is float64 arithmetic with sums rounded to float32.
type rounded struct{ Float }

func (rounded) Add(a, b float64) float64 { return float64(float32(a + b)) }

// Dot adds the products in order.
func (rounded) Dot(x, y []float64) float64 {
	s := 0.0
	y = y[:len(x)]
	for i := range x {
		s = float64(float32(s + float64(x[i]*y[i])))
	}
	return s
}
