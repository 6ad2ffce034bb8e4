package lift

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Lift is the equation eq and its proof p for all sizes. given are eq's variables with their
// shapes for all sizes, and left is eq's left side in which attributes have variables; both
// have the form of those of eq. laws are those that the proof names.
func Lift(eq *law.Law, p *law.Proof, laws map[string]*law.Law, given []law.Declaration, left []*law.Term) (*law.Law, *law.Proof, error) {
	if len(left) != len(eq.LHS) || len(given) != len(eq.Given) {
		return nil, nil, fmt.Errorf("lift: %d terms and %d variables, the equation has %d and %d", len(left), len(given), len(eq.LHS), len(eq.Given))
	}
	l := &lifter{at: map[int]*law.Term{}, shape: map[*law.Term]graph.Shape{}, vars: map[string]graph.Shape{}}
	for _, g := range given {
		l.vars[g.Name] = g.Shape
	}
	for i, t := range eq.LHS {
		if err := l.know(t, left[i]); err != nil {
			return nil, nil, fmt.Errorf("lift: %w", err)
		}
	}
	out := &law.Proof{}
	rest := upTo(len(p.Instances))
	lifted := make([]*law.Instance, len(p.Instances))
	// An instance may be of use before those that make its operands known.
	for len(rest) > 0 {
		var later []int
		var why error
		for _, i := range rest {
			in := &p.Instances[i]
			of := laws[in.Law]
			if of == nil {
				return nil, nil, fmt.Errorf("lift: no law %s", in.Law)
			}
			got, err := l.instance(in, of)
			if err != nil {
				if why == nil {
					why = fmt.Errorf("lift: instance %d of %s: %w", i, in.Law, err)
				}
				later = append(later, i)
				continue
			}
			lifted[i] = got
		}
		if len(later) == len(rest) {
			return nil, nil, why
		}
		rest = later
	}
	for _, in := range lifted {
		out.Instances = append(out.Instances, *in)
	}
	to := *eq
	to.Given, to.LHS, to.RHS = given, left, make([]*law.Term, len(eq.RHS))
	for i, t := range eq.RHS {
		var err error
		if to.RHS[i], err = l.term(t); err != nil {
			return nil, nil, fmt.Errorf("lift: output %d: %w", i, err)
		}
	}
	return &to, out, nil
}

func upTo(n int) []int {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = i
	}
	return xs
}

// lifter knows terms at the samples and for all sizes.
type lifter struct {
	nodes law.Nodes
	at    map[int]*law.Term // for all sizes, by the number of the term at the samples
	shape map[*law.Term]graph.Shape
	vars  map[string]graph.Shape
}

// know notes that a term at the samples is one for all sizes, and so are their parts.
func (l *lifter) know(t, open *law.Term) error {
	k := l.nodes.Of(t)
	if l.at[k] != nil {
		return nil
	}
	if t.Var != open.Var || t.Op != open.Op || t.Fn != open.Fn || t.Out != open.Out || len(t.Args) != len(open.Args) {
		return fmt.Errorf("%s and %s are different terms", t.Brief(), open.Brief())
	}
	for i := range t.Args {
		if err := l.know(t.Args[i], open.Args[i]); err != nil {
			return err
		}
	}
	args := slices.Clone(open.Args)
	for i := range args {
		args[i] = l.at[l.nodes.Of(t.Args[i])]
	}
	u := *open
	u.Args = args
	l.at[k] = &u
	return nil
}

// term is a term for all sizes; one that is not known has attributes without sizes.
func (l *lifter) term(t *law.Term) (*law.Term, error) {
	k := l.nodes.Of(t)
	if u := l.at[k]; u != nil {
		return u, nil
	}
	if t.Op == nil || len(t.Args) == 0 {
		return nil, fmt.Errorf("%s is not known for all sizes", t.Brief())
	}
	// Of one application, another output may be known.
	u := *t
	u.Args = make([]*law.Term, len(t.Args))
	for i, a := range t.Args {
		var err error
		if u.Args[i], err = l.term(a); err != nil {
			return nil, err
		}
	}
	for i, par := range t.Op.Params {
		if sized(par, t.Attrs[i]) {
			return nil, fmt.Errorf("%s is not known for all sizes", t.Brief())
		}
	}
	l.at[k] = &u
	return &u, nil
}

// sized reports whether an attribute may be another one at other sizes.
func sized(p graph.Param, v graph.Value) bool {
	if _, ok := v.Shape(); ok {
		return true
	}
	d, ok := v.Dim()
	n, _ := d.Const()
	return ok && n > 1 && p.Name != "axis" && p.Name != "keep"
}

// shapeOf is the shape of a term for all sizes.
func (l *lifter) shapeOf(t *law.Term) (graph.Shape, error) {
	return law.TypeOf(&graph.Unifier{}, t, l.vars, l.shape)
}

// instance is an instance for all sizes.
func (l *lifter) instance(in *law.Instance, of *law.Law) (*law.Instance, error) {
	out := &law.Instance{Law: in.Law, Tensors: map[string]*law.Term{}, Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}, Fns: in.Fns}
	s := &solver{in: in, out: out}
	for _, g := range of.Given {
		if g.Sort != "" {
			continue
		}
		t, err := l.term(in.Tensors[g.Name])
		if err != nil {
			return nil, err
		}
		out.Tensors[g.Name] = t
		shape, err := l.shapeOf(t)
		if err != nil {
			return nil, err
		}
		if err := s.shapes(g.Shape, shape); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", g.Name, err)
		}
	}
	lhs, rhs := in.Sides(of)
	sides := [2]struct{ law, at []*law.Term }{{of.LHS, lhs}, {of.RHS, rhs}}
	for _, side := range sides {
		for i := range side.law {
			l.attributes(s, side.law[i], side.at[i])
		}
	}
	if err := s.solve(); err != nil {
		return nil, err
	}
	open := [2][]*law.Term{}
	open[0], open[1] = out.Sides(of)
	for k, side := range sides {
		for i := range side.at {
			if err := l.know(side.at[i], open[k][i]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// attributes compares a law's attributes with those of terms that are known.
func (l *lifter) attributes(s *solver, of, at *law.Term) {
	if of.Var != "" || of.Fn != "" {
		for i := range of.Args {
			if i < len(at.Args) {
				l.attributes(s, of.Args[i], at.Args[i])
			}
		}
		return
	}
	if known := l.at[l.nodes.Of(at)]; known != nil && known.Op == of.Op {
		for i := range of.Attrs {
			s.values(of.Attrs[i], known.Attrs[i], at.Attrs[i])
		}
	}
	for i := range of.Args {
		l.attributes(s, of.Args[i], at.Args[i])
	}
}
