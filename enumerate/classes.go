package enumerate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
)

// bucket is the terms that agree in the case, up to renaming of inputs: the
// representatives of earlier levels, then the terms of this level.
type bucket struct {
	reps []int32
	news []int32
}

// finding is what the comparison of one bucket yields.
type finding struct {
	cands  []*Candidate
	open   []int32 // terms that stay representatives
	merged []int32
	pairs  int
	joined int
	false  int
	cut    int
}

// classes compares the terms of each bucket and states the candidates.
func (s *Session) classes(ctx context.Context, n, base int, st *Stats) ([]*Candidate, error) {
	buckets := s.buckets(base)
	st.Classes = len(buckets)
	found := make([]finding, len(buckets))
	stores := make([]*classWorker, s.opt.Workers)
	err := s.parallel(ctx, fmt.Sprintf("level %d: compare", n), len(buckets), 16, func(wk, lo, hi int) {
		if stores[wk] == nil || len(stores[wk].st.apps) > 1<<18 {
			stores[wk] = s.newClassWorker()
		}
		for i := lo; i < hi; i++ {
			stores[wk].bucket(n, &buckets[i], &found[i])
		}
	})
	if err != nil {
		return nil, err
	}
	var cands []*Candidate
	for i := range found {
		f := &found[i]
		cands = append(cands, f.cands...)
		for _, t := range f.open {
			s.keep(t)
			st.New++
		}
		st.Pairs += f.pairs
		st.Joined += f.joined
		st.False += f.false
		st.Cut += f.cut
	}
	st.Raw = len(cands)
	cands = s.distinct(cands)
	st.Distinct = len(cands)
	return cands, nil
}

// keep makes a term a representative.
func (s *Session) keep(t int32) {
	s.rep[t] = true
	s.reps[s.codes[t]] = struct{}{}
}

// buckets groups this level's terms; a bucket of one new term and no
// representative is that term alone.
func (s *Session) buckets(base int) []bucket {
	at := map[int32]int{}
	var out []bucket
	for i := int32(base); i < int32(len(s.codes)); i++ {
		r := s.find(i)
		k, ok := at[r]
		if !ok {
			k = len(out)
			at[r] = k
			out = append(out, bucket{})
		}
		out[k].news = append(out[k].news, i)
	}
	for i := int32(0); i < int32(base); i++ {
		if s.rep[i] {
			if k, ok := at[s.find(i)]; ok {
				out[k].reps = append(out[k].reps, i)
			}
		}
	}
	return out
}

type classWorker struct {
	s      *Session
	st     *store
	strict *rewriter // unconditional rules
	loose  *rewriter // all rules
	test   tester
	buf    []uint64
}

func (s *Session) newClassWorker() *classWorker {
	st := newStore(s.u, s.opt.Seed)
	return &classWorker{s: s, st: st, strict: newRewriter(st, s.rules), loose: newRewriter(st, s.allRule),
		test: tester{seed: fingerprint.Mix(s.opt.Seed + 0x7e57)}}
}

func (w *classWorker) bucket(n int, b *bucket, f *finding) {
	reps := append([]int32(nil), b.reps...)
	for _, t := range b.news {
		w.symmetries(n, t, f)
		merged := false
		for _, r := range reps {
			if merged = w.relate(n, t, r, f) == same; merged {
				break
			}
		}
		if merged {
			f.merged = append(f.merged, t)
			continue
		}
		reps = append(reps, t)
		f.open = append(f.open, t)
	}
}

type relation uint8

const (
	different relation = iota
	same               // equal on all instances: one may stand for the other
)

// relate compares a new term with a representative of its bucket.
func (w *classWorker) relate(n int, t, r int32, f *finding) relation {
	x, y, ok := w.align(t, r)
	if !ok {
		return different
	}
	f.pairs++
	if w.strict.joins(x, y) {
		f.joined++
		return same
	}
	loose := w.loose.joins(x, y)
	if loose {
		f.joined++
		// It follows from rules that hold only for some strides, paddings or
		// kernels; with others the two terms may differ.
		return different
	}
	c := w.state(n, x, y, f)
	if c == nil {
		f.false++
		return different
	}
	if c.Conditional {
		f.cands = append(f.cands, c)
		return different
	}
	c.merged = []int32{t}
	f.cands = append(f.cands, c)
	return same
}

