package model

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Random is a float32 weight whose elements are uniform in -scale to scale,
// drawn from the seed when it is loaded. The same seed, sizes and scale give
// the same bits on every machine.
func Random(seed uint64, sizes []int, scale float64) *Weight {
	return Uniform(seed, sizes, -scale, scale)
}

// Uniform is a float32 weight whose elements are uniform in lo to hi; with
// lo = hi all are the same.
func Uniform(seed uint64, sizes []int, lo, hi float64) *Weight {
	return UniformAs(graph.Float32, seed, sizes, lo, hi)
}

// UniformAs is Uniform for another type of floating-point numbers: the elements of the
// float32 weight, rounded to it.
func UniformAs(t graph.DType, seed uint64, sizes []int, lo, hi float64) *Weight {
	most := min(graph.Largest(t), math.MaxFloat32)
	w := &Weight{DType: t, Sizes: slices.Clone(sizes), Finite: -most <= lo && lo <= hi && hi <= most && t != graph.Float8E8M0}
	w.Load = func() ([]byte, error) {
		raw := make([]byte, 0, w.Bytes())
		for i := range w.Elements() {
			raw = AppendElement(raw, t, 0, float64(uniform(seed, uint64(i), lo, hi)))
		}
		return raw, nil
	}
	return w
}

// uniform is element i of a sequence. All operations are exact or rounded once
// in float64 (the conversion forbids a fused multiply-add), so that machines
// agree.
func uniform(seed, i uint64, lo, hi float64) float32 {
	unit := float64(hash(seed, i)>>40) / (1<<24 - 1) // 0 to 1, both included
	return float32(lo + float64(unit*(hi-lo)))
}

// hash is element i of splitmix64 started at a scrambled seed.
func hash(seed, i uint64) uint64 { return mix(mix(seed) + i*0x9e3779b97f4a7c15) }

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Seed derives the seed of a part, such as one weight, from that of the whole
// and the part's name. Weights do not change when others are added.
func Seed(whole uint64, part string) uint64 {
	s := mix(whole)
	for i := 0; i < len(part); i++ {
		s = mix(s ^ uint64(part[i]))
	}
	return s
}

// He is the scale of uniform weights with which a rectified layer that sums
// fanIn products keeps the mean square of its inputs: sqrt(6/fanIn).
func He(fanIn int) float64 { return math.Sqrt(6 / float64(max(fanIn, 1))) }

// Lecun is the scale that does so for a layer that is not rectified:
// sqrt(3/fanIn).
func Lecun(fanIn int) float64 { return math.Sqrt(3 / float64(max(fanIn, 1))) }
