package verifymodels

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// At a point where a function jumps, rounding may decide on which side a number is. Whether
// it does is seen in stochastic arithmetic (Vignes, A stochastic arithmetic for reliable
// scientific computation, Math. Comput. Simul. 35, 1993): the last bits of all that is
// rounded are random. What is computed without rounding stays as it is.

// shaken is float64 arithmetic in which what is rounded is random in its last bits: the same
// for the same operands, so that what is computed in one way stays equal. All zeros that are
// computed have one sign, by the key: real numbers have one zero.
type shaken struct {
	floats
	key uint64
}

var (
	_ field[float64]            = shaken{}
	_ interp.Functions[float64] = shaken{}
	_ interp.Direct[float64]    = shaken{}
)

// noise is x, which was computed of operands, with a random relative error of up to 2^-50.
func (s shaken) noise(x float64, of ...float64) float64 {
	h := s.key
	for _, a := range of {
		h += fingerprint.Mix(math.Float64bits(a)) // in any order
	}
	return x * (1 + (float64(fingerprint.Mix(h)>>11)/(1<<52)-1)/(1<<50))
}

// Add is a + b.
func (s shaken) Add(a, b float64) float64 {
	x := a + b
	if v := x - a; a-(x-v)+(b-v) != 0 { // the error of the sum (Knuth)
		return s.noise(x, a, b)
	}
	return s.signed(x)
}

// signed is x, but for the sign of zero.
func (s shaken) signed(x float64) float64 {
	switch {
	case x != 0:
		return x
	case s.key%2 == 1:
		return math.Copysign(0, -1)
	}
	return 0
}

// Mul is a * b.
func (s shaken) Mul(a, b float64) float64 {
	x := a * b
	if math.FMA(a, b, -x) != 0 {
		return s.noise(x, a, b)
	}
	return s.signed(x)
}

// Rat is num/den.
func (s shaken) Rat(num, den int64) float64 {
	x := float64(num) / float64(den)
	if math.FMA(x, float64(den), -float64(num)) != 0 {
		return s.noise(x, float64(num), float64(den))
	}
	return x
}

// Dot is the sum of x[i]*y[i].
func (s shaken) Dot(x, y []float64) float64 {
	sum := 0.0
	for i, a := range x {
		sum = s.Add(sum, s.Mul(a, y[i]))
	}
	return sum
}

// Fn is FnOf for one element.
func (s shaken) Fn(name string, x float64) float64 { return s.FnOf(name)(x) }

// FnOf is the function of that name. Of short numbers, most functions that have a short
// number as value have it exactly.
func (s shaken) FnOf(name string) func(float64) float64 {
	f := s.floats.FnOf(s.withBounds(name))
	ends := saturation(name, f)
	return func(x float64) float64 {
		y := f(x)
		if y == x || y == -x || fewBits(y) && !ends(x, y) {
			return s.signed(y)
		}
		return s.noise(y, x)
	}
}

// withBounds is a continuous function with parameters, such as a clip, in which those with many
// digits are random in the last bits that float32 has: decimal numbers stand for them.
func (s shaken) withBounds(text string) string {
	const single = 1 << 25
	name, params, err := graph.ParseFunc(text)
	if err != nil || !slices.ContainsFunc(params, func(p float64) bool { return !fewBits(p) }) ||
		slices.ContainsFunc(functionPoints(0, text), func(p *point) bool { return p.course == jumpsAt || p.course == pole }) {
		return text
	}
	values := make([]graph.Value, len(params))
	for i, p := range params {
		if !fewBits(p) {
			p += (s.noise(p, p) - p) * single
		}
		values[i] = graph.NumberValue(p)
	}
	return graph.FuncText(name, values...)
}

// saturation returns a function that reports whether a value of f is short only because it
// was rounded: f does not change near x, but does on the way to its next point, as that of
// sigmoid at 40. Functions that jump have short values.
func saturation(name string, f func(float64) float64) func(x, y float64) bool {
	points := sync.OnceValue(func() []*point { return functionPoints(0, name) })
	return func(x, y float64) bool {
		near := math.Abs(x) / (1 << 20)
		if x == 0 {
			near = 1. / (1 << 20)
		}
		if !finite(x) || !finite(y) || f(x+near) != y || f(x-near) != y {
			return false
		}
		next := 0.0
		for i, p := range points() {
			if p.course == jumpsAt {
				return false
			}
			if i == 0 || math.Abs(x-p.value) < math.Abs(x-next) {
				next = p.value
			}
		}
		for d := (x - next) / 2; math.Abs(d) > 1e-3*max(1, math.Abs(next)); d /= 2 {
			if f(next+d) != y {
				return true
			}
		}
		return false
	}
}

