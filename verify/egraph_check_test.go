package verify

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// checkProof replays a proof without the e-graph: every instance is typed and
// its conditions checked, then a naive congruence closure over term texts
// decides the goal.
func checkProof(goal *law.Law, laws map[string]*law.Law, proof *law.Proof) error {
	c := &closure{class: map[string]string{}, shapes: goal.VarShapes(), memo: map[*law.Term]graph.Shape{}}
	granted := map[string]bool{}
	for _, p := range goal.Where {
		granted[p.String()] = true
	}
	for i := range proof.Instances {
		in := &proof.Instances[i]
		l := laws[in.Law]
		if l == nil {
			return fmt.Errorf("instance %d: no law %s", i, in.Law)
		}
		b := in.Substitution()
		axes := map[graph.Dim]bool{}
		for _, t := range in.Tensors {
			s, err := c.typeOf(t)
			if err != nil {
				return err
			}
			for _, it := range s {
				axes[it.Dim] = it.AxisRun == ""
			}
		}
		for name, d := range in.Dims {
			if !axes[d] && !d.Sub(graph.Int(1)).NonNegative() {
				return fmt.Errorf("instance %d of %s: size %s = %s", i, l.Name, name, d)
			}
		}
		for _, v := range l.Given {
			switch {
			case v.Sort == "":
				t, ok := in.Tensors[v.Name]
				if !ok {
					return fmt.Errorf("instance %d of %s: no %s", i, l.Name, v.Name)
				}
				s, err := c.typeOf(t)
				if err != nil {
					return err
				}
				if want := v.Shape.Subst(b); !want.Equal(s) {
					return fmt.Errorf("instance %d of %s: %s has shape %s, want %s", i, l.Name, v.Name, s, want)
				}
			case law.IsFuncSort(v.Sort):
				name := in.Fns[v.Name]
				op, attrs, isOp := graph.ParseFunctionName(name)
				f, isFn := goal.Find(name)
				ok := isOp && (op.KeepsZero(attrs) || v.Sort == law.SortPointwise1) ||
					isFn && law.IsFuncSort(f.Sort) && (f.Sort == v.Sort || v.Sort == law.SortPointwise1)
				if !ok {
					return fmt.Errorf("instance %d of %s: %s for %s", i, l.Name, name, v.Name)
				}
			default:
				if a, ok := in.Attrs[v.Name]; !ok || !law.InSort(a, v.Sort) {
					return fmt.Errorf("instance %d of %s: %s for %s", i, l.Name, a, v.Name)
				}
			}
		}
		for _, p := range l.Where {
			if holds, ok := p.Holds(b); ok && holds {
				continue
			}
			q := p.Subst(b)
			if !granted[q.String()] {
				return fmt.Errorf("instance %d of %s: %s is not known", i, l.Name, q)
			}
		}
		lhs, rhs := in.Sides(l)
		if err := c.equate(lhs, rhs); err != nil {
			return fmt.Errorf("instance %d of %s: %w", i, l.Name, err)
		}
	}
	var pairs [][2]string
	for i := range goal.LHS {
		a, err := c.add(goal.LHS[i])
		if err != nil {
			return err
		}
		b, err := c.add(goal.RHS[i])
		if err != nil {
			return err
		}
		pairs = append(pairs, [2]string{a, b})
	}
	c.close()
	for _, p := range pairs {
		if c.find(p[0]) != c.find(p[1]) {
			return fmt.Errorf("%s and %s are not equal", p[0], p[1])
		}
	}
	return nil
}

// closure is congruence closure by sweeps until nothing changes.
type closure struct {
	class  map[string]string // union-find over term texts
	apps   []app
	shapes map[string]graph.Shape
	memo   map[*law.Term]graph.Shape
}

type app struct {
	text, fn string
	args     []string
}

func (c *closure) typeOf(t *law.Term) (graph.Shape, error) {
	var f graph.Unifier
	return law.TypeOf(&f, t, c.shapes, c.memo)
}

// add enters a term, its splits replaced by slices, and returns its text.
func (c *closure) add(t *law.Term) (string, error) {
	if t.IsVar() {
		if c.class[t.Var] == "" {
			c.class[t.Var] = t.Var
		}
		return t.Var, nil
	}
	a := app{fn: t.Fn}
	if t.Op != nil {
		op, attrs := t.Op, t.Attrs
		if op.Expand != nil {
			var in []graph.Shape
			for _, x := range t.Args {
				s, err := c.typeOf(x)
				if err != nil {
					return "", err
				}
				in = append(in, s)
			}
			prims, err := op.Expand(attrs, in)
			if err != nil {
				return "", err
			}
			op, attrs = prims[t.Out].Op, prims[t.Out].Attrs
		}
		a.fn = op.Name + fmt.Sprint(attrs)
	}
	a.text = a.fn + "("
	for _, x := range t.Args {
		s, err := c.add(x)
		if err != nil {
			return "", err
		}
		a.args = append(a.args, s)
		a.text += s + ";"
	}
	a.text += ")"
	if c.class[a.text] == "" {
		c.class[a.text] = a.text
		c.apps = append(c.apps, a)
	}
	return a.text, nil
}

func (c *closure) find(s string) string {
	for c.class[s] != s {
		s = c.class[s]
	}
	return s
}

func (c *closure) equate(lhs, rhs []*law.Term) error {
	for i := range lhs {
		x, err := c.typeOf(lhs[i])
		if err != nil {
			return err
		}
		y, err := c.typeOf(rhs[i])
		if err != nil {
			return err
		}
		if !x.Equal(y) {
			return fmt.Errorf("shapes %s and %s", x, y)
		}
		a, err := c.add(lhs[i])
		if err != nil {
			return err
		}
		b, err := c.add(rhs[i])
		if err != nil {
			return err
		}
		c.class[c.find(a)] = c.find(b)
	}
	return nil
}

func (c *closure) close() {
	for changed := true; changed; {
		changed = false
		seen := map[string]string{}
		for _, a := range c.apps {
			key := a.fn + "("
			for _, x := range a.args {
				key += c.find(x) + ";"
			}
			if other, ok := seen[key]; ok && c.find(other) != c.find(a.text) {
				c.class[c.find(other)] = c.find(a.text)
				changed = true
			}
			seen[key] = a.text
		}
	}
}
