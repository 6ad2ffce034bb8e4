package selftest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/model"
)

// Options says what to check.
type Options struct {
	// Backend is checked. It must be given.
	Backend backends.Backend
	// Models are compared with the reference.
	Models []*model.Model
	// NoSuite leaves out the suite.
	NoSuite bool
	// Only selects the cases of the suite whose names match; nil: all.
	Only *regexp.Regexp
	// Workers is how many cases run at a time; 0: one for each processor. Cases that
	// measure run alone.
	Workers int
	// MaxFLOPs bounds the work of a model that the interpreter evaluates; 0: 1e9, some
	// seconds. Models above it are compared with the CPU backend.
	MaxFLOPs int64
	// Seed selects the inputs of models.
	Seed uint64
	// Progress shows how far the check is; nil is silent.
	Progress *progress.Reporter
}

// Failure is a case that failed, or that the backend does not support.
type Failure struct {
	Case string `json:"case"`
	Why  string `json:"why"`
}

// Report is the outcome.
type Report struct {
	Backend string `json:"backend"`
	Math    string `json:"math,omitempty"`
	// Tolerance is the deviation that the suite takes for rounding: absolute, and relative
	// to the value.
	Tolerance float64 `json:"tolerance"`
	// Cases were run, of which Passed agree with the reference.
	Cases       int       `json:"cases"`
	Passed      int       `json:"passed"`
	Failed      []Failure `json:"failed"`
	Unsupported []Failure `json:"unsupported"`
	// SuiteTime is the time of the suite, Elapsed that of everything.
	SuiteTime cost.Seconds `json:"suite_seconds"`
	Models    []Model      `json:"models"`
	Elapsed   cost.Seconds `json:"elapsed"`
}

// OK says whether all that was run agrees with the reference.
func (r *Report) OK() bool {
	for _, m := range r.Models {
		if !m.Agrees {
			return false
		}
	}
	return len(r.Failed) == 0
}

// tolerances are the deviations that the suite takes for rounding, by how the backend
// computes products. They are of sums of a few hundred products of numbers up to 1.
var tolerances = map[string]float64{"": backendtest.Tolerance, "tf32": 1e-2, "float16": 1e-2, "bfloat16": 8e-2}

// Run checks. When ctx ends, the report says what was checked until then.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Backend == nil {
		return nil, errors.New("selftest: no backend")
	}
	start := time.Now()
	info := o.Backend.Info()
	within, ok := tolerances[info.Math]
	if !ok {
		return nil, fmt.Errorf("selftest: no tolerance is known for arithmetic in %s", info.Math)
	}
	r := &Report{Backend: info.String(), Math: info.Math, Tolerance: within, Failed: []Failure{}, Unsupported: []Failure{}, Models: []Model{}}
	var err error
	if !o.NoSuite {
		err = r.suite(ctx, &o)
	}
	r.SuiteTime = cost.FromDuration(time.Since(start))
	if err == nil && len(o.Models) > 0 {
		err = r.models(ctx, &o)
	}
	r.Elapsed = cost.FromDuration(time.Since(start))
	if err != nil {
		return r, fmt.Errorf("selftest: %w", err)
	}
	return r, nil
}

// suite runs the cases that were asked for.
func (r *Report) suite(ctx context.Context, o *Options) error {
	all, err := backendtest.CasesWithin(r.Tolerance)
	if err != nil {
		return err
	}
	// The cases of types round to their own types: modes that round operands are
	// another matter, which the graphs of the suite check.
	if r.Math == "" {
		types, err := backendtest.Types()
		if err != nil {
			return err
		}
		all = append(all, types...)
	}
	var together, alone []backendtest.Case
	for _, c := range all {
		switch {
		case o.Only != nil && !o.Only.MatchString(c.Name):
		case c.Graph != nil:
			together = append(together, c)
		default:
			alone = append(alone, c)
		}
	}
	if len(together)+len(alone) == 0 {
		return fmt.Errorf("no case of the suite matches %q", o.Only)
	}
	stage := o.Progress.Stage("suite", int64(len(together)+len(alone)))
	defer stage.Done()
	outcomes := make([]error, len(together)+len(alone))
	done := make([]bool, len(outcomes))
	var mu sync.Mutex
	check := func(i int, c backendtest.Case) error {
		err := c.Check(ctx, o.Backend)
		if ctx.Err() != nil {
			return ctx.Err() // cut off: neither passed nor failed
		}
		mu.Lock()
		defer mu.Unlock()
		outcomes[i], done[i] = err, true
		stage.Add(1)
		return nil
	}
	err = parallel.Each(ctx, o.Workers, len(together), func(_, i int) error { return check(i, together[i]) })
	for i, c := range alone {
		if err == nil {
			err = check(len(together)+i, c)
		}
	}
	for i, c := range append(together, alone...) {
		if done[i] {
			r.add(c.Name, outcomes[i])
		}
	}
	return err
}

func (r *Report) add(name string, outcome error) {
	r.Cases++
	var un *backends.Unsupported
	switch {
	case outcome == nil:
		r.Passed++
	case errors.As(outcome, &un):
		r.Unsupported = append(r.Unsupported, Failure{name, un.Error()})
	default:
		r.Failed = append(r.Failed, Failure{name, strings.TrimSpace(outcome.Error())})
	}
}
