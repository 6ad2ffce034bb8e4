package smt

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
)

// proofs are the true goals with the proofs that engine (b) finds.
func proofs(t testing.TB) (laws, goals []*law.Law, out []*law.Proof) {
	t.Helper()
	laws, all := read(t, "axioms"), read(t, "true")
	vs, err := (&verify.EGraph{Laws: laws, Workers: 1}).Prove(context.Background(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if v.Status == verify.Proved {
			goals, out = append(goals, all[i]), append(out, v.Proof)
		}
	}
	if len(goals) == 0 {
		t.Fatal("no goal is proved")
	}
	return laws, goals, out
}

func lawsByName(ls []*law.Law) map[string]*law.Law {
	m := map[string]*law.Law{}
	for _, l := range ls {
		m[l.Name] = l
	}
	return m
}

func TestProofsPassEveryJudge(t *testing.T) {
	laws, goals, ps := proofs(t)
	g := NewGrounder(laws, GroundOptions{Life: 7})
	defer g.Close()
	var z check.Z3
	defer z.Close()
	use := check.Laws(lawsByName(laws))
	for i, goal := range goals {
		r, err := check.Rule(goal, ps[i], use)
		if err != nil {
			t.Errorf("%s: check: %v", goal.Name, err)
			continue
		}
		t.Logf("%s: %+v", goal.Name, *r)
		if err := z.Rule(context.Background(), goal, ps[i], use); err != nil {
			t.Errorf("%s: %v", goal.Name, err)
		}
		v := g.Ground(context.Background(), goal, ps[i])
		if v.Status != verify.Proved {
			t.Errorf("%s: ground: %s %s", goal.Name, v.Status, v.Reason)
			continue
		}
		if _, err := check.Rule(goal, v.Proof, use); err != nil {
			t.Errorf("%s: check of the core: %v", goal.Name, err)
		}
		for j := range v.Proof.Instances {
			less := &law.Proof{}
			less.Instances = append(less.Instances, v.Proof.Instances[:j]...)
			less.Instances = append(less.Instances, v.Proof.Instances[j+1:]...)
			if _, err := check.Rule(goal, less, use); err == nil {
				t.Errorf("%s: the core without instance %d still proves it", goal.Name, j)
			}
		}
	}
}

func BenchmarkGround(b *testing.B) {
	laws, goals, ps := proofs(b)
	g := NewGrounder(laws, GroundOptions{})
	defer g.Close()
	i := 0
	for b.Loop() {
		if v := g.Ground(context.Background(), goals[i%len(goals)], ps[i%len(goals)]); v.Status != verify.Proved {
			b.Fatal(v.Reason)
		}
		i++
	}
}

func BenchmarkGroundKeepAll(b *testing.B) {
	laws, goals, ps := proofs(b)
	g := NewGrounder(laws, GroundOptions{KeepAll: true})
	defer g.Close()
	i := 0
	for b.Loop() {
		if v := g.Ground(context.Background(), goals[i%len(goals)], ps[i%len(goals)]); v.Status != verify.Proved {
			b.Fatal(v.Reason)
		}
		i++
	}
}

func BenchmarkCheck(b *testing.B) {
	laws, goals, ps := proofs(b)
	use := check.Laws(lawsByName(laws))
	i := 0
	for b.Loop() {
		if _, err := check.Rule(goals[i%len(goals)], ps[i%len(goals)], use); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func TestGroundIsNeverProvedByFailure(t *testing.T) {
	laws, goals, ps := proofs(t)
	g := NewGrounder(laws, GroundOptions{})
	defer g.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if v := g.Ground(ctx, goals[0], ps[0]); v.Status != verify.Unknown || v.Stop != "deadline" || v.Reason == "" {
		t.Errorf("canceled: %+v", v)
	}
	for name, p := range map[string]*law.Proof{
		"nothing":     {},
		"no such law": {Instances: []law.Instance{{Law: "nothing"}}},
		"ill-typed":   {Instances: []law.Instance{{Law: "split_concat"}}},
		"another's":   ps[1],
	} {
		if v := g.Ground(context.Background(), goals[0], p); v.Status != verify.Unknown || v.Reason == "" || v.Proof != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
	// After all that it still works.
	if v := g.Ground(context.Background(), goals[0], ps[0]); v.Status != verify.Proved {
		t.Errorf("%+v", v)
	}
}
