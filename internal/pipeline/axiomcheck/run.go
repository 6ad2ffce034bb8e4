package axiomcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/law/rewrite"
)

// task is one part for one law. do computes its result or takes it from the
// checkpoint.
type task struct {
	part Part
	name string
	do   func(ctx context.Context) error
}

type run struct {
	opt    Options
	lib    *library
	ck     *checkpoint
	rep    *Report
	mu     sync.Mutex
	reused int
}

// Run asks the questions of opt of the laws. The error is for what makes a check
// impossible: no such law, a checkpoint that cannot be read or written. A run
// whose context ends returns what it has, with Stopped set.
func Run(ctx context.Context, opt Options) (*Report, error) {
	start, cpu := time.Now(), procstat.Read()
	opt = opt.withDefaults()
	lib, err := gather(opt)
	if err != nil {
		return nil, fmt.Errorf("check axioms: %w", err)
	}
	ck, err := openCheckpoint(opt.Checkpoint)
	if err != nil {
		return nil, fmt.Errorf("check axioms: %w", err)
	}
	r := &run{opt: opt, lib: lib, ck: ck}
	r.rep = &Report{AxiomsSHA256: law.HashText(lib.text), Parts: opt.Parts, Findings: []string{}}
	r.lint()
	err = r.work(ctx, r.tasks())
	if err == nil {
		err = r.spare(ctx)
	}
	err = errors.Join(err, ck.flush())
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("check axioms: %w", err)
	}
	if ctx.Err() != nil {
		r.rep.Stopped = "interrupted"
	}
	r.rep.Reused = r.reused
	r.sum()
	r.find()
	r.rep.Seconds = time.Since(start).Seconds()
	r.rep.CPUSeconds = procstat.Read().CPUSeconds() - cpu.CPUSeconds()
	return r.rep, nil
}

// lint reports faults of the texts, and laws that say what one of the program's
// says already.
func (r *run) lint() {
	for _, e := range law.Lint(r.lib.check, instance.Mismatch) {
		r.rep.Lints = append(r.rep.Lints, e.Error())
	}
	if r.opt.Laws != nil {
		ids := map[string]*law.Law{}
		for _, l := range r.lib.others {
			ids[law.ID(l)] = l
		}
		for _, l := range r.lib.check {
			if old := ids[law.ID(l)]; old != nil {
				r.rep.Lints = append(r.rep.Lints, fmt.Sprintf("%s: %s %s: says the same as %s %s of this program", l.Pos, l.Kind, l.Name, old.Kind, old.Name))
			}
		}
	}
	for _, l := range r.lib.check {
		if l.Kind == law.Refute {
			continue
		}
		if c, err := rewrite.Compile(l); err == nil && len(c.Directions) == 0 {
			r.rep.Lints = append(r.rep.Lints, fmt.Sprintf("%s: %s %s: can be used in neither direction: each side has what the other lacks", l.Pos, l.Kind, l.Name))
		}
	}
}

// tasks lists what is to be done; those that take longest come first, so that
// no worker is left alone with one at the end.
func (r *run) tasks() []task {
	byPart := map[Part][]task{}
	add := func(p Part, name string, do func(context.Context) error) {
		if slices.Contains(r.opt.Parts, p) {
			byPart[p] = append(byPart[p], task{p, name, do})
		}
	}
	for _, l := range r.lib.check {
		if l.Kind == law.Refute {
			if slices.Contains(r.opt.Parts, Refutes) {
				out := &RefuteReport{Name: l.Name, Place: l.Pos.String()}
				r.rep.Refutes = append(r.rep.Refutes, out)
				add(Refutes, l.Name, func(ctx context.Context) error { return r.refute(ctx, l, out) })
			}
			continue
		}
		out := &LawReport{Name: l.Name, Kind: l.Kind.String(), Place: l.Pos.String()}
		r.rep.Laws = append(r.rep.Laws, out)
		add(Bounded, l.Name, func(ctx context.Context) error { return r.bounded(ctx, l, out) })
		add(Unbounded, l.Name, func(ctx context.Context) error { return r.unbounded(ctx, l, out) })
		add(Redundancy, l.Name, func(ctx context.Context) error { return r.redundancy(ctx, l, out) })
		add(Mutants, l.Name, func(ctx context.Context) error { return r.mutants(ctx, l, out) })
	}
	add(Consistency, "", r.consistency)
	var out []task
	for _, p := range []Part{Consistency, Redundancy, Mutants, Bounded, Unbounded, Refutes} {
		out = append(out, byPart[p]...)
	}
	return out
}

