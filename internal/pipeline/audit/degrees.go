package audit

import (
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// FlexFlow's published rules say degree 2 everywhere, and the program puts the number
// of its devices in its place (create_opx in its src/runtime/substitution.cc). A rule
// is judged as it is written, and apart from that for any degree.

// readings are the ones asked for that are about a rule of graphs.
func (d *decider) readings(r *tasopb.Rule) []Semantics {
	parallel := taso.Parallel(r)
	var out []Semantics
	for _, s := range d.opt.Semantics {
		if s.Parallel == parallel {
			out = append(out, s)
		}
	}
	return out
}

// hasDegrees reports whether a rule says degrees of parallelism.
func hasDegrees(r *tasopb.Rule) bool {
	for _, side := range []tasopb.Side{tasopb.Src, tasopb.Dst} {
		for _, o := range r.Side(side) {
			if o.Type.Parallel() {
				return true
			}
		}
	}
	return false
}

// atAnyDegree is a reading in which degrees are variables.
func atAnyDegree(r taso.Reading) taso.Reading {
	r.AnyDegree = true
	return r
}

// countReadings counts verdicts by reading.
func (rep *Report) countReadings() {
	for _, sem := range All {
		c := ReadingCount{Semantics: sem.Name, Verdicts: map[Outcome]int{}, AnyDegree: map[Outcome]int{}}
		for _, r := range rep.Rules {
			for _, g := range r.Readings {
				if g.Semantics != sem.Name {
					continue
				}
				c.Verdicts[g.Forward.Verdict]++
				if g.AnyDegree != nil {
					c.AnyDegree[g.AnyDegree.Verdict]++
				}
			}
		}
		if len(c.Verdicts) > 0 {
			rep.Summary.Readings = append(rep.Summary.Readings, c)
		}
	}
}
