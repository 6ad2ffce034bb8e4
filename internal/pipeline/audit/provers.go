package audit

import (
	"context"
	"time"

	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/smt"
)

// compare proves what is proved from the axioms again, in both ways.
func (d *decider) compare(ctx context.Context, rep *Report) error {
	var goals []*law.Law
	seen := map[string]bool{}
	for _, r := range rep.Rules {
		if r.Goals[0] == nil || r.Goals[0].Proof == nil || r.Goals[0].Proof.Meaning != nil {
			continue
		}
		l := *r.Goals[0].Law
		l.Name = anyName
		if text := law.Format(&l); !seen[text] {
			seen[text] = true
			goals = append(goals, &l)
		}
	}
	p := &Provers{Goals: len(goals)}
	rep.Provers = p
	start := time.Now()
	ps, err := d.theory.Decide(ctx, goals, theory.Options{Workers: 1})
	if err != nil {
		return err
	}
	p.Seconds = time.Since(start).Seconds()
	for _, x := range ps {
		if x.Verdict.Status == verify.Proved {
			p.Proved++
		}
	}
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
