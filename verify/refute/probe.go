package refute

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// probe compares the sides of a law quickly: on random numbers modulo 2^61 - 1,
// functions and orders being random ones.
type probe struct {
	*instance.Program
	key   uint64            // of functions, orders and numbers
	fns   map[string]string // see functionNames
	cells int
	now   *instance.Instance // the one that was compared last
	real  realTable
}

// probeResult is what a comparison says.
type probeResult uint8

const (
	probeSkipped probeResult = iota // neither side is defined, or tensors are too large
	probeEqual                      // equal, hence for all values
	probeDiffers                    // not equal for all functions and orders
	probeBroken                     // one side is not defined, or shapes differ
)

func newProbe(l *law.Law, seed uint64, cells int) (*probe, error) {
	p, err := instance.New(l)
	return &probe{Program: p, key: seed, cells: cells, fns: functionNames(l), real: realTable{}}, err
}

// compare infers both sides, given the sizes of the tensors, and evaluates them
// if shapes do not tell them apart.
func (p *probe) compare(a *instance.Valuation, given [][]int) probeResult {
	in, err := p.At(&instance.Valuation{Substitution: a.Substitution, Fns: p.fns}, given)
	if err != nil {
		return probeSkipped
	}
	p.now = in
	switch out, _ := in.Shapes(); out {
	case instance.Undefined:
		return probeSkipped
	case instance.OneSided:
		if _, err := in.Undefined(0); err != nil && p.Law.OneWay {
			return probeSkipped
		}
		return probeBroken
	case instance.Differs:
		return probeBroken
	}
	if in.Compile(p.cells) != nil {
		return probeSkipped
	}
	rounds := 1
	for i := range in.Steps {
		if m := in.Steps[i].Mean; m != nil && slices.ContainsFunc(m.Steps, func(st graph.Step) bool { return st.Kind == graph.StepMax }) {
			rounds = maxRounds
		}
	}
	inputs := make([][]uint64, len(given))
	for r := range rounds {
		z := fingerprint.Zp{Key: fingerprint.Mix(p.key + uint64(r))}
		for i, s := range given {
			inputs[i] = fingerprint.Random(z.Key, fmt.Sprint("x", i), graph.NumElements(s))
		}
		val := instance.Run(in, interp.Ring[uint64](z), inputs)
		for k := range p.Out[0] {
			if !slices.Equal(val[p.Out[0][k]], val[p.Out[1][k]]) {
				return probeDiffers
			}
		}
	}
	return probeEqual
}

// maxRounds is how often sides with maxima are compared, each time in another
// order: in one order different maxima agree with odds of up to 1/2.
const maxRounds = 8

// program is the law as it was compared last, to be run on exact values. Its
// terms are those of the law: it serves to find values, not to describe them.
func (p *probe) program() *program { return newProgram(p.now, p.Law, p.real) }