// align finds renamings under which the two terms have equal elements.
func (w *classWorker) align(t, r int32) (x, y tid, ok bool) {
	ct, cr := w.s.codes[t], w.s.codes[r]
	hash := func(c code, ren *[32]uint8) fingerprint.Hash {
		var h fingerprint.Hash
		h, w.buf = w.st.rootHash(c, ren, w.buf)
		return h
	}
	ht, hr := w.s.hashes[t], w.s.hashes[r]
	if ht == hr {
		return w.confirm(w.st.decode(ct, nil), w.st.decode(cr, nil))
	}
	eachRenaming(w.st, ct, func(ren *[32]uint8) bool {
		if hash(ct, ren) == hr {
			x, y, ok = w.confirm(w.st.decode(ct, ren), w.st.decode(cr, nil))
		}
		return !ok
	})
	if !ok {
		eachRenaming(w.st, cr, func(ren *[32]uint8) bool {
			if hash(cr, ren) == ht {
				x, y, ok = w.confirm(w.st.decode(ct, nil), w.st.decode(cr, ren))
			}
			return !ok
		})
	}
	return x, y, ok
}

// confirm compares the tensors element by element: equal hashes may collide.
func (w *classWorker) confirm(x, y tid) (tid, tid, bool) {
	if w.st.tensors[x].shape != w.st.tensors[y].shape {
		return x, y, false
	}
	return x, y, slices.Equal(w.st.value(x), w.st.value(y))
}

// symmetries states that a term does not change when its inputs are renamed.
func (w *classWorker) symmetries(n int, t int32, f *finding) {
	c := w.s.codes[t]
	eachRenaming(w.st, c, func(ren *[32]uint8) bool {
		var h fingerprint.Hash
		h, w.buf = w.st.rootHash(c, ren, w.buf)
		if h != w.s.hashes[t] {
			return true
		}
		x, y := w.st.decode(c, nil), w.st.decode(c, ren)
		if x == y {
			return true
		}
		if _, _, ok := w.confirm(x, y); !ok {
			return true
		}
		f.pairs++
		if w.loose.joins(x, y) {
			f.joined++
			return true
		}
		if cand := w.state(n, x, y, f); cand != nil {
			f.cands = append(f.cands, cand)
		} else {
			f.false++
		}
		return true
	})
}

// state makes a candidate of a pair, or nil if it is false in general.
func (w *classWorker) state(n int, x, y tid, f *finding) *Candidate {
	p := &pair{sizes: map[string][]int{}, weight: map[string]bool{}}
	memo := map[tid]*law.Term{}
	p.left = []*law.Term{w.st.termOf(x, memo, p)}
	p.right = []*law.Term{w.st.termOf(y, memo, p)}
	if p.left[0].String() == p.right[0].String() {
		return nil
	}
	base, fm, ok := w.test.widen(p)
	if !ok {
		return nil
	}
	return &Candidate{Base: base, Law: w.test.broaden(base), Conditional: fm.conditional(), Level: n}
}

// distinct brings the candidates into canonical form and order and drops
// repetitions, within the level and of earlier levels.
func (s *Session) distinct(cands []*Candidate) []*Candidate {
	byText := map[string]*Candidate{}
	var texts []string
	for _, c := range cands {
		c.Law = law.Canonical(c.Law)
		c.Base = law.Canonical(c.Base)
		text := law.Format(c.Law) + law.Format(c.Base)
		if old, ok := byText[text]; ok {
			old.merged = append(old.merged, c.merged...)
			continue
		}
		byText[text] = c
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int {
		if d := law.Size(byText[a].Law.LHS...) - law.Size(byText[b].Law.LHS...); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	out := make([]*Candidate, len(texts))
	for i, t := range texts {
		out[i] = byText[t]
	}
	return out
}

// Accept tells the session which candidates of the last level were proved.
// Proved ones are rewritten with from now on; a term whose equality was not
// proved stays a representative.
func (s *Session) Accept(cands []*Candidate, proved []bool) {
	for i, c := range cands {
		if !proved[i] {
			for _, t := range c.merged {
				s.keep(t)
			}
			continue
		}
		for _, r := range compileRewrites(c.Base, c.Conditional) {
			op := r.from.op
			s.allRule[op] = append(s.allRule[op], r)
			if !c.Conditional {
				s.rules[op] = append(s.rules[op], r)
			}
		}
	}
}

