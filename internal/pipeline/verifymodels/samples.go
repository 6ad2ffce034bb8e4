package verifymodels

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// samples says what is fed in each run in floating point.
type samples struct {
	c    *comparison
	seed uint64
	runs int
	// decisive: the runs are the only evidence. Then there is one more, with elements that
	// are not numbers, and runs have different scales.
	decisive bool
	beyond   bool // the last run has integers from which no positions are computed
	tried    finiteInputs
}

// patterns is the number of runs after which the kinds of samples of integers repeat.
const patterns = 6

// samples plans the runs in floating point.
func (c *comparison) samples(o Options, decisive bool) samples {
	s := samples{c: c, seed: o.Seed, runs: o.Runs, decisive: decisive, tried: c.finiteInputs(o.Seed, tryable(o))}
	if !decisive {
		return s
	}
	rows, _ := c.apart()
	// Integers take few values of many: more runs than are needed, if they take no time.
	s.runs = max(min(s.needed(rows), affordable(o)), o.Runs, 2)
	if extra := int(min(8*patterns, o.MaxFLOPs/200/once(o))); s.integers() {
		s.runs = max(s.runs, extra)
	}
	s.beyond = o.Backend == nil
	return s
}

// needed is the number of runs that are wanted: two scales, every value of every finite
// element, all of their combinations if these are few, and all kinds of integers.
func (s samples) needed(rows func(in input) bool) int {
	n := max(s.c.spread(rows), 2)
	if s.c.jumps {
		n = max(n, halves)
	}
	if s.tried.complete {
		n = max(n, s.tried.all)
	}
	for _, in := range s.c.ins {
		if _, _, ok := in.finite(); !ok && !in.typ.DType.IsFloat() || in.typ.DType == graph.Bool && !s.tried.complete {
			n = max(n, patterns)
		}
		if in.computed {
			n = max(n, s.c.spread(rows)+1)
		}
	}
	return int(min(n, math.MaxInt32))
}

// integers reports whether an input has elements of integers or truth values, of which not
// all values are tried.
func (s samples) integers() bool {
	return !s.tried.complete || slices.ContainsFunc(s.c.ins, func(in input) bool {
		_, _, ok := in.finite()
		return !ok && !in.typ.DType.IsFloat()
	})
}

// zeroDivisors is the kind of samples in which integers are divided by 0: of runs that are
// left out if that has no value.
const zeroDivisors = 4

// total is the number of all runs.
func (s samples) total() int {
	if s.decisive && s.c.fedFloats() {
		return s.runs + 1
	}
	return s.runs
}

// notNumbers reports whether a run feeds elements that are not numbers.
func (s samples) notNumbers(run int) bool { return run == s.runs }

// strange reports whether an input has integers in a run that may make no sense.
func (s samples) strange(in input, run int) bool {
	switch _, _, ok := in.finite(); {
	case ok || !s.decisive || !in.typ.DType.IsInt() || s.notNumbers(run):
		return false
	case in.computed:
		return s.beyond && run == s.runs-1
	}
	return run%patterns >= 2
}

// element is element i of an input in a run.
func (s samples) element(in input, run, i int) float64 {
	if t := in.typ.DType; t.IsFloat() {
		return s.float(in, run, i)
	}
	least := 0
	if in.divides {
		least = 1
	}
	switch _, _, ok := in.finite(); {
	case s.strange(in, run):
		x := s.strangeInteger(in, run, i)
		if in.divides && run%patterns != zeroDivisors && x == 0 {
			x = 1
		}
		return float64(x)
	case in.typ.DType == graph.Bool && s.decisive && !s.tried.complete && s.runs >= patterns && run >= s.runs-2:
		return float64(run - s.runs + 2) // a mask with no element, and one with all
	case ok || in.computed:
		return float64(s.tried.element(in, run, i))
	case s.decisive && run%patterns == 1: // all 0, or all 1
		return float64(least + run/patterns%2)
	}
	return float64(uint64(least) + draw(s.seed, run, in, i)%2)
}

func (s samples) float(in input, run, i int) float64 {
	switch {
	case s.notNumbers(run):
		return in.sometimes(s.seed, run, i)
	case s.decisive && s.c.atHalves(run):
		return in.half(s.seed, run, i, s.c.constants)
	case s.decisive && run%2 == 1:
		return wideScale * in.unit(draw(s.seed, run, in, i))
	}
	return in.unit(draw(s.seed, run, in, i))
}

// unit is a random number of an input of floating-point numbers, -1 to 1. Of float64 it has
// more bits than float32 has.
func (in input) unit(bits uint64) float64 {
	x := unit(bits)
	if in.typ.DType == graph.Float64 {
		x += float64(bits&(1<<29-1)) / (1 << 52)
	}
	return x
}

// wideScale is by how much the inputs of every other run are larger where numbers
// decide: functions such as clip are not the same below and above some bound.
const wideScale = 8

// strangeInteger is element i of an input in a run with integers of all signs: such that
// count up, so that many occur, such that are independent of each other, the least and
// largest ones of a type, and those that models compare with.
func (s samples) strangeInteger(in input, run, i int) int64 {
	least, most := in.typ.DType.IntRange()
	above := int64(wideScale)
	if in.computed {
		above += in.below
	}
	hi, lo := int64(min(uint64(above), most)), max(-wideScale, least)
	n := uint64(hi - lo + 1)
	switch kind := run % patterns; {
	case in.computed:
	case len(s.c.compared) > 1 && run/patterns%2 == 1 && kind >= 2: // of those that models compare with
		x := max(least, s.c.compared[draw(s.seed, run, in, i)%uint64(len(s.c.compared))])
		if x > 0 && uint64(x) > most {
			x = int64(most)
		}
		return x
	case kind == 3:
		return lo + int64(draw(s.seed, run, in, i)%n)
	case in.divides && kind == zeroDivisors && i == 0:
		return 0
	case kind == zeroDivisors: // small ones, often equal
		return max(lo, int64(draw(s.seed, run, in, i)%5)-2)
	case kind == 5 && in.typ.DType.Bytes() == 8: // float32 does not hold them; float64 holds products of two
		return max(least, []int64{-1<<26 - 1, -1<<24 - 1, -1, 0, 1, 1<<24 + 1, 1<<26 + 1}[draw(s.seed, run, in, i)%7])
	case kind == 5:
		return max(least, []int64{least, least + 1, -1, 0, 1, int64(most) - 1, int64(most)}[draw(s.seed, run, in, i)%7])
	}
	return lo + int64((draw(s.seed, run, in, 0)+uint64(i))%n)
}

// fill makes the inputs of a run for both models.
func (s samples) fill(run int) (a, b []interp.Tensor[float64]) {
	return fill(s.c.ins, func(in input, i int) float64 { return s.element(in, run, i) })
}

// round is the number of a type that is nearest to x.
func round(t graph.DType, x float64) float64 {
	switch {
	case t == graph.Bool:
		if x >= 0.5 {
			return 1
		}
		return 0
	case t.IsFloat():
		return model.Round(t, x)
	}
	lo, hi := t.IntRange()
	return min(max(math.RoundToEven(x), float64(lo)), float64(hi))
}
