package fingerprint

import (
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/graph/op"
)

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
