package egglog

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/eggrun"
	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/builtin"
)

func ruleOf(t testing.TB, text string) *rules.Rule {
	t.Helper()
	r, err := rules.Parse("rule x given " + text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run runs programs in egglog, if it is there.
func run(t *testing.T, programs ...string) error {
	t.Helper()
	python, err := eggrun.Python(context.Background())
	if err != nil {
		t.Skip(err)
	}
	return eggrun.Run(context.Background(), python, programs...)
}

// ground writes a side of a law without variables but tensors, which are inputs of a
// name that ends in suffix.
func ground(t *testing.T, l *law.Law, u *law.Term, suffix string) string {
	t.Helper()
	b := map[string]*law.Term{}
	for _, g := range l.Given {
		b[g.Name] = law.V(fmt.Sprintf("(t-input %q)", g.Name+suffix))
	}
	w := &rewrite{in: &expansion{law: l}, sizes: newSizes()}
	s, err := w.build(u.Subst(b, nil, nil))
	if err != nil {
		t.Fatalf("%s: %v", u, err)
	}
	return s
}

// shapes says the shapes of a law's tensors.
func shapes(t *testing.T, l *law.Law, suffix string) string {
	t.Helper()
	var b strings.Builder
	s := newSizes()
	for _, g := range l.Given {
		if g.Sort == "" {
			sh, err := s.shapeExpr(g.Shape)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "(set (t-shape (t-input %q)) %s)\n", g.Name+suffix, sh)
		}
	}
	return b.String()
}

// atSizes is a law at some values of its variables that give no tensor more axes than
// there may be, one for each number of axes.
func atSizes(l *law.Law) (out []*law.Law) {
	seen := map[string]bool{}
	instance.Instances(l, instance.Scope{MaxSize: 4, MaxVisits: 20000}, func(v *instance.Valuation) bool {
		fns := map[string]string{}
		for _, g := range l.Given {
			switch g.Sort {
			case law.SortPointwise1:
				fns[g.Name] = "sigmoid"
			case law.SortZero1:
				fns[g.Name] = "relu"
			}
		}
		m := l.SubstFns(fns, &v.Substitution)
		ty, err := m.Types()
		if err != nil {
			return true
		}
		ranks := ""
		for _, g := range m.Given {
			if len(g.Shape) > MaxRank {
				return true
			}
			ranks += fmt.Sprint(len(g.Shape), " ")
		}
		for _, s := range ty.Shape {
			if len(s) > MaxRank {
				return true
			}
		}
		if !seen[ranks] {
			seen[ranks] = true
			out = append(out, m)
		}
		return len(out) < 3
	})
	return out
}

// Every rewrite of a program turns an instance of its rule's one side into the other,
// which the law says and not the program. Of the axioms, lemmas and laws of the program
// every fifteenth is run (make sweeps: every fifth); with TASO_EGGLOG_ALL=1 all are, which takes some minutes.
func TestRewrites(t *testing.T) {
	var rs []*rules.Rule
	more, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	laws := slices.Concat(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma), more)
	every, least := sweep.Size(15, 5), sweep.Size(27, 80)
	if os.Getenv("TASO_EGGLOG_ALL") != "" {
		every, least = 1, 400
	}
	for _, l := range lawtext.Sample(laws, every) {
		r, err := rules.New(l)
		if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, r)
	}
	written, checked := 0, 0
	var programs []string
	for _, r := range rs {
		program, n, skips := Write([]*rules.Rule{r})
		written += n
		left := func(way string) bool { // out
			return slices.ContainsFunc(skips, func(s rules.Skip) bool { return s.Instance == "" || strings.HasSuffix(s.Instance, way) })
		}
		// One egraph for each direction, so that it is not the other that is seen.
		for _, way := range []string{"left to right", "right to left"} {
			if way == "left to right" && !r.Forward || way == "right to left" && !r.Backward || left(way) {
				continue
			}
			text := string(program)
			for i, m := range atSizes(r.Law) {
				src, dst := m.LHS, m.RHS
				if way == "right to left" {
					src, dst = dst, src
				}
				suffix := fmt.Sprint(" ", i)
				text += shapes(t, m, suffix)
				set := Ruleset
				for k, s := range src {
					text += ground(t, m, s, suffix) + "\n"
					if s.IsVar() {
						set = InputRuleset
					}
					if a, b := ground(t, m, s, suffix), ground(t, m, dst[k], suffix); a != b {
						text += fmt.Sprintf("(fail (check (= %s %s)))\n", a, b)
					}
				}
				text += fmt.Sprintf("(run %s 1)\n", set)
				for k := range src {
					text += fmt.Sprintf("(check (= %s %s))\n", ground(t, m, src[k], suffix), ground(t, m, dst[k], suffix))
				}
				checked++
			}
			programs = append(programs, text)
		}
	}
	t.Logf("%d of %d laws written, %d instances of rewrites in %d programs", written, len(rs), checked, len(programs))
	if written < least || checked < 2*least {
		t.Errorf("only %d laws, %d checks", written, checked)
	}
	if err := run(t, programs...); err != nil {
		t.Error(err)
	}
}
