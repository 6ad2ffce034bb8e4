package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// strides are of how many rules of a file one is audited in make test, of others each is.
var strides = map[string]int{"tensat_converted.txt": 3, "flexflow_graph_subst_3_v2.json": 4}

func auditFile(t testing.TB, name string, opt Options) (*peer.File, *Report) {
	t.Helper()
	f, err := peer.Read(name, golden.Data(t, name), "")
	if err != nil {
		t.Fatal(err)
	}
	f, _ = sampled(f, sweep.Size(max(1, strides[name]), 1), func(i int) string {
		if fault := f.Rules[i].Fault; fault != nil {
			return string(fault.Kind)
		}
		return ""
	})
	reps, err := Run(context.Background(), []*peer.File{f}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return f, reps[0]
}

// published is the audit of a public set as it comes, once for all tests that ask one
// after the other; by three workers, to compare with one.
func published(t *testing.T, name string) (*peer.File, *Report) {
	t.Helper()
	a, ok := audits[name]
	if !ok {
		a.file, a.rep = auditFile(t, name, Options{Workers: 3})
		audits[name] = a
	}
	return a.file, a.rep
}

type audited struct {
	file *peer.File
	rep  *Report
}

var audits = map[string]audited{}

// Every rule of the public sets is decided, and what is said of each can be
// evaluated or checked again.
func TestPublished(t *testing.T) {
	type verdicts struct{ proved, conditional, refuted, illFormed int }
	for _, x := range []struct {
		file        string
		part, whole verdicts
	}{
		{"taso_graph_subst.pb", verdicts{78, 55, 0, 0}, verdicts{78, 55, 0, 0}},
		{"tensat_converted.txt", verdicts{29, 16, 0, 0}, verdicts{73, 47, 0, 0}},
		{"flexflow_graph_subst_3_v2.json", verdicts{101, 39, 1, 29}, verdicts{389, 134, 5, 112}},
	} {
		t.Run(x.file, func(t *testing.T) {
			_, rep := published(t, x.file)
			s := rep.Summary
			v := []verdicts{x.part, x.whole}[sweep.Size(0, 1)]
			want := map[Outcome]int{Proved: v.proved, Conditional: v.conditional, UpTo: 0, Refuted: v.refuted, Unknown: 0,
				IllFormed: v.illFormed, Unsupported: 0}
			if !maps.Equal(s.Verdicts, want) {
				t.Errorf("%v, want %v", s.Verdicts, want)
			}
			t.Logf("%d classes, %d generate them, %d duplicates, %d derivable", rep.Set.Classes, len(rep.Set.Minimal), s.Duplicates, s.Derivable)
			examine(t, rep)
		})
	}
}

// examine replays all counterexamples of a report from its JSON form, and has
// the certificates of its rules checked.
func examine(t *testing.T, rep *Report) {
	t.Helper()
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(rep); err != nil {
		t.Fatal(err)
	}
	if all, err := ReplayAll(&b, "report"); err != nil {
		t.Error(err)
	} else {
		for _, r := range all {
			if r.Err != nil {
				t.Errorf("%s: %v", r.Rule, r.Err)
			}
		}
	}
	for _, r := range rep.Rules {
		for _, g := range r.Readings {
			for _, w := range []Direction{g.Forward, g.Backward} {
				switch {
				case w.Verdict == Refuted && w.Counterexample == nil:
					t.Errorf("rule %d, %s: refuted without a counterexample", r.Index, g.Semantics)
				case w.Verdict == Conditional && (w.Condition == "" || w.Counterexample == nil && w.Reason == ""):
					t.Errorf("rule %d, %s: conditional without a condition or a counterexample", r.Index, g.Semantics)
				case w.Verdict == Unknown && w.Reason == "":
					t.Errorf("rule %d, %s: unknown without a reason", r.Index, g.Semantics)
				}
			}
		}
	}
	conditionsBreak(t, rep)
	for _, all := range []bool{true, false} {
		set, left, err := Certified(context.Background(), []*Report{rep}, all)
		if err != nil {
			t.Fatal(err)
		}
		if all && left.Unproved != 0 {
			t.Logf("left out: %+v", left)
		}
		if left.Sums+left.Reverse+left.Half+left.Form > 0 {
			t.Errorf("rules without a certificate: %+v", left)
		}
		var text, cert bytes.Buffer
		if err := rules.WriteText(&text, set); err != nil {
			t.Fatal(err)
		}
		if err := rules.WriteCert(&cert, set); err != nil {
			t.Fatal(err)
		}
		r, err := check.File(context.Background(), &cert, "cert", check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Rejected) > 0 || r.Rules != set.Len() {
			t.Errorf("%d of %d certificates accepted: %v", r.Rules, set.Len(), r.Rejected)
		}
	}
}

// Verdicts and certificates do not depend on laws that somebody wrote: they are the same without
// the axioms and lemmas.
func TestWithoutAxioms(t *testing.T) {
	for _, name := range []string{"taso_graph_subst.pb", "tensat_converted.txt", "flexflow_graph_subst_3_v2.json"} {
		f, with := published(t, name)
		opt := Options{Workers: 3, NoSet: true}.withDefaults()
		d := &decider{opt: opt, theory: &theory.Theory{ByName: check.Laws{}}, known: map[string]*decision{}, witness: map[string]*Counterexample{},
			spread: map[string]*spreading{}}
		rep, err := d.file(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(rep.Summary.Verdicts, with.Summary.Verdicts) || rep.Summary.Certified != with.Summary.Certified || rep.Summary.Certified == 0 {
			t.Errorf("%s: without axioms %v, %d certified; with axioms %v, %d", name, rep.Summary.Verdicts, rep.Summary.Certified, with.Summary.Verdicts, with.Summary.Certified)
		}
		for i, r := range rep.Rules {
			if w := with.Rules[i]; r.Verdict != w.Verdict || r.Condition != w.Condition {
				t.Errorf("%s, rule %d: %s (%s) without axioms, %s (%s) with them", name, r.Index, r.Verdict, r.Condition, w.Verdict, w.Condition)
			}
		}
	}
}

// The report does not depend on the number of workers, timings left out.
func TestWorkersDoNotMatter(t *testing.T) {
	const name = "tensat_converted.txt"
	_, one := auditFile(t, name, Options{Workers: 1})
	_, three := published(t, name)
	var first []byte
	for _, rep := range []*Report{one, three} {
		rep.Summary.Seconds = 0
		for _, r := range rep.Rules {
			r.Millis = 0
			for i := range r.Readings {
				r.Readings[i].Forward.Millis, r.Readings[i].Backward.Millis = 0, 0
			}
		}
		b, err := json.Marshal(rep)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		} else if !bytes.Equal(first, b) {
			t.Error("1 and 3 workers report different things")
		}
	}
}

// The equations that TASO's verifier is given hold for all sizes, shown without
// axioms: with one group, odd kernels, and where both sides are defined.
func TestVerifierEquationsForAllSizes(t *testing.T) {
	f, err := peer.Read("equations", golden.Data(t, "taso_verifier_equations.txt"), "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	classes := map[string]bool{}
	var laws []*law.Law
	for _, r := range f.Rules {
		if seen[r.Source] {
			continue
		}
		seen[r.Source] = true
		l, _, err := translate(r.TASO, taso.Reading{Same: graph.SameLower})
		if err != nil {
			t.Fatalf("%s: %v", r.Source, err)
		}
		if x, err := rules.New(l); err == nil {
			classes[x.ID()] = true
		}
		if d, _ := defined(l); d != nil {
			l = d
		}
		for _, s := range conditionsOf(l) {
			if s.condition == "odd kernels" {
				l = s.law
			}
		}
		laws = append(laws, l)
	}
	if len(laws) != 674 {
		t.Errorf("%d equations", len(laws))
	}
	var some []*law.Law
	for i := 0; i < len(laws); i += sweep.Size(3, 1) {
		some = append(some, laws[i])
	}
	laws = some
	rs, err := sums.ProveAll(context.Background(), laws, sums.Config{Ordered: true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	proved, upTo := 0, 0
	var ms []float64
	for i, r := range rs {
		ms = append(ms, r.Seconds*1000)
		if r.Proved {
			proved++
			continue
		}
		if r.UpTo != nil {
			upTo++
		}
		t.Logf("not proved: %s: %s", law.FormatOutputs(laws[i].LHS), r.Reason)
	}
	slices.Sort(ms)
	t.Logf("%d equations in %d classes, %d proved, %d up to limits; median %.2f ms, most %.1f ms",
		len(laws), len(classes), proved, upTo, ms[len(ms)/2], ms[len(ms)-1])
	if proved*1000 < 975*len(laws) {
		t.Errorf("%d of %d proved, want 97.5 %%", proved, len(laws))
	}
}
