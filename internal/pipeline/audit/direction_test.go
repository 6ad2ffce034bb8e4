package audit

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/peer"
)

// auditLaws audits laws in the law language.
func auditLaws(t *testing.T, text string) *Report {
	t.Helper()
	f, err := peer.Read("laws.rules", []byte(text), peer.Text)
	if err != nil {
		t.Fatal(err)
	}
	reps, err := Run(context.Background(), []*peer.File{f}, Options{NoSet: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return reps[0]
}

// oneWays are the two sides of laws that hold from the first to the second only.
var oneWays = [][3]string{
	{"X : [b], Z : [c]", "ewadd(X, ewsub(slice[axis=0, lo=0, hi=b](Z), slice[axis=0, lo=0, hi=b](Z)))", "X"},
	{"X : [a], Z : [c]", "slice[axis=0, lo=0, hi=a](concat[axis=0](X, slice[axis=0, lo=0, hi=b](Z)))", "X"},
	{"s : stride, p : padding", "poolavg[kh=kh, kw=kw, stride=s, pad=p, border=excluded](one[shape=[b, c, h, w]]())",
		"one[shape=[b, c, window(h, kh, s, p, 0), window(w, kw, s, p, 1)]]()"},
	// The sides differ in nothing but in what is looked at.
	{"X : [n], Y : [n], Z : [c]", "ewadd(X, ewadd(Y, ewsub(slice[axis=0, lo=0, hi=n](Z), slice[axis=0, lo=0, hi=n](Z))))", "ewadd(X, Y)"},
}

// What is proved, shown and written of a rule is the rule, in its direction.
func TestDirections(t *testing.T) {
	var text strings.Builder
	for i, x := range oneWays {
		fmt.Fprintf(&text, "rule there_%d\n given %s\n then %s => %s\n", i, x[0], x[1], x[2])
		fmt.Fprintf(&text, "rule back_%d\n given %s\n then %s => %s\n", i, x[0], x[2], x[1])
		fmt.Fprintf(&text, "rule both_%d\n given %s\n then %s == %s\n", i, x[0], x[1], x[2])
		fmt.Fprintf(&text, "rule turned_%d\n given %s\n then %s == %s\n", i, x[0], x[2], x[1])
	}
	rep := auditLaws(t, text.String())
	for i, r := range rep.Rules {
		var holds [2]bool // as it stands
		switch i % 4 {
		case 0, 2:
			holds[0] = true
		case 3:
			holds[1] = true
		}
		for k, v := range []Outcome{r.Verdict, r.VerdictReverse} {
			w := []Direction{r.Readings[0].Forward, r.Readings[0].Backward}[k]
			switch {
			case k == 1 && i%4 < 2:
				if v != "" {
					t.Errorf("%s: the reverse is %s", r.Name, v)
				}
			case holds[k] && v != Proved:
				t.Errorf("%s, direction %d: %s %s", r.Name, k, v, w.Reason)
			case !holds[k] && (v == Proved || v == UpTo):
				t.Errorf("%s, direction %d: %s", r.Name, k, v)
			case !holds[k] && v == Conditional && w.Counterexample != nil:
				if g := r.Goals[k]; g != nil {
					if _, err := w.Counterexample.Witness.Replay(g.Law); err == nil {
						t.Errorf("%s, direction %d: its counterexample refutes what is proved if %s", r.Name, k, w.Condition)
					}
				}
			}
		}
		stated, err := law.ParseLaw(rep.Rules[i].Readings[0].Law)
		if err != nil {
			t.Fatal(err)
		}
		for k, g := range r.Goals {
			if g == nil {
				continue
			}
			left, right := g.Law.LHS, g.Law.RHS
			if k == 1 && g.Law.OneWay {
				left, right = right, left
			}
			if v := law.Vars(stated.LHS...); len(v) != len(law.Vars(left...)) || len(law.Vars(stated.RHS...)) != len(law.Vars(right...)) {
				t.Errorf("%s, direction %d: proved is\n%s", r.Name, k, law.Format(g.Law))
			}
		}
	}
	set, left, err := Certified(context.Background(), []*Report{rep}, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range set.Rules {
		if len(law.Vars(x.Law.LHS...)) < len(law.Vars(x.Law.RHS...)) && len(x.Law.Where) == 0 {
			t.Errorf("written is\n%s", law.Format(x.Law))
		}
	}
	t.Logf("%d written, left out %+v", set.Len(), left)
}
