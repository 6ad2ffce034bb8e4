package adversary

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// Laws of tensors on meshes that are true are proved, those that are false are not, and
// no proof of one of the former is one of the latter.
func TestMeshes(t *testing.T) {
	laws := read(t, "testdata/meshes.rules")
	var proofs [][]int64
	var untrue []*law.Law
	for i, l := range laws {
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		bad, tally := eval.Check(l, eval.Claim{Forward: true, Backward: !l.OneWay}, eval.Limits{}, 200, rng)
		p, err := sums.Certify(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		if l.Kind == law.Refute {
			untrue = append(untrue, l)
			if bad == nil {
				t.Errorf("%s is not seen to be false: %+v", l.Name, tally)
			}
			if p != nil {
				t.Errorf("%s is proved", l.Name)
			}
			continue
		}
		if bad != nil || tally.Met < 60 {
			t.Errorf("%s: %+v, %+v", l.Name, bad, tally)
		}
		if p == nil {
			t.Errorf("%s is not proved", l.Name)
			continue
		}
		if _, err := meaning.Check(l, p); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		proofs = append(proofs, p)
	}
	for _, l := range untrue {
		for _, p := range proofs {
			if c, err := meaning.Check(l, p); err == nil && c.Shows(l) {
				t.Errorf("%v is accepted as a proof of %s", p, l.Name)
			}
		}
	}
	if len(proofs) < 10 || len(untrue) < 10 {
		t.Errorf("%d true laws, %d false ones", len(proofs), len(untrue))
	}
}

// A short run about laws of tensors on meshes: each way to alter them is met, and some of
// what comes of it is claimed.
func TestMeshRun(t *testing.T) {
	var pool []*law.Law
	for _, l := range read(t, "testdata/meshes.rules") {
		if l.Kind != law.Refute {
			pool = append(pool, l)
		}
	}
	f, err := Run(context.Background(), Options{Laws: 100, Pool: pool, Share: sample{sums: 1, refute: 10}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", f)
	for _, x := range f.Findings {
		t.Error(x)
	}
	if f.Claims[engineSums] < 20 || f.Claims[engineMeaning] < 20 {
		t.Errorf("%v claims: hardly anything is tested", f.Claims)
	}
	w := newWriter(pool, 1)
	for name, of := range map[string]func(*writer, *law.Law) *law.Law{"layout replaced": (*writer).layoutReplaced,
		"families altered": (*writer).overAltered, "sizes exchanged": (*writer).sizesExchanged,
		"family around": (*writer).familyAround, "of each member": (*writer).eachOfLaw} {
		n := 0
		for i := range 200 {
			if m := of(w, pool[i%len(pool)]); m != nil {
				if _, ok := finish(m, true); ok {
					n++
				}
			}
		}
		if n < 20 {
			t.Errorf("%s: %d laws of 200", name, n)
		}
	}
}
