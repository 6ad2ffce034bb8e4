package z3

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Status is the answer of a check. The zero value is Unknown, which never
// counts as an answer.
type Status int

const (
	Unknown Status = iota // gave up: see [Solver.ReasonUnknown]
	Sat                   // the assertions have a model
	Unsat                 // the assertions are inconsistent
)

func (s Status) String() string {
	switch s {
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	}
	return "unknown"
}

// SolverConfig configures a solver. The zero value is Z3's default.
type SolverConfig struct {
	// Timeout is Z3's own limit for each check, rounded up to milliseconds; 0
	// is none. Z3 overruns it (see the package comment).
	Timeout time.Duration
	// RLimit bounds Z3's own count of steps in each check, the same on every
	// machine; 0 is none.
	RLimit uint32
	// Seed is the random seed.
	Seed uint32
	// EMatchingOnly instantiates quantifiers by their patterns alone
	// (smt.mbqi=false, auto_config=false): a false goal soon ends as Unknown.
	EMatchingOnly bool
	// Params are further settings by Z3's names, as smt.qi.eager_threshold;
	// they come last and so win over the fields above.
	Params []Param
}

func (c SolverConfig) params() []Param {
	// Z3 would put its own handler on SIGINT for the time of a check: without
	// an alternate stack, which Go's runtime answers by crashing.
	ps := []Param{{"ctrl_c", false}}
	if c.Timeout > 0 {
		ms := min((c.Timeout+time.Millisecond-1)/time.Millisecond, math.MaxUint32-1)
		ps = append(ps, Param{"timeout", uint32(ms)})
	}
	if c.RLimit > 0 {
		ps = append(ps, Param{"rlimit", c.RLimit})
	}
	if c.Seed > 0 {
		ps = append(ps, Param{"random_seed", c.Seed})
	}
	if c.EMatchingOnly {
		ps = append(ps, Param{"auto_config", false}, Param{"smt.mbqi", false})
	}
	return append(ps, c.Params...)
}

// Solver holds assertions, in a stack of scopes, and checks them.
type Solver struct {
	c      *Context
	raw    raw
	closed bool

	labels []string       // labels in scope, in order of first assertion
	index  map[string]int // position in labels
	scopes []int          // len(labels) at each Push

	reason string   // of Unknown
	core   []string // after Unsat
}

