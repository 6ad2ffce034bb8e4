package optimize_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
)

// machine is what random networks are optimized for.
func machine(t testing.TB) cost.Model {
	t.Helper()
	m, err := cost.FindMachine("zen5")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func laws(t testing.TB) []*law.Law {
	t.Helper()
	ls, err := optimize.DefaultLaws()
	if err != nil {
		t.Fatal(err)
	}
	return ls
}

// fromEnv is a number from the environment.
func fromEnv(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Random networks are optimized by each method: the proof is accepted, the result
// computes the same modulo a prime and in float64, costs no more, and is the same
// again. TASO_RANDOM_NETWORKS is how many, TASO_RANDOM_SEED from which seed on,
// TASO_RANDOM_TRIES with how many tries.
func TestRandomNetworks(t *testing.T) {
	count, first, tries := fromEnv(t, "TASO_RANDOM_NETWORKS", 24), fromEnv(t, "TASO_RANDOM_SEED", 1), fromEnv(t, "TASO_RANDOM_TRIES", 300)
	ls, on := laws(t), machine(t)
	ordered := map[string]bool{}
	for _, l := range ls {
		ordered[l.Name] = l.HasTag(law.TagOrdered)
	}
	var rewritten, steps, folded, undecided, failed int
	used := map[string]int{}
	for seed := uint64(first); seed < uint64(first+count); seed++ {
		m := networkOf(t, seed)
		method := optimize.Method(optimize.Methods()[int(seed)%len(optimize.Methods())])
		o := optimize.Options{Model: m, Laws: ls, Cost: on, CostName: "modelled", Method: method, Tries: tries, Seed: seed, Alpha: 1.2}
		res, err := safely(o)
		if err == nil {
			err = right(m, res, o, func(name string) bool { return ordered[name] })
		}
		if err != nil {
			failed++
			t.Errorf("seed %d, %s: %v", seed, method, err)
			continue
		}
		if res.StepCount > 0 {
			rewritten++
		}
		for i := range res.Steps {
			used[res.Steps[i].Law]++
		}
		steps, folded = steps+res.StepCount, folded+res.Folded
		if res.Exact != string(verifymodels.Equal) {
			undecided++
		}
		if n := int(seed) - first + 1; n%500 == 0 {
			t.Logf("%d networks, %d failed", n, failed)
		}
	}
	if rewritten < count/3 {
		t.Errorf("of %d networks %d were rewritten: too few to tell", count, rewritten)
	}
	t.Logf("%d networks from seed %d: %d rewritten by %d steps of %d laws, %d weights computed ahead, %d not decided exactly, %d failed",
		count, first, rewritten, steps, len(used), folded, undecided, failed)
}

// safely turns a panic into an error, so that a long run goes on.
func safely(o optimize.Options) (res *optimize.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return optimize.Run(context.Background(), o)
}

// right says what is wrong with the result of a model.
func right(m *model.Model, res *optimize.Result, o optimize.Options, ordered func(string) bool) error {
	if res.CostAfter > res.CostBefore {
		return fmt.Errorf("it costs %g, before %g", res.CostAfter, res.CostBefore)
	}
	if !res.ProofChecked {
		return fmt.Errorf("the proof is not checked")
	}
	if _, err := optimize.CheckProof(context.Background(), bytes.NewReader(res.Proof), "proof", m, res.Model, true); err != nil {
		return err
	}
	// Laws of the true relu and maximum are seen in numbers only.
	if res.Exact != string(verifymodels.Equal) && !slices.ContainsFunc(res.Steps, func(s optimize.Step) bool { return ordered(s.Law) }) {
		return fmt.Errorf("exactly, the result is %s", res.Exact)
	}
	if res.MaxRelError > 1e-4 {
		return fmt.Errorf("in numbers, the result differs by %g", res.MaxRelError)
	}
	o.NoVerify = true
	again, err := safely(o)
	if err != nil {
		return fmt.Errorf("again: %w", err)
	}
	if !bytes.Equal(again.Proof, res.Proof) || again.Model.Graph.String() != res.Model.Graph.String() {
		return fmt.Errorf("the same search gives another result")
	}
	return nil
}
