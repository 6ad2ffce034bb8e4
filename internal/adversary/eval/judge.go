package eval

import (
	"math/rand/v2"

	"github.com/taso-go/taso/law"
)

// Claim is what is said of a law: for which directions that wherever the source
// is defined the target is, and equal; or only that the sides are equal wherever
// both are defined.
type Claim struct{ Equal, Forward, Backward bool }

// Broken is the parts of a claim that an outcome contradicts.
func (c Claim) Broken(o Outcome) Claim {
	return Claim{Equal: c.Equal && o.Differs(), Forward: c.Forward && o.Breaks(false), Backward: c.Backward && o.Breaks(true)}
}

func (c Claim) broken(o Outcome) bool { return c.Broken(o) != Claim{} }

// Finding is a claim that is false, and where.
type Finding struct {
	Point   *Point
	Outcome Outcome
	seed    uint64
}

// Tally counts what was evaluated for a claim.
type Tally struct {
	Points  int // instances drawn
	Met     int // of these, where something claimed was put to the test
	Cells   int // compared
	Skipped int
}

// Check draws points of a law until one contradicts the claim, n points at
// most. A nil finding means that none did.
func Check(l *law.Law, c Claim, lim Limits, n int, rng *rand.Rand) (*Finding, Tally) {
	return CheckWhere(l, c, lim, nil, n, rng)
}

// CheckWhere is Check for a claim about the points at which where holds; nil is
// everywhere.
func CheckWhere(l *law.Law, c Claim, lim Limits, where func(*Point) bool, n int, rng *rand.Rand) (*Finding, Tally) {
	j, s := New(l), NewSampler(l, lim)
	var t Tally
	if j.unjudged != "" {
		t.Skipped = n
		return nil, t
	}
	for i := range n {
		p, ok := s.Draw(rng, c.Forward || c.Equal, c.Backward || c.Equal)
		if !ok {
			// Conditions that hardly any point meets are not worth much more.
			if i >= 8 && t.Points == 0 && where == nil {
				break
			}
			continue
		}
		if where != nil && !where(p) {
			continue
		}
		t.Points++
		seed := rng.Uint64()
		o := j.at(p, seed)
		t.Cells += o.Cells
		switch o.Kind {
		case Skipped:
			t.Skipped++
		case NoInstance, Undefined:
		default:
			t.Met++
		}
		if c.broken(o) {
			f := &Finding{Point: p, Outcome: o, seed: seed}
			f.Point = s.Smaller(p, func(q *Point) bool {
				return (where == nil || where(q)) && c.broken(j.at(q, seed))
			})
			f.Outcome = j.at(f.Point, seed)
			return f, t
		}
		if s.Len() == 0 && i >= 3 {
			break // nothing else to draw but values
		}
	}
	return nil, t
}

// at is At with values that depend on a seed alone.
func (j *Judge) at(p *Point, seed uint64) Outcome {
	return j.At(p, rand.New(rand.NewPCG(seed, 1)), Options{})
}
