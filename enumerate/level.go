package enumerate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/law"
)

// Untyped is a pair of terms that agree in the case but have no general form.
type Untyped struct {
	Pair   string // both sides with the sizes of the case
	Reason string
}

// Stats count what one level did.
type Stats struct {
	Level    int
	Visits   uint64 // sequences the walk tried
	Terms    int    // distinct terms of this many operators
	Tensors  int    // evaluated, renamings of inputs included
	Classes  int    // buckets these terms fall into
	New      int    // terms that open a bucket or stay representatives
	Pairs    int    // pairs of terms with equal fingerprints
	Joined   int    // of them: follow from smaller proved rules
	False    int    // of them: false on other shapes
	Untyped  int    // of them: cannot be stated for sizes that are not those of the case
	Raw      int    // of them: stated as laws
	Distinct int    // laws after renaming of inputs
	Proved   int    // of them

	WalkSeconds, HashSeconds, CompareSeconds float64 // wall time
	EnumerateCPU                             float64 // CPU seconds of walk and fingerprints
}

// Batches are the candidates of a level. They come in batches, since what is learned of one batch
// prunes the next, so that a law is stated once and not once for each type of input. Neither the
// batches nor their order depend on the number of workers.
type Batches struct {
	s *Session
	// next states the candidates of the next batch; false: there are no more.
	next func(context.Context) ([]*statement, bool, error)
	free func() error // when all is done; nil: there is nothing to free

	stats  Stats
	stated []*statement // the batch, without repetitions
	fresh  []*statement // of stated: not known from earlier batches
	asked  []*statement // of fresh: those the caller has, until it says what they are
}

// Next returns the candidates of the next batch in canonical order. nil: there are no more. An
// error ends the session.
func (b *Batches) Next(ctx context.Context) ([]Candidate, error) {
	if len(b.asked) > 0 {
		return nil, errors.New("what became of the candidates before is not known")
	}
	for b.s.open == b {
		list, more, err := b.next(ctx)
		if err != nil {
			return nil, err
		}
		if !more {
			b.s.open = nil
			if b.free != nil {
				return nil, b.free()
			}
			return nil, nil
		}
		b.stats.Raw += len(list)
		b.stated, b.fresh = distinct(list), nil
		var out []Candidate
		for _, x := range b.stated {
			if b.s.laws.known[x.text] != nil {
				continue
			}
			b.fresh = append(b.fresh, x)
			if !x.proved { // else it is a pair that reads like one of a batch before
				b.asked, out = append(b.asked, x), append(out, x.Candidate)
			}
		}
		if len(out) > 0 {
			return out, nil
		}
		b.take()
	}
	return nil, nil
}

// Learn takes the verdicts on the candidates that Next returned, in their order. Only what is
// proved is used to prune.
func (b *Batches) Learn(verdicts []Verdict) error {
	if len(verdicts) != len(b.asked) {
		return fmt.Errorf("%d verdicts on %d candidates", len(verdicts), len(b.asked))
	}
	for i, v := range verdicts {
		b.asked[i].learn(v)
	}
	b.asked = nil
	b.take()
	return nil
}

// Stats count what was done so far.
func (b *Batches) Stats() Stats { return b.stats }

// take uses the verdicts on a batch.
func (b *Batches) take() {
	laws, links := &b.s.laws, &b.s.links
	for _, x := range b.fresh {
		laws.put(x)
		if b.stats.Distinct++; x.proved {
			b.stats.Proved++
		}
	}
	for _, x := range b.stated {
		k := laws.known[x.text]
		if k.proved && !k.Conditional && !k.Ordered {
			for _, m := range x.syms {
				links.fix(m)
			}
		}
		for _, m := range x.merged {
			switch {
			case k.Ordered && k.proved:
				links.joinOrdered(m)
				links.keep(m.t)
			case k.Ordered:
			case k.proved && !k.Conditional:
				links.join(m)
			case k.proved:
				links.joinLoosely(m)
				links.keep(m.t)
			default:
				links.keep(m.t)
			}
		}
	}
	for _, x := range b.stated {
		x.merged, x.syms = nil, nil
	}
	b.stated, b.fresh = nil, nil
}

// Level is a level: its terms, which agree, and its candidates in [Batches].
type Level struct {
	Batches
	n, base  int // the number of operators, and the first term
	deriver  func() func(*law.Law) bool
	derivers []func(*law.Law) bool // by goroutine
	view     *view                 // nil: the terms are not enumerated yet
	buckets  []bucket              // not compared yet
	size     int                   // of the next batch
	answered []string              // the keys of view.answers, as found
	untyped  []Untyped
	graphed  *Graphed // what workers elsewhere found of the level, if they did
	told     told     // what they know
}

