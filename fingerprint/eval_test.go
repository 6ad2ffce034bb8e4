package fingerprint

import (
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

func parseLaw(t testing.TB, body string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw("rule r\n" + body)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// sizes binds size variables.
func sizes(d map[string]int64) *Env {
	env := &Env{Binding: graph.Binding{Dims: map[string]graph.Dim{}}}
	for name, n := range d {
		env.Dims[name] = graph.Int(n)
	}
	return env
}

func random(seed uint64) Input[uint64] {
	return func(name string, n int) []uint64 { return Random(seed, name, n) }
}

// small are integers from -4 to 4.
func small(seed uint64) Input[interp.Q] {
	return func(name string, n int) []interp.Q {
		out := make([]interp.Q, n)
		for i, x := range Random(seed, name, n) {
			out[i] = interp.Q{Num: int64(x%9) - 4, Den: 1}
		}
		return out
	}
}

func TestCompareOutcomes(t *testing.T) {
	type d = map[string]int64
	for _, c := range []struct {
		name string
		law  string
		env  *Env
		want Outcome
		err  bool
	}{
		{"equal", "given A : [a, b] then transpose(transpose(A)) == A", sizes(d{"a": 2, "b": 3}), Equal, false},
		{"values", "given A : [a, a] then transpose(A) == A", sizes(d{"a": 2}), Differs, false},
		{"one element", "given A : [a, a] then transpose(A) == A", sizes(d{"a": 1}), Equal, false},
		{"shapes", "given A : [a, b] then transpose(A) == A", sizes(d{"a": 1, "b": 2}), Differs, false},
		{"ranks", "given A : [a] then A == one[shape=[1]]()", sizes(d{"a": 2}), Differs, false},
		{"undefined", "given A : [a, b] then slice[axis=0, lo=1, hi=c](A) == slice[axis=0, lo=1, hi=c](A)",
			sizes(d{"a": 2, "b": 2, "c": 3}), Undefined, false},
		{"left only", "given A : [a, b] then A == slice[axis=0, lo=0, hi=c](A)", sizes(d{"a": 2, "b": 2, "c": 3}), OneSided, true},
		{"right only", "given A : [a, b] then slice[axis=0, lo=0, hi=c](A) == A", sizes(d{"a": 2, "b": 2, "c": 3}), OneSided, true},
		{"condition", "given A : [a, b] where a % 2 == 1 then A == A", sizes(d{"a": 2, "b": 2}), NotAnInstance, false},
		{"condition holds", "given A : [a, b] where a % 2 == 1 then A == A", sizes(d{"a": 3, "b": 2}), Equal, false},
		{"no such size", "given A : [a-2, b] then A == A", sizes(d{"a": 2, "b": 2}), NotAnInstance, false},
		{"not bound", "given A : [a, b] then A == A", sizes(d{"a": 2}), NotAnInstance, true},
	} {
		out, err := Compare[uint64](Zp{Key: 1}, parseLaw(t, c.law), c.env, random(1))
		if out != c.want || (err != nil) != c.err {
			t.Errorf("%s: %s (error %v), want %s", c.name, out, err, c.want)
		}
	}
}

func TestCompareOutputs(t *testing.T) {
	l := parseLaw(t, "given A : [a], B : [a] then (A, B) == (A, B)")
	for _, side := range []*[]*law.Term{&l.LHS, &l.RHS} {
		full := *side
		*side = full[:1]
		out, err := Compare[uint64](Zp{Key: 1}, l, sizes(map[string]int64{"a": 2}), random(1))
		if out != NotAnInstance || err == nil {
			t.Errorf("%s (%v)", out, err)
		}
		*side = full
	}
}

func TestCompareFunctions(t *testing.T) {
	env := sizes(map[string]int64{"a": 2, "b": 3})
	env.Fns = map[string]string{"f": "any:f", "g": "any:g", "z": "zero:z"}
	for _, c := range []struct {
		law  string
		want Outcome
	}{
		{"given f : pointwise1, A : [a, b] then f(transpose(A)) == transpose(f(A))", Equal},
		{"given f : pointwise1, g : pointwise1, A : [a, b] then f(A) == g(A)", Differs},
		{"given f : pointwise1, A : [a, b] then f(f(A)) == f(A)", Differs},
		{"given f : pointwise1, A : [a, b] then f(ewadd(A, A)) == ewadd(f(A), f(A))", Differs},
		// A function that keeps zero commutes with padding, another does not.
		{"given z : zero1, A : [a, b, 1, 1] then z(enlarge[kh=3, kw=3](A)) == enlarge[kh=3, kw=3](z(A))", Equal},
		{"given f : pointwise1, A : [a, b, 1, 1] then f(enlarge[kh=3, kw=3](A)) == enlarge[kh=3, kw=3](f(A))", Differs},
	} {
		if out, err := Compare[uint64](Zp{Key: 1}, parseLaw(t, c.law), env, random(1)); out != c.want {
			t.Errorf("%s: %s (%v), want %s", c.law, out, err, c.want)
		}
	}
	l := parseLaw(t, "given h : pointwise1, A : [a, b] then h(A) == A")
	if out, err := Compare[uint64](Zp{}, l, env, random(1)); out != OneSided || err == nil {
		t.Errorf("a function that is not bound: %s (%v)", out, err)
	}
}

// The two tracks: what holds of every function and every order is seen modulo
// P, what holds of the true relu and maximum only with rationals.
func TestTracks(t *testing.T) {
	for _, c := range []struct {
		law              string
		modulo, rational Outcome
	}{
		{"given A : [a, b] then relu(relu(A)) == relu(A)", Differs, Equal},
		{"given A : [a, b] then relu(ewadd(A, A)) == ewadd(relu(A), relu(A))", Differs, Equal},
		{"given A : [a, b] then relu(transpose(A)) == transpose(relu(A))", Equal, Equal},
		{"given A : [a, b] then relu(A) == A", Differs, Differs},
		{"given A : [1, a, b, c] then poolmax[kh=3, kw=3, pad=same_lower](relu(A)) == relu(poolmax[kh=3, kw=3, pad=same_lower](A))", Differs, Equal},
		{"given A : [1, a, b, c] then poolmax[kh=3, kw=1, pad=same_lower](poolmax[kh=1, kw=3, pad=same_lower](A))" +
			" == poolmax[kh=3, kw=3, pad=same_lower](A)", Equal, Equal},
	} {
		l := parseLaw(t, c.law)
		env := sizes(map[string]int64{"a": 2, "b": 4, "c": 5})
		if out, err := Compare[uint64](Zp{Key: 9}, l, env, random(3)); out != c.modulo {
			t.Errorf("modulo P: %s: %s (%v), want %s", c.law, out, err, c.modulo)
		}
		if out, err := Compare[interp.Q](interp.Rational{}, l, env, small(3)); out != c.rational {
			t.Errorf("rationals: %s: %s (%v), want %s", c.law, out, err, c.rational)
		}
	}
}

// Rationals that leave their range say nothing.
func TestOverflowSaysNothing(t *testing.T) {
	l := parseLaw(t, "given A : [a] then ewmul(ewmul(A, A), ewmul(A, A)) == ewmul(A, A)")
	env := sizes(map[string]int64{"a": 2})
	out, err := Compare[interp.Q](interp.Rational{}, l, env, func(_ string, n int) []interp.Q {
		q := make([]interp.Q, n)
		for i := range q {
			q[i] = interp.Q{Num: 1 << 40, Den: 1}
		}
		return q
	})
	if out != NotAnInstance || err != nil {
		t.Errorf("overflow: %s (%v), want %s", out, err, NotAnInstance)
	}
}

func TestOutcomeNames(t *testing.T) {
	seen := map[string]bool{}
	for o := Undefined; o <= NotAnInstance; o++ {
		if s := o.String(); s == "" || seen[s] {
			t.Errorf("outcome %d is called %q", o, s)
		}
		seen[o.String()] = true
	}
}

func TestCollisionBound(t *testing.T) {
	// Two graphs of no operators, one seed: 2^2/2 pairs, each 1/P.
	if got, want := CollisionBound(2, 0, 1), 2/float64(P); math.Abs(got-want) > 1e-9*want {
		t.Errorf("CollisionBound(2, 0, 1) = %g, want %g", got, want)
	}
	// 10^6 graphs of 3 operators, two seeds: half of 10^12 pairs, each (8/P)^2
	// or a collision of hashes.
	if got, want := CollisionBound(1e6, 3, 2), 0.5e12*(64/(float64(P)*float64(P))+math.Pow(2, -128)); math.Abs(got-want) > 1e-9*want {
		t.Errorf("CollisionBound(1e6, 3, 2) = %g, want %g", got, want)
	}
	for n := 1.0; n < 1e9; n *= 10 {
		for ops := 0; ops < 8; ops++ {
			for seeds := 1; seeds < 4; seeds++ {
				b := CollisionBound(n, ops, seeds)
				if b <= 0 || CollisionBound(10*n, ops, seeds) <= b || CollisionBound(n, ops+1, seeds) < b || CollisionBound(n, ops, seeds+1) > b {
					t.Fatalf("not monotone at %g graphs, %d operators, %d seeds", n, ops, seeds)
				}
			}
		}
	}
}

// Tensors are independent of each other and of what was drawn before, and
// fill 0..P-1.
func TestRandom(t *testing.T) {
	seen := map[uint64]string{}
	for _, seed := range []uint64{0, 1, 2, 1 << 63} {
		for _, name := range []string{"", "x", "y", "x1", "x2", "xx"} {
			for i, x := range Random(seed, name, 50) {
				key := fmt.Sprintf("seed %d, name %q, element %d", seed, name, i)
				if x >= P {
					t.Fatalf("%s is %d", key, x)
				}
				if other, ok := seen[x]; ok {
					t.Fatalf("%s and %s are both %d", key, other, x)
				}
				seen[x] = key
			}
		}
	}
	a, b := Random(7, "x", 10), Random(7, "x", 20)
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("element %d depends on the size", i)
		}
	}
	mean := 0.0
	for _, x := range Random(5, "mean", 4000) {
		mean += float64(x) / P / 4000
	}
	if math.Abs(mean-0.5) > 0.05 {
		t.Errorf("mean %g of P, want 0.5", mean)
	}
}

