package genrules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/internal/spill"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/prove"
	"github.com/taso-go/taso/verify/smt"
)

// Run generates rules. When ctx ends or the disk fails it stops
// cleanly: the report holds what was proved until then and says in Stopped why
// it is not all; the error is nil unless nothing could be done.
func Run(ctx context.Context, opt Options) (*Report, error) {
	opt.complete()
	u, err := enumerate.New(opt.Ops)
	if err != nil {
		return nil, err
	}
	rep := &Report{MaxOps: opt.MaxOps, Mode: "representatives", Universe: u.String(), Seed: opt.Seed,
		Workers: opt.Workers}
	if opt.AxiomsOnly {
		rep.AxiomsSHA256 = axioms.SHA256()
	}
	if opt.Exhaustive {
		rep.Mode = "exhaustive"
	}
	r := &run{opt: &opt, rep: rep, meter: procstat.NewMeter(), u: u}
	e, _ := EstimateOf(opt)
	r.pace = newPace(e, time.Now)
	opt.Progress.Note(r.pace.note)
	j, err := newJudge(ctx, u.Ops(), &opt)
	if err != nil {
		return nil, err
	}
	r.judge = j
	if len(j.Laws) > 0 {
		r.stage("lemmas", int64(len(j.Lemmas)))
	}
	if err := r.levels(ctx); err != nil {
		var disk *spill.Error
		if !errors.As(err, &disk) && ctx.Err() == nil {
			return nil, err
		}
		rep.Stopped = err.Error()
	}
	if err := r.finish(ctx); err != nil {
		return nil, err
	}
	return rep, nil
}

type run struct {
	opt   *Options
	rep   *Report
	meter *procstat.Meter
	judge *judge
	u     *enumerate.Universe
	bar   bar
	pace  *pace
	cpu   float64 // of enumeration, in seconds
}

func (r *run) stage(name string, count int64) procstat.Stage {
	lap := r.meter.Lap()
	r.rep.Stages = append(r.rep.Stages, Stage{Name: name, Count: count, Seconds: lap.Wall.Seconds(), PeakRSS: lap.PeakRSS})
	return lap
}

// bar turns the enumerator's phases into progress stages.
type bar struct {
	sync.Mutex
	opt   *Options
	phase string
	stage *progress.Stage
	at    int64
}

func (b *bar) show(phase string, done, total int64) {
	b.opt.hold()
	b.Lock()
	defer b.Unlock()
	if phase != b.phase {
		b.stage.Done()
		b.phase, b.at = phase, 0
		b.stage = b.opt.Progress.Stage(phase, total)
	}
	if done > b.at {
		b.stage.Add(done - b.at)
		b.at = done
	}
}

func (r *run) levels(ctx context.Context) error {
	opt := r.opt
	r.bar.opt = opt
	eo := enumerate.Options{Universe: r.u, MaxOps: opt.MaxOps, Exhaustive: opt.Exhaustive, Workers: opt.Workers,
		Seed: opt.Seed, Memory: opt.Memory, Spill: opt.Spill, Progress: r.bar.show}
	if opt.Cluster != nil {
		eo.Remote = opt.Cluster
	}
	if opt.Exhaustive {
		g, err := enumerate.CountGraphs(ctx, eo, opt.MaxOps)
		if err != nil {
			return err
		}
		r.rep.Exhaustive = g
		r.rep.Graphs += int64(g.Graphs)
		r.cpu += r.stage("graphs of any number of outputs", int64(g.Graphs)).CPU.Seconds()
	}
	s := enumerate.NewSession(eo)
	defer s.Close()
	store, err := r.open(s)
	if err != nil {
		return err
	}
	r.pace.resume(s.Next())
	defer r.pace.begin(0)
	for n := s.Next(); n <= opt.MaxOps; n++ {
		r.pace.begin(n)
		var deriver func() func(*law.Law) bool
		if n >= deriveFrom {
			if err := r.judge.basis(ctx); err != nil {
				return err
			}
			deriver = r.judge.deriver
			if opt.Cluster != nil {
				opt.Cluster.Basis(r.judge.basisLaws)
			}
			r.stage(fmt.Sprintf("level %d: laws to derive from", n), int64(len(r.judge.basisLaws)))
		}
		lv, err := s.Level(n, deriver)
		if err != nil {
			return err
		}
		proving, err := r.prove(ctx, &lv.Batches)
		r.levelStages(n, lv.Stats(), proving)
		if err != nil {
			return err
		}
		for _, u := range lv.Untyped() {
			r.judge.note(&Unproved{Law: u.Pair, Status: law.UnknownWord, Reason: "no general form: " + u.Reason})
		}
		if n <= opt.SemanticOps {
			before := len(r.judge.proved)
			b, err := s.Ordered()
			if err == nil {
				_, err = r.prove(ctx, b)
			}
			lap := r.stage(fmt.Sprintf("level %d: %s", n, OrderedStage), int64(len(r.judge.proved)-before))
			r.rep.Levels[len(r.rep.Levels)-1].Seconds += lap.Wall.Seconds()
			if err != nil {
				return err
			}
		}
		r.pace.level(n)
		if err := store.save(r, s, n); err != nil {
			return err
		}
	}
	return nil
}

