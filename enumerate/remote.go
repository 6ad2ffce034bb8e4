package enumerate

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/taso-go/taso/internal/spill"
)

// Remote runs parts of a session in other processes, by means of [Worker].
type Remote interface {
	// Graphs has the terms of a level enumerated, evaluated and joined. state is what
	// [Session.Save] writes before the level.
	Graphs(ctx context.Context, level int, state []byte) (*Graphed, error)
}

// Graphed is what workers found of the terms of a level. Each function calls add with
// every record, in any order; a record may come more than once.
type Graphed struct {
	Visits     uint64 // sum of what [Worker.Walk] returned for each share
	Terms      func(add func([]byte) error) error
	Edges      func(add func([]byte) error) error
	Symmetries func(add func([]byte) error) error
	// Compare has the chunks of a batch compared and calls take with what was found of each,
	// in any order. nil: the session compares all itself, and if not so batches of Few
	// buckets or less.
	Compare func(ctx context.Context, b *Batch, take func(chunk int, found []byte) error) error
	Few     int
	// Close frees what the functions read, when the level is done; nil: there is nothing to free.
	Close func() error
}

// remote is generate and fingerprints by workers. It returns the symmetric terms, and the number of
// evaluations.
func (s *Session) remote(n int, g *Graphed) (syms symmetries, evals int, err error) {
	base := s.len()
	if evals, err = s.takeTerms(n, g); err != nil {
		return nil, 0, fmt.Errorf("level %d: terms: %w", n, err)
	}
	if err := s.takeEdges(base, g); err != nil {
		return nil, 0, fmt.Errorf("level %d: terms that agree: %w", n, err)
	}
	if syms, err = s.takeSymmetries(base, g); err != nil {
		return nil, 0, fmt.Errorf("level %d: symmetric terms: %w", n, err)
	}
	return syms, evals, nil
}

// takeTerms numbers the terms of a level, and counts the evaluations of each: its namings.
func (s *Session) takeTerms(n int, g *Graphed) (evals int, err error) {
	list := sorters(&s.pool, termCodec, true)[:1]
	defer closeAll(list)
	err = g.Terms(func(b []byte) error {
		if len(b) != TermSize || int(b[0]) != n {
			return fmt.Errorf("%x is not one of this level", b)
		}
		if _, err := s.u.toCode(b[:CodeSize]); err != nil {
			return err
		}
		return list[0].Add(termCodec.Get(b))
	})
	if err != nil {
		return 0, err
	}
	all, spilled, err := merge(&s.pool, list)
	if err != nil {
		return 0, err
	}
	add := func(t term) error {
		s.codes, s.hashes = append(s.codes, t.code), append(s.hashes, t.hash)
		s.classes.meet(int32(len(s.codes)-1), t.hash)
		return nil
	}
	if spilled {
		if s.disk, err = spill.NewTable(s.pool.folder, termCodec); err != nil {
			return 0, err
		}
		add = s.disk.Append
	}
	st := newStore(s.u, s.opt.Seed)
	var last code
	count := 0
	for t, ok := all.Next(); ok; t, ok = all.Next() {
		if count > 0 && t.code == last {
			return 0, fmt.Errorf("%x has two fingerprints", last[:])
		}
		last = t.code
		if err := numbered(len(s.links.rep) + count); err != nil {
			return 0, err
		}
		if err := add(t); err != nil {
			return 0, err
		}
		count++
		evals += t.code.namings(st)
	}
	if err := all.Err(); err != nil {
		return 0, err
	}
	if spilled {
		if err := s.disk.Flush(); err != nil {
			return 0, err
		}
	}
	return evals, s.extend(count)
}

