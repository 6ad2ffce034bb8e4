package sums_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// Laws about look-ups whose target reads at places at which the source reads, or at
// numbers that are places, are proved, by a proof too, and their reverse only if it is
// true.
func TestPlaces(t *testing.T) {
	p := newProver(t, sums.Config{})
	for _, c := range []struct {
		law  string
		back bool
	}{
		{"given X : [n, S..], I : [k] then slice[axis=0, lo=i-1, hi=j](gather[axis=0](X, I)) => gather[axis=0](X, slice[axis=0, lo=i-1, hi=j](I))", false},
		{"given X : [n], I : [j, k] then transpose(gather[axis=0](X, I)) => gather[axis=0](X, transpose(I))", true},
		{"given X : [n], I : [j] then broadcast[shape=[k, j]](gather[axis=0](X, I)) => gather[axis=0](X, broadcast[shape=[k, j]](I))", true},
		{"given X : [n], I : [j], J : [j] then gather[axis=0](X, ewadd(I, J)) => gather[axis=0](X, ewadd(J, I))", true},
		{"given X : [n], I : [j], J : [k] then gather[axis=0](X, concat[axis=0](I, J)) => concat[axis=0](gather[axis=0](X, I), gather[axis=0](X, J))", true},
		{"given X : [n, a], Y : [n, b], I : [] then gather[axis=0](concat[axis=1](X, Y), I) => concat[axis=0](gather[axis=0](X, I), gather[axis=0](Y, I))", true},
		{"given X : [n+1], A : [] then A => ewadd(A, ewsub(gather[axis=0](X, one[shape=[]]()), gather[axis=0](X, one[shape=[]]())))", true},
		{"given X : [n], A : [] then A => ewadd(A, ewsub(gather[axis=0](X, neg(one[shape=[]]())), gather[axis=0](X, neg(one[shape=[]]()))))", true},
		{"given X : [n], Y : [m], I : [j] then gather[axis=0](X, I) => ewadd(gather[axis=0](X, I), ewsub(gather[axis=0](concat[axis=0](X, Y), I), gather[axis=0](concat[axis=0](X, Y), I)))", true},
	} {
		l := parse(t, "rule r "+c.law)
		if r := prove(t, p, l); !r.Proved || r.Backward != c.back {
			t.Errorf("%s: %s, right to left %v", c.law, r, r.Backward)
		}
		proof, err := sums.Certify(context.Background(), l)
		if err != nil || proof == nil {
			t.Errorf("%s: no proof, error %v", c.law, err)
			continue
		}
		if got, err := meaning.Check(l, proof); err != nil || !got.Forward || got.Backward != c.back {
			t.Errorf("%s: a proof of %+v, error %v", c.law, got, err)
		}
		m := *l
		m.OneWay = false
		if _, err := meaning.Check(&m, proof); (err == nil) != c.back {
			t.Errorf("%s: taken for a proof of both directions: %v", c.law, err)
		}
	}
}
