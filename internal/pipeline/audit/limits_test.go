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
