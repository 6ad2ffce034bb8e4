package graph

import "math"

// Arithmetic that notices where it leaves 64 bits.

const minInt = math.MinInt64

// AddInt is a + b; false if it does not fit.
func AddInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// MulInt is a * b; false if it does not fit.
func MulInt(a, b int64) (int64, bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	if a == 0 || b == 0 {
		return 0, true
	}
	if a == -1 && b == minInt || b == -1 && a == minInt {
		return 0, false
	}
	c := a * b
	return c, c/b == a
}

// GCD is the greatest common divisor, at least 0; that of 0 and b is the size of b.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// FloorDiv is the largest integer that is at most a/b, for b >= 1.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && a < 0 {
		q--
	}
	return q
}

// sum is a + b. It panics with ErrTooLarge where that does not fit.
func sum(a, b int64) int64 {
	c, ok := AddInt(a, b)
	if !ok {
		panic(ErrTooLarge)
	}
	return c
}

// product is a * b. It panics with ErrTooLarge where that does not fit.
func product(a, b int64) int64 {
	c, ok := MulInt(a, b)
	if !ok {
		panic(ErrTooLarge)
	}
	return c
}

// CatchTooLarge, deferred, makes an error of the panic of [Index] arithmetic.
func CatchTooLarge(err *error) {
	switch r := recover(); r {
	case nil:
	case ErrTooLarge:
		*err = ErrTooLarge
	default:
		panic(r)
	}
}
