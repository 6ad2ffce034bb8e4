package enumerate

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/taso-go/taso/fingerprint"
)

// renaming is a term that a renaming of its inputs does not change.
type renaming struct {
	t int32
	r [32]uint8
}

// fingerprints hashes the terms of the level, which come in order, under every renaming of
// their inputs, and joins terms that agree: terms that have one fingerprint, and a term
// with the first term that has the fingerprint of one of its renamings. It returns the
// symmetric terms and the number of evaluations.
func (s *Session) fingerprints(ctx context.Context, all *visited) (symmetries, int, error) {
	base := s.len()
	for c, ok := all.Next(); ok; c, ok = all.Next() {
		s.codes = append(s.codes, c)
	}
	if err := all.Err(); err != nil {
		return nil, 0, err
	}
	n := len(s.codes) - base
	if err := s.extend(n); err != nil {
		return nil, 0, err
	}
	s.hashes = append(s.hashes, make([]fingerprint.Hash, n)...)
	var evals atomic.Int64
	h := s.newHashers()
	phase := fmt.Sprintf("level %d: fingerprint", s.level())
	err := s.pool.each(ctx, phase, n, 256, func(wk, lo, hi int) {
		x := h.at(wk)
		for i := base + lo; i < base+hi; i++ {
			s.hashes[i] = x.hash(s.codes[i])
		}
		evals.Add(int64(hi - lo))
	})
	if err != nil {
		return nil, 0, err
	}
	for i := base; i < len(s.codes); i++ {
		s.classes.union(int32(i), s.classes.meet(int32(i), s.hashes[i]))
	}
	type edge struct{ a, b int32 }
	edges := make([][]edge, s.opt.Workers)
	selfs := make([][]renaming, s.opt.Workers)
	err = s.pool.each(ctx, phase+" renamings", n, 256, func(wk, lo, hi int) {
		x := h.at(wk)
		for i := base + lo; i < base+hi; i++ {
			x.renamed(s.codes[i], func(r *[32]uint8, h fingerprint.Hash) {
				evals.Add(1)
				if h == s.hashes[i] {
					selfs[wk] = append(selfs[wk], renaming{int32(i), *r})
				} else if j, ok := s.classes.first[h]; ok {
					edges[wk] = append(edges[wk], edge{int32(i), j})
				}
			})
		}
	})
	if err != nil {
		return nil, 0, err
	}
	for _, es := range edges {
		for _, e := range es {
			s.classes.union(e.a, e.b)
		}
	}
	return gathered(selfs), int(evals.Load()), nil
}

// symmetries lists, by term, the renamings of its inputs that do not change it in the case.
type symmetries map[int32][][32]uint8

// gathered is what workers found. A worker has all of a term, in order.
func gathered(selfs [][]renaming) symmetries {
	out := symmetries{}
	for _, l := range selfs {
		for _, x := range l {
			out[x.t] = append(out[x.t], x.r)
		}
	}
	return out
}

// hashers evaluate terms, one for each worker.
type hashers struct {
	s    *Session
	list []*hasher
}

type hasher struct {
	st  *store
	buf []uint64
}

func (s *Session) newHashers() *hashers { return &hashers{s, make([]*hasher, s.opt.Workers)} }

func (h *hashers) at(wk int) *hasher {
	if h.list[wk] == nil || len(h.list[wk].st.apps) > h.s.pool.storeLimit() {
		h.list[wk] = &hasher{st: newStore(h.s.u, h.s.opt.Seed)}
	}
	return h.list[wk]
}

// hash is a term's fingerprint under its own naming of inputs.
func (x *hasher) hash(c code) (h fingerprint.Hash) {
	h, x.buf = x.st.rootHash(c, nil, x.buf)
	return h
}

// renamed calls f with every other naming of a term's inputs and the fingerprint under it.
func (x *hasher) renamed(c code, f func(r *[32]uint8, h fingerprint.Hash)) {
	eachRenaming(x.st, c, func(r *[32]uint8) bool {
		var h fingerprint.Hash
		h, x.buf = x.st.rootHash(c, r, x.buf)
		f(r, h)
		return true
	})
}
