package axiomcheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/bounded"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/refute"
)

// version is part of every signature: results of another program of the same
// file format are not taken over.
const version = "2"

func (r *run) bounded(ctx context.Context, l *law.Law, out *LawReport) (err error) {
	sig := fmt.Sprint(version, r.opt.Instances, law.Format(l))
	out.Bounded, err = memo(r, Bounded, l.Name, sig, func() (*bounded.Result, error) {
		return bounded.Check(ctx, l, bounded.Options{Instances: r.opt.Instances, Workers: 1})
	})
	return err
}

// Sums proves a law from operator semantics, for Options.Unbounded.
func Sums(ctx context.Context, l *law.Law) (status, reason string, seconds float64) {
	start := time.Now()
	c, err := prove.Shared.Certify(ctx, l, prove.Search)
	seconds = time.Since(start).Seconds()
	switch {
	case err != nil:
		return verify.Unknown.String(), err.Error(), 0
	case c.Proved():
		return verify.Proved.String(), "", seconds
	}
	return verify.Unknown.String(), c.Reason, seconds
}

func (r *run) unbounded(ctx context.Context, l *law.Law, out *LawReport) (err error) {
	out.Unbounded, err = memo(r, Unbounded, l.Name, fmt.Sprint(version, law.Format(l)), func() (*UnboundedResult, error) {
		u := &UnboundedResult{}
		u.Status, u.Reason, u.Seconds = r.opt.Unbounded(ctx, l)
		return u, ctx.Err()
	})
	return err
}

func (r *run) redundancy(ctx context.Context, l *law.Law, out *LawReport) (err error) {
	sig := fmt.Sprint(version, redundancyRounds, l.Name, r.lib.text)
	out.Redundancy, err = memo(r, Redundancy, l.Name, sig, func() (*RedundancyResult, error) {
		return r.derive(ctx, l)
	})
	return err
}

// redundancyRounds are those in which a law is looked for among what follows from
// the others. They count nodes: what follows must not depend on how fast or how
// busy a machine is.
var redundancyRounds = append(slices.Clone(verify.LemmaRounds[:len(verify.LemmaRounds)-1]),
	tensor.Limits{Nodes: 30000, Iters: 6, Level: tensor.Growing})

// derive looks for a proof of l from the laws that are there without it.
func (r *run) derive(ctx context.Context, l *law.Law) (*RedundancyResult, error) {
	var from []*law.Law
	for _, a := range r.lib.axioms {
		if a.Name != l.Name {
			from = append(from, a)
		}
	}
	if l.Kind == law.Lemma {
		for _, m := range r.lib.lemmas {
			if m.Name == l.Name {
				break
			}
			from = append(from, m)
		}
	}
	v, err := verify.Derive(ctx, l, from, redundancyRounds)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	res := &RedundancyResult{Nodes: v.Nodes, Seconds: v.Seconds, Reason: v.Reason}
	if v.Status == verify.Proved {
		res.Derivable, res.From = true, v.Proof.Laws()
	}
	return res, nil
}

// spare looks for axioms that follow from the others all together: one after
// another, in the order of the texts, each that follows from what is left.
func (r *run) spare(ctx context.Context) error {
	without := map[string]bool{}
	byName := map[string]*law.Law{}
	for _, a := range r.lib.axioms {
		byName[a.Name] = a
	}
	for _, rep := range r.rep.Laws {
		l := byName[rep.Name]
		if l == nil || rep.Redundancy == nil || !rep.Redundancy.Derivable {
			continue
		}
		without[l.Name] = true
		from := slices.DeleteFunc(slices.Clone(r.lib.axioms), func(a *law.Law) bool { return without[a.Name] })
		v, err := verify.Derive(ctx, l, from, redundancyRounds)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if v.Status == verify.Proved {
			r.rep.Spare = append(r.rep.Spare, l.Name)
		} else {
			delete(without, l.Name)
		}
	}
	return nil
}

func (r *run) refute(ctx context.Context, l *law.Law, out *RefuteReport) error {
	place := out.Place
	res, err := memo(r, Refutes, l.Name, fmt.Sprint(version, r.opt.Unbounded != nil, law.Format(l)), func() (*RefuteReport, error) {
		start := time.Now()
		res := &RefuteReport{Name: l.Name}
		w, err := refute.Find(ctx, l, refute.Options{Bindings: 4000})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			res.Reason = err.Error()
		case w == nil:
			res.Reason = "no counterexample was found"
		default:
			// The witness counts only as far as it replays.
			if res.Witness, err = w.Replay(l); err != nil {
				res.Reason = err.Error()
			}
		}
		if r.opt.Unbounded != nil {
			if status, _, _ := r.opt.Unbounded(ctx, l); status == law.ProvedWord {
				res.Reason = "it is proved for all sizes"
			}
		}
		res.Seconds = time.Since(start).Seconds()
		return res, nil
	})
	if err != nil {
		return err
	}
	if res.Witness != nil {
		// A file is not believed: what it says is played again.
		if res.Witness, err = res.Witness.Replay(l); err != nil {
			return fmt.Errorf("witness of the checkpoint: %w", err)
		}
	}
	*out = *res
	out.Place = place
	return nil
}

// mutantBindings bounds what is tried on a mutant.
const mutantBindings = 1000

func (r *run) mutants(ctx context.Context, l *law.Law, out *LawReport) (err error) {
	sig := fmt.Sprint(version, r.opt.MutantInstances, r.opt.Unbounded != nil, law.Format(l), r.lib.text)
	out.Mutants, err = memo(r, Mutants, l.Name, sig, func() (*MutantsResult, error) {
		start := time.Now()
		res := &MutantsResult{}
		for _, m := range mutate.Mutants(l) {
			res.Made++
			if err := r.mutant(ctx, l, m, res); err != nil {
				return nil, err
			}
		}
		res.Seconds = time.Since(start).Seconds()
		return res, nil
	})
	return err
}

// mutant decides one mutant: first whether it is false, then why it is true.
// The prover for all sizes is asked of the false ones too, and must not prove
// them.
func (r *run) mutant(ctx context.Context, l *law.Law, m mutate.Mutant, res *MutantsResult) error {
	_, known := axioms.TrueMutant(l.Name, m.Name)
	b, err := bounded.Check(ctx, m.Law, bounded.Options{Instances: r.opt.MutantInstances, Workers: 1})
	if err != nil {
		return err
	}
	refuted := false
	if b.Failure == "" {
		w, err := refute.Find(ctx, m.Law, refute.Options{Bindings: mutantBindings})
		if err == nil && w != nil {
			_, err = w.Replay(m.Law)
			refuted = err == nil
		}
	}
	all := false
	if r.opt.Unbounded != nil {
		status, _, _ := r.opt.Unbounded(ctx, m.Law)
		all = status == law.ProvedWord
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.Failure != "" || refuted {
		if refuted {
			res.Refuted++
		} else {
			res.Bounded++
		}
		if known {
			res.Mistaken = append(res.Mistaken, m.Name)
		}
		if all {
			res.Contradicted = append(res.Contradicted, m.Name)
		}
		return nil
	}
	if all {
		res.Proved++
		return nil
	}
	if known {
		res.Argued++
		return nil
	}
	v, err := verify.Derive(ctx, m.Law, r.lib.base(), nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case v.Status == verify.Proved:
		res.Derived++
	default:
		res.Alive = append(res.Alive, m.Name)
	}
	return nil
}
