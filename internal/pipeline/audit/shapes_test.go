package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/verify/prove"
)

// auditText audits rules of Tensat, one a line.
func auditText(t *testing.T, text string) []*Rule {
	t.Helper()
	f, err := peer.Read("rules.txt", []byte(text), peer.Tensat)
	if err != nil {
		t.Fatal(err)
	}
	reps, err := Run(context.Background(), []*peer.File{f}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reps[0].Rules
}

// Sizes that agree without being one formula, or here and there only, do not
// make a rule ill-formed.
func TestSizesThatAgree(t *testing.T) {
	for _, x := range []struct {
		rule string
		want Outcome
	}{
		// ceil(n/2) = floor((n-1)/2) + 1.
		{"(poolmax ?a 1 1 2 2 0 0)=>(poolmax ?a 1 1 2 2 1 0)", Proved},
		// ceil(ceil(n/2)/3) = ceil(n/6).
		{"(poolavg (poolavg ?a 1 1 2 2 0 0) 1 1 3 3 0 0)=>(poolavg ?a 1 1 6 6 1 0)", Proved},
		// The sizes agree always, the windows do not.
		{"(poolmax (poolmax ?a 2 2 2 2 0 0) 2 2 2 2 0 0)=>(poolmax ?a 4 4 4 4 0 0)", Refuted},
		// ceil(n/2) = n for n = 1.
		{"(conv2d 2 2 0 0 ?x (Iconv 3 3))=>?x", Refuted},
		{"(concat 0 2 ?a ?a)=>(concat 1 2 ?a ?a)", IllFormed},
		{"(conv2d 1 1 1 0 ?x (Iconv 3 3))=>?x", IllFormed},
	} {
		r := auditText(t, x.rule)[0]
		if r.Verdict != x.want {
			t.Errorf("%s: %s (%s), want %s", x.rule, r.Verdict, r.Reason, x.want)
		}
		if c := r.Counterexample; r.Verdict == Refuted {
			if _, err := c.Replay(); err != nil {
				t.Errorf("%s: %v", x.rule, err)
			}
		}
	}
}

// A rule that forgets an input has no way back, whatever the claim that it is
// true for all values of the input.
func TestForgottenInput(t *testing.T) {
	r := auditText(t, "(split_0 (split 0 (concat 0 2 ?a ?b)))=>?a")[0]
	if r.Verdict != Proved || r.VerdictReverse != IllFormed {
		t.Errorf("verdicts %s and %s, want %s and %s", r.Verdict, r.VerdictReverse, Proved, IllFormed)
	}
	f, err := peer.Read("equations", []byte("split_0(0,concat(0,2,a,b))==a"), peer.Verifier)
	if err != nil {
		t.Fatal(err)
	}
	reps, err := Run(context.Background(), []*peer.File{f}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := reps[0].Rules[0]; r.VerdictReverse == IllFormed {
		t.Errorf("the equation has the verdicts %s and %s", r.Verdict, r.VerdictReverse)
	}
}

// The groups of a convolution are no condition where its own shapes ask for
// them.
func TestGroupsAreNoCondition(t *testing.T) {
	r := auditText(t, "(conv2d 1 1 0 0 ?x (enlarge 3 3 ?w))=>(conv2d 1 1 0 0 ?x ?w)")[0]
	for _, g := range r.Readings {
		for _, w := range []Direction{g.Forward, g.Backward} {
			if strings.Contains(w.Condition, "groups") {
				t.Errorf("%s: %s", g.Semantics, w.Condition)
			}
		}
	}
}

// A one-way proof of a special form belongs to the direction in which it was
// found, though the special form is written otherwise than the law.
func TestConditionalWay(t *testing.T) {
	l, err := law.ParseLaw("rule r given q : same, X : [a, b, c, d], W : [o, b, k, l] then conv2d[pad=q](X, W) == conv2d[pad=q](X, enlarge[kh=3, kw=3](W))")
	if err != nil {
		t.Fatal(err)
	}
	var c *special
	for s := range specials(l) {
		if law.FormatOutputs(s.law.LHS) != law.FormatOutputs(l.LHS) {
			c = &s
			break
		}
	}
	if c == nil {
		t.Fatal("no special form changes the left side")
	}
	for backward := range 2 {
		n := &decision{law: l, way: [2]Direction{{Verdict: Refuted}, {Verdict: Refuted}}}
		p := prove.Certificate{Law: law.OneDirection(c.law, backward == 1), Proof: &law.Proof{}}
		if err := n.conditional(t.Context(), c, p, 0); err != nil {
			t.Fatal(err)
		}
		if got := n.way[backward].Condition; got != c.condition {
			t.Errorf("direction %d, proved: condition %q, want %q", backward, got, c.condition)
		}
		if got, want := n.way[1-backward].Condition, c.condition+", "+bothDefined; got != want {
			t.Errorf("direction %d: condition %q, want %q", 1-backward, got, want)
		}
		if n.shown[backward] == nil || n.shown[1-backward] != nil {
			t.Errorf("shown: %v", n.shown)
		}
	}
}

// A source that takes tensors of any number of axes does not say how many its
// target needs.
func TestNumberOfAxes(t *testing.T) {
	for _, x := range []struct{ rule, want string }{
		{"(relu ?a)=>(relu (poolmax ?a 1 1 1 1 0 0))", "X1 has 4 axes"},
		{"(relu ?a)=>(split_0 (split 0 (concat 0 2 (relu ?a) ?a)))", "X1 has 2 axes"},
		{"(matmul 0 ?a ?b)=>(matmul 0 (matmul 0 ?a Imatmul) ?b)", ""},
	} {
		r := auditText(t, x.rule)[0]
		want := Conditional
		if x.want == "" {
			want = Proved
		}
		if r.Verdict != want || r.Condition != x.want {
			t.Errorf("%s: %s, if %q; want %s, if %q", x.rule, r.Verdict, r.Condition, want, x.want)
		}
		if r.Verdict != Conditional {
			continue
		}
		if r.Counterexample == nil {
			t.Errorf("%s: no counterexample without the condition", x.rule)
		} else if _, err := r.Counterexample.Replay(); err != nil {
			t.Errorf("%s: %v", x.rule, err)
		}
	}
}

// A rule is known by what it is, not by its text, which is cut when it is long.
func TestLongSources(t *testing.T) {
	long := func(i int) string { return fmt.Sprintf("?%s%d", strings.Repeat("x", 200), i) }
	sum := long(0)
	for i := range 14 {
		sum = fmt.Sprintf("(ewadd %s %s)", long(i+1), sum)
	}
	strict, err := FindSemantics("strict")
	if err != nil {
		t.Fatal(err)
	}
	f, err := peer.Read("rules.txt", []byte(sum+"=>"+sum+"\n"+sum+"=>(relu "+sum+")\n"), peer.Tensat)
	if err != nil {
		t.Fatal(err)
	}
	if f.Rules[0].Source != f.Rules[1].Source {
		t.Fatal("the sources are not cut")
	}
	reps, err := Run(context.Background(), []*peer.File{f}, Options{Semantics: []Semantics{strict}, NoSet: true})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := reps[0].Rules[0].Verdict, reps[0].Rules[1].Verdict; a != Proved || b == Proved {
		t.Errorf("verdicts %s and %s", a, b)
	}
}

// Tables, JSON and documents name verdicts by one list of words.
func TestVerdictWords(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/auditing.md")
	if err != nil {
		t.Fatal(err)
	}
	rep := auditLaws(t, "rule r given X : [n] then X == X")
	b, err := json.Marshal(rep.Summary)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range Outcomes {
		if o.Doc() == "" {
			t.Errorf("%s is not described", o)
		}
		if !strings.Contains(string(doc), "\n| "+string(o)+" | ") {
			t.Errorf("docs/auditing.md does not list %s", o)
		}
		if !strings.Contains(string(b), `"`+string(o)+`":`) {
			t.Errorf("the summary does not count %s: %s", o, b)
		}
	}
}
