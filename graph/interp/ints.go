package interp

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// Typed is a ring that computes with tensors of integers as they are: exactly, and modulo 2
// to the number of bits of their type. In any other ring element types play no part.
type Typed[T any] interface {
	// ApplyInts applies an operator to operands of the types from, of which the results are
	// of the types to, all of them integers or, of operands, truth values.
	ApplyInts(op *graph.Op, a graph.Attrs, in []Tensor[T], from, to []graph.DType) ([]Tensor[T], error)
}

var _ Typed[float64] = Float{}

// onInts reports whether an operator is applied to integers, and gives such.
func onInts(op *graph.Op, from, to []graph.DType) bool {
	if op.Rearranges || len(from) == 0 {
		return false // which numbers they are does not matter, or is what constants are
	}
	for _, t := range from {
		if !t.IsInt() && t != graph.Bool {
			return false
		}
	}
	for _, t := range to {
		if !t.IsInt() {
			return false
		}
	}
	return true
}

// ApplyInts is exact: a result that is no float64 is an error, as is one that depends on
// more than the lowest 64 bits of an integer that has more. What has no value, such as a
// quotient that is no integer, is NaN, and so is what is computed with it.
func (Float) ApplyInts(op *graph.Op, a graph.Attrs, in []Tensor[float64], from, to []graph.DType) ([]Tensor[float64], error) {
	args := make([]Tensor[whole], len(in))
	for i, x := range in {
		args[i] = Tensor[whole]{Sizes: x.Sizes, Data: make([]whole, len(x.Data))}
		for j, v := range x.Data {
			n, ok := wholeOf(v)
			if !ok {
				return nil, fmt.Errorf("operator %s: element %d of operand %d is %v, and it is of type %s", op.Name, j, i, v, from[i])
			}
			args[i].Data[j] = n
		}
	}
	res, err := Apply(wholes{}, op, a, args)
	if err != nil {
		return nil, err
	}
	out := make([]Tensor[float64], len(res))
	for i, x := range res {
		out[i] = Tensor[float64]{Sizes: x.Sizes, Data: make([]float64, len(x.Data))}
		for j, n := range x.Data {
			v, ok := n.as(to[i])
			if !ok {
				return nil, fmt.Errorf("operator %s: element %d of result %d is an integer that float64 arithmetic does not hold", op.Name, j, i)
			}
			out[i].Data[j] = v
		}
	}
	return out, nil
}

// whole is an integer.
type whole struct {
	low int64 // its lowest 64 bits
	is  known
}

// known is what is known of an integer; of what is computed from two, the later one holds.
type known uint8

const (
	itself  known = iota // it is low
	modulo               // it is low modulo 2^64
	nothing              // it has no value
	lost                 // it would have one, which is not known any more
)

// wholes are the integers as a ring.
type wholes struct{}

var (
	_ Ring[whole]      = wholes{}
	_ Functions[whole] = wholes{}
	_ Integers[whole]  = wholes{}
	_ Dots[whole]      = wholes{}
	_ Direct[whole]    = wholes{}
)

// wholeOf is the integer that a float64 is; false if it is none.
func wholeOf(x float64) (whole, bool) {
	switch {
	case math.IsNaN(x):
		return whole{is: nothing}, true
	case x != math.Trunc(x):
		return whole{}, false
	case x >= -1<<63 && x < 1<<63:
		return whole{low: int64(x)}, true
	case x >= 0 && x < 1<<64:
		return whole{int64(uint64(x)), modulo}, true
	}
	return whole{}, false
}

// as is what a type holds of an integer, NaN for none; false if that is no float64, or not known.
func (n whole) as(t graph.DType) (float64, bool) {
	if n.is >= nothing {
		return math.NaN(), n.is == nothing
	}
	low := graph.WrapInt(t, n.low)
	if t == graph.Uint64 {
		x := float64(uint64(low))
		return x, x < 1<<64 && uint64(x) == uint64(low)
	}
	x := float64(low)
	return x, x < 1<<63 && int64(x) == low
}

// Rat is num/den, which has a value if it is an integer.
func (wholes) Rat(num, den int64) whole {
	if num%den != 0 {
		return whole{is: nothing}
	}
	return whole{low: num / den}
}

// Add is a + b.
func (wholes) Add(a, b whole) whole {
	out := whole{a.low + b.low, max(a.is, b.is)}
	if _, ok := graph.AddInt(a.low, b.low); !ok && out.is == itself {
		out.is = modulo
	}
	return out
}

