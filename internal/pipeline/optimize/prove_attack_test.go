package optimize_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// A proof between two models does not stumble over weights that one of them has beside
// what it computes, and none is found where the other's outcome would depend on one.
func TestProveOtherWeights(t *testing.T) {
	a := written(t, "x : float32[2]\nw : weight float32[2]\ny = ewadd(x, w)\nz = ewadd(y, x)\nreturn z")
	unused := written(t, "x : float32[2]\nw : weight float32[2]\nv : weight float32[2]\ny = ewadd(w, x)\nz = ewadd(x, y)\nreturn z")
	gone := written(t, "x : float32[2]\nw : weight float32[2]\nv : weight float32[2]\nd = ewsub(v, v)\ny = ewadd(x, w)\nu = ewadd(y, d)\nz = ewadd(u, x)\nreturn z")
	other := written(t, "x : float32[2]\nw : weight float32[2]\nv : weight float32[2]\ny = ewadd(x, v)\nz = ewadd(y, x)\nreturn z")
	for i, b := range []struct {
		equal bool
		p     func() (*optimize.Proved, error)
	}{
		{true, func() (*optimize.Proved, error) {
			return optimize.Prove(context.Background(), a, unused, optimize.Options{Tries: 1000})
		}},
		{false, func() (*optimize.Proved, error) {
			return optimize.Prove(context.Background(), a, gone, optimize.Options{Tries: 1000})
		}},
		{false, func() (*optimize.Proved, error) {
			return optimize.Prove(context.Background(), a, other, optimize.Options{Tries: 1000})
		}},
	} {
		p, err := b.p()
		if err != nil || p.Equal != b.equal || !p.Equal && p.Why == "" {
			t.Errorf("%d: %+v, %v", i, p, err)
		}
	}
}

// Networks and what random moves, or a change, have made of them: what is proved to be
// the same is, and no proof fails to be accepted. TASO_PROVED is how many,
// TASO_RANDOM_SEED from which seed on.
func TestProveRandom(t *testing.T) {
	count, first := fromEnv(t, "TASO_PROVED", 6), fromEnv(t, "TASO_RANDOM_SEED", 1)
	rules := rulesOf(t)
	ctx := context.Background()
	proved, refuted := 0, 0
	for seed := uint64(first); seed < uint64(first+count); seed++ {
		m := networkOf(t, seed)
		d, _, _, _, err := wander(m, rules, seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		b, err := m.WithGraph(d.To)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		rnd := randomOf(seed, 14)
		if seed%2 == 0 {
			if b = alter(b, rnd); b == nil {
				continue
			}
		}
		p, err := optimize.Prove(ctx, m, b, optimize.Options{Tries: 500})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if !p.Equal {
			refuted++
			continue
		}
		proved++
		if _, err := optimize.CheckProof(ctx, bytes.NewReader(p.Proof), "proof", m, b, false); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		rep, err := verifymodels.Run(ctx, verifymodels.Options{A: m, B: b, Seed: seed, MaxFLOPs: 1e8})
		if err != nil || rep.Verdict == verifymodels.ModelsDiffer {
			t.Errorf("seed %d: proved, and not so: %v\n%v", seed, err, rep)
		}
	}
	if proved == 0 || refuted == 0 {
		t.Errorf("%d pairs are proved, %d are not: too few to tell", proved, refuted)
	}
	t.Logf("%d pairs are proved, %d are not", proved, refuted)
}
