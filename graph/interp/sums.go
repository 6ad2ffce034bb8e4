package interp

// Sums is a ring with a fast sum of products at listed places; it is what Add and Mul
// give.
type Sums[T any] interface {
	// SumProd is the sum of x[a[j]]*y[b[j]]; a and b have one length.
	SumProd(x, y []T, a, b []int32) T
}

var _ Sums[Q] = Rational{}

// Integers below smallNumber in size have sums of products of up to smallSum terms
// within 63 bits, whatever their order.
const (
	smallNumber = 1 << 26
	smallSum    = 1 << 10
)

// SumProd is the sum of products. Small integers are added up without a look at each
// sum.
func (r Rational) SumProd(x, y []Q, a, b []int32) Q {
	sum, small := int64(0), len(a) <= smallSum
	for j := 0; small && j < len(a); j++ {
		p, q := x[a[j]], y[b[j]]
		small = isSmall(p) && isSmall(q)
		sum += p.Num * q.Num
	}
	if small {
		return Q{sum, 1}
	}
	out := Q{0, 1}
	for j, i := range a {
		out = r.Add(out, r.Mul(x[i], y[b[j]]))
	}
	return out
}

func isSmall(q Q) bool { return q.Den == 1 && q.Num > -smallNumber && q.Num < smallNumber }