// Mul is a * b.
func (wholes) Mul(a, b whole) whole {
	out := whole{a.low * b.low, max(a.is, b.is)}
	if _, ok := graph.MulInt(a.low, b.low); !ok && out.is == itself {
		out.is = modulo
	}
	return out
}

// Dot is the sum of products.
func (wholes) Dot(x, y []whole) whole {
	var out whole
	most := 0.0 // at least the sum of the products' magnitudes, but for rounding
	y = y[:len(x)]
	for i, a := range x {
		b := y[i]
		out.low += a.low * b.low
		out.is = max(out.is, a.is, b.is)
		most += math.Abs(float64(a.low)) * math.Abs(float64(b.low))
	}
	if most >= 1<<62 && out.is == itself {
		out.is = modulo
	}
	return out
}

// Max is the largest of integers that are known.
func (wholes) Max(xs []whole) whole {
	m := xs[0]
	for _, x := range xs {
		m.low, m.is = max(m.low, x.low), max(m.is, x.is)
	}
	if m.is == modulo {
		m.is = lost
	}
	return m
}

// Integer is x if it is known.
func (wholes) Integer(x whole) (int64, bool) { return x.low, x.is == itself }

// Fn applies a function by name.
func (r wholes) Fn(name string, x whole) whole { return r.FnOf(name)(x) }

// FnOf is the function of that name: casts, and what [Float] has, of integers that are
// float64s. What is no integer has no value.
func (wholes) FnOf(name string) func(whole) whole {
	if c, ok := casts[name]; ok && !c.to.IsFloat() {
		return func(x whole) whole { return x.cast(c.to, c.mode) }
	}
	f := Float{}.FnOf(name)
	return func(x whole) whole {
		switch {
		case x.is >= nothing:
			return x
		case name == graph.IsZero && (x.is == itself || x.low != 0):
			return whole{low: indicatorInt(x.low == 0)}
		case x.is == modulo || x.low > 1<<53 || x.low < -1<<53:
			return whole{is: lost}
		}
		y := f(float64(x.low))
		switch {
		case math.Abs(y) > 1<<53 && !math.IsInf(y, 0):
			return whole{is: lost}
		case y != math.Trunc(y) || math.IsInf(y, 0): // NaN, too
			return whole{is: nothing}
		}
		return whole{low: int64(y)}
	}
}

// DirectOf is the function of integers that are known.
func (wholes) DirectOf(f *graph.Several) func(args []whole) whole {
	if f.Int == nil {
		return nil
	}
	if f.Chooses {
		return choose
	}
	return func(args []whole) whole {
		is, low := itself, make([]int64, len(args))
		for i, x := range args {
			is, low[i] = max(is, x.is), x.low
		}
		if is == modulo {
			is = lost
		}
		n, ok := f.Int(low)
		switch {
		case !ok && is < nothing:
			return whole{is: nothing}
		case f.Grows && is == itself:
			is = modulo
		}
		return whole{n, is}
	}
}

// choose is the second of three where the first is not 0, and else the third, whatever the
// other one is.
func choose(args []whole) whole {
	switch c := args[0]; {
	case c.is >= nothing:
		return c
	case c.low != 0:
		return args[1]
	case c.is == modulo:
		return whole{is: lost}
	}
	return args[2]
}

// cast is the integer as another type of integers, or as a truth value.
func (x whole) cast(to graph.DType, mode string) whole {
	switch {
	case x.is >= nothing:
		return x
	case to == graph.Bool:
		if x.is == modulo && x.low == 0 {
			return whole{is: lost}
		}
		return whole{low: indicatorInt(x.low != 0)}
	case mode == "wrap" || to.Bits() < 8: // what is rounded is an integer
		x.low, x.is = graph.WrapInt(to, x.low), itself
		if to == graph.Uint64 && x.low < 0 {
			x.is = modulo
		}
		return x
	case x.is == modulo:
		return whole{is: lost}
	}
	if lo, hi := to.IntRange(); x.low < lo || x.low > 0 && uint64(x.low) > hi {
		return whole{is: nothing}
	}
	return x
}

func indicatorInt(b bool) int64 { return int64(indicator(b)) }

// casts are the functions that casts are, by name.
var casts = map[string]struct {
	to   graph.DType
	mode string
}{}

func init() {
	for _, t := range graph.DTypes() {
		for _, mode := range graph.Modes(t) {
			if name, err := graph.CastFn(t, mode); err == nil && name != "none" {
				steps[name] = graph.CastValue(t, mode)
				casts[name] = struct {
					to   graph.DType
					mode string
				}{t, mode}
			}
		}
	}
}
