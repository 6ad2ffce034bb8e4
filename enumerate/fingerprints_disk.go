package enumerate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/internal/spill"
)

// batchTerms is the number of terms that are evaluated between two writes.
const batchTerms = 1 << 15

// fingerprintsOnDisk is fingerprints for a level that does not fit into memory. Terms and
// fingerprints are written in order of terms; fingerprints are sorted, those of renamings
// apart, and both lists are read side by side, which finds what the table finds in memory:
// the first term of each fingerprint.
func (s *Session) fingerprintsOnDisk(ctx context.Context, all *visited) (symmetries, int, error) {
	base := s.len()
	disk, err := spill.NewTable(s.pool.folder, termCodec)
	if err != nil {
		return nil, 0, err
	}
	own, renamed := sorters(&s.pool, printCodec, true), sorters(&s.pool, printCodec, true)
	defer closeAll(own)
	defer closeAll(renamed)
	e := &evaluation{s: s, h: s.newHashers(), own: own, renamed: renamed, selfs: make([][]renaming, s.opt.Workers)}
	batch := make([]term, 0, batchTerms)
	phase := fmt.Sprintf("level %d: fingerprint", s.Next())
	for more := true; more; {
		batch = batch[:0]
		for len(batch) < batchTerms && more {
			var c code
			if c, more = all.Next(); more {
				batch = append(batch, term{code: c})
			}
		}
		err := all.Err()
		if err == nil {
			err = numbered(base + disk.Len() + len(batch))
		}
		if err == nil {
			err = e.evaluate(ctx, batch, base+disk.Len())
		}
		for i := 0; i < len(batch) && err == nil; i++ {
			err = disk.Append(batch[i])
		}
		if err != nil {
			disk.Close()
			return nil, 0, err
		}
		if s.opt.Progress != nil {
			s.opt.Progress(phase, int64(disk.Len()), 0)
		}
	}
	if err := disk.Flush(); err != nil {
		disk.Close()
		return nil, 0, err
	}
	s.disk = disk
	if err := s.extend(disk.Len()); err != nil {
		return nil, 0, err
	}
	e.h = nil // stores are large
	return gathered(e.selfs), int(e.evals.Load()), s.joinPrints(own, renamed)
}

// evaluation is what workers find of a level on disk.
type evaluation struct {
	s            *Session
	h            *hashers
	own, renamed []*spill.Sorter[print]
	selfs        [][]renaming
	evals        atomic.Int64
}

// evaluate hashes terms, the first of which has the number from.
func (e *evaluation) evaluate(ctx context.Context, batch []term, from int) error {
	failed := make([]error, len(e.own))
	err := e.s.pool.run(ctx, len(batch), 256, func(wk, lo, hi int) {
		x := e.h.at(wk)
		for i := lo; i < hi; i++ {
			t, id := &batch[i], int32(from+i)
			keep := func(to *spill.Sorter[print], h fingerprint.Hash) {
				if failed[wk] == nil {
					failed[wk] = to.Add(print{h, id})
				}
			}
			t.hash = x.hash(t.code)
			keep(e.own[wk], t.hash)
			n := int64(1)
			x.renamed(t.code, func(r *[32]uint8, h fingerprint.Hash) {
				if n++; h == t.hash {
					e.selfs[wk] = append(e.selfs[wk], renaming{id, *r})
				} else {
					keep(e.renamed[wk], h)
				}
			})
			e.evals.Add(n)
		}
	}, nil)
	return cmp.Or(err, first(failed))
}

// joinPrints joins the terms that agree, from all fingerprints in order.
func (s *Session) joinPrints(own, renamed []*spill.Sorter[print]) error {
	a, _, err := merge(&s.pool, own)
	if err != nil {
		return err
	}
	b, _, err := merge(&s.pool, renamed)
	if err != nil {
		return err
	}
	// first is the first term with a fingerprint; it is asked in order.
	var group print
	begun := false
	next, more := a.Next()
	upTo := func(h fingerprint.Hash) {
		for more && compareHashes(next.hash, h) <= 0 {
			if !begun || next.hash != group.hash {
				group, begun = next, true
				if j, ok := s.classes.first[group.hash]; ok {
					group.term = j
				}
			}
			s.classes.union(next.term, group.term)
			next, more = a.Next()
		}
	}
	for p, ok := b.Next(); ok; p, ok = b.Next() {
		upTo(p.hash)
		if begun && group.hash == p.hash {
			s.classes.union(p.term, group.term)
		} else if j, ok := s.classes.first[p.hash]; ok {
			s.classes.union(p.term, j)
		}
	}
	upTo(fingerprint.Hash{math.MaxUint64, math.MaxUint64})
	return cmp.Or(a.Err(), b.Err())
}
