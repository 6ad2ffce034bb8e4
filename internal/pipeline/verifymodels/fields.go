package verifymodels

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// floats is float64 arithmetic.
type floats struct{ interp.Float }

// FnOf is the function of that name. A cast to integers makes some integer of what is no
// number: 0.
func (f floats) FnOf(name string) func(float64) float64 {
	fn := f.Float.FnOf(name)
	if !strings.HasPrefix(name, "truncate_") {
		return fn
	}
	return func(x float64) float64 {
		if !finite(x) {
			return 0
		}
		return fn(x)
	}
}

// Fn is FnOf for one element.
func (f floats) Fn(name string, x float64) float64 { return f.FnOf(name)(x) }

func (floats) fromFloat(x float64) (float64, error) { return x, nil }
func (floats) fromInt(x int64) float64              { return float64(x) }

// Weights are none: elements are numbers of rows or nothing.
func (floats) Weights(float64, int) []float64 { return nil }

func (floats) opaque(*graph.Graph, graph.NodeID, []interp.Tensor[float64]) ([]interp.Tensor[float64], error) {
	return nil, errors.New("operator opaque: what an opaque node computes is not known")
}

func (floats) made(*graph.Op, []interp.Tensor[float64]) {}

// residues is arithmetic modulo 2^61 - 1.
type residues struct {
	zp     fingerprint.Zp
	maxima *maxima
	// functions is set when a function whose properties are not used, or a
	// maximum, was evaluated: then a difference proves nothing.
	functions *bool
}

const p = fingerprint.P

// Dot is the sum of x[i]*y[i].
func (z residues) Dot(x, y []uint64) uint64 { return z.zp.Dot(x, y) }

// fromFloat is exact: a finite number is an integer times a power of two, and
// 2^61 = 1.
func (residues) fromFloat(x float64) (uint64, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%g is not a number that arithmetic modulo a prime knows", x)
	}
	frac, exp := math.Frexp(x)
	m := int64(frac * (1 << 53)) // exact
	e := ((exp-53)%61 + 61) % 61
	v := fingerprint.Zp{}.Rat(m, 1)
	return fingerprint.MulMod(v, 1<<e), nil
}

func (z residues) fromInt(x int64) uint64 { return z.Rat(x, 1) }

// Rat is num/den.
func (z residues) Rat(num, den int64) uint64 { return z.zp.Rat(num, den) }

// Add is a + b.
func (z residues) Add(a, b uint64) uint64 { return z.zp.Add(a, b) }

// Mul is a * b.
func (z residues) Mul(a, b uint64) uint64 { return fingerprint.MulMod(a, b) }

// Max is a random number for each set of elements. It counts as a function unless
// there is nothing to choose.
func (z residues) Max(xs []uint64) uint64 {
	if len(xs) == 1 {
		return xs[0]
	}
	*z.functions = true
	return z.maxima.of(xs)
}

// Weights takes it that nothing is known of the function that is 1 for the number
// of the row that is read, and 0 for the others. It is one for each number of rows, as
// positions may count from the end.
func (z residues) Weights(at uint64, n int) []uint64 {
	*z.functions = true
	h, key := make([]uint64, n), fingerprint.Mix(z.zp.Key^0x726f7773^fingerprint.Mix(uint64(n)))
	for k := range h {
		h[k] = fingerprint.Mix(z.zp.Add(at, (p-uint64(k))%p)^key) % p
	}
	return h
}

// Fn is the true function where the field has it, and a random function
// otherwise.
func (z residues) Fn(name string, x uint64) uint64 { return z.FnOf(name)(x) }

// FnOf is Fn for many elements.
func (z residues) FnOf(name string) func(uint64) uint64 {
	switch f, args, err := graph.ParseFunc(name); {
	case err != nil:
	case f == "neg" && len(args) == 0:
		return func(x uint64) uint64 { return (p - x) % p }
	case f == "reciprocal" && len(args) == 0:
		return func(x uint64) uint64 {
			*z.functions = *z.functions || x == 0
			return fingerprint.InvMod(x)
		}
	case f == "number" && len(args) == 1:
		if c, err := z.fromFloat(args[0]); err == nil {
			return func(uint64) uint64 { return c }
		}
	}
	*z.functions = true
	return func(x uint64) uint64 { return z.zp.Fn(name, x) }
}

// Integer is the integer that x stands for, those of small magnitude.
func (residues) Integer(x uint64) (int64, bool) {
	switch {
	case x < 1<<53:
		return int64(x), true
	case x > p-1<<53:
		return -int64(p - x), true
	}
	return 0, false
}

func (residues) made(*graph.Op, []interp.Tensor[uint64]) {}
