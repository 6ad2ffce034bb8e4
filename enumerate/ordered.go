package enumerate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// Ordered laws: those of the true relu and maximum, such as relu(relu(x)) =
// relu(x), which arbitrary functions and orders do not obey. Representatives
// with such operators are evaluated on small numbers with exact rationals.

// ordered counts the operators of a term whose truth depends on the order of
// numbers.
func (s *store) ordered(c code) int {
	n := 0
	for i := 0; i < c.size(); i++ {
		in := &s.insts[c[2+3*i]]
		if in.op.Name == "relu" || in.op.Name == "poolmax" {
			n++
		} else if j := in.op.ParamIndex("act"); j >= 0 && in.attrs[j] != graph.NameValue("none") {
			n++
		}
	}
	return n
}

const seeds = 3

// rational evaluates tensors of a store with rationals under several seeds.
type rational struct {
	seed uint64
	st   *store
	memo map[tid][seeds][]interp.Q

	words []uint64 // scratch
}

func (r *rational) value(t tid) [seeds][]interp.Q {
	if v, ok := r.memo[t]; ok {
		return v
	}
	var v [seeds][]interp.Q
	tt := r.st.tensors[t]
	if tt.app == 0 {
		n := graph.NumElements(r.st.sizes(t))
		for k := range v {
			v[k] = general.SmallNumbers(r.seed+uint64(k), fmt.Sprint(tt.input), n)
		}
	} else {
		a := r.st.apps[tt.app]
		var in [seeds][][]interp.Q
		for _, arg := range []tid{a.args[0], a.args[1]} {
			if arg != 0 {
				x := r.value(arg)
				for k := range in {
					in[k] = append(in[k], x[k])
				}
			}
		}
		for k := range v {
			v[k] = interp.Run[interp.Q](interp.Rational{}, a.plan.kernel.Program(), in[k])[tt.out]
		}
	}
	r.memo[t] = v
	return v
}

// mostValues is the number of tensors whose values are kept: some 20 MB.
const mostValues = 1 << 14

// hash is the fingerprint under all seeds; ok is false on overflow.
func (r *rational) hash(t tid) (h fingerprint.Hash, ok bool) {
	v := r.value(t)
	words := r.words[:0]
	for _, xs := range v {
		for _, q := range xs {
			if q.IsBad() {
				return h, false
			}
			words = append(words, uint64(q.Num), uint64(q.Den))
		}
	}
	r.words = words
	return fingerprint.Sum(r.st.sizes(t), words), true
}

// hit is a term whose inputs, renamed by x, give the elements of r.
type hit struct {
	t, r  int32
	x     [32]uint8
	valid bool
}

func (h *hit) link() link {
	l := link{to: h.r}
	for k, to := range h.x {
		l.ren[to] = uint8(k)
	}
	return l
}

// Ordered states the candidates for ordered laws of the last level, whose other candidates are
// decided.
func (s *Session) Ordered() (*Batches, error) {
	if err := s.idle(); err != nil {
		return nil, err
	}
	if s.level() < 1 {
		return nil, errors.New("laws of the true relu and maximum: there is no level yet")
	}
	o := &orderedLevel{s: s, view: s.view(), size: 32}
	s.open = &Batches{s: s, next: o.next}
	return s.open, nil
}

// orderedLevel compares the terms of a level that agree for the true relu and maximum.
type orderedLevel struct {
	s    *Session
	view *view
	hits []hit // not compared yet
	size int   // of the next batch
	met  bool  // hits were looked for
}

// next compares the next batch, as Level does: hits come in an order that mixes all kinds of terms.
func (o *orderedLevel) next(ctx context.Context) ([]*statement, bool, error) {
	if !o.met {
		hits, err := o.s.orderedHits(ctx)
		if err != nil {
			return nil, false, err
		}
		o.hits, o.met = hits, true
	}
	if len(o.hits) == 0 {
		return nil, false, nil
	}
	n := min(o.size, len(o.hits))
	found, err := o.compare(ctx, o.hits[:n])
	o.hits, o.size = o.hits[n:], 2*o.size
	return found, true, err
}

