package fingerprint

import (
	"math/bits"

	"github.com/taso-go/taso/graph"
)

// P is the modulus, the Mersenne prime 2^61 - 1.
const P = 1<<61 - 1

// Zp is arithmetic modulo P on numbers 0..P-1. Functions and the order used
// by Max are drawn from Key. It implements interp.Ring[uint64].
type Zp struct{ Key uint64 }

func reduce(x uint64) uint64 {
	x = (x & P) + x>>61
	if x >= P {
		x -= P
	}
	return x
}

// fold128 reduces hi*2^64 + lo modulo P; hi must be below 2^61.
func fold128(hi, lo uint64) uint64 {
	// 2^64 = 8 * 2^61 = 8 (mod P).
	s := (lo & P) + (lo >> 61) + (hi << 3 & P) + hi>>58
	return reduce(s)
}

// MulMod is a*b modulo P.
func MulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return fold128(hi, lo)
}

func powMod(a uint64, e uint64) uint64 {
	r := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = MulMod(r, a)
		}
		a = MulMod(a, a)
	}
	return r
}

// InvMod is the inverse of a modulo P; a must not be 0.
func InvMod(a uint64) uint64 { return powMod(a, P-2) }

// Mix is a 64-bit finalizer (splitmix64): a random-looking bijection.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Rat is num/den.
func (Zp) Rat(num, den int64) uint64 {
	n := uint64(num)
	if num < 0 {
		n = P - uint64(-num)%P
	}
	n = reduce(n)
	if den == 1 {
		return n
	}
	return MulMod(n, InvMod(uint64(den)))
}

// Add is a + b.
func (Zp) Add(a, b uint64) uint64 {
	s := a + b
	if s >= P {
		s -= P
	}
	return s
}

// Mul is a * b.
func (Zp) Mul(a, b uint64) uint64 { return MulMod(a, b) }

// Dot is the sum of x[i]*y[i]; y is at least as long as x.
func (Zp) Dot(x, y []uint64) uint64 {
	var sum uint64
	y = y[:len(x)]
	for len(x) > 0 {
		// Products are below 2^122: 32 of them fit into 128 bits.
		n := min(len(x), 32)
		var hi, lo, carry uint64
		for i, a := range x[:n] {
			h, l := bits.Mul64(a, y[i])
			lo, carry = bits.Add64(lo, l, 0)
			hi += h + carry
		}
		// 2^61 = 1 and 2^64 = 8; the five numbers are below 2^61 or small.
		sum += lo&P + lo>>61 + hi<<3&P + hi>>58
		sum = sum&P + sum>>61
		x, y = x[n:], y[n:]
	}
	if sum >= P {
		sum -= P
	}
	return sum
}

// Run evaluates a program; it is interp.Run, faster.
func (z Zp) Run(m *graph.Program, in [][]uint64) [][]uint64 { return z.Compile(m).Run(in...) }

// rank is the place of x in the keyed order.
func (z Zp) rank(x uint64) uint64 { return Mix(x ^ Mix(z.Key^0x6d6178)) }

// Max is the element that comes last in a keyed random order.
func (z Zp) Max(xs []uint64) uint64 {
	best, rank := xs[0], z.rank(xs[0])
	for _, x := range xs[1:] {
		if r := z.rank(x); r > rank {
			best, rank = x, r
		}
	}
	return best
}

// Fn applies the keyed random function of that name. Functions that keep zero
// (operators such as relu, and names that begin with "zero:") map 0 to 0.
func (z Zp) Fn(name string, x uint64) uint64 {
	key, zero := z.fnKey(name)
	return applyFn(key, zero, x)
}

// FnOf is Fn of one name, which is hashed once.
func (z Zp) FnOf(name string) func(uint64) uint64 {
	key, zero := z.fnKey(name)
	return func(x uint64) uint64 { return applyFn(key, zero, x) }
}

func (z Zp) fnKey(name string) (key uint64, zero bool) {
	key = z.Key
	for i := 0; i < len(name); i++ {
		key = Mix(key ^ uint64(name[i]))
	}
	return key, len(name) > 5 && name[:5] == "zero:" || graph.FuncKeepsZero(name)
}

func applyFn(key uint64, zero bool, x uint64) uint64 {
	if zero && x == 0 {
		return 0
	}
	return reduce(Mix(x ^ key))
}
