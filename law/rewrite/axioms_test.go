package rewrite_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// instance is a law under a valuation, its sides as terms of one host. Names of
// axis runs are gone, functions stand for variables.
func instance(l *law.Law, v *law.Valuation, opts ...rewrite.Option) (h *rewrite.Terms, sides [2][]rewrite.TermID, ok bool) {
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
		vars[name] = s.Subst(&v.Binding)
	}
	for i, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			u := t.Subst(nil, v.Fns, &v.Binding)
			var f graph.Facts
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
			sampler := law.NewSampler(l, law.Scope{})
			for n, tries := 0, 0; n < 5 && tries < 200; tries++ {
				v, ok := sampler.Sample(r)
				if !ok {
					break
				}
				h, sides, ok := instance(l, v, opts...)
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
	m := rewrite.NewMatcher[rewrite.TermID](h)
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
