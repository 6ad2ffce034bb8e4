package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/internal/pipeline/axiomcheck"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/rules/peer"
)

// published are the public rule sets that are audited.
var published = []struct{ name, file string }{
	{"TASO `graph_subst.pb`", "taso_graph_subst.pb"},
	{"Tensat `converted.txt`", "tensat_converted.txt"},
	{"TASO's verifier's equations", "taso_verifier_equations.txt"},
	{"Unity `graph_subst_3_v2.json`", "flexflow_graph_subst_3_v2.json"},
}

func init() {
	audits := &Benchmark{Name: "audits", What: "verdicts on the rules of TASO, Tensat and Unity",
		Takes: "2 min", Packages: []string{"internal/pipeline/audit", "rules/peer"}, Run: audits}
	for _, p := range published {
		audits.Needs = append(audits.Needs, p.file)
	}
	Register(audits)
	Register(&Benchmark{Name: "axioms", What: "whether the axioms are true, consistent and needed",
		Takes: "4 min", Packages: []string{"internal/pipeline/axiomcheck"}, Run: axiomParts})
}

func audits(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("", Label("file"), Counted("rules"))
	for _, o := range audit.Outcomes {
		t.Columns = append(t.Columns, Counted(string(o)))
	}
	t.Columns = append(t.Columns, Counted("duplicates"), Counted("distinct laws"), Counted("minimal set"),
		Measured("time", "s").Digits(2), Measured("CPU", "s").Digits(2))
	for _, p := range published {
		data, err := os.ReadFile(filepath.Join(env.Data, p.file))
		if err != nil {
			return nil, err
		}
		f, err := peer.Read(p.file, data, "")
		if err != nil {
			return nil, err
		}
		cpu := procstat.Read().CPUSeconds()
		reps, err := audit.Run(ctx, []*peer.File{f}, audit.Options{Workers: env.Workers, Seed: 1, Progress: env.Progress})
		if err != nil {
			return nil, err
		}
		s, set := reps[0].Summary, reps[0].Set
		row := []any{p.name, s.Rules}
		for _, o := range audit.Outcomes {
			row = append(row, s.Verdicts[o])
		}
		t.Add(append(row, s.Duplicates, set.Classes, len(set.Minimal), s.Seconds, procstat.Read().CPUSeconds()-cpu)...)
	}
	return &Record{Tables: []*Table{t}}, nil
}

func axiomParts(ctx context.Context, env *Env) (*Record, error) {
	rep, err := axiomcheck.Run(ctx, axiomcheck.Options{Workers: env.Workers, Unbounded: axiomcheck.Sums, Progress: env.Progress})
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case rep.Stopped != "":
		return nil, fmt.Errorf("stopped before the end: %s", rep.Stopped)
	}
	return &Record{Tables: []*Table{axiomTable(rep)}}, nil
}

// axiomTable is a line for each part of a check, in words.
func axiomTable(rep *axiomcheck.Report) *Table {
	s := rep.Summary
	n := func(n int) string { return thousands(fmt.Sprint(n)) }
	laws := s.Axioms + s.Lemmas
	t := NewTable(fmt.Sprintf("%d axioms, %d lemmas, %d refuted equations; %d findings.", s.Axioms, s.Lemmas, s.Refutes, len(rep.Findings)),
		Label("part"), Label("result"), Measured("worker time", "s").Digits(2))
	t.Add("bounded, symbolic", fmt.Sprintf("%d axioms and lemmas on %s instances: %s equal as polynomials, %s undefined on both sides, %s left to random testing; %d laws on their whole scope, the others on a covering of all pairs of values",
		laws, n(s.Instances), n(s.Symbolic), n(s.Undefined), n(s.Tested), s.Complete), s.BoundedSecs)
	t.Add("for all sizes, ranks, strides, paddings, groups", fmt.Sprintf("%d of %d", s.ProvedAll, laws), s.UnboundedSec)
	t.Add("mutants", fmt.Sprintf("%s made, %s killed, %d true", n(s.MutantsMade), n(s.MutantsDead), s.MutantsTrue), s.MutantsSecs)
	t.Add("refuted equations", fmt.Sprintf("%d, %d with a witness that replays", s.Refutes, s.Witnesses), nil)
	t.Add("redundant", fmt.Sprintf("%d axioms follow from the others, %d of them all together", s.Derivable, len(rep.Spare)), s.DeriveSecs)
	if c := rep.Consistency; c != nil {
		t.Add("consistency", fmt.Sprintf("%s pairs of unequal terms, %d made equal by the e-graph; %d by Z3, %d", n(c.Pairs), c.Merged, c.Z3Pairs, c.Z3Proved), c.Seconds)
	}
	return t
}
