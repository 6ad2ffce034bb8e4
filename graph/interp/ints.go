package interp

import (
	"fmt"
	"math"
	"math/bits"

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
	wide                 // it is low with another sign: 2^64 more where low is negative, 2^64 less where it is positive
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
		return unsigned(uint64(x)), true
	}
	return whole{}, false
}

// unsigned is an integer of 64 bits without a sign.
func unsigned(n uint64) whole {
	if n > math.MaxInt64 {
		return whole{int64(n), wide}
	}
	return whole{low: int64(n)}
}

// negative reports whether an integer that is known is less than 0.
func (n whole) negative() bool { return (n.low < 0) != (n.is == wide) }

// less compares integers that are known. Of two with the same sign, the lowest bits decide.
func (n whole) less(m whole) bool {
	if a, b := n.negative(), m.negative(); a != b {
		return a
	}
	return uint64(n.low) < uint64(m.low)
}

// signed is the integer -n if negative holds, else n.
func signed(n uint64, negative bool) whole {
	switch {
	case !negative:
		return unsigned(n)
	case n > 1<<63:
		return whole{int64(-n), wide}
	}
	return whole{low: int64(-n)}
}

// magnitude is the absolute value of an integer that is known.
func (n whole) magnitude() uint64 {
	if n.negative() {
		return -uint64(n.low)
	}
	return uint64(n.low)
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
	if sum, ok := graph.AddInt(a.low, b.low); ok && a.is|b.is == itself {
		return whole{low: sum}
	}
	out := whole{a.low + b.low, max(a.is, b.is)}
	if out.is > wide {
		return out
	}
	_, carry := bits.Add64(uint64(a.low), uint64(b.low), 0)
	switch high := int(carry) - indicatorOf(a.negative()) - indicatorOf(b.negative()); {
	case high != 0 && (high != -1 || out.low == 0):
		out.is = modulo
	case (high < 0) != (out.low < 0):
		out.is = wide
	default:
		out.is = itself
	}
	return out
}

// Mul is a * b.
func (wholes) Mul(a, b whole) whole {
	if n, ok := graph.MulInt(a.low, b.low); ok && a.is|b.is == itself {
		return whole{low: n}
	}
	out := whole{a.low * b.low, max(a.is, b.is)}
	if out.is > wide {
		return out
	}
	if high, n := bits.Mul64(a.magnitude(), b.magnitude()); high == 0 {
		return signed(n, a.negative() != b.negative())
	}
	out.is = modulo
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
	if out.is == wide || most >= 1<<62 && out.is == itself {
		out.is = modulo
	}
	return out
}

// Max is the largest of integers that are known.
func (wholes) Max(xs []whole) whole {
	m, is := xs[0], xs[0].is
	for _, x := range xs[1:] {
		if is = max(is, x.is); m.less(x) {
			m = x
		}
	}
	switch {
	case is == modulo:
		return whole{is: lost}
	case is > modulo:
		return whole{is: is}
	}
	return m
}

// Integer is x if it is known.
func (wholes) Integer(x whole) (int64, bool) { return x.low, x.is == itself }

// Fn applies a function by name.
func (r wholes) Fn(name string, x whole) whole { return r.FnOf(name)(x) }

// FnOf is the function of that name: casts, signs, and what [Float] has, of integers that are
// float64s. What is no integer has no value.
func (wholes) FnOf(name string) func(whole) whole {
	if c, ok := casts[name]; ok && !c.to.IsFloat() {
		return func(x whole) whole { return x.cast(c.to, c.mode) }
	}
	f, exact := Float{}.FnOf(name), wholeFunctions[name]
	return func(x whole) whole {
		switch {
		case x.is >= nothing:
			return x
		case name == graph.IsZero && x.is == modulo && x.low != 0:
			return whole{}
		case x.is == modulo:
			return whole{is: lost}
		case exact != nil:
			return exact(x)
		case x.is == wide || x.low > 1<<53 || x.low < -1<<53:
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

// wholeFunctions are functions of any integer that is known.
var wholeFunctions = map[string]func(whole) whole{
	graph.IsZero: func(x whole) whole { return whole{low: int64(indicatorOf(x == whole{}))} },
	"abs":        func(x whole) whole { return signed(x.magnitude(), false) },
	"sign": func(x whole) whole {
		if x.negative() {
			return whole{low: -1}
		}
		return whole{low: int64(indicatorOf(x != whole{}))}
	},
	"relu": func(x whole) whole {
		if x.negative() {
			return whole{}
		}
		return x
	},
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
		is, low, below := itself, make([]int64, len(args)), false
		for i, x := range args {
			is, low[i] = max(is, x.is), x.low
			below = below || x.is <= wide && x.negative()
		}
		n, ok := int64(0), true
		switch {
		case is == wide && f.Uint != nil && !below:
			m := make([]uint64, len(low))
			for i, x := range low {
				m[i] = uint64(x)
			}
			var u uint64
			u, ok = f.Uint(m)
			n, is = int64(u), unsigned(u).is
		case is == wide || is == modulo:
			return whole{is: lost}
		default:
			n, ok = f.Int(low)
		}
		switch {
		case !ok && is < nothing:
			return whole{is: nothing}
		case f.Grows && is <= wide:
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
	case c.low != 0 || c.is == wide:
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
		return whole{low: int64(indicatorOf(x.low != 0 || x.is == wide))}
	case mode == "wrap" || to.Bits() < 8: // what is rounded is an integer
		low := graph.WrapInt(to, x.low)
		if to == graph.Uint64 {
			return unsigned(uint64(low))
		}
		return whole{low: low}
	case x.is == modulo:
		return whole{is: lost}
	}
	lo, hi := to.IntRange()
	if x.less(whole{low: lo}) || unsigned(hi).less(x) {
		return whole{is: nothing}
	}
	return x
}

func indicatorOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

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
