package enumerate

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
)

// renaming is a term that a renaming of its inputs does not change.
type renaming struct {
	t int32
	r [32]uint8
}

// fingerprints hashes the terms of the level, which come in order, under every renaming of
// their inputs, and joins terms that agree: terms that have one fingerprint, and a term
// with the first term that has the fingerprint of one of its renamings. It returns the
// number of evaluations.
func (s *Session) fingerprints(ctx context.Context, all *visited) (int, error) {
	s.symmetric = map[int32][][32]uint8{}
	if all.spilled {
		return s.fingerprintsOnDisk(ctx, all)
	}
	base := s.len()
	for c, ok := all.Next(); ok; c, ok = all.Next() {
		s.codes = append(s.codes, c)
	}
	if err := all.Err(); err != nil {
		return 0, err
	}
	n := len(s.codes) - base
	if err := s.number(n); err != nil {
		return 0, err
	}
	s.hashes = append(s.hashes, make([]fingerprint.Hash, n)...)
	var evals atomic.Int64
	h := s.newHashers()
	phase := fmt.Sprintf("level %d: fingerprint", len(s.starts)-2)
	err := s.parallel(ctx, phase, n, 256, func(wk, lo, hi int) {
		x := h.at(wk)
		for i := base + lo; i < base+hi; i++ {
			s.hashes[i] = x.hash(s.codes[i])
		}
		evals.Add(int64(hi - lo))
	})
	if err != nil {
		return 0, err
	}
	for i := base; i < len(s.codes); i++ {
		if j, ok := s.table[s.hashes[i]]; ok {
			s.union(int32(i), j)
		} else {
			s.table[s.hashes[i]] = int32(i)
		}
	}
	type edge struct{ a, b int32 }
	edges := make([][]edge, s.opt.Workers)
	selfs := make([][]renaming, s.opt.Workers)
	err = s.parallel(ctx, phase+" renamings", n, 256, func(wk, lo, hi int) {
		x := h.at(wk)
		for i := base + lo; i < base+hi; i++ {
			x.renamed(s.codes[i], func(r *[32]uint8, h fingerprint.Hash) {
				evals.Add(1)
				if h == s.hashes[i] {
					selfs[wk] = append(selfs[wk], renaming{int32(i), *r})
				} else if j, ok := s.table[h]; ok {
					edges[wk] = append(edges[wk], edge{int32(i), j})
				}
			})
		}
	})
	if err != nil {
		return 0, err
	}
	s.unchanged(selfs)
	for _, es := range edges {
		for _, e := range es {
			s.union(e.a, e.b)
		}
	}
	return int(evals.Load()), nil
}

// number makes room for n terms of the level: each in a class of its own.
func (s *Session) number(n int) error {
	if err := numbered(len(s.rep) + n); err != nil {
		return err
	}
	for range n {
		s.uf = append(s.uf, int32(len(s.uf)))
		s.rep = append(s.rep, false)
	}
	s.starts = append(s.starts, len(s.rep))
	return nil
}

// numbered says whether so many terms have numbers.
func numbered(n int) error {
	if n >= 1<<31 {
		return fmt.Errorf("more than %d terms cannot be numbered", 1<<31-1)
	}
	return nil
}

// unchanged keeps what was found of symmetric terms. A worker has all of a term, in order.
func (s *Session) unchanged(selfs [][]renaming) {
	for _, l := range selfs {
		for _, x := range l {
			s.symmetric[x.t] = append(s.symmetric[x.t], x.r)
		}
	}
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
	if h.list[wk] == nil || len(h.list[wk].st.apps) > h.s.storeLimit() {
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

// rootHash is a term's fingerprint under a renaming of its inputs. The last
// application is not kept in the store.
func (s *store) rootHash(c code, rename *[32]uint8, scratch []uint64) (fingerprint.Hash, []uint64) {
	t := s.build(c, rename, true)
	h, scratch := s.hash(t, scratch)
	if c.size() > 0 {
		s.drop(s.tensors[t].app)
	}
	return h, scratch
}

// drop takes back the application that [store.top] made last.
func (s *store) drop(id appID) {
	s.tensors = s.tensors[:s.apps[id].outs[0]]
	s.apps = s.apps[:id]
}

// eachRenaming calls f with every renaming of a term's inputs within their
// types but the identity, until f returns false.
func eachRenaming(st *store, c code, f func(r *[32]uint8) bool) {
	counts := c.inputs(st)
	var r [32]uint8
	for i := range r {
		r[i] = uint8(i)
	}
	identity := r
	var rec func(ty int) bool
	rec = func(ty int) bool {
		if ty == len(counts) {
			return r == identity || f(&r)
		}
		first, n := int(st.first[ty]), int(counts[ty])
		return law.Permute(r[first:first+n], func() bool { return rec(ty + 1) })
	}
	rec(0)
}
