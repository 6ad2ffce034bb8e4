package genrules

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/invariants"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
)

func generate(t testing.TB, opt Options) *Report {
	t.Helper()
	rep, err := Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// files are the bytes that a run writes.
func files(t *testing.T, s *rules.Set) (text, cert string) {
	t.Helper()
	var a, b bytes.Buffer
	if err := rules.WriteText(&a, s); err != nil {
		t.Fatal(err)
	}
	if err := rules.WriteCert(&b, s); err != nil {
		t.Fatal(err)
	}
	return a.String(), b.String()
}

// checkInvariants has the e-graphs of a test checked after each step, which takes a fifth more
// time.
func checkInvariants(t *testing.T) {
	t.Helper()
	invariants.Checked = true
	t.Cleanup(func() { invariants.Checked = false })
}

// once is a run that several tests look at, with its e-graphs checked after each step.
func once(opt Options) func(testing.TB) *Report {
	run := sync.OnceValues(func() (*Report, error) {
		defer func(was bool) { invariants.Checked = was }(invariants.Checked)
		invariants.Checked = true
		return Run(context.Background(), opt)
	})
	return func(t testing.TB) *Report {
		t.Helper()
		rep, err := run()
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
}

// twoOperators is a run over all operators, fourOperators a run over a few.
var (
	twoOperators  = once(Options{MaxOps: 2, Workers: 1, Seed: 1})
	fourOptions   = Options{MaxOps: 4, Ops: []string{"matmul", "ewadd", "transpose"}, Workers: 1, Seed: 1}
	fourOperators = once(fourOptions)
)

func TestWorkersDoNotMatter(t *testing.T) {
	checkInvariants(t)
	text, cert := files(t, twoOperators(t).Set)
	for _, workers := range []int{3, 2}[:sweep.Size(1, 2)] {
		a, b := files(t, generate(t, Options{MaxOps: 2, Workers: workers, Seed: 1}).Set)
		if a != text || b != cert {
			t.Errorf("%d workers write other files than one", workers)
		}
	}
}

// Derivation from smaller rules begins at level 4: a small universe reaches it.
// TestSteady has other numbers of workers.
func TestFourOperators(t *testing.T) {
	rep := fourOperators(t)
	if rep.Rules.Kept == 0 || len(rep.Set.Rules) == 0 {
		t.Error("no rules")
	}
}

// No rule without a proof that the checker accepts, in the form written.
func TestEveryRuleIsCertified(t *testing.T) {
	rep := twoOperators(t)
	if rep.Rules.Proved < 50 {
		t.Errorf("%d rules, want many more", rep.Rules.Proved)
	}
	use := check.Laws{}
	for _, l := range axioms.ByKind(law.Axiom) {
		use[l.Name] = l
	}
	for _, l := range rep.Set.Lemmas {
		if _, err := check.Rule(l.Law, l.Proof, use); err != nil {
			t.Fatalf("lemma %s: %v", l.Law.Name, err)
		}
		use[l.Law.Name] = l.Law
	}
	for _, r := range rep.Set.Rules {
		if r.Proof == nil {
			t.Errorf("%s has no proof", r.ID())
			continue
		}
		if _, err := check.Rule(r.Law, r.Proof, use); err != nil {
			t.Errorf("%s: %v", r.ID(), err)
		}
		if law.ID(r.Law) != r.ID() {
			t.Errorf("%s is named for another law", r.ID())
		}
	}
	for _, u := range rep.Unproved {
		if u.Status == "refuted" && u.Witness == nil {
			t.Errorf("refuted without a counterexample: %s", u.Law)
		}
		if u.Reason == "" {
			t.Errorf("no reason: %s", u.Law)
		}
	}
}

// What the axioms leave open is proved from what operators compute, unless they alone are
// to be used: by proofs that the checker accepts, the same with any number of workers.
func TestMeaning(t *testing.T) {
	opt := Options{MaxOps: 3, Ops: []string{"poolavg", "iconv", "conv2d"}, Seed: 1, Workers: 1, AxiomsOnly: true}
	without := generate(t, opt)
	opt.AxiomsOnly = false
	with := generate(t, opt)
	opt.Workers, opt.Checkpoint = 2, t.TempDir()
	two := generate(t, opt)
	a, b := files(t, with.Set)
	c, d := files(t, two.Set)
	if a != c || b != d {
		t.Error("the number of workers changes the files")
	}
	n := 0
	for _, r := range with.Set.Rules {
		if r.Proof.Meaning == nil {
			continue
		}
		n++
		if _, err := check.Rule(r.Law, r.Proof, nil); err != nil || r.Engine != "sums" || law.ID(r.Law) != r.ID() {
			t.Errorf("%s, by %s: %v", r.ID(), r.Engine, err)
		}
	}
	if n == 0 || without.Rules.Unknown == 0 || with.Rules.Unknown >= without.Rules.Unknown {
		t.Errorf("%d rules from what operators compute; %d unknown without, %d with", n, without.Rules.Unknown, with.Rules.Unknown)
	}
	// A state of one kind is not gone on with in the other.
	opt.AxiomsOnly = true
	if _, err := Run(context.Background(), opt); err == nil || !strings.Contains(err.Error(), "axioms alone") {
		t.Errorf("another kind of run goes on from it: %v", err)
	}
}

func TestReportKeys(t *testing.T) {
	rep := generate(t, Options{MaxOps: 1, Seed: 1})
	data, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"max_ops", "mode", "stages", "rules", "graphs", "graphs_per_cpu_second", "bytes_per_graph",
		"seconds", "cpu_seconds", "peak_rss_bytes", "name", "count", "proved", "refuted", "unknown",
		"derivable", "kept"} {
		if !strings.Contains(string(data), `"`+key+`":`) {
			t.Errorf("the report has no %s", key)
		}
	}
}

func TestStopsCleanly(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	rep := generate(t, Options{MaxOps: 2, Seed: 1, Memory: 1, Spill: gone})
	if !strings.Contains(rep.Stopped, gone) || rep.Set == nil || rep.Rules.Proved == 0 {
		t.Errorf("stopped %q with %d rules, want the folder that is gone and the rules of level 1", rep.Stopped, rep.Rules.Proved)
	}
	if _, err := Run(context.Background(), Options{Ops: []string{"matmull"}}); err == nil || !strings.Contains(err.Error(), "matmull") {
		t.Errorf("error %v, want the operator's name", err)
	}
}

func ExampleRun() {
	rep, err := Run(context.Background(), Options{MaxOps: 2, Ops: []string{"transpose"}, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rep.Set.Rules {
		fmt.Println(law.FormatOutputs(r.Law.LHS), "==", law.FormatOutputs(r.Law.RHS), r.Engine)
	}
	// Output: transpose[perm=inverse(u)](transpose[perm=u](A)) == A sums
}

// Proofs per second: e-graph search, minimization by Z3 and the checker.
func BenchmarkProofs(b *testing.B) {
	rep := generate(b, Options{MaxOps: 2, Seed: 1})
	var goals []*law.Law
	for _, r := range rep.Set.Rules {
		goals = append(goals, r.Law)
	}
	opt := Options{Workers: 1}
	j, err := newJudge(context.Background(), nil, &opt)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		vs, err := j.decide(context.Background(), goals, verify.DefaultRounds, func() {})
		if err != nil {
			b.Fatal(err)
		}
		for k, v := range vs {
			if v.Status != verify.Proved {
				b.Fatalf("%s: %s", law.Format(goals[k]), v.Reason)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(goals))/b.Elapsed().Seconds(), "proofs/s")
}
