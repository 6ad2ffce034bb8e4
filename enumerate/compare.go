package enumerate

import (
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/enumerate/general"
)

// Batch is buckets of a level that are compared in other processes ([Comparer]), all from
// the same state: that before the level and the news of this batch and those before it.
type Batch struct {
	Number int    // of the level's batches, from 0
	News   []byte // for [Comparer.At]
	Chunks int    // parts of the batch
	Chunk  func(i int) ([]byte, error)
}

// told counts what other processes know of a session beside its state before the level.
type told struct{ order, answered, batches int }

// news is what they do not know yet.
func (lv *Level) news() ([]byte, error) {
	v := sentNews{MaxOps: lv.s.opt.MaxOps}
	for _, x := range lv.s.laws.order[lv.told.order:] {
		if x.proved {
			v.Proved = append(v.Proved, x.saved())
		}
	}
	for _, key := range lv.answered[lv.told.answered:] {
		a := lv.view.answers[key]
		v.Answers = append(v.Answers, sentAnswer{Key: key, How: a.how, Stated: a.cand != nil,
			Conditional: a.cand != nil && a.cand.Conditional})
	}
	lv.told.order, lv.told.answered = len(lv.s.laws.order), len(lv.answered)
	lv.told.batches++
	return encode(&v)
}

// compare compares the terms of the buckets of a batch, here or elsewhere.
func (lv *Level) compare(ctx context.Context, buckets []bucket, found []finding) error {
	phase := fmt.Sprintf("level %d: compare", lv.n)
	if g := lv.graphed; g != nil && g.Compare != nil && len(buckets) > g.Few {
		if err := lv.compareElsewhere(ctx, phase, buckets, found); err != nil {
			return fmt.Errorf("%s: %w", phase, err)
		}
		return nil
	}
	workers := make([]*classWorker, lv.s.opt.Workers)
	return lv.s.pool.each(ctx, phase, len(buckets), 16, func(wk, lo, hi int) {
		if workers[wk] == nil || workers[wk].full(lv.s.pool.storeLimit()) {
			workers[wk] = newClassWorker(lv.view, lv.tools(wk))
		}
		for i := lo; i < hi; i++ {
			workers[wk].bucket(&buckets[i], &found[i])
		}
	})
}

// tools are those of the wk-th goroutine.
func (lv *Level) tools(wk int) tools {
	if lv.deriver != nil && lv.derivers[wk] == nil {
		lv.derivers[wk] = lv.deriver()
	}
	return tools{lv.s.pool.tested[wk], lv.derivers[wk]}
}

// Chunks are so many buckets, as long as there are enough chunks for many processes.
const (
	leastChunk, mostChunk = 16, 4096
	manyChunks            = 256
)

func (lv *Level) compareElsewhere(ctx context.Context, phase string, buckets []bucket, found []finding) error {
	size := min(max(len(buckets)/manyChunks, leastChunk), mostChunk)
	chunk := func(i int) (lo, hi int) { return i * size, min(len(buckets), (i+1)*size) }
	b := &Batch{Number: lv.told.batches, Chunks: (len(buckets) + size - 1) / size}
	b.Chunk = func(i int) ([]byte, error) {
		lo, hi := chunk(i)
		return lv.sendBuckets(buckets[lo:hi])
	}
	var err error
	if b.News, err = lv.news(); err != nil {
		return err
	}
	met, done := make([]bool, b.Chunks), 0
	err = lv.graphed.Compare(ctx, b, func(i int, data []byte) error {
		if i < 0 || i >= b.Chunks || met[i] {
			return fmt.Errorf("what was found of chunk %d of %d, or a second time", i, b.Chunks)
		}
		met[i] = true
		lo, hi := chunk(i)
		if err := lv.takeFindings(buckets[lo:hi], data, found[lo:hi]); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
		if done += hi - lo; lv.s.opt.Progress != nil {
			lv.s.opt.Progress(phase, int64(done), int64(len(buckets)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if i := slices.Index(met, false); i >= 0 {
		return fmt.Errorf("nothing was found of chunk %d", i)
	}
	return lv.s.broken()
}

// sendBuckets writes buckets for a Comparer.
func (lv *Level) sendBuckets(buckets []bucket) ([]byte, error) {
	list := make([]sentBucket, len(buckets))
	for i := range buckets {
		list[i].Reps = buckets[i].reps
		for _, t := range buckets[i].news {
			c := lv.s.code(t)
			list[i].Terms = append(list[i].Terms, sentTerm{c[:], lv.s.hash(t), lv.view.symmetric[t]})
		}
	}
	return encode(list)
}

// takeFindings reads what a Comparer found of buckets.
func (lv *Level) takeFindings(buckets []bucket, data []byte, found []finding) error {
	var list []sentFinding
	if err := decode(data, &list); err != nil {
		return err
	}
	if len(list) != len(buckets) {
		return fmt.Errorf("%d findings of %d buckets", len(list), len(buckets))
	}
	for i := range list {
		if err := lv.takeFinding(&local{lv.base, buckets[i].news}, &list[i], &found[i]); err != nil {
			return fmt.Errorf("bucket %d: %w", i, err)
		}
	}
	return nil
}

func (lv *Level) takeFinding(b *local, x *sentFinding, f *finding) (err error) {
	*f = finding{pairs: x.Pairs, joined: x.Joined, false: x.False, untyped: x.Untyped}
	for _, t := range x.Open {
		if t, err = b.own(t); err != nil {
			return err
		}
		f.open = append(f.open, t)
	}
	if f.links, err = b.links(x.Links, false); err != nil {
		return err
	}
	if f.loose, err = b.links(x.Loose, false); err != nil {
		return err
	}
	if f.syms, err = b.links(x.Syms, true); err != nil {
		return err
	}
	for i := range x.Cands {
		c, err := lv.takeCandidate(b, &x.Cands[i])
		if err != nil {
			return fmt.Errorf("candidate %d: %w", i, err)
		}
		f.cands = append(f.cands, c)
	}
	for _, a := range x.Answers {
		y := answer{key: a.Key, how: a.How}
		if a.Stated {
			if a.Cand < 0 || a.Cand >= len(f.cands) || x.Cands[a.Cand].Key != "" {
				return fmt.Errorf("an answer is candidate %d", a.Cand)
			}
			y.cand = f.cands[a.Cand]
		}
		if a.How > wholly || a.Stated && a.How != not {
			return fmt.Errorf("answer %d, a candidate: %v", a.How, a.Stated)
		}
		f.answers = append(f.answers, y)
	}
	return nil
}

// takeCandidate is a candidate as the session would have stated it.
func (lv *Level) takeCandidate(b *local, x *sentCandidate) (c *statement, err error) {
	if x.Key != "" {
		a, ok := lv.view.answers[x.Key]
		if !ok || a.cand == nil {
			return nil, fmt.Errorf("no candidate is known of %q", x.Key)
		}
		c = a.cand.again()
	} else {
		fm, err := general.ParseForm(x.Form)
		if err != nil {
			return nil, err
		}
		k := savedCandidate{Law: x.Law, Base: x.Base, Own: x.Own, Conditional: fm.Conditional(), Level: lv.n}
		if c, err = k.read(); err != nil {
			return nil, err
		}
		if c.pair, err = general.ParsePair(x.Pair); err != nil {
			return nil, err
		}
		c.form, c.forms, c.test = fm, c.pair.Narrower(fm), lv.view.tester()
	}
	if c.merged, err = b.links(x.Merged, false); err != nil {
		return nil, err
	}
	c.syms, err = b.links(x.Syms, true)
	return c, err
}
