package interp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Sums of products are those of one product after the other, small and large numbers,
// fractions and overflows alike.
func TestSumProd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var r Rational
	bad := 0
	for n := range 4000 {
		limit := []int64{10, smallNumber, smallNumber + 2, 1 << 31, math.MaxInt64}[n%5]
		number := func() Q {
			q := Q{rng.Int64N(limit) - limit/2, 1}
			switch rng.IntN(30) {
			case 0:
				q = r.Rat(q.Num, 1+rng.Int64N(5))
			case 1:
				q.Num = limit - 1
			case 2:
				q.Num = 1 - limit
			case 3:
				if n%7 == 0 {
					q = Bad
				}
			}
			return q
		}
		x, y := make([]Q, 8), make([]Q, 8)
		for i := range x {
			x[i], y[i] = number(), number()
		}
		terms := rng.IntN(20)
		if n%50 == 0 {
			terms = smallSum - 1 + rng.IntN(3)
		}
		a, b := make([]int32, terms), make([]int32, terms)
		want := Q{0, 1}
		for j := range a {
			a[j], b[j] = int32(rng.IntN(8)), int32(rng.IntN(8))
			want = r.Add(want, r.Mul(x[a[j]], y[b[j]]))
		}
		if got := r.SumProd(x, y, a, b); got != want {
			t.Fatalf("%v * %v at %v, %v: %v, want %v", x, y, a, b, got, want)
		}
		if want.IsBad() {
			bad++
		}
	}
	if bad < 100 {
		t.Errorf("only %d sums overflow", bad)
	}
}
