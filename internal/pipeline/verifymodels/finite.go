package verifymodels

import (
	"math"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
)

// An element is finite if it takes finitely many values: a truth value, or a position that
// gathers read as it is. All values of all finite elements, independent of each other, make
// a finite number of inputs. If these are few, every one is tried. Otherwise each element
// takes its values in a random order of its own.

// finite returns the values of an element of a finite input: n numbers from lo on. ok is
// false for all other inputs; lo and n then are what an input gets from which positions are
// computed.
func (in input) finite() (lo, n int64, ok bool) {
	switch {
	case in.typ.DType == graph.Bool:
		return 0, 2, true
	case in.rows > 0:
		return -in.rows, 2 * in.rows, true
	}
	return 0, max(in.below, 1), false
}

// finiteInputs are the values that finite elements take in each run.
type finiteInputs struct {
	seed     uint64
	all      int64         // different inputs; math.MaxInt64 if there are more than the limit
	complete bool          // in the first runs, as many as all, each of them occurs
	stride   map[int]int64 // of an input, if complete: runs after which its first element changes
}

// finiteInputs plans runs that try all values of finite elements if there are at most as
// many as limit. It is not complete where positions are computed from an input.
func (c *comparison) finiteInputs(seed uint64, limit int64) finiteInputs {
	f := finiteInputs{seed: seed, all: 1, complete: true, stride: map[int]int64{}}
	for _, in := range c.ins {
		_, n, ok := in.finite()
		f.complete = f.complete && (ok || !in.computed)
		if !ok {
			continue
		}
		f.stride[in.number] = f.all
		for range graph.NumElements(in.typ.Sizes) {
			if f.all > limit/n {
				f.all, f.complete = math.MaxInt64, false
				return f
			}
			f.all *= n
		}
	}
	return f
}

// element returns element i of an input in a run.
func (f finiteInputs) element(in input, run, i int) int64 {
	lo, n, ok := in.finite()
	if f.complete && ok {
		k := int64(run) / f.stride[in.number]
		for range i {
			k /= n
		}
		return lo + k%n
	}
	// In n runs the element takes each of its n values once.
	h := fingerprint.Mix(draw(f.seed, 0, in, i) ^ fingerprint.Mix(uint64(int64(run)/n)))
	step := 1 + int64(h>>33)%n
	for graph.GCD(step, n) != 1 {
		step++
	}
	return lo + (int64(h&math.MaxInt32)%n+step%n*(int64(run)%n))%n
}

// spread returns the number of runs in which every finite element takes each of its values,
// of positions where rows says that these matter.
func (c *comparison) spread(rows func(in input) bool) int64 {
	most := int64(1)
	for _, in := range c.ins {
		if _, n, _ := in.finite(); in.typ.DType == graph.Bool || in.index && rows(in) {
			most = max(most, n)
		}
	}
	return most
}

// maxTried bounds the runs that try all values of finite elements.
const maxTried = 1 << 12

// tryable is how many runs that may be: so many that they take about a second.
func tryable(o Options) int64 { return min(maxTried, o.MaxFLOPs/20/once(o)) }

// allFinite reports whether all inputs of the models can be tried.
func (c *comparison) allFinite(o Options) bool {
	for _, in := range c.ins {
		if _, _, ok := in.finite(); !ok {
			return false
		}
	}
	return o.Backend == nil && len(c.ins) > 0 && c.finiteInputs(o.Seed, tryable(o)).complete
}