// prove decides the candidates of all batches. It returns the time that proofs took.
func (r *run) prove(ctx context.Context, b *enumerate.Batches) (proving time.Duration, err error) {
	for {
		cands, err := b.Next(ctx)
		if err != nil || len(cands) == 0 {
			return proving, err
		}
		t0 := time.Now()
		verdicts, err := r.judge.prove(ctx, cands)
		proving += time.Since(t0)
		if err == nil {
			err = b.Learn(verdicts)
		}
		if err != nil {
			return proving, err
		}
	}
}

func (r *run) levelStages(n int, st enumerate.Stats, proving time.Duration) {
	lap := r.meter.Lap()
	name := func(s string) string { return fmt.Sprintf("level %d: %s", n, s) }
	add := func(s string, count int64, seconds float64) {
		r.rep.Stages = append(r.rep.Stages, Stage{Name: name(s), Count: count, Seconds: seconds, PeakRSS: lap.PeakRSS})
	}
	add("graphs", int64(st.Terms), st.WalkSeconds)
	add("tensors evaluated", int64(st.Tensors), st.HashSeconds)
	add("buckets", int64(st.Classes), 0)
	add("pairs", int64(st.Pairs), st.CompareSeconds)
	add("pairs that follow from smaller rules", int64(st.Joined), 0)
	add("pairs false on other shapes", int64(st.False), 0)
	add("pairs without a general form", int64(st.Untyped), 0)
	add("candidates", int64(st.Raw), 0)
	add("candidates after renaming and generalizing", int64(st.Distinct), 0)
	add("proved", int64(st.Proved), proving.Seconds())
	r.rep.Levels = append(r.rep.Levels, Level{Operators: n, Graphs: int64(st.Terms), Classes: int64(st.Classes), Pairs: int64(st.Pairs),
		Stated: int64(st.Raw), Candidates: int64(st.Distinct), Proved: int64(st.Proved), Seconds: lap.Wall.Seconds()})
	r.rep.Graphs += int64(st.Terms)
	r.cpu += st.EnumerateCPU
}

