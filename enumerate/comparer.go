package enumerate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
)

// Comparer compares the terms of buckets for a session of another process
// ([Graphed.Compare]). What it finds depends on the state, the news and the bucket alone.
// It serves any number of goroutines.
type Comparer struct {
	w       *Worker
	deriver func() func(*law.Law) bool
	derived *derivedLaws

	mu   sync.Mutex
	idle []tools
	last *Comparison
}

// NewComparer compares terms of the level that a worker's session is at. deriver is that of
// [Session.Level].
func NewComparer(w *Worker, deriver func() func(*law.Law) bool) *Comparer {
	return &Comparer{w: w, deriver: deriver, derived: newDerivedLaws()}
}

// Comparison compares the buckets of one batch. It serves any number of goroutines.
type Comparison struct {
	c    *Comparer
	v    *view
	mu   sync.Mutex
	idle []*classWorker
}

// At is for the batch after the news, which are those of all batches of the level so far.
func (c *Comparer) At(news ...[]byte) (*Comparison, error) {
	from := c.w.s
	v := from.view()
	v.level, v.derived = from.Next(), c.derived
	v.laws = &lawbook{known: map[string]*statement{}, strict: slices.Clip(from.laws.strict), loose: slices.Clip(from.laws.loose)}
	for _, data := range news {
		var sent sentNews
		if err := decode(data, &sent); err != nil {
			return nil, fmt.Errorf("news: %w", err)
		}
		v.last = v.level == sent.MaxOps
		for i := range sent.Proved {
			k, err := sent.Proved[i].read()
			if err != nil {
				return nil, fmt.Errorf("news: %w", err)
			}
			v.laws.accept(k)
		}
		for _, a := range sent.Answers {
			y := answer{key: a.Key, how: a.How}
			if a.Stated {
				y.cand = &statement{Candidate: Candidate{Conditional: a.Conditional}, key: a.Key}
			}
			v.answers[a.Key] = y
		}
	}
	x := &Comparison{c: c, v: v}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last != nil {
		c.idle = append(c.idle, c.last.tools()...)
	}
	c.last = x
	return x, nil
}

// tools are those of goroutines that compare nothing.
func (x *Comparison) tools() (list []tools) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, w := range x.idle {
		list = append(list, tools{w.test.Known, w.derive})
	}
	x.idle = nil
	return list
}

// take is a worker for a goroutine.
func (x *Comparison) take() *classWorker {
	x.mu.Lock()
	if n := len(x.idle); n > 0 {
		w := x.idle[n-1]
		x.idle = x.idle[:n-1]
		x.mu.Unlock()
		return w
	}
	x.mu.Unlock()
	c := x.c
	c.mu.Lock()
	var t tools
	if n := len(c.idle); n > 0 {
		t, c.idle = c.idle[n-1], c.idle[:n-1]
	}
	c.mu.Unlock()
	if t.known == nil {
		t.known = general.NewKnown()
		if c.deriver != nil {
			t.derive = c.deriver()
		}
	}
	return newClassWorker(x.v, t)
}

// give keeps a worker for another chunk, or its tools if it has become large.
func (x *Comparison) give(w *classWorker) {
	if !w.full(x.c.w.s.pool.storeLimit()) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.idle = append(x.idle, w)
		return
	}
	x.c.mu.Lock()
	defer x.c.mu.Unlock()
	x.c.idle = append(x.c.idle, tools{w.test.Known, w.derive})
}

// Compare compares the buckets of a chunk ([Batch.Chunk]). The error says what is wrong
// with it, or that ctx ended.
func (x *Comparison) Compare(ctx context.Context, chunk []byte) ([]byte, error) {
	var list []sentBucket
	if err := decode(chunk, &list); err != nil {
		return nil, fmt.Errorf("buckets: %w", err)
	}
	w := x.take()
	defer func() { x.give(w) }()
	out := make([]sentFinding, len(list))
	for i := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w.full(x.c.w.s.pool.storeLimit()) {
			x.give(w)
			w = x.take()
		}
		b, own, err := x.bucket(w.st, &list[i])
		if err != nil {
			return nil, fmt.Errorf("bucket %d: %w", i, err)
		}
		w.own = own
		var f finding
		w.bucket(b, &f)
		if out[i], err = f.send(); err != nil {
			return nil, err
		}
	}
	return encode(out)
}

// ownTerms are the terms of a bucket that the session does not have, from number base on.
type ownTerms struct {
	base   int
	codes  []code
	hashes []fingerprint.Hash
	syms   [][][32]uint8
}

// bucket reads a bucket.
func (x *Comparison) bucket(st *store, b *sentBucket) (*bucket, *ownTerms, error) {
	own := &ownTerms{base: x.v.terms.len()}
	for i, r := range b.Reps {
		if r < 0 || int(r) >= own.base || i > 0 && r <= b.Reps[i-1] {
			return nil, nil, fmt.Errorf("representative %d of %d terms", r, own.base)
		}
	}
	out := &bucket{reps: b.Reps}
	for _, t := range b.Terms {
		c, err := x.v.u.toCode(t.Code)
		if err != nil {
			return nil, nil, err
		}
		if c.size() != x.v.level || st.decode(c, nil) == 0 {
			return nil, nil, fmt.Errorf("%x is not a term of level %d", t.Code, x.v.level)
		}
		for i := range t.Syms {
			if !st.renames(c, &t.Syms[i]) {
				return nil, nil, fmt.Errorf("%x is not a renaming of inputs", t.Syms[i])
			}
		}
		out.news = append(out.news, int32(own.base+len(own.codes)))
		own.codes, own.hashes, own.syms = append(own.codes, c), append(own.hashes, t.Hash), append(own.syms, t.Syms)
	}
	return out, own, nil
}

// send is the finding for the session.
func (f *finding) send() (sentFinding, error) {
	x := sentFinding{Open: f.open, Links: sendLinks(f.links), Loose: sendLinks(f.loose), Syms: sendLinks(f.syms),
		Pairs: f.pairs, Joined: f.joined, False: f.false, Untyped: f.untyped}
	for _, c := range f.cands {
		y := sentCandidate{Key: c.key, Merged: sendLinks(c.merged), Syms: sendLinks(c.syms)}
		if c.key == "" {
			k := c.saved()
			y.Law, y.Base, y.Own, y.Pair, y.Form = k.Law, k.Base, k.Own, c.pair.Text(), c.form.String()
		}
		x.Cands = append(x.Cands, y)
	}
	for _, a := range f.answers {
		y := sentAnswer{Key: a.key, How: a.how, Stated: a.cand != nil}
		if y.Stated {
			if y.Cand = slices.Index(f.cands, a.cand); y.Cand < 0 {
				return x, fmt.Errorf("the candidate of %q is not stated", a.key)
			}
		}
		x.Answers = append(x.Answers, y)
	}
	return x, nil
}
