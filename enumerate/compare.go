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

// news counts what other processes know of a session beside its state before the level.
type news struct{ order, answered, batches int }

// take is what they do not know yet.
func (n *news) take(s *Session) ([]byte, error) {
	v := sentNews{MaxOps: s.opt.MaxOps}
	for _, c := range s.order[n.order:] {
		if c.Proved {
			v.Proved = append(v.Proved, c.saved())
		}
	}
	for _, key := range s.answered[n.answered:] {
		a := s.answers[key]
		v.Answers = append(v.Answers, sentAnswer{Key: key, How: a.how, Stated: a.cand != nil,
			Conditional: a.cand != nil && a.cand.Conditional})
	}
	n.order, n.answered = len(s.order), len(s.answered)
	n.batches++
	return encode(&v)
}

// compare compares the terms of the buckets of a batch, here or elsewhere.
func (s *Session) compare(ctx context.Context, n, base int, buckets []bucket, found []finding) error {
	phase := fmt.Sprintf("level %d: compare", n)
	if g := s.graphed; g != nil && g.Compare != nil && len(buckets) > g.Few {
		if err := s.compareElsewhere(ctx, phase, base, buckets, found); err != nil {
			return fmt.Errorf("%s: %w", phase, err)
		}
		return nil
	}
	workers := make([]*classWorker, s.opt.Workers)
	return s.parallel(ctx, phase, len(buckets), 16, func(wk, lo, hi int) {
		if workers[wk] == nil || workers[wk].full() {
			workers[wk] = s.newClassWorker(wk)
		}
		for i := lo; i < hi; i++ {
			workers[wk].bucket(n, &buckets[i], &found[i])
		}
	})
}

// Chunks are so many buckets, as long as there are enough chunks for many processes.
const (
	leastChunk, mostChunk = 16, 4096
	manyChunks            = 256
)

func (s *Session) compareElsewhere(ctx context.Context, phase string, base int, buckets []bucket, found []finding) error {
	size := min(max(len(buckets)/manyChunks, leastChunk), mostChunk)
	chunk := func(i int) (lo, hi int) { return i * size, min(len(buckets), (i+1)*size) }
	b := &Batch{Number: s.news.batches, Chunks: (len(buckets) + size - 1) / size}
	b.Chunk = func(i int) ([]byte, error) {
		lo, hi := chunk(i)
		return s.sendBuckets(buckets[lo:hi])
	}
	var err error
	if b.News, err = s.news.take(s); err != nil {
		return err
	}
	met, done := make([]bool, b.Chunks), 0
	err = s.graphed.Compare(ctx, b, func(i int, data []byte) error {
		if i < 0 || i >= b.Chunks || met[i] {
			return fmt.Errorf("what was found of chunk %d of %d, or a second time", i, b.Chunks)
		}
		met[i] = true
		lo, hi := chunk(i)
		if err := s.takeFindings(base, buckets[lo:hi], data, found[lo:hi]); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
		if done += hi - lo; s.opt.Progress != nil {
			s.opt.Progress(phase, int64(done), int64(len(buckets)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if i := slices.Index(met, false); i >= 0 {
		return fmt.Errorf("nothing was found of chunk %d", i)
	}
	return s.broken()
}

// sendBuckets writes buckets for a Comparer.
func (s *Session) sendBuckets(buckets []bucket) ([]byte, error) {
	list := make([]sentBucket, len(buckets))
	for i := range buckets {
		list[i].Reps = buckets[i].reps
		for _, t := range buckets[i].news {
			c := s.code(t)
			list[i].Terms = append(list[i].Terms, sentTerm{c[:], s.hash(t), s.symmetric[t]})
		}
	}
	return encode(list)
}

// takeFindings reads what a Comparer found of buckets.
func (s *Session) takeFindings(base int, buckets []bucket, data []byte, found []finding) error {
	var list []sentFinding
	if err := decode(data, &list); err != nil {
		return err
	}
	if len(list) != len(buckets) {
		return fmt.Errorf("%d findings of %d buckets", len(list), len(buckets))
	}
	for i := range list {
		if err := s.takeFinding(&local{base, buckets[i].news}, &list[i], &found[i]); err != nil {
			return fmt.Errorf("bucket %d: %w", i, err)
		}
	}
	return nil
}

func (s *Session) takeFinding(b *local, x *sentFinding, f *finding) (err error) {
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
		c, err := s.takeCandidate(b, &x.Cands[i])
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
func (s *Session) takeCandidate(b *local, x *sentCandidate) (c *Candidate, err error) {
	if x.Key != "" {
		a, ok := s.answers[x.Key]
		if !ok || a.cand == nil {
			return nil, fmt.Errorf("no candidate is known of %q", x.Key)
		}
		d := *a.cand
		c = &d
	} else {
		fm, err := general.FormOf(x.Form)
		if err != nil {
			return nil, err
		}
		k := savedCandidate{Law: x.Law, Base: x.Base, Own: x.Own, Conditional: fm.Conditional(), Level: s.Next() - 1}
		if c, err = k.read(); err != nil {
			return nil, err
		}
		if c.pair, err = general.ParsePair(x.Pair); err != nil {
			return nil, err
		}
		c.form, c.forms, c.test = fm, c.pair.Narrower(fm), s.tester()
	}
	if c.merged, err = b.links(x.Merged, false); err != nil {
		return nil, err
	}
	c.syms, err = b.links(x.Syms, true)
	return c, err
}
