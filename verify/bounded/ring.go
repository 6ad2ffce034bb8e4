package bounded

import (
	"math/rand/v2"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// Names of the functions that stand for function variables, as law.Instances
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

// Fn is a function as an atom, but for the true rectifier.
func (r symbolic) Fn(name string, x *poly) *poly {
	if x.bad {
		return x
	}
	if keepsZero(name) && len(x.terms) == 0 {
		return x
	}
	if !unknown(name) {
		r.s.decisive = false
		if name == "relu" && r.s.ordered {
			return r.s.relu(x)
		}
	}
	return r.s.fn(atomFn, name, []*poly{x}, r.s.ordered && r.s.fnNonneg(name, x))
}

// unknown reports whether nothing but, perhaps, f(0) = 0 is known of a function.
func unknown(name string) bool {
	return name == AnyActivation || strings.HasPrefix(name, anyPrefix) || strings.HasPrefix(name, zeroPrefix)
}

func keepsZero(name string) bool {
	return strings.HasPrefix(name, zeroPrefix) || graph.FuncKeepsZero(name)
}

// exact is rational arithmetic with the true rectifier and maximum; every other
// function is a random one with values among the integers from -3 to 3.
type exact struct {
	interp.Rational
	key     uint64
	guessed bool // a known function other than the rectifier was asked for
}

var _ interp.Ring[interp.Q] = &exact{}

// Fn applies a function.
func (r *exact) Fn(name string, x interp.Q) interp.Q {
	switch {
	case x.IsBad():
		return x
	case name == "relu":
		return r.Rational.Fn(name, x)
	case x.Num == 0 && keepsZero(name):
		return zeroQ
	}
	r.guessed = r.guessed || !unknown(name)
	h := r.key
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	rng := rand.NewPCG(h, uint64(x.Num)*0x9e3779b97f4a7c15^uint64(x.Den))
	return interp.Q{Num: int64(rng.Uint64()%7) - 3, Den: 1}
}
