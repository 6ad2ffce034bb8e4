package explain

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/law"
)

// Check replays chains, sharing no code with their construction but Primitive:
// each step's From stands at its Path and is one side of its instance of its
// law, To is the other side, putting To there gives Term, and the last term of
// each chain is the right side. The error names the output and the step.
func Check(goal *law.Law, p *law.Proof, laws map[string]*law.Law, chains [][]Step) error {
	if len(chains) != len(goal.LHS) || len(chains) != len(goal.RHS) {
		return fmt.Errorf("replay %s: %d chains for %d outputs", goal.Name, len(chains), len(goal.LHS))
	}
	vars := goal.VarShapes()
	for k, steps := range chains {
		t := Primitive(goal.LHS[k], vars)
		for i, s := range steps {
			next, err := replay(goal, p, laws, t, s)
			if err != nil {
				return fmt.Errorf("replay %s: output %d: step %d: %w", goal.Name, k, i+1, err)
			}
			t = next
		}
		if want := Primitive(goal.RHS[k], vars).String(); t.String() != want {
			return fmt.Errorf("replay %s: output %d: the chain ends at %s, not at %s", goal.Name, k, t, want)
		}
	}
	return nil
}

func replay(goal *law.Law, p *law.Proof, laws map[string]*law.Law, t *law.Term, s Step) (*law.Term, error) {
	if s.Instance < 0 || s.Instance >= len(p.Instances) {
		return nil, fmt.Errorf("there is no instance %d", s.Instance+1)
	}
	in := &p.Instances[s.Instance]
	l := laws[in.Law]
	if l == nil || l != s.Law {
		return nil, fmt.Errorf("instance %d is one of another law, %s", s.Instance+1, in.Law)
	}
	lhs, rhs := in.Sides(l)
	if s.Output < 0 || s.Output >= len(lhs) || s.Output >= len(rhs) {
		return nil, fmt.Errorf("%s has no output %d", in.Law, s.Output)
	}
	vars := goal.VarShapes()
	from, to := Primitive(lhs[s.Output], vars), Primitive(rhs[s.Output], vars)
	if s.Backward {
		from, to = to, from
	}
	if from.String() != s.From || to.String() != s.To {
		return nil, fmt.Errorf("the instance of %s takes %s to %s, not %s to %s", in.Law, from, to, s.From, s.To)
	}
	next, err := substitute(t, s.Path, s.From, to)
	if err != nil {
		return nil, err
	}
	if next.String() != s.Term {
		return nil, fmt.Errorf("gives %s, not %s", next, s.Term)
	}
	return next, nil
}

// substitute puts to in the place of from, which must stand at path in t.
func substitute(t *law.Term, path []int, from string, to *law.Term) (*law.Term, error) {
	if len(path) == 0 {
		if t.String() != from {
			return nil, fmt.Errorf("at its place stands %s, not %s", t, from)
		}
		return to, nil
	}
	if path[0] < 0 || path[0] >= len(t.Args) {
		return nil, errors.New("there is no such place")
	}
	arg, err := substitute(t.Args[path[0]], path[1:], from, to)
	if err != nil {
		return nil, err
	}
	u := *t
	u.Args = append([]*law.Term(nil), t.Args...)
	u.Args[path[0]] = arg
	return &u, nil
}