// Flipping any bit, exchanging any two elements or moving an axis changes both
// halves of the hash.
func TestSumDistinguishes(t *testing.T) {
	d := Random(1, "x", 12)
	base := Sum([]int{3, 4}, d)
	differs := func(what string, h Hash) {
		t.Helper()
		if h[0] == base[0] || h[1] == base[1] {
			t.Errorf("%s does not change the hash", what)
		}
	}
	for i := range d {
		for bit := range 61 {
			d[i] ^= 1 << bit
			differs(fmt.Sprintf("bit %d of element %d", bit, i), Sum([]int{3, 4}, d))
			d[i] ^= 1 << bit
		}
		for j := range i {
			d[i], d[j] = d[j], d[i]
			differs(fmt.Sprintf("exchange of %d and %d", i, j), Sum([]int{3, 4}, d))
			d[i], d[j] = d[j], d[i]
		}
	}
	for _, s := range [][]int{{4, 3}, {12}, {1, 3, 4}, {3, 4, 1}, {2, 6}} {
		differs(fmt.Sprint(s), Sum(s, d))
	}
	if Sum([]int{3, 4}, d) != base {
		t.Error("the hash is not a function")
	}
	if Sum([]int{}, d[:1]) == Sum([]int{1}, d[:1]) {
		t.Error("a scalar and a vector of one element have one hash")
	}
	small := Hash{1, 2}
	if !small.Less(Hash{1, 3}) || !small.Less(Hash{2, 0}) || small.Less(small) || small.Less(Hash{0, 9}) {
		t.Error("hashes are not ordered")
	}
}

