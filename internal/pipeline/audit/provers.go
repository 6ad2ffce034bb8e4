package audit

import (
	"context"
	"time"

	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/smt"
)

// compare proves what is proved from operator semantics again, from the axioms: by the
// e-graph and by Z3 with quantified axioms. It notes which axioms are used.
func (d *decider) compare(ctx context.Context, rep *Report) error {
	var goals []*law.Law
	of := map[string][]*Rule{} // by text
	for _, r := range rep.Rules {
		if r.Goals[0] == nil || r.Goals[0].Proof == nil {
			continue
		}
		l := *r.Goals[0].Law
		l.Name = anyName
		text := law.Format(&l)
		if of[text] == nil {
			goals = append(goals, &l)
		}
		of[text] = append(of[text], r)
	}
	p := &Provers{Goals: len(goals)}
	rep.Provers = p
	start := time.Now()
	ps, err := d.theory.Decide(ctx, goals, theory.Options{Workers: 1})
	if err != nil {
		return err
	}
	p.Seconds = time.Since(start).Seconds()
	for i, x := range ps {
		if x.Verdict.Status == verify.Proved {
			p.Proved++
			for _, r := range of[law.Format(goals[i])] {
				r.Axioms = d.theory.AxiomsOf(x.Verdict.Proof)
			}
		}
	}
	d.axiomUse(rep)
	stage := d.opt.Progress.Stage("quantified axioms", int64(len(goals)))
	defer stage.Done()
	start = time.Now()
	for _, g := range goals {
		// One solver for each rule.
		q := &smt.Quantified{Laws: d.theory.Laws}
		vs, err := q.Prove(ctx, []*law.Law{g})
		if err != nil {
			return err
		}
		if vs[0].Status == verify.Proved {
			p.QuantifiedProved++
		}
		stage.Add(1)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	p.QuantifiedSeconds = time.Since(start).Seconds()
	return nil
}
