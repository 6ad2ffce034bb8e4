package axiomcheck_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/axiomcheck"
	"github.com/taso-go/taso/law"
)

// few are laws of every topic, small ones; relu_one follows from others.
var few = []string{"ewadd_comm", "smul_comm", "slice_concat_first", "matmul_imatmul", "enlarge_all", "poolmax_single", "relu_one", "matmul_comm"}

func parse(t testing.TB, text string) []*law.Law {
	laws, err := law.Parse("my.axioms", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return laws
}

func check(t testing.TB, opt axiomcheck.Options) *axiomcheck.Report {
	if opt.Instances == 0 {
		opt.Instances = 200
	}
	if opt.Z3Pairs == 0 {
		opt.Z3Pairs = 12
	}
	rep, err := axiomcheck.Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// plain is a report without what may differ from run to run: seconds, and what
// came from a checkpoint.
func plain(t testing.TB, rep *axiomcheck.Report) string {
	b, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				if strings.Contains(k, "seconds") || k == "reused" {
					delete(v, k)
				}
				strip(x)
			}
		case []any:
			for _, x := range v {
				strip(x)
			}
		}
	}
	strip(v)
	b, err = json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A few laws, every part: nothing is found, and every part did its work.
func TestClean(t *testing.T) {
	rep := check(t, axiomcheck.Options{Only: few, Unbounded: axiomcheck.Sums})
	if len(rep.Findings) > 0 || rep.Stopped != "" {
		t.Errorf("%v %s", rep.Findings, rep.Stopped)
	}
	s := rep.Summary
	if s.Axioms != 6 || s.Lemmas != 1 || s.Refutes != 1 || s.Witnesses != 1 || s.ProvedAll != 7 || s.Derivable != 1 ||
		s.Instances < 300 || s.Symbolic == 0 || s.Tested != 0 || s.Complete < 3 ||
		s.MutantsMade < 40 || s.MutantsDead+s.MutantsTrue != s.MutantsMade || s.MutantsTrue == 0 {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(rep.Spare, []string{"relu_one"}) {
		t.Errorf("spare %v", rep.Spare)
	}
	for _, l := range rep.Laws {
		if l.Bounded == nil || l.Unbounded == nil || l.Redundancy == nil || l.Mutants == nil {
			t.Errorf("%s: %+v", l.Name, *l)
		}
	}
	if w := rep.Refutes[0].Witness; w == nil || w.Kind != "values" || len(w.LeftSteps) == 0 {
		t.Errorf("%+v", rep.Refutes[0])
	}
	c := rep.Consistency
	if c == nil || c.Pairs < 500 || c.Constants < 10 || c.Met == 0 || c.Z3Pairs != 12 || c.Z3Instances == 0 || c.Nodes < 5000 {
		t.Errorf("%+v", c)
	}
}

// Each kind of fault is found.
func TestFindings(t *testing.T) {
	everything := func(_ context.Context, l *law.Law) (string, string, float64) { return "proved", "", 0 }
	for _, c := range []struct {
		what, text string
		opt        axiomcheck.Options
		want       []string // parts of findings
	}{
		{"a false axiom", "# Wrong.\naxiom wrong given X : [n], Y : [n] then ewadd(X, Y) == ewmul(X, Y)",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Bounded}},
			[]string{"my.axioms:2:1: axiom wrong: is false: with n=1: output 0 at [0]: left X0 + Y0, right X0*Y0"}},
		{"lints", "axiom same given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Bounded}}, []string{"axiom same: there is no comment"}},
		{"a lemma that does not follow", "# Not from ours.\nlemma squares given X : [n] then relu(ewadd(X, relu(X))) == ewadd(relu(X), relu(X))",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Redundancy}}, []string{"lemma squares: does not follow from the axioms: not derived"}},
		{"a refuted equation that is true", "# True.\nrefute right given X : [P..], Y : [P..], Z : [P..] then ewadd(X, ewadd(Z, Y)) == ewadd(ewadd(Y, X), Z)",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Refutes}}, []string{"says the same as axiom ewadd_assoc", "my.axioms:2:1: refute right: no counterexample was found"}},
		{"a missing tag", "# Twice.\naxiom twice given X : [m, n] then relu(transpose(relu(X))) == transpose(relu(X))",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Bounded}}, []string{"has no tag ordered"}},
		{"a tag too many", "# Any.\naxiom any_order [ordered] given X : [m, n] then transpose(relu(transpose(X))) == relu(X)",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Bounded}}, []string{"the tag ordered is not needed"}},
		{"never defined", "# Never.\naxiom never given X : [n] where n == 1 then relu(slice[axis=0, lo=0, hi=2](X)) == slice[axis=0, lo=0, hi=2](relu(X))",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Bounded}}, []string{"is defined on none of 1 instances"}},
		{"not for all sizes", "# Fine.\naxiom fine given X : [n], Y : [n], Z : [n] then ewadd(X, ewmul(Y, Z)) == ewadd(ewmul(Z, Y), X)",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Unbounded},
				Unbounded: func(context.Context, *law.Law) (string, string, float64) { return "unknown", "too hard", 1 }},
			[]string{"axiom fine: not proved for all sizes (unknown): too hard"}},
		{"a true mutant that nobody knows", "# Fine.\naxiom fine [ordered] given X : [n] then relu(ewadd(X, ewadd(X, relu(X)))) == ewadd(relu(X), ewadd(relu(X), relu(X)))",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Mutants}},
			[]string{"axiom fine: mutant neither refuted nor known to be true: relu put before in ewadd(X, relu(X)), side 0"}},
		{"a prover that proves all", "# Fine.\naxiom fine given X : [n], Y : [n], Z : [n] then ewadd(X, ewmul(Y, Z)) == ewadd(ewmul(Z, Y), X)\n# False.\nrefute false given X : [n], Y : [n] then ewadd(X, Y) == X",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Mutants, axiomcheck.Refutes}, Unbounded: everything},
			[]string{"axiom fine: mutant is refuted, and proved for all sizes: ", "refute false: it is proved for all sizes"}},
		{"inconsistent", "# Wrong.\naxiom wrong given f : pointwise1, X : [P..] then f(X) == X",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Consistency}, Z3Pairs: 36},
			[]string{"become equal by [wrong]", "pairs become equal in all", "Z3 proves "}},
		{"unusable", "# Wrong.\naxiom wrong given X : [m, n], Y : [n, m] then transpose(X) == Y",
			axiomcheck.Options{Parts: []axiomcheck.Part{axiomcheck.Bounded}},
			[]string{"axiom wrong: can be used in neither direction", "axiom wrong: is false"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.opt.Laws = parse(t, c.text)
			rep := check(t, c.opt)
			all := strings.Join(rep.Findings, "\n")
			for _, w := range c.want {
				if !strings.Contains(all, w) {
					t.Errorf("no finding %q in\n%s", w, all)
				}
			}
			if len(rep.Laws)+len(rep.Refutes) != len(c.opt.Laws) {
				t.Errorf("%d laws, %d refutes", len(rep.Laws), len(rep.Refutes))
			}
		})
	}
}