// NewSolver makes the solver that is incremental from the start: right
// for a warm prover that asserts axioms once and pushes and pops goals.
func (c *Context) NewSolver(cfg SolverConfig) (*Solver, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	r, err := c.rawSolver()
	if err != nil {
		return nil, err
	}
	s := &Solver{c: c, raw: r, index: map[string]int{}}
	c.solvers[s] = struct{}{}
	for _, p := range cfg.params() {
		if err := s.rawSet(p); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close releases the solver. A second Close, or one after the context's, does
// nothing. While a check runs it fails with [ErrBusy].
func (s *Solver) Close() error {
	if s.closed {
		return nil
	}
	if s.c.busy.Load() {
		return ErrBusy
	}
	s.closed = true
	delete(s.c.solvers, s)
	s.rawFree()
	return nil
}

func (s *Solver) ready() error {
	if s.closed {
		return ErrClosed
	}
	return s.c.ready()
}

// change prepares for a change of the assertions: what the last check told is
// no longer true of them.
func (s *Solver) change() error {
	if err := s.ready(); err != nil {
		return err
	}
	s.forget()
	return nil
}

func (s *Solver) forget() {
	s.reason, s.core = "not checked", nil
}

// Assert adds a formula to the innermost scope.
func (s *Solver) Assert(f Term) error {
	if err := s.change(); err != nil {
		return err
	}
	r, err := s.c.raws("assert", "", []Term{f})
	if err != nil {
		return err
	}
	return s.rawAssert(r[0])
}

// AssertTracked adds a formula under a label, so that an unsat core can name
// it. Several formulas may share a label: it stands for all of them.
func (s *Solver) AssertTracked(label string, f Term) error {
	if err := s.change(); err != nil {
		return err
	}
	r, err := s.c.raws("assert ", label, []Term{f})
	if err != nil {
		return err
	}
	l, err := s.c.label(label)
	if err != nil {
		return err
	}
	// The label is a fresh constant that implies the formula; a check assumes
	// the labels it wants. Z3's own assert_and_track does the same, but allows
	// neither a choice of labels nor two formulas under one.
	imp, err := s.c.rawOp("assert "+label, opImplies, []raw{l, r[0]})
	if err != nil {
		return err
	}
	if err := s.rawAssert(imp); err != nil {
		return err
	}
	if _, ok := s.index[label]; !ok {
		s.index[label] = len(s.labels)
		s.labels = append(s.labels, label)
	}
	return nil
}

// label is the literal of a label, the same in all solvers of the context.
func (c *Context) label(name string) (raw, error) {
	if l, ok := c.labels[name]; ok {
		return l, nil
	}
	l, err := c.rawFresh(name, c.boolean.raw)
	if err == nil {
		c.labels[name], c.labelOf[l] = l, name
	}
	return l, err
}

// Labels are the labels in scope, in order of their first assertion.
func (s *Solver) Labels() []string { return slices.Clone(s.labels) }

// Push opens a scope.
func (s *Solver) Push() error {
	if err := s.change(); err != nil {
		return err
	}
	if err := s.rawPush(); err != nil {
		return err
	}
	s.scopes = append(s.scopes, len(s.labels))
	return nil
}

// Pop closes the innermost scope and forgets what was asserted in it.
func (s *Solver) Pop() error {
	if err := s.change(); err != nil {
		return err
	}
	if len(s.scopes) == 0 {
		return &Error{Op: "pop", Code: CodeOutOfBounds, Msg: "no open scope"}
	}
	if err := s.rawPop(1); err != nil {
		return err
	}
	n := s.scopes[len(s.scopes)-1]
	s.scopes = s.scopes[:len(s.scopes)-1]
	for _, l := range s.labels[n:] {
		delete(s.index, l)
	}
	s.labels = s.labels[:n]
	return nil
}

// Check decides whether all assertions, labelled ones included, are consistent.
// When ctx ends first the answer is Unknown, without an error; an error means
// that Z3 failed or was misused.
func (s *Solver) Check(ctx context.Context) (Status, error) {
	return s.CheckLabels(ctx, s.labels)
}

// interruptEvery is how often the watchdog repeats itself: Z3 may not yet have
// begun when it first speaks, or forget it between two phases.
const interruptEvery = 2 * time.Millisecond

// CheckLabels is Check with the formulas of only the given labels, and the
// unlabelled ones.
func (s *Solver) CheckLabels(ctx context.Context, labels []string) (Status, error) {
	if err := s.change(); err != nil {
		return Unknown, err
	}
	lits := make([]raw, 0, len(labels))
	for _, l := range labels {
		if _, ok := s.index[l]; !ok {
			return Unknown, &Error{Op: "check", Code: CodeInvalidArg, Msg: fmt.Sprintf("no formula labelled %q in scope", l)}
		}
		lits = append(lits, s.c.labels[l])
	}
	if ctx.Err() != nil {
		s.reason = "canceled: " + context.Cause(ctx).Error()
		return Unknown, nil
	}
	if !s.c.busy.CompareAndSwap(false, true) {
		return Unknown, ErrBusy
	}
	status, canceled, err := s.watched(ctx, lits)
	s.c.busy.Store(false)
	switch {
	case err != nil:
		s.reason = err.Error()
		return Unknown, err
	case canceled:
		// Whatever an interrupted Z3 answers is not worth believing.
		s.reason = "canceled: " + context.Cause(ctx).Error()
		return Unknown, nil
	case status == Unknown:
		if s.reason = s.rawReason(); s.reason == "" {
			s.reason = "no reason given"
		}
		return Unknown, nil
	}
	s.reason = ""
	if status == Unsat {
		if err := s.readCore(lits, labels); err != nil {
			s.forget()
			return Unknown, err
		}
	}
	return status, nil
}

// watched runs the check with a watchdog that interrupts it when ctx ends. On
// return the watchdog is gone: it will not hit the next check.
func (s *Solver) watched(ctx context.Context, lits []raw) (status Status, canceled bool, err error) {
	if ctx.Done() == nil {
		status, err = s.rawCheck(lits)
		return status, false, err
	}
	done, gone := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(gone)
		tick := time.NewTicker(interruptEvery)
		defer tick.Stop()
		for {
			s.rawInterrupt()
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	status, err = s.rawCheck(lits)
	close(done)
	if !stop() {
		<-gone
		canceled = true
	}
	return status, canceled, err
}

// readCore reads Z3's core back as labels, in the caller's order.
func (s *Solver) readCore(lits []raw, labels []string) error {
	s.core = []string{}
	if len(lits) == 0 {
		return nil
	}
	in, err := s.rawCore()
	if err != nil {
		return err
	}
	for i, l := range lits {
		if slices.Contains(in, l) {
			s.core = append(s.core, labels[i])
		}
	}
	return nil
}

// ReasonUnknown tells why the last check gave Unknown, "" if it did not.
func (s *Solver) ReasonUnknown() string { return s.reason }

// UnsatCore is, after Unsat, a set of labels whose formulas are inconsistent
// with the unlabelled ones: not always minimal,
// in order of assertion (after CheckLabels, in the order given), empty when the
// unlabelled ones alone are inconsistent. After any other answer it is nil.
func (s *Solver) UnsatCore() []string { return slices.Clone(s.core) }

// Statistics are Z3's counters since the solver was made, as "quant
// instantiations", "conflicts" or "rlimit count".
func (s *Solver) Statistics() (map[string]float64, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	return s.rawStatistics()
}
