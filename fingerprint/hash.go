package fingerprint

import (
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// Hash is a 128-bit fingerprint.
type Hash [2]uint64

// Less orders hashes.
func (h Hash) Less(g Hash) bool { return h[0] < g[0] || h[0] == g[0] && h[1] < g[1] }

// Sum hashes a tensor: its shape and its elements.
func Sum(sizes []int, data []uint64) Hash {
	shape := uint64(len(sizes))
	for _, s := range sizes {
		shape = Mix(shape*31 + uint64(s))
	}
	var b []byte
	if len(data) > 0 {
		b = unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 8*len(data))
	}
	h := xxhash.Sum64(b)
	// The second half hashes a different function of the data, so that the
	// two halves do not collide together.
	var g uint64 = shape
	for i, x := range data {
		g += (x ^ g>>29) * (0x9e3779b97f4a7c15 + 2*uint64(i))
		g = g<<13 | g>>51
	}
	return Hash{Mix(h ^ shape), Mix(g)}
}

// Random fills a tensor with uniform elements that depend only on the seed and
// the name.
func Random(seed uint64, name string, n int) []uint64 {
	s := Mix(seed)
	for i := 0; i < len(name); i++ {
		s = Mix(s ^ uint64(name[i]))
	}
	out := make([]uint64, n)
	for i := range out {
		for {
			s = Mix(s + 1)
			if x := s & P; x < P {
				out[i] = x
				break
			}
		}
	}
	return out
}

// CollisionBound is an upper bound on the probability that a run which
// compares n graphs pairwise under s independent seeds takes some two
// different ones for equal: n^2/2 pairs, each degree/P per seed, and 2^-128
// for the hash. degree is at most 2^ops for graphs of ops operators whose
// functions are treated as fresh random values.
func CollisionBound(n float64, ops, seeds int) float64 {
	deg := float64(uint64(1) << uint(ops))
	per := 1.0
	for i := 0; i < seeds; i++ {
		per *= deg / float64(P)
	}
	return n * n / 2 * (per + 1/3.4028236692093846e38)
}
