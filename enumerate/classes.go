package enumerate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
)

// finding is what the comparison of one bucket yields.
type finding struct {
	cands   []*Candidate
	open    []int32  // terms that stay representatives
	links   []linked // terms equal to others by proved laws
	answers []answer
	syms    []linked // renamings of a term proved to change nothing
	loose   []linked // by laws that hold only for some strides, paddings or kernels
	pairs   int
	joined  int
	false   int
	untyped []Untyped
}

// linked is a term and its link.
type linked struct {
	t int32
	l link
}

// classes compares the terms of each bucket, in batches of growing size: what
// is proved in one batch is rewritten with in the next, so that a law is found
// once and not once for each type of input. Neither the batches nor their
// order depend on the number of workers.
func (s *Session) classes(ctx context.Context, n, base int, st *Stats) ([]*Candidate, error) {
	buckets, alone := s.buckets(base)
	st.Classes = len(buckets) + alone
	var all []*Candidate
	s.answers, s.answered = map[string]answer{}, nil
	s.untyped = nil
	found := make([]finding, len(buckets))
	for lo, size := 0, 256; lo < len(buckets); size *= 2 {
		hi := min(lo+size, len(buckets))
		if err := s.compare(ctx, n, base, buckets[lo:hi], found[lo:hi]); err != nil {
			return all, err
		}
		var cands []*Candidate
		for i := lo; i < hi; i++ {
			f := &found[i]
			cands = append(cands, f.cands...)
			for _, t := range f.open {
				s.keep(t)
			}
			for _, x := range f.links {
				s.links[x.t] = x.l
			}
			for _, x := range f.loose {
				s.loose[x.t] = &x.l
			}
			for _, a := range f.answers {
				if _, ok := s.answers[a.key]; !ok {
					s.answers[a.key] = a
					s.answered = append(s.answered, a.key)
				}
			}
			for _, x := range f.syms {
				s.syms[x.t] = append(s.syms[x.t], x.l.ren)
			}
			st.Pairs += f.pairs
			st.Joined += f.joined
			st.False += f.false
			st.Untyped += len(f.untyped)
			s.untyped = append(s.untyped, f.untyped...)
			found[i] = finding{}
		}
		st.Raw += len(cands)
		fresh, err := s.decide(ctx, cands)
		all = append(all, fresh...)
		if err != nil {
			return all, err
		}
		lo = hi
	}
	st.Distinct, st.New = len(all), 0
	for _, rep := range s.rep[base:] {
		if rep {
			st.New++
		}
	}
	sortCandidates(all)
	slices.SortFunc(s.untyped, func(a, b Untyped) int { return cmp.Or(cmp.Compare(a.Pair, b.Pair), cmp.Compare(a.Reason, b.Reason)) })
	return all, nil
}

// decide has new candidates proved and takes the proved ones as rules.
func (s *Session) decide(ctx context.Context, cands []*Candidate) ([]*Candidate, error) {
	cands = distinct(cands)
	var fresh []*Candidate
	for _, c := range cands {
		if s.known[c.text] == nil {
			fresh = append(fresh, c)
		}
	}
	if len(fresh) > 0 && s.opt.Prove != nil {
		t0 := time.Now()
		err := s.opt.Prove(ctx, fresh)
		s.proving += time.Since(t0)
		if err != nil {
			return nil, err
		}
	} else {
		for _, c := range fresh {
			c.Proved = true
		}
	}
	for _, c := range fresh {
		s.known[c.text] = c
		s.order = append(s.order, c)
		if c.Proved {
			s.accept(c)
		}
	}
	for _, c := range cands {
		k := s.known[c.text]
		if k.Proved && !k.Conditional && !k.Ordered {
			for _, x := range c.syms {
				s.syms[x.t] = append(s.syms[x.t], x.l.ren)
			}
		}
		for i := range c.merged {
			x := &c.merged[i]
			switch {
			case k.Ordered && k.Proved:
				s.sem[x.t] = &x.l
				s.keep(x.t)
			case k.Ordered:
			case k.Proved && !k.Conditional:
				s.links[x.t] = x.l
			case k.Proved:
				s.loose[x.t] = &x.l
				s.keep(x.t)
			default:
				s.keep(x.t)
			}
		}
	}
	return fresh, nil
}

// keep makes a term a representative.
func (s *Session) keep(t int32) { s.rep[t] = true }

type classWorker struct {
	s      *Session
	own    *ownTerms // those of the bucket, if the session does not have them
	last   bool      // nothing is extended after this level
	st     *store
	strict *explainer // by unconditional laws
	loose  *explainer // by all
	derive func(*law.Law) bool
	test   general.Tester
	buf    []uint64
	local  map[code]int32 // the bucket's terms that others can be linked to
}

