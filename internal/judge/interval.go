package judge

import (
	"math"
	"slices"
	"sync"
)

// center is the estimate of the center of a symmetric distribution, and an interval that
// encloses it with at least a confidence, by the signed-rank test (F. Wilcoxon 1945; J. L.
// Hodges, E. L. Lehmann 1963): order statistics of the means of all pairs of samples. The
// interval is unbounded where the samples are too few.
func center(samples []float64, confidence float64) (estimate, low, high float64) {
	n := len(samples)
	var means []float64
	for i, x := range samples {
		for _, y := range samples[:i+1] {
			means = append(means, (x+y)/2)
		}
	}
	slices.Sort(means)
	k := rank(n, confidence)
	if k < 0 {
		return median(means), math.Inf(-1), math.Inf(1)
	}
	return median(means), means[k], means[len(means)-1-k]
}

// rank is the largest sum of ranks that n samples have below the center, or one that is
// smaller, with a probability of at most half of what the confidence leaves; -1: even 0 is
// more likely.
func rank(n int, confidence float64) int {
	type key struct {
		n          int
		confidence float64
	}
	at := key{n, confidence}
	if k, ok := ranks.Load(at); ok {
		return k.(int)
	}
	// ways counts in how many of the 2^n choices of signs the ranks below sum to an index,
	// as parts of all.
	ways := make([]float64, n*(n+1)/2+1)
	ways[0] = 1
	for r := 1; r <= n; r++ {
		for sum := len(ways) - 1; sum >= 0; sum-- {
			ways[sum] /= 2
			if sum >= r {
				ways[sum] += ways[sum-r] / 2
			}
		}
	}
	k, below := -1, ways[0]
	for below <= (1-confidence)/2 {
		k++
		below += ways[k+1]
	}
	ranks.Store(at, k)
	return k
}

// ranks memoizes rank.
var ranks sync.Map

// median of samples; of an even number the mean of the middle two.
func median(samples []float64) float64 {
	s := slices.Sorted(slices.Values(samples))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
