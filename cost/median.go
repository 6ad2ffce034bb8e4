package cost

import "slices"

// Median is the middle of xs, the mean of the two in the middle for an even
// count, and 0 for none. It does not change the slice.
func Median[T ~float64](xs []T) T {
	if len(xs) == 0 {
		return 0
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return s[n/2-1] + (s[n/2]-s[n/2-1])/2
}

// Quantile is the smallest element of xs that at least the fraction q of them
// do not exceed, 0 for none; q is between 0 and 1. It does not change the slice.
func Quantile[T ~float64](xs []T, q float64) T {
	if len(xs) == 0 {
		return 0
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	i := int(q*float64(len(s))+0.999999999) - 1
	return s[min(max(i, 0), len(s)-1)]
}