// Level begins the level of n operators, which must be the next one. Its terms are enumerated when
// the first batch is asked for. deriver makes a function that says whether a law follows from
// smaller rules; it is called once a worker. Pairs that follow are not stated. nil: only what a
// short search over proved rules connects is left out.
func (s *Session) Level(n int, deriver func() func(*law.Law) bool) (*Level, error) {
	most := maxOps
	if s.opt.MaxOps > 0 {
		most = min(most, s.opt.MaxOps)
	}
	if n != s.Next() || n > most {
		return nil, fmt.Errorf("level %d: levels come in order, at most %d", n, most)
	}
	if err := s.idle(); err != nil {
		return nil, fmt.Errorf("level %d: %w", n, err)
	}
	lv := &Level{n: n, deriver: deriver, derivers: make([]func(*law.Law) bool, s.opt.Workers), size: 256}
	lv.Batches = Batches{s: s, next: lv.next, stats: Stats{Level: n}}
	s.open = &lv.Batches
	return lv, nil
}

// Untyped lists the pairs that could not be stated as laws, in canonical order.
func (lv *Level) Untyped() []Untyped {
	slices.SortFunc(lv.untyped, func(a, b Untyped) int { return cmp.Or(cmp.Compare(a.Pair, b.Pair), cmp.Compare(a.Reason, b.Reason)) })
	return lv.untyped
}

// enumerate finds the terms of the level, and which agree.
func (lv *Level) enumerate(ctx context.Context) error {
	s, st := lv.s, &lv.stats
	if err := s.settle(); err != nil {
		return err
	}
	lv.base = s.len()
	cpu := procstat.Read().CPUSeconds()
	syms, err := lv.graphs(ctx)
	if err != nil {
		return err
	}
	st.Terms = s.len() - lv.base
	st.EnumerateCPU = procstat.Read().CPUSeconds() - cpu
	lv.view = s.view()
	lv.view.symmetric = syms
	buckets, alone := s.buckets(lv.base, syms)
	lv.buckets, st.Classes = buckets, len(buckets)+alone
	if lv.view.last {
		s.classes.first = nil // no further term is met
	}
	return nil
}

// graphs is the work of enumerate that other processes may do. It returns the symmetric terms.
func (lv *Level) graphs(ctx context.Context) (syms symmetries, err error) {
	s, st, t0 := lv.s, &lv.stats, time.Now()
	if s.opt.Remote != nil {
		var state bytes.Buffer
		if err := s.save(&state); err != nil {
			return nil, err
		}
		if lv.graphed, err = s.opt.Remote.Graphs(ctx, lv.n, state.Bytes()); err != nil {
			return nil, err
		}
		lv.free = lv.graphed.Close
		lv.told.order = len(s.laws.order)
		st.Visits = lv.graphed.Visits
		syms, st.Tensors, err = s.remote(lv.n, lv.graphed)
		st.WalkSeconds = time.Since(t0).Seconds()
		return syms, err
	}
	all, err := s.generate(ctx, lv.n)
	if err != nil {
		return nil, err
	}
	defer all.close()
	st.Visits, st.WalkSeconds = all.visits, time.Since(t0).Seconds()
	t0 = time.Now()
	if all.spilled {
		syms, st.Tensors, err = s.fingerprintsOnDisk(ctx, all)
	} else {
		syms, st.Tensors, err = s.fingerprints(ctx, all)
	}
	st.HashSeconds = time.Since(t0).Seconds()
	return syms, err
}

// next compares the terms of the next buckets; batches are of growing size.
func (lv *Level) next(ctx context.Context) ([]*statement, bool, error) {
	if lv.view == nil {
		if err := lv.enumerate(ctx); err != nil {
			return nil, false, err
		}
	}
	if len(lv.buckets) == 0 {
		lv.stats.New = 0
		for _, rep := range lv.s.links.rep[lv.base:] {
			if rep {
				lv.stats.New++
			}
		}
		return nil, false, nil
	}
	t0 := time.Now()
	defer func() { lv.stats.CompareSeconds += time.Since(t0).Seconds() }()
	n := min(lv.size, len(lv.buckets))
	found := make([]finding, n)
	if err := lv.compare(ctx, lv.buckets[:n], found); err != nil {
		return nil, false, err
	}
	lv.buckets, lv.size = lv.buckets[n:], 2*lv.size
	var list []*statement
	for i := range found {
		lv.use(&found[i])
		list = append(list, found[i].cands...)
	}
	return list, true, nil
}

// use takes what the comparison of a bucket found, but for its candidates.
func (lv *Level) use(f *finding) {
	links, st := &lv.s.links, &lv.stats
	for _, t := range f.open {
		links.keep(t)
	}
	for _, x := range f.links {
		links.join(x)
	}
	for _, x := range f.loose {
		links.joinLoosely(x)
	}
	for _, x := range f.syms {
		links.fix(x)
	}
	for _, a := range f.answers {
		if _, ok := lv.view.answers[a.key]; !ok {
			lv.view.answers[a.key] = a
			lv.answered = append(lv.answered, a.key)
		}
	}
	st.Pairs += f.pairs
	st.Joined += f.joined
	st.False += f.false
	st.Untyped += len(f.untyped)
	lv.untyped = append(lv.untyped, f.untyped...)
}
