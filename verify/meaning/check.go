package meaning

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// MaxGroups is the largest number of groups up to which a proof tries them one by
// one.
const MaxGroups = 64

// maxSplits bounds the cases within cases of a proof.
const maxSplits = 16

// Splitter is a Guide that also says by which of a law's variables a case is split,
// and, of a number of groups, how many there are at most. open are those that a
// prover left open.
type Splitter interface {
	Guide
	Split(vars, open []graph.Open) (o graph.Open, most int64, ok bool)
}

// Check verifies a proof of a law and returns what it shows. The error says what is
// wrong with it; a proof that shows less than the law says is one.
func Check(l *law.Law, proof []int64) (Claims, error) {
	r := &reader{in: proof}
	c, err := Run(l, r)
	switch {
	case r.err != nil:
		return Claims{}, r.err
	case err != nil:
		return Claims{}, err
	case r.at < len(r.in):
		return Claims{}, fmt.Errorf("%d numbers are left over", len(r.in)-r.at)
	case !c.Shows(l):
		return Claims{}, errors.New("the proof does not show what the law says")
	}
	return c, nil
}

// Run goes through the cases of a law as a guide says.
func Run(l *law.Law, g Splitter) (Claims, error) {
	if len(l.LHS) == 0 || len(l.LHS) != len(l.RHS) {
		return Claims{}, fmt.Errorf("%d outputs on the left, %d on the right", len(l.LHS), len(l.RHS))
	}
	l, err := law.Untransposed(l)
	if err != nil {
		return Claims{}, err
	}
	k, err := carried(l)
	if err != nil {
		return Claims{}, err
	}
	return run(l, k, variables(l), g, maxSplits)
}

func run(l *law.Law, k Case, vars []graph.Open, g Splitter, depth int) (Claims, error) {
	a, err := Decide(l, k, l.HasTag(law.TagOrdered), g)
	if err != nil || a.Shows(l) || depth == 0 {
		return a.Claims, err
	}
	c := a.Claims
	g.Try(nil, func() bool {
		o, most, ok := g.Split(vars, a.Open)
		if !ok {
			return false
		}
		ks, ok := k.Values(o, most)
		if !ok {
			return false
		}
		if o.Sort == "int" {
			if ok, err = NoMore(l, k, o.Name, most, g); !ok || err != nil {
				return false
			}
		}
		all := Claims{true, true, true}
		for _, v := range ks {
			var some Claims
			if some, err = run(l, v, vars, g, depth-1); err != nil {
				return false
			}
			all = all.and(some)
		}
		c = c.or(all)
		return true
	})
	return c, err
}

// variables are those of a law by whose values a case can be split, and last that it is
// written out, and that entries are compared as numbers.
func variables(l *law.Law) []graph.Open {
	var out []graph.Open
	for _, d := range l.Given {
		switch d.Sort {
		case graph.SortSame, graph.SortBorder, graph.SortPadding:
			out = append(out, graph.Open{Sort: d.Sort, Name: d.Name})
		}
	}
	sizes := map[string]bool{}
	eachAtom(l, func(a graph.Atom, _ bool) {
		if a.Kind == graph.AtomVar {
			sizes[a.Name] = true
		}
	}, func(string) {})
	for _, n := range slices.Sorted(maps.Keys(sizes)) {
		out = append(out, graph.Open{Sort: "int", Name: n})
	}
	return append(out, graph.Open{Sort: SortWritten}, graph.Open{Sort: SortValues})
}
