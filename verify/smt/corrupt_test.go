package smt

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/refute"
)

// Corrupted certificates are rejected, or say something that no search can
// refute.
func TestCorruptedCertificates(t *testing.T) {
	laws, goals, ps := proofs(t)
	use := check.Laws(lawsByName(laws))
	g := NewGrounder(laws, GroundOptions{})
	defer g.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	rejected, accepted := 0, 0
	for n := 0; n < 1000; n++ {
		i := n % len(goals)
		v := g.Ground(context.Background(), goals[i], ps[i])
		if v.Status != verify.Proved {
			t.Fatal(v.Reason)
		}
		good := law.NewCertRule(goals[i].Name, goals[i], v.Proof)
		find := func(n string) (*law.Law, bool) { ax, ok := use[n]; return ax, ok }
		l, p, err := good.Decode(find)
		if err != nil {
			t.Fatalf("%s: %v", good.ID, err)
		}
		if _, err := check.Rule(l, p, use); err != nil {
			t.Fatalf("%s, unharmed: %v", good.ID, err)
		}
		bad, what, err := mutate.Entry(rng, good, use)
		if err != nil {
			t.Fatal(err)
		}
		l, p, err = bad.Decode(find)
		if err == nil {
			_, err = check.Rule(l, p, use)
		}
		if err != nil {
			rejected++
			if n < 40 {
				t.Logf("%s: %s: %v", goals[i].Name, what, err)
			}
			continue
		}
		accepted++
		w, err := refute.Find(context.Background(), l, refute.Options{Bindings: 300})
		if err != nil {
			t.Fatal(err)
		}
		if w != nil {
			t.Errorf("%s: %s: accepted, but\n%s", goals[i].Name, what, w)
		}
		t.Logf("%s: %s: accepted and true:\n%s", goals[i].Name, what, bad.Law)
	}
	t.Logf("%d rejected, %d accepted and not refuted", rejected, accepted)
	if rejected < 900 {
		t.Errorf("%d of 1000 rejected", rejected)
	}
}