// finish assembles the set and the figures.
func (r *run) finish(ctx context.Context) error {
	rep, j := r.rep, r.judge
	set := &rules.Set{}
	if r.opt.AxiomsOnly {
		set.Axioms, set.Lemmas = axioms.Text(), j.Lemmas
	}
	set.Header = rules.Header{Tool: "taso gen-rules", Seed: fmt.Sprint(r.opt.Seed),
		Universe:     fmt.Sprintf("%s; up to %d operators, %s", rep.Universe, rep.MaxOps, rep.Mode),
		AxiomsSHA256: rep.AxiomsSHA256}
	set.AddAll(j.sorted())
	r.stage(InstancesStage, int64(set.DropInstances()))
	// An interrupted run still writes what it proved; only the marks of
	// derivable rules are missing then.
	if ctx.Err() == nil {
		if err := derivable(ctx, set, r.opt); err != nil && ctx.Err() == nil {
			return err
		}
	}
	r.stage("derivable", int64(set.Count().Derivable))
	if err := r.join(ctx, set); err != nil && ctx.Err() == nil {
		return err
	}
	if r.opt.Minimal {
		set = set.Minimal()
	}
	c := set.Count()
	rep.Rules = Counts{Proved: c.Proved, Derivable: c.Derivable, Kept: c.Kept}
	for _, u := range j.open() {
		rep.Unproved = append(rep.Unproved, *u)
		if u.Status == law.RefutedWord {
			rep.Rules.Refuted++
		} else {
			rep.Rules.Unknown++
		}
	}
	rep.Set = set
	useful, err := MostUseful(set, mostUseful)
	if err != nil {
		return err
	}
	rep.Useful = useful
	if r.opt.Quantified && ctx.Err() == nil {
		if err := r.quantified(ctx, set); err != nil {
			return err
		}
	}
	total := r.meter.Total()
	rep.Seconds, rep.CPUSeconds, rep.PeakRSS = total.Wall.Seconds(), total.CPU.Seconds(), total.PeakRSS
	if r.cpu > 0 {
		rep.GraphsPerCPUSecond = float64(rep.Graphs) / r.cpu
	}
	if rep.Graphs > 0 {
		rep.BytesPerGraph = float64(rep.PeakRSS) / float64(rep.Graphs)
	}
	// Terms meet under one seed; further seeds come only when a pair is stated.
	rep.CollisionBound = fingerprint.CollisionBound(float64(rep.Graphs), rep.MaxOps, 1)
	r.opt.Progress.Close()
	return nil
}

// join adds rules with two outputs.
func (r *run) join(ctx context.Context, set *rules.Set) error {
	stated := rules.Join(set.Rules, r.opt.MaxOps)
	if len(stated) == 0 {
		return nil
	}
	goals := make([]*law.Law, len(stated))
	for i, s := range stated {
		goals[i] = s.Law
	}
	found := make([]*rules.Rule, len(goals))
	if !r.opt.AxiomsOnly {
		var err error
		if found, err = r.judge.meant(ctx, goals, prove.Search, func() {}); err != nil {
			return err
		}
	} else {
		vs, err := r.judge.decide(ctx, slices.Clone(goals), verify.DefaultRounds, func() {})
		if err != nil {
			return err
		}
		for i, v := range vs {
			if v.Status != verify.Proved {
				continue
			}
			if _, err := check.Rule(goals[i], v.Proof, r.judge.ByName); err == nil {
				found[i] = stated[i]
				found[i].Status, found[i].Proof, found[i].Engine = rules.Proved, v.Proof, v.Engine
			}
		}
	}
	kept := 0
	for i, s := range stated {
		if f := found[i]; f != nil && f.ID() == s.ID() {
			f.Conditional, f.Reason, f.Level = s.Conditional, s.Reason, s.Level
			if set.Add(f) {
				kept++
			}
		}
	}
	r.stage(JoinedStage, int64(kept-set.DropInstances()))
	return nil
}

// quantified runs prover (a) on the proved rules it can read, and prover (b)
// on the same ones, each with one worker.
func (r *run) quantified(ctx context.Context, set *rules.Set) error {
	var goals []*law.Law
	for _, rule := range set.Rules {
		goals = append(goals, rule.Law)
	}
	rep := &ProverTimes{Goals: len(goals)}
	for _, p := range []verify.Prover{&verify.EGraph{Laws: r.judge.Laws, Workers: 1}, &smt.Quantified{Laws: r.judge.Laws}} {
		vs, err := p.Prove(ctx, goals)
		if err != nil {
			return err
		}
		proved, seconds := 0, 0.0
		for _, v := range vs {
			if v.Status == verify.Proved {
				proved++
			}
			seconds += v.Seconds
		}
		if _, ok := p.(*verify.EGraph); ok {
			rep.EGraphProved, rep.EGraphSeconds = proved, seconds
		} else {
			rep.QuantifiedProved, rep.QuantifiedSeconds = proved, seconds
		}
	}
	r.rep.Provers = rep
	r.stage("quantified prover", int64(rep.QuantifiedProved))
	return nil
}