// orderedHits are the terms of the last level that agree with earlier ones on small numbers.
func (s *Session) orderedHits(ctx context.Context) ([]hit, error) {
	n := s.level()
	base := s.starts[n]
	var todo []int32
	probe := newStore(s.u, s.opt.Seed)
	for i := base; i < s.len(); i++ {
		if s.links.rep[i] && probe.ordered(s.code(int32(i))) >= 1 {
			todo = append(todo, int32(i))
		}
	}
	if s.classes.ranked == nil {
		s.classes.ranked = map[fingerprint.Hash]int32{}
		r := rational{st: probe, seed: seeds * s.opt.Seed, memo: map[tid][seeds][]interp.Q{}}
		for i := 0; i < s.starts[1]; i++ {
			if h, ok := r.hash(probe.decode(s.codes[i], nil)); ok {
				s.classes.ranked[h] = int32(i)
			}
		}
	}
	hashes := make([]fingerprint.Hash, len(todo))
	good := make([]bool, len(todo))
	workers := make([]*rational, s.opt.Workers)
	at := func(wk int) *rational {
		if workers[wk] == nil || len(workers[wk].memo) > mostValues {
			workers[wk] = &rational{st: newStore(s.u, s.opt.Seed), seed: seeds * s.opt.Seed, memo: map[tid][seeds][]interp.Q{}}
		}
		return workers[wk]
	}
	err := s.pool.each(ctx, fmt.Sprintf("level %d: true relu and maximum", n), len(todo), 64, func(wk, lo, hi int) {
		r := at(wk)
		for i := lo; i < hi; i++ {
			hashes[i], good[i] = r.hash(r.st.decode(s.code(todo[i]), nil))
		}
	})
	if err != nil {
		return nil, err
	}
	for i, t := range todo {
		if good[i] {
			if _, ok := s.classes.ranked[hashes[i]]; !ok {
				s.classes.ranked[hashes[i]] = t
			}
		}
	}
	hits := make([]hit, len(todo))
	err = s.pool.each(ctx, fmt.Sprintf("level %d: true relu and maximum, renamings", n), len(todo), 64, func(wk, lo, hi int) {
		r := at(wk)
		for i := lo; i < hi; i++ {
			t := todo[i]
			if !good[i] {
				continue
			}
			if j := s.classes.ranked[hashes[i]]; j != t {
				hits[i] = hit{t: t, r: j, valid: true}
				for k := range hits[i].x {
					hits[i].x[k] = uint8(k)
				}
				continue
			}
			eachRenaming(r.st, s.code(t), func(ren *[32]uint8) bool {
				h, ok := r.hash(r.st.decode(s.code(t), ren))
				if j, found := s.classes.ranked[h]; ok && found && j < t {
					hits[i] = hit{t: t, r: j, x: *ren, valid: true}
					return false
				}
				return true
			})
		}
	})
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return !h.valid })
	key := func(h *hit) uint64 { return mixed(s.code(h.t)) }
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(key(&a), key(&b)) })
	return hits, nil
}

// compare states what no proved law explains.
func (o *orderedLevel) compare(ctx context.Context, hits []hit) ([]*statement, error) {
	s := o.s
	found := make([]*statement, len(hits))
	explained := make([]bool, len(hits))
	cw := make([]*classWorker, s.opt.Workers)
	again := make([][4]*rational, s.opt.Workers)
	err := s.pool.each(ctx, fmt.Sprintf("level %d: true relu and maximum, compare", s.level()), len(hits), 4, func(wk, lo, hi int) {
		for i := lo; i < hi; i++ {
			h := &hits[i]
			if cw[wk] == nil || cw[wk].full(s.pool.storeLimit()) {
				cw[wk] = newClassWorker(o.view, tools{known: s.pool.tested[wk]})
				cw[wk].loose = newExplainer(o.view, cw[wk].st, newRewriter(cw[wk].st, s.laws.ordered), true)
				cw[wk].loose.sem = true
				cw[wk].test.Ordered = true
				for k := range again[wk] {
					again[wk][k] = &rational{st: cw[wk].st, seed: seeds * (s.opt.Seed + uint64(k) + 1), memo: map[tid][seeds][]interp.Q{}}
				}
			}
			w := cw[wk]
			x, y := w.st.decode(s.code(h.t), &h.x), w.st.decode(s.code(h.r), nil)
			// Small numbers agree by chance more often than random ones.
			if !agree(again[wk][:], x, y) {
				continue
			}
			if explained[i] = w.loose.reaches(x, y); explained[i] {
				continue
			}
			if c := w.state(w.pairOf(x, y)); c != nil {
				c.merged = []linked{{h.t, h.link()}}
				found[i] = c
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var cands []*statement
	for i, c := range found {
		if c != nil {
			cands = append(cands, c)
		}
		if explained[i] {
			s.links.joinOrdered(linked{hits[i].t, hits[i].link()})
		}
	}
	return cands, nil
}

// agree compares two tensors under further seeds.
func agree(rs []*rational, x, y tid) bool {
	for _, r := range rs {
		if len(r.memo) > mostValues/len(rs) {
			clear(r.memo)
		}
		a, b := r.value(x), r.value(y)
		for k := range a {
			if !slices.Equal(a[k], b[k]) {
				return false
			}
		}
	}
	return true
}
