package rewrite_test

import (
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/law/rewrite"
)

// instanceOf is a law under a valuation, its sides as terms of one host. Names of
// axis runs are gone, functions stand for variables.
func instanceOf(l *law.Law, v *instance.Valuation, opts ...rewrite.Option) (h *rewrite.Terms, sides [2][]rewrite.TermID, ok bool) {
	sorts := map[string]string{}
	for _, name := range v.Fns { // those that are no operators
		sorts[name] = law.SortPointwise1
		if strings.HasPrefix(name, "zero:") {
			sorts[name] = law.SortZero1
		}
	}
	shapes := map[*law.Term]graph.Shape{}
	h = rewrite.NewTerms(false, sorts, func(t *law.Term) graph.Shape { return shapes[t] })
	vars := map[string]graph.Shape{}
	for name, s := range l.VarShapes() {
		vars[name] = s.Subst(&v.Substitution)
	}
	for i, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			u := t.Subst(nil, v.Fns, &v.Substitution)
			var f graph.Unifier
			if _, err := law.TypeOf(&f, u, vars, shapes); err != nil || len(f.Needs) > 0 {
				return nil, sides, false
			}
			if len(opts) == 0 {
				var err error
				if u, err = law.Primitive(u, shapes); err != nil {
					return nil, sides, false
				}
				if _, err := law.TypeOf(&f, u, vars, shapes); err != nil {
					return nil, sides, false
				}
			}
			sides[i] = append(sides[i], h.Add(u))
		}
	}
	return h, sides, true
}

// definite is a host of terms with sizes that are numbers, which are all defined.
type definite struct{ *rewrite.Terms }

func (definite) Defined(rewrite.TermID) bool { return true }

// TestAxiomsFindThemselves: on random instances of every axiom and lemma, each
// usable direction matches the source, and one of the targets is the other side.
func TestAxiomsFindThemselves(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	tried, missed := 0, 0
	for _, l := range axioms.Default() {
		if l.Kind == law.Refute {
			continue
		}
		for _, opts := range [][]rewrite.Option{nil, {rewrite.Derived}} {
			c, err := rewrite.Compile(l, opts...)
			if err != nil {
				t.Errorf("%s: %v", l.Name, err)
				continue
			}
			if len(c.Directions) == 0 {
				t.Errorf("%s: no direction: %v", l.Name, c.Unusable)
			}
			sampler := instance.NewSampler(l, instance.Scope{})
			for n, tries := 0, 0; n < 5 && tries < 200; tries++ {
				v, ok := sampler.Sample(r)
				if !ok {
					break
				}
				h, sides, ok := instanceOf(l, v, opts...)
				if !ok {
					continue
				}
				n++
				for _, d := range c.Directions {
					tried++
					if !found(t, h, d, sides) {
						missed++
						if !d.Guess {
							t.Errorf("%s at %s, backward %v, outputs %v: not found", l.Name, v, d.Backward, d.Outputs)
						}
					}
				}
			}
		}
	}
	if tried < 5000 {
		t.Errorf("only %d directions of instances were tried", tried)
	}
	t.Logf("%d directions of instances, %d that have to be guessed not found", tried, missed)
}

func found(t *testing.T, h *rewrite.Terms, d *rewrite.Direction, sides [2][]rewrite.TermID) bool {
	from, to := sides[0], sides[1]
	if d.Backward {
		from, to = to, from
	}
	var roots, want []rewrite.TermID
	for _, i := range d.Outputs {
		roots, want = append(roots, from[i]), append(want, to[i])
	}
	hit := false
	m := rewrite.NewMatcher[rewrite.TermID](definite{h})
	m.Match(d, roots, func(x *rewrite.Match[rewrite.TermID]) bool {
		if len(x.Conds) > 0 {
			t.Errorf("%s: conditions left open where all sizes are numbers: %v", d.Law.Law.Name, x.Conds)
		}
		got, err := x.Build(h.Apply)
		if err != nil {
			return true
		}
		same := true
		for i := range got {
			same = same && got[i] == want[i]
		}
		hit = hit || same
		return !hit
	})
	return hit
}