// A law of one's own with the name of one of ours stands in its place.
func TestReplaced(t *testing.T) {
	rep := check(t, axiomcheck.Options{Laws: parse(t, "# Multiplication commutes.\naxiom ewmul_comm given X : [P..], Y : [P..] then ewmul(Y, X) == ewmul(X, Y)"),
		Parts: []axiomcheck.Part{axiomcheck.Bounded, axiomcheck.Redundancy}})
	if len(rep.Findings) > 0 || len(rep.Laws) != 1 || rep.Laws[0].Place != "my.axioms:2:1" || rep.Laws[0].Redundancy.Derivable {
		t.Errorf("%v %+v", rep.Findings, rep.Laws)
	}
}

// The report does not depend on the number of workers, nor on whether tasks come
// from a checkpoint.
func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	opt := axiomcheck.Options{Only: few, Workers: 1,
		Parts: []axiomcheck.Part{axiomcheck.Bounded, axiomcheck.Refutes, axiomcheck.Mutants}}
	want := plain(t, check(t, opt))
	opt.Workers, opt.Checkpoint = 3, path
	first := check(t, opt)
	if got := plain(t, first); got != want || first.Reused != 0 {
		t.Errorf("3 workers: %s\nwant %s", got, want)
	}
	again := check(t, opt)
	if got := plain(t, again); got != want || again.Reused != 2*7+1 {
		t.Errorf("from the checkpoint (%d): %s\nwant %s", again.Reused, got, want)
	}
	// Half a file is as good as half the work.
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:5], "")), 0o666); err != nil {
		t.Fatal(err)
	}
	part := check(t, opt)
	if got := plain(t, part); got != want || part.Reused != 5 {
		t.Errorf("from a part (%d): %s\nwant %s", part.Reused, got, want)
	}
	// Other bounds are other tasks.
	opt.Instances = 100
	if rep := check(t, opt); rep.Reused == 0 || rep.Reused > 2*7+1-3 {
		t.Errorf("%d tasks reused with other bounds", rep.Reused)
	}
	for text, want := range map[string]string{
		"{\"key\":":          "state:1: not a finished task",
		"{}\n":               "state:1: not a finished task",
		string(b[:len(b)-9]): "not a finished task",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := axiomcheck.Run(context.Background(), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A forged witness is not believed.
func TestCheckpointForged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	opt := axiomcheck.Options{Only: []string{"matmul_comm"}, Parts: []axiomcheck.Part{axiomcheck.Refutes}, Checkpoint: path}
	rep := check(t, opt)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := fmt.Sprintf("%q:%q", "term", rep.Refutes[0].Witness.Inputs[0].Term)
	forged := strings.Replace(string(b), old, "\"term\":\"Q\"", 1)
	if forged == string(b) {
		t.Fatalf("no %s in %s", old, b)
	}
	if err := os.WriteFile(path, []byte(forged), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := axiomcheck.Run(context.Background(), opt); err == nil || !strings.Contains(err.Error(), "witness of the checkpoint") {
		t.Errorf("got %v", err)
	}
}

func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	n := 0
	path := filepath.Join(t.TempDir(), "state")
	rep, err := axiomcheck.Run(ctx, axiomcheck.Options{Only: few, Workers: 1, Parts: []axiomcheck.Part{axiomcheck.Unbounded}, Checkpoint: path,
		Unbounded: func(context.Context, *law.Law) (string, string, float64) {
			if n++; n == 3 {
				stop()
			}
			return "proved", "", 0
		}})
	if err != nil || rep.Stopped == "" {
		t.Fatalf("%+v %v", rep, err)
	}
	done := 0
	for _, l := range rep.Laws {
		if l.Unbounded != nil {
			done++
		}
	}
	b, err := os.ReadFile(path)
	if err != nil || done != 2 || strings.Count(string(b), "\n") != 2 {
		t.Errorf("%d laws done, checkpoint %q, %v", done, b, err)
	}
}

func TestErrors(t *testing.T) {
	for want, opt := range map[string]axiomcheck.Options{
		`check axioms: there is no law "nothing" to check`: {Only: []string{"nothing"}},
		"check axioms: my.axioms:1:1: r is a rule; rules are audited, not checked as axioms": {
			Laws: parse(t, "rule r given X : [n] then relu(relu(X)) == relu(X)")},
		"check axioms: checkpoint: read .: is a directory": {Checkpoint: "."},
	} {
		if _, err := axiomcheck.Run(context.Background(), opt); err == nil || !strings.HasPrefix(strings.Replace(err.Error(), "checkpoint .: read", "checkpoint: read", 1), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func ExampleRun() {
	laws, err := law.Parse("my.axioms", []byte(`
# Transposing exchanges the factors.
axiom exchanged
  given X : [n, n], Y : [n, n]
  then  transpose(matmul(X, Y)) == matmul(transpose(X), transpose(Y))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := axiomcheck.Run(context.Background(), axiomcheck.Options{Laws: laws, Parts: []axiomcheck.Part{axiomcheck.Bounded}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range rep.Findings {
		fmt.Println(f)
	}
	// Output:
	// my.axioms:3:1: axiom exchanged: says the same as refute matmul_transpose_straight of this program
	// my.axioms:3:1: axiom exchanged: is false: with n=2: output 0 at [0 0]: left X0*Y0 + X1*Y2, right X0*Y0 + X2*Y1
}
