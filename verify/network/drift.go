package network

import (
	"errors"
	"fmt"
	"math"

	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// ErrRounding is wrapped by the error of a weight of which rounding has left nothing:
// its numbers are those of its term as they are computed, and not as they are.
var ErrRounding = errors.New("rounding changes what it is computed from too much")

// Limits of what rounding may do to a weight that is computed.
const (
	// mostDrift is by how much of itself an element may be off before it is rounded to
	// the weight's type.
	mostDrift = 1.0 / (1 << 24)
	// leastDrift is by how much of the largest element any may be off: where large
	// numbers cancel, what is left of them is rarely exact.
	leastDrift = 1.0 / (1 << 36)
	// mostRounded is by how much of the largest element rounding to the weight's type
	// may change any: float16 has 11 bits, and nothing is left of a weight too small for
	// its type.
	mostRounded = 1.0 / (1 << 10)
)

// closeTo says whether rounding has left of computed elements what they are.
func closeTo(xs []drifted, rounded []float64) error {
	most := 0.0
	for _, x := range xs {
		most = max(most, math.Abs(x.v))
	}
	for i, x := range xs {
		if !(x.off <= mostDrift*math.Abs(x.v) || x.off <= leastDrift*most) {
			return fmt.Errorf("%w: element %d is %g, perhaps off by %.2g", ErrRounding, i, x.v, x.off)
		}
		if !(math.Abs(rounded[i]-x.v) <= mostRounded*most) {
			return fmt.Errorf("%w: element %d is %g, %g in its type", ErrRounding, i, x.v, rounded[i])
		}
	}
	return nil
}

// drifted is a number as float64 arithmetic has it, and by how much it may differ from
// what exact arithmetic would have. What rounds nothing adds nothing: the errors of sums
// and products are those that were made, not bounds.
type drifted struct{ v, off float64 }

// drift is float64 arithmetic, with the results of [interp.Float] to the bit, that keeps
// account of its rounding (Dekker, A floating-point technique for extending the available
// precision, Numer. Math. 18, 1971).
type drift struct{}

var (
	_ interp.Ring[drifted]      = drift{}
	_ interp.Functions[drifted] = drift{}
	_ interp.Integers[drifted]  = drift{}
	_ interp.Rounding           = drift{}
	_ interp.Dots[drifted]      = drift{}
)

// slack covers the rounding of offs themselves.
const slack = 1 + 1.0/(1<<40)

func (drift) Rat(num, den int64) drifted {
	x := interp.Float{}.Rat(num, den)
	return drifted{x, math.Abs(math.FMA(x, float64(den), -float64(num))) / float64(den) * slack}
}

func (drift) Add(a, b drifted) drifted {
	s := a.v + b.v
	return drifted{s, (a.off + b.off + lostOfSum(a.v, b.v, s)) * slack}
}

// lostOfSum is what rounding took from a sum.
func lostOfSum(a, b, s float64) float64 {
	t := s - a
	return math.Abs((a - (s - t)) + (b - t))
}

func (drift) Mul(a, b drifted) drifted {
	p := a.v * b.v
	return drifted{p, (lostOfProduct(a, b, p)) * slack}
}

// lostOfProduct is what rounding, also of the factors, took from a product.
func lostOfProduct(a, b drifted, p float64) float64 {
	off := math.Abs(math.FMA(a.v, b.v, -p))
	if a.off != 0 || b.off != 0 {
		off += math.Abs(a.v)*b.off + math.Abs(b.v)*a.off + a.off*b.off
	}
	if math.Abs(p) < 1e-290 && a.v != 0 && b.v != 0 { // too small for the line above
		off += math.SmallestNonzeroFloat64
	}
	return off
}

func (drift) Max(xs []drifted) drifted {
	m := xs[0]
	for _, x := range xs[1:] {
		m = drifted{max(m.v, x.v), max(m.off, x.off)}
	}
	return m
}

func (drift) Rounds() bool { return true }

func (drift) Integer(x drifted) (int64, bool) {
	n, ok := interp.Float{}.Integer(x.v)
	return n, ok && x.off == 0
}

func (r drift) Fn(name string, x drifted) drifted { return r.FnOf(name)(x) }

// FnOf looks at how far the function goes within what its argument may be off. What is
// 0 or the argument, but for its sign, was not rounded; what is something else was, by
// less than 1 in 2^48.
func (drift) FnOf(name string) func(drifted) drifted {
	f := interp.Float{}.FnOf(name)
	return func(x drifted) drifted {
		y := drifted{v: f(x.v)}
		if y.v != 0 && math.Abs(y.v) != math.Abs(x.v) {
			y.off = math.Abs(y.v) / (1 << 48)
		}
		if x.off != 0 {
			lo, hi := math.Nextafter(x.v-x.off, math.Inf(-1)), math.Nextafter(x.v+x.off, math.Inf(1))
			y.off += max(math.Abs(f(lo)-y.v), math.Abs(f(hi)-y.v))
		}
		return y
	}
}

// Dot adds as [interp.Float] does. What is lost is bounded first, by what sums of the
// absolute values would lose; only where products cancel is it found out.
func (drift) Dot(x, y []drifted) drifted {
	y = y[:len(x)]
	var sum, all [4]float64
	of := 0.0 // what the factors are off by
	whole := len(x) &^ 3
	for i := range x {
		k := i & 3
		if i >= whole {
			k = 0
		}
		a, b := &x[i], &y[i]
		p := float64(a.v * b.v)
		sum[k] += p
		all[k] += math.Abs(p)
		if a.off+b.off != 0 {
			of += math.Abs(a.v)*b.off + math.Abs(b.v)*a.off + a.off*b.off
		}
	}
	s := sum[0] + sum[1] + (sum[2] + sum[3])
	// Each product is rounded once, and its sums at most so often.
	times := float64(len(x)/4 + 8)
	lost := times/(1<<53)*(all[0]+all[1]+all[2]+all[3]) + float64(len(x))*math.SmallestNonzeroFloat64
	if !(lost <= math.Abs(s)/(1<<36)) {
		lost = lostOfDot(x, y)
	}
	return drifted{s, (lost + of) * (1 + times/(1<<50))}
}

// lostOfDot is what rounding takes from products and their sums.
func lostOfDot(x, y []drifted) (lost float64) {
	var sum [4]float64
	whole := len(x) &^ 3
	for i := range x {
		k := i & 3
		if i >= whole {
			k = 0
		}
		p := x[i].v * y[i].v
		s := sum[k] + p
		lost += lostOfProduct(drifted{v: x[i].v}, drifted{v: y[i].v}, p) + lostOfSum(sum[k], p, s)
		sum[k] = s
	}
	a, b := sum[0]+sum[1], sum[2]+sum[3]
	return lost + lostOfSum(sum[0], sum[1], a) + lostOfSum(sum[2], sum[3], b) + lostOfSum(a, b, a+b)
}

// elements are those of a weight, exactly as they are.
func elements(w *model.Weight) (y interp.Tensor[drifted], err error) {
	raw, err := w.Read()
	if err != nil {
		return y, err
	}
	y = interp.Tensor[drifted]{Sizes: w.Sizes, Data: make([]drifted, w.Elements())}
	size := w.DType.Bytes()
	for i := range y.Data {
		_, y.Data[i].v = model.Element(w.DType, raw[i*size:])
	}
	return y, nil
}
