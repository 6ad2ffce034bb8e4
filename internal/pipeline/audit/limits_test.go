package audit

import (
	"strings"
	"testing"
)

// What was shown up to a limit, and not beyond, is not proved, however the limit
// comes about.
func TestUpToIsNotProved(t *testing.T) {
	rep := auditLaws(t, `
# Kernels of 3 in kernels of 5: from stride 6 on, the windows of small images begin elsewhere.
rule strides
  given s : stride, q : same, X : [b, c, h, w], W : [o, c, 3, 3]
  then  conv2d[stride=s, pad=q](X, W) == conv2d[stride=s, pad=q](X, enlarge[kh=5, kw=5](W))

rule groups
  given s : stride, p : padding, X : [b, g*c, h, w], V : [g*m, c, kh, kw], W : [g*n, c, kh, kw]
  where 6 <= g
  then  conv2d[stride=s, pad=p, groups=g](X, concat[axis=0](V, W))
     == concat[axis=1](conv2d[stride=s, pad=p, groups=g](X, V), conv2d[stride=s, pad=p, groups=g](X, W))

rule ranks
  given X : [P..], K : [6], A : []
  then  smul(X, A) => smul(X, ewadd(A, reducesum[axes=(0)](ewsub(slice[axis=0, lo=0, hi=#P+1](K), slice[axis=0, lo=0, hi=#P+1](K)))))
`)
	for _, r := range rep.Rules {
		for k, w := range []Direction{r.Readings[0].Forward, r.Readings[0].Backward} {
			switch w.Verdict {
			case "", Refuted, Unknown:
			case UpTo:
				if w.Sizes == "" || w.Sizes == allSizes || w.Condition == "" || w.Certificate {
					t.Errorf("%s, direction %d: %+v", r.Name, k, w)
				}
			case Conditional:
				if w.Counterexample == nil {
					t.Errorf("%s, direction %d: conditional, if %s, without a counterexample", r.Name, k, w.Condition)
				}
			default:
				t.Errorf("%s, direction %d: %s", r.Name, k, w.Verdict)
			}
		}
		if r.Overall() == Proved {
			t.Errorf("%s counts as proved", r.Name)
		}
		t.Logf("%s: %s %s %s", r.Name, r.Verdict, r.Condition, r.Reason)
	}
	// One group is no condition of a rule about six groups and more.
	if r := rep.Rules[1]; r.Verdict == Conditional && strings.Contains(r.Condition, "groups = 1") {
		t.Errorf("%s: conditional, if %s", r.Name, r.Condition)
	}
	if rep.Summary.Verdicts[Proved] > 0 {
		t.Errorf("%v", rep.Summary.Verdicts)
	}
}

// A condition is one under which the law says something, and its words are the
// condition that was proved.
func TestConditionsSaySomething(t *testing.T) {
	rep := auditLaws(t, `
# No sizes with c < b make the slice defined.
rule never_defined
  given X : [b], Z : [c]
  where c < b
  then  X == ewadd(X, ewsub(slice[axis=0, lo=0, hi=b](Z), slice[axis=0, lo=0, hi=b](Z)))

# Without a pad there is no window of two rows in one.
rule never_a_window
  given p : padding, X : [b, c, 1, w]
  where 2 <= kh
  then  poolavg[kh=kh, kw=1, pad=p](X) => poolavg[kh=kh, kw=1, pad=p, border=excluded](X)

# Twice g groups are never one; with g = 1 the sums agree.
rule two_groups
  given X : [b, c*2*g, h, w], W : [2*g, c, kh, kw], T : [g]
  then  smul(conv2d[pad=valid, groups=2*g](X, W), reducesum[axes=(0)](T))
     => smul(conv2d[pad=valid, groups=2*g](X, W), reducesum[axes=(0)](slice[axis=0, lo=0, hi=1](T)))

# g-k+1 groups are one with other g and k than 1 and 1.
rule groups_of_a_difference
  given X : [b, g*c-k*c+c, h, w], W : [g-k+1, c, kh, kw], T : [g]
  then  smul(conv2d[pad=valid, groups=g-k+1](X, W), reducesum[axes=(0)](T))
     => smul(conv2d[pad=valid, groups=g-k+1](X, W), reducesum[axes=(0)](slice[axis=0, lo=0, hi=1](T)))
`)
	for _, r := range rep.Rules {
		for k, w := range []Direction{r.Readings[0].Forward, r.Readings[0].Backward} {
			if w.Verdict == Conditional {
				t.Errorf("%s, direction %d: conditional, if %s", r.Name, k, w.Condition)
			}
		}
		if w := r.Readings[0].Forward; w.Verdict != Refuted {
			t.Errorf("%s: %s", r.Name, w.Verdict)
		}
	}
}