// work runs tasks on all workers; the first error ends it.
func (r *run) work(ctx context.Context, tasks []task) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stage := r.opt.Progress.Stage("check axioms", int64(max(len(tasks), 1)))
	defer stage.Done()
	return parallel.Each(ctx, r.opt.Workers, len(tasks), func(_, i int) error {
		defer stage.Add(1)
		t := tasks[i]
		if err := t.do(ctx); err != nil {
			stop()
			return fmt.Errorf("%s %s: %w", t.part, t.name, err)
		}
		return nil
	})
}

// memo computes a result, unless the checkpoint has it. signature is all that it
// depends on beside the name of the part.
func memo[T any](r *run, p Part, name, signature string, compute func() (*T, error)) (*T, error) {
	key := string(p) + ":" + law.HashText(signature)
	var old T
	if r.ck.get(key, &old) {
		r.mu.Lock()
		r.reused++
		r.mu.Unlock()
		return &old, nil
	}
	out, err := compute()
	if err != nil {
		return nil, err
	}
	return out, r.ck.put(key, string(p)+" "+name, out)
}

// sum fills the summary.
func (r *run) sum() {
	s := &r.rep.Summary
	for _, l := range r.rep.Laws {
		if l.Kind == law.Axiom.String() {
			s.Axioms++
		} else {
			s.Lemmas++
		}
		if b := l.Bounded; b != nil {
			s.Instances += b.Instances
			s.Symbolic += b.Symbolic
			s.Tested += b.Tested
			s.Undefined += b.Undefined
			s.BoundedSecs += b.Seconds
			if b.Complete {
				s.Complete++
			}
		}
		if u := l.Unbounded; u != nil {
			s.UnboundedSec += u.Seconds
			if u.Status == law.ProvedWord {
				s.ProvedAll++
			}
		}
		if d := l.Redundancy; d != nil {
			s.DeriveSecs += d.Seconds
			if d.Derivable && l.Kind == law.Axiom.String() {
				s.Derivable++
			}
		}
		if m := l.Mutants; m != nil {
			s.MutantsMade += m.Made
			s.MutantsDead += m.Killed()
			s.MutantsTrue += m.True()
			s.MutantsSecs += m.Seconds
		}
	}
	for _, f := range r.rep.Refutes {
		s.Refutes++
		if f.Witness != nil {
			s.Witnesses++
		}
	}
}

// find lists what is wrong. That an axiom follows from others is no fault, and
// that it was not proved for all sizes is one only if it is refuted.
func (r *run) find() {
	add := func(format string, args ...any) {
		r.rep.Findings = append(r.rep.Findings, fmt.Sprintf(format, args...))
	}
	for _, e := range r.rep.Lints {
		add("%s", e)
	}
	tags := map[string]bool{}
	for _, l := range r.lib.check {
		tags[l.Name] = l.HasTag(law.TagOrdered)
	}
	for _, l := range r.rep.Laws {
		at := l.Place + ": " + l.Kind + " " + l.Name + ": "
		if b := l.Bounded; b != nil {
			switch {
			case b.Failure != "":
				add("%sis false: %s", at, b.Failure)
			case b.Symbolic+b.Tested == 0:
				add("%sis defined on none of %d instances", at, b.Instances)
			case b.Undecided > 0:
				add("%sis not decided on %d of %d instances", at, b.Undecided, b.Instances)
			case b.Ordered > 0 && !tags[l.Name]:
				add("%sholds of the true relu and maximum only, and has no tag %s", at, law.TagOrdered)
			case b.Ordered == 0 && b.Tested == 0 && tags[l.Name]:
				add("%sholds of any activation and order; the tag %s is not needed", at, law.TagOrdered)
			}
		}
		if u := l.Unbounded; u != nil && u.Status != law.ProvedWord {
			add("%snot proved for all sizes (%s): %s", at, u.Status, u.Reason)
		}
		if d := l.Redundancy; d != nil && !d.Derivable && l.Kind == law.Lemma.String() {
			add("%sdoes not follow from the axioms: %s", at, d.Reason)
		}
		if m := l.Mutants; m != nil {
			for _, name := range m.Alive {
				add("%smutant neither refuted nor known to be true: %s", at, name)
			}
			for _, name := range m.Contradicted {
				add("%smutant is refuted, and proved for all sizes: %s", at, name)
			}
			for _, name := range m.Mistaken {
				add("%smutant is refuted and believed true: %s", at, name)
			}
		}
	}
	for _, f := range r.rep.Refutes {
		if f.Reason != "" {
			add("%s: refute %s: %s", f.Place, f.Name, f.Reason)
		}
	}
	if c := r.rep.Consistency; c != nil {
		for _, w := range c.Wrong {
			add("inconsistent: %s", w)
		}
	}
}
