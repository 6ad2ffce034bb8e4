package bounded

import (
	"math/rand/v2"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// Names of the functions that stand for function variables, as instance.Instances
// binds them, and of the activation of which nothing is known.
const (
	anyPrefix  = "any:"
	zeroPrefix = "zero:"
	// AnyActivation is, as a value of an activation variable in a scope, a
	// function of which nothing is known, not even that it keeps zero.
	AnyActivation = "any_activation"
)

// symbolic is arithmetic on polynomials in a space.
type symbolic struct{ s *space }

var _ interp.Ring[*poly] = symbolic{}

func (r symbolic) Rat(num, den int64) *poly { return constant(number.Rat(num, den)) }
func (r symbolic) Add(a, b *poly) *poly     { return r.s.add(a, b) }
func (r symbolic) Mul(a, b *poly) *poly     { return r.s.mul(a, b) }
func (r symbolic) Max(ps []*poly) *poly     { return r.s.max(ps) }

// Fn is a function as an atom, but for the true relu and what it makes.
func (r symbolic) Fn(name string, x *poly) *poly {
	if x.bad {
		return x
	}
	if keepsZero(name) && len(x.terms) == 0 {
		return x
	}
	if !unknown(name) {
		r.s.decisive = false
		if r.s.ordered {
			if p, ok := r.piecewise(name, x); ok {
				return p
			}
		}
	}
	return r.s.fn(atomFn, name, []*poly{x}, r.s.ordered && r.s.fnNonneg(name, x))
}

// piecewise writes a known function with the relu, if it can be: bounds
// cut off what is beyond them.
func (r symbolic) piecewise(text string, x *poly) (*poly, bool) {
	name, params, err := graph.ParseFunc(text)
	p := make([]interp.Q, len(params))
	for i := range p {
		var ok bool
		if p[i], ok = interp.Decimal(params[i]); !ok {
			return nil, false
		}
	}
	minus := func(y *poly) *poly { return y.scale(interp.Q{Num: -1, Den: 1}) }
	clip := func(y *poly, lo, hi interp.Q) *poly {
		if lo.Den != 0 {
			y = r.s.add(constant(lo), r.s.relu(r.s.add(y, minus(constant(lo)))))
		}
		if hi.Den != 0 {
			y = r.s.add(constant(hi), minus(r.s.relu(r.s.add(constant(hi), minus(y)))))
		}
		return y
	}
	switch {
	case err != nil:
	case name == "relu":
		return r.s.relu(x), true
	case name == "abs":
		return r.s.add(r.s.relu(x), r.s.relu(minus(x))), true
	case name == "leakyrelu" && len(p) == 1 && p[0].Den != 0:
		return r.s.add(r.s.relu(x), minus(r.s.relu(minus(x)).scale(p[0]))), true
	case name == "clip" && len(p) == 2 && (p[0].Den != 0 || p[0].Num < 0) && (p[1].Den != 0 || p[1].Num > 0):
		return clip(x, p[0], p[1]), true
	case name == "hardsigmoid" && len(p) == 2 && p[0].Den != 0 && p[1].Den != 0:
		return clip(r.s.add(x.scale(p[0]), constant(p[1])), interp.Q{Den: 1}, interp.Q{Num: 1, Den: 1}), true
	}
	return nil, false
}

// unknown reports whether nothing but, perhaps, f(0) = 0 is known of a function.
func unknown(name string) bool {
	return name == AnyActivation || strings.HasPrefix(name, anyPrefix) || strings.HasPrefix(name, zeroPrefix)
}

func keepsZero(name string) bool {
	return strings.HasPrefix(name, zeroPrefix) || graph.FuncKeepsZero(name)
}

// exact is rational arithmetic with the true maximum and those true functions
// that take rationals to rationals; every other function is a random one with
// values among the integers from -3 to 3.
type exact struct {
	interp.Rational
	key     uint64
	guessed bool // a known function was asked for a value that is no rational
}

var _ interp.Ring[interp.Q] = &exact{}

// Fn applies a function.
func (r *exact) Fn(name string, x interp.Q) interp.Q {
	switch {
	case x.IsBad() || name == interp.Outside:
		return interp.Bad
	case x.Num == 0 && keepsZero(name):
		return zeroQ
	}
	if !unknown(name) {
		if y := r.Rational.Fn(name, x); !y.IsBad() {
			return y
		}
	}
	r.guessed = r.guessed || !unknown(name)
	h := r.key
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	rng := rand.NewPCG(h, uint64(x.Num)*0x9e3779b97f4a7c15^uint64(x.Den))
	return interp.Q{Num: int64(rng.Uint64()%7) - 3, Den: 1}
}