// briefFrom is the first level whose candidates are tested briefly.
const briefFrom = 4

// newClassWorker serves the wk-th goroutine. What its tests find, and its deriver, are
// kept for the next one.
func (s *Session) newClassWorker(wk int) *classWorker {
	if s.opt.Deriver != nil && s.derivers[wk] == nil {
		s.derivers[wk] = s.opt.Deriver()
	}
	return s.classWorker(tools{s.tested[wk], s.derivers[wk]})
}

func (s *Session) classWorker(with tools) *classWorker {
	st, test := newStore(s.u, s.opt.Seed), s.tester()
	test.Known = with.known
	return &classWorker{s: s, st: st, last: s.Next()-1 == s.opt.MaxOps, derive: with.derive,
		strict: s.newExplainer(st, newRewriter(st, s.rules), false),
		loose:  s.newExplainer(st, newRewriter(st, s.allRule), true),
		test:   test,
		local:  map[code]int32{}}
}

// full says that the worker's store is large enough to begin another.
func (w *classWorker) full() bool { return len(w.st.apps) > 1<<18 }

// code is the encoding of a term, of the session or of the bucket.
func (w *classWorker) code(t int32) code {
	if w.own != nil && int(t) >= w.own.base {
		return w.own.codes[int(t)-w.own.base]
	}
	return w.s.code(t)
}

// hash is the fingerprint of a term.
func (w *classWorker) hash(t int32) fingerprint.Hash {
	if w.own != nil && int(t) >= w.own.base {
		return w.own.hashes[int(t)-w.own.base]
	}
	return w.s.hash(t)
}

// symmetric are the renamings that do not change a term of the level in the case.
func (w *classWorker) symmetric(t int32) [][32]uint8 {
	if w.own != nil {
		return w.own.syms[int(t)-w.own.base]
	}
	return w.s.symmetric[t]
}

// tester tests the laws of the last level, and remembers nothing.
func (s *Session) tester() general.Tester {
	return general.Tester{Seed: fingerprint.Mix(s.opt.Seed + 0x7e57), Brief: s.Next()-1 >= briefFrom, Ops: s.Next() + 1}
}

func (w *classWorker) bucket(n int, b *bucket, f *finding) {
	clear(w.local)
	for _, r := range b.reps {
		w.local[w.code(r)] = r
	}
	reps := append([]int32(nil), b.reps...)
	for _, t := range b.news {
		x := w.st.decode(w.code(t), nil)
		w.symmetries(n, t, x, f)
		if len(w.local) == 0 {
			w.open(t, f)
			reps = append(reps, t)
			continue
		}
		f.pairs++
		if l, ok := w.connect(w.strict, x); ok && !w.last {
			f.joined++
			f.links = append(f.links, linked{t, l})
			w.local[w.code(t)] = t
			continue
		} else if ok {
			f.joined++
			w.local[w.code(t)] = t
			continue
		}
		if l, ok := w.connect(w.loose, x); ok {
			f.joined++
			// It takes laws that hold only for some strides, paddings or
			// kernels; with others the terms may differ.
			f.loose = append(f.loose, linked{t, l})
			w.open(t, f)
			continue
		}
		if !w.relate(n, t, reps, f) {
			w.open(t, f)
			reps = append(reps, t)
		}
		w.local[w.code(t)] = t
	}
}

func (w *classWorker) open(t int32, f *finding) {
	f.open = append(f.open, t)
	w.local[w.code(t)] = t
}

// connect searches a term of the bucket that x is equal to by proved laws.
func (w *classWorker) connect(e *explainer, x tid) (link, bool) {
	var l link
	goal := func(v tid) bool {
		var perm [32]uint8
		i, ok := w.local[e.code(v, &perm)]
		if !ok {
			return false
		}
		l = link{to: i, ren: perm}
		return true
	}
	if y := e.settle(x); y != x && goal(y) {
		return l, true
	}
	return l, e.search(x, false, goal) || e.search(x, true, goal)
}

// relate states a new term's equality with one of the representatives. It
// reports whether the term is equal to it on all instances, if that is proved.
func (w *classWorker) relate(n int, t int32, reps []int32, f *finding) bool {
	for _, r := range reps {
		x, y, l, ok := w.align(t, r)
		if !ok {
			continue
		}
		how, c := w.judge(n, w.pairOf(x, y), f)
		switch how {
		case wholly:
			f.joined++
			f.links = append(f.links, linked{t, l})
			return true
		case special:
			f.joined++
			f.loose = append(f.loose, linked{t, l})
			continue
		}
		if c == nil {
			w.fails(x, y, f)
			continue
		}
		c.merged = []linked{{t, l}}
		f.cands = append(f.cands, c)
		if !c.Conditional {
			return true
		}
	}
	return false
}

