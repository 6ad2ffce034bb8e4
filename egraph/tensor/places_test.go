package tensor_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
)

// What reads at places is derived only where the source reads at the same ones, or at
// more, in a table that is no longer; and what is derived has a certificate.
func TestPlaces(t *testing.T) {
	var laws []*law.Law
	use := check.Laws{}
	for _, l := range axioms.Default() {
		if l.Kind != law.Refute {
			laws = append(laws, l)
			use[l.Name] = l
		}
	}
	p := &verify.EGraph{Laws: laws}
	for _, c := range []struct {
		law  string
		want bool
	}{
		{"given X : [n], Y : [n], I : [k] then ewadd(gather[axis=0](X, I), gather[axis=0](Y, I)) == gather[axis=0](ewadd(Y, X), I)", true},
		{"given X : [n], I : [k], A : [], Y : [k] then slice[axis=0, lo=1, hi=k](smul(gather[axis=0](X, I), A)) => smul(gather[axis=0](X, slice[axis=0, lo=1, hi=k](I)), A)", true},
		{"given X : [n], I : [k], A : [], Y : [k] then smul(gather[axis=0](X, slice[axis=0, lo=1, hi=k](I)), A) => slice[axis=0, lo=1, hi=k](smul(gather[axis=0](X, I), A))", false},
		{"given X : [n], I : [k], A : [], Y : [k] then slice[axis=0, lo=1, hi=k](smul(gather[axis=0](X, I), A)) == smul(gather[axis=0](X, slice[axis=0, lo=1, hi=k](I)), A)", false},
		{"given X : [n], I : [k], J : [l] then slice[axis=0, lo=0, hi=k](concat[axis=0](gather[axis=0](X, I), gather[axis=0](X, J))) => gather[axis=0](X, I)", true},
		{"given X : [n], I : [k], J : [l] then gather[axis=0](X, I) => slice[axis=0, lo=0, hi=k](concat[axis=0](gather[axis=0](X, I), gather[axis=0](X, J)))", false},
		{"given X : [n], I : [k], J : [l] then gather[axis=0](X, I) => slice[axis=0, lo=0, hi=k](concat[axis=0](gather[axis=0](X, I), J))", true},
		{"given X : [n], I : [k], J : [k] then ewadd(I, ewsub(gather[axis=0](X, J), gather[axis=0](X, J))) == ewsub(ewadd(I, gather[axis=0](X, J)), gather[axis=0](X, J))", true},
	} {
		goal, err := law.ParseLaw("rule r " + c.law)
		if err != nil {
			t.Fatal(err)
		}
		vs, err := p.Prove(context.Background(), []*law.Law{goal})
		if err != nil {
			t.Fatal(err)
		}
		if got := vs[0].Status == verify.Proved; got != c.want {
			t.Errorf("%s: %s, %s", c.law, vs[0].Status, vs[0].Reason)
		}
		if vs[0].Status == verify.Proved {
			if _, err := check.Rule(goal, vs[0].Proof, use); err != nil {
				t.Errorf("%s: %v", c.law, err)
			}
		}
	}
}
