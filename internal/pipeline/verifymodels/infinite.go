package verifymodels

import (
	"math"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// Weights may be infinite, such as those of masks, or no numbers. Arithmetic modulo a
// prime has no such elements, so there are more elements than residues: a *strange* one
// stands for what may be infinite or no number, and is a residue with a mark.
//
// Infinity and what is not a number are strange, and so is what is computed from something
// strange, unless it is a number whatever that is (a comparison, isnan). A sum with
// strange terms is their sum, marked: adding is commutative and associative for infinite
// numbers too, and real terms cancel. Nothing else is known: a product with a strange
// factor, and a function or a maximum with a strange argument, is a strange random number
// for these operands. So no strange term cancels another one, and 0 times one stays. Equal
// strange elements are, up to chance, sums of the same strange terms and of the same real
// number, and so they are equal whichever numbers, finite or not, the terms are.
//
// One thing more is known, by which masks are made safe where they leave nothing: the
// results of some operators are bounded, so that they may be no numbers, but not infinite.
// Chosen where it is a number, such a result is one.
const (
	strange   = 1 << 63
	bounded   = 1 << 62 // of a strange element: it is not infinite
	isResidue = 1<<61 - 1
	// absent stands where a sum of products has no term. It is 0 modulo the prime, and
	// no other element is the prime.
	absent = p
)

func isStrange(x uint64) bool { return x&strange != 0 }

// anyStrange reports whether there is something strange in a list.
func anyStrange(xs []uint64) bool {
	all := uint64(0)
	for _, x := range xs {
		all |= x
	}
	return isStrange(all)
}

// extended is naming with strange elements.
type extended struct {
	naming
	met *bool // there may be strange elements
	// of is the element of which a number tells whether it is not a number.
	of map[uint64]uint64
}

var (
	_ field[uint64]            = extended{}
	_ interp.Functions[uint64] = extended{}
	_ interp.Extended[uint64]  = extended{}
	_ interp.Absent[uint64]    = extended{}
)

func newExtended(key uint64, functions *bool) extended {
	return extended{naming{residues{fingerprint.Zp{Key: key}, newMaxima(key), functions}, map[string]bool{}}, new(bool), map[uint64]uint64{}}
}

// unknown is a random residue for a function and its arguments.
func (z extended) unknown(name string, args ...uint64) uint64 {
	*z.functions = true
	h := fingerprint.Mix(z.zp.Key ^ 0x737472616e6765)
	for _, c := range []byte(name) {
		h = fingerprint.Mix(h ^ uint64(c))
	}
	for _, x := range args {
		h = fingerprint.Mix(h ^ fingerprint.Mix(x&^bounded)) // by itself first, as of maxima
	}
	return h % p
}

// fromFloat is what a number is, infinite ones too.
func (z extended) fromFloat(x float64) (uint64, error) {
	if finite(x) {
		return z.naming.fromFloat(x)
	}
	*z.met, z.names["infinite numbers"] = true, true
	switch {
	case math.IsNaN(x):
		return strange | z.unknown("NaN"), nil
	case x < 0:
		return strange | z.unknown("-Inf"), nil
	}
	return strange | z.unknown("Inf"), nil
}

// Add is a + b.
func (z extended) Add(a, b uint64) uint64 {
	if !isStrange(a | b) {
		return z.naming.Add(a, b)
	}
	return strange | z.naming.Add(a&isResidue, b&isResidue)
}

// Mul is a * b.
func (z extended) Mul(a, b uint64) uint64 {
	if !isStrange(a | b) {
		return z.naming.Mul(a, b)
	}
	a, b = min(a, b), max(a, b)
	if a == 1 {
		return b &^ bounded
	}
	return strange | z.unknown("product", a, b)
}

// Dot is the sum of x[i]*y[i].
func (z extended) Dot(x, y []uint64) uint64 {
	if !*z.met || !anyStrange(x) && !anyStrange(y) {
		return z.naming.Dot(x, y)
	}
	sum := uint64(0)
	for i, a := range x {
		if a != absent && y[i] != absent {
			sum = z.Add(sum, z.Mul(a, y[i]))
		}
	}
	return sum
}

// Absent stands where a sum of products has no term.
func (extended) Absent() uint64 { return absent }

// Max is that of naming, and strange if an element is.
func (z extended) Max(xs []uint64) uint64 {
	if !anyStrange(xs) {
		return z.naming.Max(xs)
	}
	own := make([]uint64, len(xs))
	for i, x := range xs {
		own[i] = x &^ bounded
	}
	return z.naming.Max(own)
}

// Integer is that of naming; nothing strange is one.
func (z extended) Integer(x uint64) (int64, bool) {
	if isStrange(x) {
		return 0, false
	}
	return z.naming.Integer(x)
}

// Weights is that of naming.
func (z extended) Weights(at uint64, n int) []uint64 {
	if !isStrange(at) {
		return z.naming.Weights(at, n)
	}
	h := make([]uint64, n)
	for k := range h {
		h[k] = z.unknown("row", at, uint64(k))
	}
	return h
}

// Fn is FnOf for one element.
func (z extended) Fn(name string, x uint64) uint64 { return z.FnOf(name)(x) }

// FnOf is that of naming where nothing is strange.
func (z extended) FnOf(name string) func(uint64) uint64 {
	f := z.naming.FnOf(name)
	number := false // whatever it is applied to
	if *z.met {
		number = tells(1, func(args []float64) float64 { return floats{}.Fn(name, args[0]) })
	}
	return func(x uint64) uint64 {
		if !isStrange(x) {
			return f(x)
		}
		y := z.unknown(name, x)
		switch {
		case !number:
			return strange | y
		case name == "isnan":
			z.of[y] = x
		}
		return y
	}
}

// DirectAt is a function of several elements; expr is what it is of real numbers.
func (z extended) DirectAt(f *graph.Several, expr uint64, args []uint64) uint64 {
	if !anyStrange(args) {
		return expr
	}
	if f.Chooses && !isStrange(args[0]) {
		is, x, y := args[0], args[1], args[2]
		switch of, ok := z.of[is]; {
		case is == 0:
			return y
		case is == 1:
			return x
		case ok && of == y && y&bounded != 0 && !isStrange(x):
			return z.unknown("if it is not a number", x, y)
		}
	}
	y := z.unknown(f.Name, args...)
	if tells(len(args), f.Float) {
		return y
	}
	return strange | y
}

// tells reports whether a function only tells one thing from another, as comparisons do:
// it is 0 or 1 whatever its arguments are.
func tells(n int, f func(args []float64) float64) bool {
	at := []float64{math.Inf(-1), -1, 0, 1, math.Inf(1), math.NaN()}
	args := make([]float64, n)
	for k := range int(math.Pow(float64(len(at)), float64(n))) {
		for i := range args {
			args[i] = at[k%len(at)]
			k /= len(at)
		}
		if y := f(args); y != 0 && y != 1 {
			return false
		}
	}
	return true
}

// opaque is that of naming, and strange if an operand is.
func (z extended) opaque(g *graph.Graph, id graph.NodeID, in []interp.Tensor[uint64]) ([]interp.Tensor[uint64], error) {
	out, err := z.naming.opaque(g, id, in)
	for _, t := range in {
		if err != nil || !anyStrange(t.Data) {
			continue
		}
		for _, y := range out {
			for j := range y.Data {
				y.Data[j] |= strange
			}
		}
	}
	return out, err
}

// made marks what an operator whose results are bounded gave.
func (z extended) made(op *graph.Op, out []interp.Tensor[uint64]) {
	if !*z.met || !op.Bounded {
		return
	}
	for _, t := range out {
		for j, x := range t.Data {
			if isStrange(x) {
				t.Data[j] = x | bounded
			}
		}
	}
}

// same reports whether elements are the same.
func same(x, y []uint64) bool {
	for i := range x {
		if x[i]&^bounded != y[i]&^bounded {
			return false
		}
	}
	return true
}