// align finds renamings under which the two terms have equal elements, and the
// link from the first to the second.
func (w *classWorker) align(t, r int32) (x, y tid, l link, ok bool) {
	ct, cr := w.code(t), w.code(r)
	hash := func(c code, ren *[32]uint8) fingerprint.Hash {
		var h fingerprint.Hash
		h, w.buf = w.st.rootHash(c, ren, w.buf)
		return h
	}
	l.to = r
	for k := range l.ren {
		l.ren[k] = uint8(k)
	}
	ht, hr := w.hash(t), w.hash(r)
	if ht == hr {
		x, y, ok = w.confirm(w.st.decode(ct, nil), w.st.decode(cr, nil))
		return x, y, l, ok
	}
	eachRenaming(w.st, ct, func(ren *[32]uint8) bool {
		if hash(ct, ren) == hr {
			if x, y, ok = w.confirm(w.st.decode(ct, ren), w.st.decode(cr, nil)); ok {
				for k, to := range ren {
					l.ren[to] = uint8(k)
				}
			}
		}
		return !ok
	})
	if !ok {
		eachRenaming(w.st, cr, func(ren *[32]uint8) bool {
			if hash(cr, ren) == ht {
				if x, y, ok = w.confirm(w.st.decode(ct, nil), w.st.decode(cr, ren)); ok {
					l.ren = *ren
				}
			}
			return !ok
		})
	}
	return x, y, l, ok
}

// confirm compares the tensors element by element: equal hashes may collide.
func (w *classWorker) confirm(x, y tid) (tid, tid, bool) {
	if w.st.tensors[x].shape != w.st.tensors[y].shape {
		return x, y, false
	}
	return x, y, slices.Equal(w.st.value(x), w.st.value(y))
}

// symmetries states that a term does not change when its inputs are renamed.
func (w *classWorker) symmetries(n int, t int32, x tid, f *finding) {
	c := w.code(t)
	for _, ren := range w.symmetric(t) {
		y := w.st.decode(c, &ren)
		if x == y {
			continue
		}
		if _, _, ok := w.confirm(x, y); !ok {
			continue
		}
		f.pairs++
		sym := linked{t, link{to: t, ren: ren}}
		if w.strict.reaches(x, y) {
			f.joined++
			f.syms = append(f.syms, sym)
			continue
		}
		if w.loose.reaches(x, y) {
			f.joined++
			continue
		}
		how, cand := w.judge(n, w.pairOf(x, y), f)
		switch {
		case how != not:
			f.joined++
			if how == wholly {
				f.syms = append(f.syms, sym)
			}
		case cand != nil:
			cand.syms = []linked{sym}
			f.cands = append(f.cands, cand)
		default:
			w.fails(x, y, f)
		}
	}
}

// fails records a pair that is no law: it has no general form, or is false in
// general.
func (w *classWorker) fails(x, y tid, f *finding) {
	p := w.pairOf(x, y)
	l, err := p.Law(p.Least())
	if err == nil {
		_, err = general.WriteOut(l)
	}
	if err != nil {
		f.untyped = append(f.untyped, Untyped{Pair: p.String(), Reason: err.Error()})
		return
	}
	f.false++
}

// distinct brings candidates into canonical form and order and drops
// repetitions.
func distinct(cands []*Candidate) []*Candidate {
	byText := map[string]*Candidate{}
	var out []*Candidate
	for _, c := range cands {
		c.Law = law.Canonical(c.Law)
		c.Base = law.Canonical(c.Base)
		c.text = law.Format(c.Law) + law.Format(c.Base)
		if old, ok := byText[c.text]; ok {
			old.merged = append(old.merged, c.merged...)
			old.syms = append(old.syms, c.syms...)
			continue
		}
		byText[c.text] = c
		out = append(out, c)
	}
	sortCandidates(out)
	return out
}

func sortCandidates(cands []*Candidate) {
	slices.SortFunc(cands, func(a, b *Candidate) int {
		if d := law.Size(a.Law.LHS...) - law.Size(b.Law.LHS...); d != 0 {
			return d
		}
		return strings.Compare(a.text, b.text)
	})
}

// accept makes a proved candidate a rule to rewrite with.
func (s *Session) accept(c *Candidate) {
	base := c.Base
	switch {
	case c.own != nil:
		base = c.own
	case c.Wide:
		base = c.Law
	}
	ds := rewrites(base)
	s.semRule = append(s.semRule, ds...)
	if c.Ordered {
		return
	}
	s.allRule = append(s.allRule, ds...)
	if !c.Conditional {
		s.rules = append(s.rules, ds...)
	}
}