// TestMatchesAreInstances: whatever is found of any axiom in instances of others
// is an instance of it, by substitution alone, its conditions hold, and what is
// built is the other side under the same substitution.
func TestMatchesAreInstances(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	var ds []*rewrite.Direction
	var laws []*law.Law
	for _, l := range axioms.Default() {
		if l.Kind == law.Refute {
			continue
		}
		laws = append(laws, l)
		c, err := rewrite.Compile(l, rewrite.Derived)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Directions {
			if len(d.Roots) == 1 && !d.Bare {
				ds = append(ds, d)
			}
		}
	}
	index := rewrite.NewIndex(ds)
	found, built := 0, 0
	for _, l := range laws {
		sampler := instance.NewSampler(l, instance.Scope{})
		for range 2 {
			v, ok := sampler.Sample(r)
			if !ok {
				continue
			}
			h, sides, ok := instanceOf(l, v, rewrite.Derived)
			if !ok {
				continue
			}
			m := rewrite.NewMatcher[rewrite.TermID](definite{h})
			for _, root := range slices.Sorted(maps.Keys(subterms(h, append(sides[0], sides[1]...)))) {
				op, _, _, args, _ := h.Node(root)
				var heads [2]*graph.Op
				for i, a := range args[:min(2, len(args))] {
					heads[i], _, _, _, _ = h.Node(a)
				}
				for _, d := range index.At(op, heads[0], heads[1]) {
					m.Match(d, []rewrite.TermID{root}, func(x *rewrite.Match[rewrite.TermID]) bool {
						found++
						if checkInstance(t, h, x, root) {
							built++
						}
						return true
					})
				}
			}
		}
	}
	if found < 3000 || built < found/2 {
		t.Errorf("only %d matches, of which %d were built", found, built)
	}
	t.Logf("%d matches, %d built", found, built)
}

// subterms is the set of terms below the roots, themselves included.
func subterms(h *rewrite.Terms, roots []rewrite.TermID) map[rewrite.TermID]bool {
	seen := map[rewrite.TermID]bool{}
	var visit func(x rewrite.TermID)
	visit = func(x rewrite.TermID) {
		if seen[x] {
			return
		}
		seen[x] = true
		_, _, _, args, _ := h.Node(x)
		for _, a := range args {
			visit(a)
		}
	}
	for _, x := range roots {
		visit(x)
	}
	return seen
}

// checkInstance reports whether the target could be built.
func checkInstance(t *testing.T, h *rewrite.Terms, x *rewrite.Match[rewrite.TermID], root rewrite.TermID) bool {
	d, b := x.Direction, x.Substitution()
	l := d.Law.Law
	in := law.Instance{Tensors: map[string]*law.Term{}, Dims: b.Dims, Runs: b.Runs, Attrs: b.Attrs, Fns: map[string]string{}}
	for i, name := range d.Vars {
		in.Tensors[name] = h.Term(x.Vars[i])
		g, _ := l.Find(name)
		if s := g.Shape.Subst(b); !s.Equal(h.Shape(x.Vars[i])) {
			t.Errorf("%s: %s has shape %s, given %s", l.Name, name, h.Shape(x.Vars[i]), s)
		}
	}
	for i, f := range x.Fns {
		in.Fns[d.Law.Fns[i].Name] = f.String()
	}
	for _, p := range l.Where {
		if holds, ok := p.Holds(b); !ok || !holds {
			t.Errorf("%s: %s does not hold at %v", l.Name, p, b.Dims)
		}
	}
	for v, n := range b.Dims {
		if k, ok := n.Const(); !ok || k < 1 {
			t.Errorf("%s: size %s is %s", l.Name, v, n)
		}
	}
	for _, g := range l.Given {
		if g.Sort != "" && !law.IsFuncSort(g.Sort) && !law.InSort(b.Attrs[g.Name], g.Sort) {
			t.Errorf("%s: %s : %s is %s", l.Name, g.Name, g.Sort, b.Attrs[g.Name])
		}
	}
	lhs, rhs := in.Sides(l)
	if d.Backward {
		lhs, rhs = rhs, lhs
	}
	i := d.Outputs[0]
	if h.Add(lhs[i]) != root {
		t.Errorf("%s: %s is no instance, which is %s", l.Name, h.Term(root), lhs[i])
	}
	got, err := x.Build(h.Apply)
	if err != nil {
		return false
	}
	if h.Add(rhs[i]) != got[0] {
		t.Errorf("%s: built %s, want %s", l.Name, h.Term(got[0]), rhs[i])
	}
	return true
}