// Rat is division, Add and Mul are those of the field, and Max and Fn are
// functions of their arguments and the key.
func TestField(t *testing.T) {
	z := Zp{Key: 3}
	for _, n := range []int64{0, 1, -1, 5, -7, math.MaxInt64, math.MinInt64} {
		for _, d := range []int64{1, 2, 3, 9, 1 << 40} {
			if got := z.Mul(z.Rat(n, d), z.Rat(d, 1)); got != z.Rat(n, 1) || got >= P {
				t.Errorf("%d/%d * %d = %d, want %d", n, d, d, got, z.Rat(n, 1))
			}
		}
		if z.Add(z.Rat(n, 1), z.Rat(-n, 1)) != 0 && n != math.MinInt64 {
			t.Errorf("%d + %d is not 0", n, -n)
		}
	}
	x := Random(1, "x", 6)
	if m, r := z.Max(x), z.Max([]uint64{x[5], x[3], x[4], x[1], x[0], x[2]}); m != r {
		t.Errorf("the maximum depends on the order: %d, %d", m, r)
	}
	if z.Max([]uint64{z.Max(x[:3]), z.Max(x[3:])}) != z.Max(x) {
		t.Error("the maximum is not associative")
	}
	other := 0
	for key := range uint64(50) {
		if (Zp{Key: key}).Max(x) != z.Max(x) {
			other++
		}
	}
	if other == 0 {
		t.Error("the order does not depend on the key")
	}
	if z.Fn("zero:f", 0) != 0 || z.Fn(op.Relu.Name, 0) != 0 || z.Fn("any:f", 0) == 0 {
		t.Error("zero is not kept where it should be")
	}
	if z.Fn("any:f", 5) == z.Fn("any:g", 5) || z.Fn("any:f", 5) == (Zp{Key: 4}).Fn("any:f", 5) || z.Fn("any:f", 5) == 5 {
		t.Error("functions are not random")
	}
}

// Sums of the largest products do not overflow.
func TestSumProdLargest(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 63, 64, 65, 200} {
		x := make([]uint64, n)
		idx := make([]int32, n)
		for i := range x {
			x[i], idx[i] = P-1, int32(i)
		}
		// (P-1)^2 = 1 (mod P).
		if got := sumProd(x, x, idx, idx); got != uint64(n) {
			t.Errorf("%d products: %d", n, got)
		}
	}
}
