package audit

import (
	"runtime"

	"github.com/taso-go/taso/internal/progress"
)

// Options configure an audit. The zero value reads under all semantics with one
// worker for each processor.
type Options struct {
	// Semantics are the readings of peers' formats; nil: All.
	Semantics []Semantics
	// Workers is the number of goroutines; 0: one for each processor. It does
	// not change the report.
	Workers int
	// Seed of the random values tried for counterexamples.
	Seed uint64
	// NoSet leaves out what concerns the rules together.
	NoSet bool
	// Quantified also proves the papers' way and compares, see [Provers].
	Quantified bool
	// Progress shows what is being done; nil: nothing is shown.
	Progress *progress.Reporter
}

func (o Options) withDefaults() Options {
	if o.Semantics == nil {
		o.Semantics = All
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}
