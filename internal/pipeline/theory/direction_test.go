package theory

import (
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
)

// directionCases are true from left to right only: the right side is defined
// wherever the left one is, and not the other way.
var directionCases = []string{
	"rule cut given X : [b], Z : [c] then ewadd(X, ewsub(slice[axis=0, lo=0, hi=b](Z), slice[axis=0, lo=0, hi=b](Z))) %s X",
	`rule average given s : stride, p : padding
	then poolavg[kh=kh, kw=kw, stride=s, pad=p, border=excluded](one[shape=[b, c, h, w]]())
	  %s one[shape=[b, c, window(h, kh, s, p, 0), window(w, kw, s, p, 1)]]()`,
	"rule joined given X : [a], Z : [c] then slice[axis=0, lo=0, hi=a](concat[axis=0](X, slice[axis=0, lo=0, hi=b](Z))) %s X",
}

// A goal written => is proved in that direction or not at all, and of an equation
// it is told which direction is proved.
func TestDirection(t *testing.T) {
	th, err := Load(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var goals []*law.Law
	for _, text := range directionCases {
		l, err := law.ParseLaw(fmt.Sprintf(text, "=="))
		if err != nil {
			t.Fatal(err)
		}
		flipped := *l
		flipped.LHS, flipped.RHS = l.RHS, l.LHS
		goals = append(goals, law.OneDirection(l, false), law.OneDirection(l, true), l, &flipped)
	}
	ps, err := th.Decide(context.Background(), goals, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range ps {
		forward := i%4 == 0 || i%4 == 2
		if i%4 == 1 {
			if p.Verdict.Status == verify.Proved || p.Forward || p.Backward || p.Law() != nil {
				t.Errorf("%sis proved", law.Format(p.Goal))
			}
			continue
		}
		if p.Verdict.Status != verify.Proved {
			t.Errorf("%sis not proved: %s", law.Format(p.Goal), p.Verdict.Reason)
			continue
		}
		if p.Forward != forward || p.Backward == forward {
			t.Errorf("%sforward %v, backward %v", law.Format(p.Goal), p.Forward, p.Backward)
		}
		if p.Goal.OneWay && p.Law() != p.Goal {
			t.Errorf("%sis proved as\n%s", law.Format(p.Goal), law.Format(p.Law()))
		}
		if _, err := check.Rule(p.Law(), p.Verdict.Proof, th.ByName); err != nil {
			t.Errorf("%s: %v", p.Goal.Name, err)
		}
	}
}
