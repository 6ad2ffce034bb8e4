package z3

import (
	"context"
	"errors"
	"slices"
)

// ErrNotUnsat is the error of minimizing what is not known to be inconsistent.
var ErrNotUnsat = errors.New("z3: labels are not known to be inconsistent")

// Core is what [CoreMinimize] found.
type Core struct {
	// Labels are inconsistent with the unlabelled formulas: Z3 said unsat of
	// exactly these. In the order of the candidates.
	Labels []string
	// Minimal tells that without any one of them Z3 answers sat. It is false
	// when a check ended as Unknown: its label stays, perhaps needlessly.
	Minimal bool
	// Checks is the number of checks made.
	Checks int
}

// CoreMinimize finds a minimal core among the candidates (labels in scope; nil
// means all of them) by deletion: from the last candidate to the first, leave
// out what is not needed. Put what you would rather see in a proof first. The
// result depends on nothing but the formulas and the order of the candidates,
// so starting from all labels gives the same core whatever the solver did
// before, and starting from [Solver.UnsatCore] is faster.
//
// Candidates are left out in runs whose length doubles on success and halves on
// failure; as a run can be left out exactly when its members can one by one
// (taking labels away never makes the rest inconsistent), the result is that of
// the plain method, in about k·log n checks for a core of k of n labels.
// (Marques-Silva, "Minimal unsatisfiability: models, algorithms and
// applications", ISMVL 2010, surveys the methods.)
//
// It fails with [ErrNotUnsat] when the candidates are not found inconsistent.
// When ctx ends it returns the core so far, still inconsistent, and the error
// of ctx. The solver's own core is afterwards that of the last check made.
func CoreMinimize(ctx context.Context, s *Solver, candidates []string) (Core, error) {
	if candidates == nil {
		candidates = s.Labels()
	}
	res := Core{Labels: slices.Clone(candidates)}
	unsat := func(labels []string) (bool, Status, error) {
		res.Checks++
		st, err := s.CheckLabels(ctx, labels)
		return st == Unsat, st, err
	}
	ok, _, err := unsat(res.Labels)
	switch {
	case err != nil:
		return Core{Checks: res.Checks}, err
	case ctx.Err() != nil:
		return Core{Checks: res.Checks}, context.Cause(ctx)
	case !ok:
		return Core{Checks: res.Checks}, ErrNotUnsat
	}
	res.Minimal = true
	for hi, run := len(res.Labels), 1; hi > 0; {
		run = min(run, hi)
		try := slices.Concat(res.Labels[:hi-run], res.Labels[hi:])
		ok, st, err := unsat(try)
		switch {
		case err != nil:
			res.Minimal = false
			return res, err
		case ctx.Err() != nil:
			res.Minimal = false
			return res, context.Cause(ctx)
		case ok:
			res.Labels, hi = try, hi-run
			run *= 2
		case run > 1:
			run /= 2
		default:
			hi--
			if st != Sat {
				res.Minimal = false
			}
		}
	}
	return res, nil
}
