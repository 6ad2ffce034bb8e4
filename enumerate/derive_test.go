package enumerate_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// candidates runs levels 1 to n; laws are named by their identity, each once.
func candidates(t *testing.T, opt enumerate.Options, n int) []*law.Law {
	t.Helper()
	s := enumerate.NewSession(opt)
	var out []*law.Law
	seen := map[string]bool{}
	for lv := 1; lv <= n; lv++ {
		level, err := s.Level(lv, nil)
		if err != nil {
			t.Fatal(err)
		}
		for {
			cands, err := level.Next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if cands == nil {
				break
			}
			verdicts := make([]enumerate.Verdict, len(cands))
			for i, c := range cands {
				verdicts[i].Proved = true
				l := *c.Law
				if l.Name = law.ID(c.Law); !seen[l.Name] {
					seen[l.Name] = true
					out = append(out, &l)
				}
			}
			if err := level.Learn(verdicts); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// Extending representatives only loses nothing: what the exhaustive mode
// proposes follows from what the default proposes.
func TestDefaultLosesNothing(t *testing.T) {
	for _, ops := range [][]string{
		{"ewadd", "concat", "relu"},
		{"matmul", "transpose", "smul"},
		{"concat", "split", "transpose"},
		{"conv2d", "iconv", "relu", "conv2d_relu"},
	} {
		t.Run(fmt.Sprint(ops), func(t *testing.T) {
			u, err := enumerate.New(ops)
			if err != nil {
				t.Fatal(err)
			}
			for i := range u.Types {
				u.Types[i].Count = min(u.Types[i].Count, 2)
			}
			from := candidates(t, enumerate.Options{Universe: u, Seed: 1}, 3)
			all := candidates(t, enumerate.Options{Universe: u, Seed: 1, Exhaustive: true}, 3)
			known := map[string]bool{}
			for _, l := range from {
				known[l.Name] = true
			}
			for _, sum := range []string{"ewadd", "ewmul"} {
				comm, err := law.ParseLaw("axiom " + sum + "_comm given A : [P..], B : [P..] then " + sum + "(A, B) == " + sum + "(B, A)")
				if err != nil {
					t.Fatal(err)
				}
				from = append(from, comm)
			}
			var goals []*law.Law
			for _, l := range all {
				// An e-graph takes no goal with a permutation variable.
				if !known[l.Name] && !slices.ContainsFunc(l.Given, func(d law.Declaration) bool { return d.Sort == graph.SortPerm }) {
					goals = append(goals, l)
				}
			}
			prover := verify.EGraph{Laws: from}
			verdicts, err := prover.Prove(context.Background(), goals)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range verdicts {
				if v.Status != verify.Proved {
					t.Errorf("%s:\n%s", v.Reason, law.Format(goals[i]))
				}
			}
			t.Logf("%d candidates by default, %d exhaustive, %d of them others", len(from)-2, len(all), len(goals))
			if len(all) < 5 {
				t.Errorf("only %d candidates", len(all))
			}
		})
	}
}