// DirectOf is the function.
func (s shaken) DirectOf(f *graph.Several) func(args []float64) float64 {
	return func(args []float64) float64 {
		y := f.Float(args)
		for _, x := range args {
			if y == x {
				return s.signed(y)
			}
		}
		if fewBits(y) {
			return s.signed(y)
		}
		return s.noise(y, args...)
	}
}

// fewBits reports whether a number has few digits: at most 20 bits.
func fewBits(x float64) bool {
	frac, _ := math.Frexp(x)
	return frac*(1<<20) == math.Trunc(frac*(1<<20)) || !finite(x)
}

// shakes is how often a model is evaluated in stochastic arithmetic.
const shakes = 10

// rounded is a weight that may have been computed in float32: its elements are random in their
// last bits, and such that are tiny compared with the largest one, of which the difference of two
// numbers may have left nothing else, are so by the last bits of that.
func (s shaken) rounded(w interp.Tensor[float64]) interp.Tensor[float64] {
	const single, tiny = 1 << 27, 1. / (1 << 20)
	res, largest := interp.Tensor[float64]{Sizes: w.Sizes, Data: make([]float64, len(w.Data))}, 0.0
	for _, x := range w.Data {
		if finite(x) {
			largest = max(largest, math.Abs(x))
		}
	}
	for i, x := range w.Data {
		switch res.Data[i] = x; {
		case x != 0 && math.Abs(x) < tiny*largest:
			res.Data[i] = x + (s.noise(largest, x)-largest)*single
		case !fewBits(x):
			res.Data[i] = x + (s.noise(x, x)-x)*single
		}
	}
	return res
}

// stay returns those of some elements of an output that differ between the models whatever
// rounding does: xs and ys in float64, they differ as much, but for a quarter, or are a finite
// number in the same one of them only, in each of some evaluations in stochastic arithmetic.
// Both models are evaluated with the same random bits, so that what they compute alike is the
// same in both. Weights that are not in both models may themselves be rounded.
func (p *prober) stay(ctx context.Context, in []interp.Tensor[float64], output int, elements []int, xs, ys []float64) ([]int, error) {
	elements = slices.Clone(elements)
	for k := range uint64(shakes) {
		s := shaken{floats{}, fingerprint.Mix(k+1)&^1 | k%2}
		outA, err := p.a.shake(ctx, s, in, p.c.common(p.o.A, p.o.B))
		if err != nil {
			return nil, err
		}
		outB, err := p.b.shake(ctx, s, p.placed(in), p.c.common(p.o.B, p.o.A))
		if err != nil {
			return nil, err
		}
		elements = slices.DeleteFunc(elements, func(j int) bool {
			a, b, x, y := xs[j], ys[j], outA[output].Data[j], outB[p.c.outs[output]].Data[j]
			switch {
			case finite(x) != finite(a) || finite(y) != finite(b):
				return true
			case finite(x) && finite(y):
				return !(math.Abs((x-y)-(a-b)) <= math.Abs(a-b)/4)
			}
			return math.IsNaN(x) == math.IsNaN(y) && math.IsInf(x, 0) == math.IsInf(y, 0)
		})
		if len(elements) == 0 {
			break
		}
	}
	return elements, nil
}

// shake evaluates a model in stochastic arithmetic.
func (r *runner) shake(ctx context.Context, s shaken, in []interp.Tensor[float64], common func(graph.NodeID) bool) ([]interp.Tensor[float64], error) {
	return evaluate(ctx, s, r.m, in, func(graph.NodeID, []interp.Tensor[float64]) {}, func(id graph.NodeID) (interp.Tensor[float64], error) {
		w, err := r.kept.load(floats{}, r.m, id, true)
		if err != nil || common(id) || !r.m.Weights[id].DType.IsFloat() {
			return w, err
		}
		return s.rounded(w), nil
	})
}