// takeEdges joins terms that agree.
func (s *Session) takeEdges(base int, g *Graphed) error {
	// The first terms of edges are found among the terms of the level, in order, and then
	// the second ones among all.
	froms := sorters(&s.pool, spill.Strings(EdgeSize), true)[:1]
	defer closeAll(froms)
	err := g.Edges(func(b []byte) error {
		if len(b) != EdgeSize {
			return fmt.Errorf("a record of %d bytes", len(b))
		}
		return froms[0].Add(string(b))
	})
	if err != nil {
		return err
	}
	tos := sorters(&s.pool, meetCodec, true)[:1]
	defer closeAll(tos)
	err = s.locate(base, froms, func(b string, id int32) error {
		return tos[0].Add(meet{code([]byte(b[CodeSize:])), id})
	})
	if err != nil {
		return err
	}
	all, _, err := merge(&s.pool, tos)
	if err != nil {
		return err
	}
	at := s.cursor(0)
	for m, ok := all.Next(); ok; m, ok = all.Next() {
		id, err := at.find(m.to)
		if err != nil {
			return err
		}
		if id != m.from {
			s.classes.union(m.from, id)
		}
	}
	return all.Err()
}

// takeSymmetries reads the renamings that change nothing.
func (s *Session) takeSymmetries(base int, g *Graphed) (symmetries, error) {
	list := sorters(&s.pool, spill.Strings(SymmetrySize), true)[:1]
	defer closeAll(list)
	err := g.Symmetries(func(b []byte) error {
		if len(b) != SymmetrySize {
			return fmt.Errorf("a record of %d bytes", len(b))
		}
		return list[0].Add(string(b))
	})
	if err != nil {
		return nil, err
	}
	st := newStore(s.u, s.opt.Seed)
	out := symmetries{}
	return out, s.locate(base, list, func(b string, id int32) error {
		ren := [32]uint8([]byte(b[CodeSize+2:]))
		if !st.renames(s.code(id), &ren) {
			return fmt.Errorf("%x is not a renaming of inputs", ren)
		}
		out[id] = append(out[id], ren)
		return nil
	})
}

// locate calls f with every record in order and the number of the term it begins with,
// which is one from base on.
func (s *Session) locate(base int, list []*spill.Sorter[string], f func(record string, id int32) error) error {
	all, _, err := merge(&s.pool, list)
	if err != nil {
		return err
	}
	at := s.cursor(base)
	for b, ok := all.Next(); ok; b, ok = all.Next() {
		id, err := at.find(code([]byte(b[:CodeSize])))
		if err == nil {
			err = f(b, id)
		}
		if err != nil {
			return err
		}
	}
	return all.Err()
}

// meet is a term with the number of one that it agrees with.
type meet struct {
	to   code
	from int32
}

var meetCodec = spill.Codec[meet]{
	Size:    CodeSize + 4,
	Put:     func(b []byte, m meet) { copy(b, m.to[:]); binary.BigEndian.PutUint32(b[CodeSize:], uint32(m.from)) },
	Get:     func(b []byte) meet { return meet{code(b[:CodeSize]), int32(binary.BigEndian.Uint32(b[CodeSize:]))} },
	Compare: func(a, b meet) int { return cmp.Or(a.to.compare(b.to), cmp.Compare(a.from, b.from)) },
}

// cursor finds terms that are asked for in order.
type cursor struct {
	t    *terms
	next int
	buf  []term // of the disk, from number from on
	from int
}

func (t *terms) cursor(first int) *cursor { return &cursor{t: t, next: first} }

// find is the number of a term, which must not be smaller than the one asked for before.
func (c *cursor) find(x code) (int32, error) {
	for ; c.next < c.t.len(); c.next++ {
		y, err := c.code(c.next)
		if err != nil {
			return 0, err
		}
		switch d := y.compare(x); {
		case d == 0:
			return int32(c.next), nil
		case d > 0:
			return 0, fmt.Errorf("%x is not one of the terms", x[:])
		}
	}
	return 0, fmt.Errorf("%x is not one of the terms", x[:])
}

func (c *cursor) code(i int) (code, error) {
	if i < len(c.t.codes) {
		return c.t.codes[i], nil
	}
	if i >= c.from+len(c.buf) || i < c.from {
		c.from, c.buf = i, make([]term, min(1<<14, c.t.len()-i))
		if _, err := c.t.disk.Read(i-len(c.t.codes), c.buf); err != nil {
			return code{}, err
		}
	}
	return c.buf[i-c.from].code, nil
}
