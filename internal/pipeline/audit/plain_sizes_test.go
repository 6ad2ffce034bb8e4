package audit

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/peer"
)

// met evaluates a printed condition at a counterexample, from its words and the
// counterexample alone. known is false where the words are about what shapes do
// not tell.
func met(words string, c *Counterexample) (holds, known bool) {
	w := c.Witness
	switch {
	case words == "groups = 1":
		return !strings.Contains(w.String(), "groups=") && w.Dims["g"] < 2, true
	case words == unbroadcast:
		return !strings.Contains(c.Law, "broadcast["), w.Kind != "defined"
	case words == bothDefined:
		return w.Kind != "defined", true
	}
	if m := regexp.MustCompile(`^(\w+) has (\d+) axes$`).FindStringSubmatch(words); m != nil {
		n, _ := strconv.Atoi(m[2])
		s, ok := c.Shapes[m[1]]
		return len(s) == n, ok
	}
	m := regexp.MustCompile(`^(.+) (=|<=|divides) (.+)$`).FindStringSubmatch(words)
	if m == nil {
		return false, false
	}
	if v, ok := w.Attrs[m[1]]; ok {
		return v == m[3], m[2] == "="
	}
	left, lok := sizeAt(m[1], c)
	right, rok := sizeAt(m[3], c)
	if !lok || !rok {
		return false, false
	}
	switch m[2] {
	case "=":
		return left == right, true
	case "<=":
		return left <= right, true
	}
	return left != 0 && right%left == 0, true
}

// sizeAt evaluates a size in which axes of inputs are written "X[1]".
func sizeAt(words string, c *Counterexample) (int64, bool) {
	ok := true
	text := regexp.MustCompile(`(\w+)\[(\d+)\]`).ReplaceAllStringFunc(words, func(p string) string {
		m := strings.FieldsFunc(p, func(r rune) bool { return r == '[' || r == ']' })
		i, _ := strconv.Atoi(m[1])
		if s := c.Shapes[m[0]]; i < len(s) {
			return strconv.Itoa(s[i])
		}
		ok = false
		return p
	})
	if !ok {
		return 0, false
	}
	// Read as a size of the law language, over the variables of the witness.
	l, err := law.ParseLaw(fmt.Sprintf("rule r\n given s : stride, p : padding, q : same, X : [x]\n where 0 <= %s\n then X == X", text))
	if err != nil {
		return 0, false
	}
	b := &graph.Substitution{Dims: map[string]graph.Dim{}, Attrs: map[string]graph.Value{}}
	for n, d := range c.Witness.Dims {
		b.Dims[n] = graph.Int(d)
	}
	for n, v := range c.Witness.Attrs {
		if xs, isTuple := strings.CutPrefix(v, "("); isTuple {
			var t []int64
			for _, x := range strings.Split(strings.TrimSuffix(xs, ")"), ",") {
				k, _ := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
				t = append(t, k)
			}
			b.Attrs[n] = graph.TupleValue(t...)
		} else {
			b.Attrs[n] = graph.NameValue(v)
		}
	}
	n, isConst := l.Where[0].Right.Subst(b).Const()
	return n, isConst
}

// conditionsBreak reports that a counterexample to a direction meets all that is
// printed as its condition.
func conditionsBreak(t *testing.T, rep *Report) {
	t.Helper()
	looked := 0
	for _, r := range rep.Rules {
		for _, g := range r.Readings {
			for k, w := range []Direction{g.Forward, g.Backward} {
				if w.Verdict != Conditional || w.Counterexample == nil {
					continue
				}
				looked++
				all := true
				for _, words := range strings.Split(w.Condition, ", ") {
					if holds, known := met(words, w.Counterexample); !known || !holds {
						all = false
					}
				}
				if all {
					t.Errorf("%s, %s, direction %d: its counterexample meets the condition %q\n%s",
						r.Name, g.Semantics, k, w.Condition, w.Counterexample.Witness)
				}
			}
		}
	}
	t.Logf("%s: %d conditions", rep.File, looked)
}

// A condition that is printed suffices: no counterexample to a rule without the
// condition meets it. The rules are the axioms and lemmas, each read both ways.
func TestConditionsSuffice(t *testing.T) {
	f := &peer.File{Path: "axioms", Format: peer.Text}
	for _, l := range append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...) {
		if !l.OneWay {
			continue // those hold both ways
		}
		m := *l
		m.OneWay, m.Kind = false, law.Rule
		for _, x := range []*law.Law{&m, law.OneDirection(&m, true)} {
			f.Rules = append(f.Rules, peer.Rule{Index: len(f.Rules), Name: x.Name, Law: x, Equation: !x.OneWay})
		}
	}
	reps, err := Run(context.Background(), []*peer.File{f}, Options{NoSet: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	conditionsBreak(t, reps[0])
	for _, r := range reps[0].Rules {
		// What the window says of itself is met; that it is so of pads is not said.
		if c := r.Readings[0].Backward.Counterexample; r.Name == "poolavg_one" && c != nil {
			if holds, known := met("1 <= window(h,kh,s,p,0)", c); !holds || !known {
				t.Errorf("the words are not read: %v, %v", holds, known)
			}
		}
	}
}
