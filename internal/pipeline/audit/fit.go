package audit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// errNeverFits says of a law that its source is defined for no sizes.
var errNeverFits = errors.New("the shapes never fit")

// fit reads the shapes of a law in our own language. They may be more general than its
// source takes, such as [a, b] and [a, c] of two tensors that are added: then the law says
// something where b = c only, and is written so. The error, which names what cannot fit,
// says that the source takes none of them, or that no sizes meet the conditions.
func fit(l *law.Law) (*law.Law, error) {
	if _, err := l.Types(); err == nil {
		if cond, never := contradiction(l); never {
			return nil, fmt.Errorf("%w: no sizes meet the condition %s", errNeverFits, cond)
		}
		return l, nil
	} else if errors.Is(err, law.ErrOrder) {
		return l, nil
	}
	sources := [][]*law.Term{l.LHS}
	if !l.OneWay {
		sources = append(sources, l.RHS)
	}
	var first error
	for _, source := range sources {
		f := graph.ExactSolver()
		memo := map[*law.Term]graph.Shape{}
		var err error
		for _, t := range source {
			if _, err = law.TypeOf(f, t, l.VarShapes(), memo); err != nil {
				break
			}
		}
		switch {
		case err == nil && l.OneWay && len(f.Pending()) == 0 && f.Settle() == nil:
			return l.Subst(f.Solution()), nil
		case err == nil:
			return l, nil
		case first == nil:
			first = err
		}
	}
	if definedSomewhere(l) {
		return l, nil // inference understands less than what is there
	}
	return nil, fmt.Errorf("%w: %w", errNeverFits, first)
}

// contradiction is a condition of a law that no sizes meet.
func contradiction(l *law.Law) (cond law.Pred, never bool) {
	i := slices.IndexFunc(l.Where, func(p law.Pred) bool {
		holds, decided := p.Holds(&graph.Substitution{})
		return decided && !holds
	})
	if i < 0 {
		return cond, false
	}
	return l.Where[i], true
}

// definedSomewhere reports that a side of a law is defined at one of its plainest
// instances, or that there are none that could be tried.
func definedSomewhere(l *law.Law) bool {
	p, err := instance.New(l)
	if err != nil {
		return true
	}
	tried, defined := 0, false
	instance.Instances(l, instance.Scope{}, func(v *instance.Valuation) bool {
		given, ok, err := p.Given(v)
		if err != nil || !ok {
			return true
		}
		in, err := p.At(v, given)
		if err != nil {
			return true
		}
		tried++
		_, left := in.Undefined(0)
		_, right := in.Undefined(1)
		defined = left == nil || right == nil && !l.OneWay
		return !defined && tried < numPlain
	})
	return defined || tried == 0
}

// numPlain is how many of the plainest instances of a law are tried.
const numPlain = 600
