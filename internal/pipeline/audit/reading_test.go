package audit

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/verify/refute"
)

// auditAs audits a text of a format.
func auditAs(t *testing.T, format peer.Format, text string, opt Options) (*peer.File, []*Rule) {
	t.Helper()
	f, err := peer.Read("rules", []byte(text), format)
	if err != nil {
		t.Fatal(err)
	}
	reps, err := Run(context.Background(), []*peer.File{f}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return f, reps[0].Rules
}

// A kernel that takes means has as many groups as channels; other convolutions of the rule
// have one group still, on both sides.
func TestCpoolGroups(t *testing.T) {
	sem, err := FindSemantics("taso-generator")
	if err != nil {
		t.Fatal(err)
	}
	_, rules := auditAs(t, peer.Tensat, `(poolavg 3 3 1 1 0 ?x)=>(conv2d 1 1 0 0 ?x (Cpool 3 3))
(poolavg 3 3 1 1 0 (conv2d 1 1 0 0 ?x ?w))=>(conv2d 1 1 0 0 (conv2d 1 1 0 0 ?x ?w) (Cpool 3 3))
(conv2d 1 1 0 0 (relu (conv2d 1 1 0 0 ?x ?w)) (Cpool 3 3))=>(conv2d 1 1 0 0 (conv2d 1 1 0 2 ?x ?w) (Cpool 3 3))`,
		Options{Semantics: []Semantics{sem}, NoSet: true})
	for _, r := range rules {
		if r.Verdict != Proved || r.VerdictReverse != Proved {
			t.Errorf("%s: %s and %s, if %s", r.Source, r.Verdict, r.VerdictReverse, r.Condition)
		}
	}
}

// Where sums broadcast and groups follow from channels, a sum of images with one channel
// and with two is convolved in two groups: there both sides are defined and equal.
func TestGroupsFollowFromChannels(t *testing.T) {
	f, rules := auditAs(t, peer.Tensat, `(ewadd (conv2d 1 1 0 0 ?x ?w) (conv2d 1 1 0 0 ?y ?w))=>(conv2d 1 1 0 0 (ewadd ?x ?y) ?w)`,
		Options{NoSet: true})
	for _, g := range rules[0].Readings {
		for k, w := range []Direction{g.Forward, g.Backward} {
			if w.Counterexample == nil {
				continue
			}
			if what := judge(f.Rules[0].TASO, k, g, w.Counterexample); what != "right" {
				t.Errorf("%s, direction %d: %s\n%s", g.Semantics, k, what, w.Counterexample.Witness)
			}
		}
	}
	sem, err := FindSemantics("taso-runtime")
	if err != nil {
		t.Fatal(err)
	}
	q := &question{sem: sem, claim: peerClaim(f.Rules[0].TASO, sem.Reading)}
	m := q.at(0, map[string][]int{"X1": {1, 1, 1, 1}, "X2": {2, 1, 3, 5}, "X3": {1, 2, 1, 1}}, nil)
	if m == nil {
		t.Fatal("the source is not defined")
	}
	if text := law.FormatOutputs(m.RHS); !strings.Contains(text, "groups=2") {
		t.Errorf("the target is %s", text)
	}
	if w, err := refute.Find(context.Background(), m, refute.Options{}); w != nil || err != nil {
		t.Errorf("%v, %v", w, err)
	}
}

// A rule is written out only where its source is defined.
func TestWrittenWhereDefined(t *testing.T) {
	g, err := peer.Read("rules", []byte(`(conv2d 1 1 0 0 ?x (enlarge 3 3 ?w))=>(conv2d 1 1 0 0 ?x ?w)`), peer.Tensat)
	if err != nil {
		t.Fatal(err)
	}
	r := *g.Rules[0].TASO
	q := &question{claim: &claim{rule: &r, reading: taso.Reading{}}}
	if m := q.at(0, map[string][]int{"X1": {1, 1, 2, 2}, "X2": {1, 1, 5, 5}}, nil); m != nil {
		t.Errorf("a kernel of 5 by 5 is enlarged to 3 by 3:\n%s", law.Format(m))
	}
	if m := q.at(0, map[string][]int{"X1": {1, 1, 2, 2}, "X2": {1, 1, 1, 3}}, nil); m == nil {
		t.Error("a kernel of 1 by 3 is not enlarged")
	}
}

// Of a rule that leaves the padding open conditions beside a way to pad are found.
func TestConditionsBesidePadding(t *testing.T) {
	_, rules := auditAs(t, peer.Text, `
rule upper
  given X : [b, c, h, w], W : [o, c, kh, kw]
  then conv2d[pad=same_upper](X, W) => conv2d[pad=same_upper](X, enlarge[kh=5, kw=5](W))
rule any
  given p : padding, X : [b, c, h, w], W : [o, c, kh, kw]
  then conv2d[pad=p](X, W) => conv2d[pad=p](X, enlarge[kh=5, kw=5](W))`, Options{NoSet: true})
	for i, want := range []string{"W[2] <= 5, W[3] <= 5, odd kernels", "p = same_upper or same_lower, W[2] <= 5, W[3] <= 5, odd kernels"} {
		if r := rules[i]; r.Verdict != Conditional || r.Condition != want || r.Counterexample == nil {
			t.Errorf("%s: %s, if %q, want %q", r.Name, r.Verdict, r.Condition, want)
		}
	}
}

// Shapes that never fit make no rule, and the reason names two sizes; shapes that fit here
// and there make one about these.
func TestShapesThatNeverFit(t *testing.T) {
	for _, x := range []struct {
		rule   string
		want   Outcome
		reason string
	}{
		{"given X : [2, 3], Y : [4, 5] then matmul(X, Y) => matmul(X, relu(Y))", IllFormed, "size 3 is not 4"},
		{"given X : [a, a+1] then ewadd(X, transpose[perm=(1,0)](X)) => X", IllFormed, "size a is not a+1"},
		{"given X : [n, 3, h, w], W : [o, 2, 1, 1] then conv2d[pad=valid](X, W) => conv2d[pad=valid](relu(X), W)", IllFormed, "size 3 is not 2"},
		{"given X : [n, c, 2, 2], W : [o, c, 3, 3] then conv2d[pad=valid](X, W) => conv2d[pad=valid](relu(X), W)", IllFormed, "window of 3 does not fit into 2"},
		{"given X : [a, b], Y : [a, c] then ewadd(X, Y) => ewadd(Y, X)", Proved, ""},
		{"given X : [a, b], Y : [a, c] then ewadd(X, Y) => ewmul(Y, X)", Refuted, ""},
		{"given X : [2], Y : [3] then X => Y", Refuted, ""},
	} {
		_, rules := auditAs(t, peer.Text, "rule r "+x.rule, Options{NoSet: true})
		if r := rules[0]; r.Verdict != x.want || !strings.Contains(r.Reason, x.reason) {
			t.Errorf("%s: %s, %s; want %s", x.rule, r.Verdict, r.Reason, x.want)
		} else if r.VerdictReverse != "" {
			t.Errorf("%s: the way back, which is not claimed, is %s", x.rule, r.VerdictReverse)
		}
	}
}

// Maxima and minima are told apart by the order of numbers, with certificates.
func TestMaxima(t *testing.T) {
	_, rules := auditAs(t, peer.Text, `
rule minmax_sum given X : [P..], Y : [P..] then ewadd(ewmax(X, Y), ewmin(X, Y)) => ewadd(X, Y)
rule absorb given X : [P..], Y : [P..] then ewmax(X, ewmin(X, Y)) => X
rule dist given X : [P..], Y : [P..], Z : [P..] then ewmax(X, ewmin(Y, Z)) => ewmin(ewmax(X, Y), ewmax(X, Z))
rule relu_as_max given X : [P..] then relu(X) => ewmax(X, ewsub(X, X))
rule max_as_relu given X : [P..], Y : [P..] then ewmax(X, Y) => ewadd(Y, relu(ewsub(X, Y)))
rule abs_as_relu given X : [P..] then abs(X) => ewadd(relu(X), relu(neg(X)))
rule wrong_dist given X : [P..], Y : [P..], Z : [P..] then ewmax(ewadd(X, Y), Z) => ewadd(ewmax(X, Z), ewmax(Y, Z))`, Options{NoSet: true})
	for _, r := range rules {
		want := Proved
		if r.Name == "wrong_dist" {
			want = Refuted
		}
		if r.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", r.Name, r.Verdict, r.Reason, want)
		}
		if f := r.Readings[0].Forward; want == Proved && (f.Engine != engineSums || !f.Certificate) {
			t.Errorf("%s: by %s, certificate %v", r.Name, f.Engine, f.Certificate)
		}
	}
}
