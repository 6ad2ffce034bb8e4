package verifymodels

import (
	"math"
	"time"

	"github.com/taso-go/taso/model"
)

// Seconds of processor time for a floating-point operation, and for an element that is
// read or written, as measured on networks of convolutions, encoders, recurrent cells
// and a language model on a server (2026): what moves numbers and what applies functions
// to them takes most of the time of many networks, and has no FLOPs to speak of.
const (
	exactFLOP, exactElement         = 0.35e-9, elementFLOPs * exactFLOP
	referenceFLOP, referenceElement = 0.1e-9, 15e-9
	// elementFLOPs are the operations that take as long as an element.
	elementFLOPs = 90
	// slack is how much longer than that networks of small windows and many functions
	// took, at most.
	slack = 3
)

// work is that of a run of both models.
func (o Options) work() (flops, elements float64) {
	for _, m := range []*model.Model{o.A, o.B} {
		w := m.Graph.Work()
		flops += float64(w.FLOPs)
		elements += float64(w.BytesRead)/4 + float64(w.BytesWrite)/4
	}
	return flops, elements
}

// expect is how long the comparison of models that are not equal by structure takes, on
// a processor that has nothing else to do: at least as long as the first way of
// evaluating that may show that they are equal, and at most all ways with all their runs.
// Runs on a backend are not counted.
func (o Options) expect(c *comparison) (least, most time.Duration) {
	flops, elements := o.work()
	once := exactFLOP*flops + exactElement*elements
	var lo, hi float64
	within := max(o.A.FLOPs(), o.B.FLOPs()) <= o.MaxFLOPs
	if within && !o.NoExact {
		for i, m := range (&exactRun{o: o, c: c}).modes() {
			if hi += once * float64(m.runs); i == 0 {
				lo = once * float64(o.Runs)
			}
		}
	}
	if within && !o.NoNumbers && o.Backend == nil {
		once := referenceFLOP*flops + referenceElement*elements
		lo += once * float64(o.Runs)
		hi += once * float64(c.samples(o, true).runs)
	}
	seconds := func(s float64) time.Duration { return time.Duration(min(s, math.MaxInt32) * float64(time.Second)) }
	return seconds(lo), seconds(slack * hi)
}
