package enumerate

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/taso-go/taso/fingerprint"
)

// Worker does parts of a level for a session of another process ([Options.Remote]). What
// it yields depends on the session's state and on what it is asked for alone, so that any
// part may be asked for again. It serves one goroutine.
type Worker struct {
	s *Session
	x *hasher
}

// NewWorker reads the state of a session between two levels, which [Session.Save] wrote.
// The universe, the seed and the mode are those of the session.
func NewWorker(opt Options, state io.Reader) (*Worker, error) {
	opt.Workers = 1
	s := NewSession(opt)
	if err := s.Restore(state); err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	return &Worker{s: s}, nil
}

// Next is the level that the worker's session is at.
func (w *Worker) Next() int { return w.s.Next() }

// Fork is a worker of the same state for another goroutine.
func (w *Worker) Fork() *Worker { return &Worker{s: w.s} }

func (w *Worker) hasher() *hasher {
	if w.x == nil || len(w.x.st.apps) > w.s.pool.storeLimit() {
		w.x = &hasher{st: newStore(w.s.u, w.s.opt.Seed)}
	}
	return w.x
}

// Walk gives the encodings of the terms of one share of the level to add, some of them
// several times, and those of other shares too. It returns the number of operator
// sequences tried.
func (w *Worker) Walk(ctx context.Context, share, shares int, add func(code []byte) error) (uint64, error) {
	if share < 0 || share >= shares {
		return 0, fmt.Errorf("share %d of %d", share, shares)
	}
	n := w.s.Next()
	return w.s.walk(ctx, newStore(w.s.u, w.s.opt.Seed), n, share, shares, min(n-1, 1), func(c code) error { return add(c[:]) })
}

// Sink takes records; each is valid during the call only.
type Sink struct {
	Term, Print, Symmetry func(record []byte) error
}

// Evaluate hashes a term under every naming of its inputs.
func (w *Worker) Evaluate(record []byte, to Sink) error {
	c, err := w.s.u.toCode(record)
	if err != nil {
		return err
	}
	x := w.hasher()
	if x.st.decode(c, nil) == 0 {
		return fmt.Errorf("%x is not the encoding of a graph: operands do not fit", record)
	}
	h := x.hash(c)
	var term [TermSize]byte
	putTerm(term[:], c, h)
	if err := to.Term(term[:]); err != nil {
		return err
	}
	var p [PrintSize]byte
	if err := to.Print(printOf(p[:], false, c, h)); err != nil {
		return err
	}
	n := uint16(0)
	x.renamed(c, func(r *[32]uint8, other fingerprint.Hash) {
		switch {
		case err != nil:
		case other == h:
			var sym [SymmetrySize]byte
			copy(sym[:], c[:])
			binary.BigEndian.PutUint16(sym[CodeSize:], n)
			copy(sym[CodeSize+2:], r[:])
			err = to.Symmetry(sym[:])
		default:
			err = to.Print(printOf(p[:], true, c, other))
		}
		n++
	})
	return err
}

// Known gives the fingerprints of the terms of smaller levels to add: those of one share.
func (w *Worker) Known(share, shares int, add func(print []byte) error) error {
	var p [PrintSize]byte
	for i := share; i < w.s.len(); i += shares {
		if err := add(printOf(p[:], false, w.s.codes[i], w.s.hashes[i])); err != nil {
			return err
		}
	}
	return nil
}

// Join gives the edges between terms that agree to add, from prints in order: those of one
// or more whole fingerprints, those of smaller levels among them.
func (w *Worker) Join(next func() (print []byte, ok bool), add func(edge []byte) error) error {
	level := byte(w.s.Next())
	var hash [hashSize]byte
	var edge [EdgeSize]byte
	first := false // edge ends in the first term with the fingerprint
	for p, ok := next(); ok; p, ok = next() {
		if len(p) != PrintSize {
			return fmt.Errorf("a print of %d bytes", len(p))
		}
		code := p[hashSize+1:]
		if !first || [hashSize]byte(p) != hash {
			if first = p[hashSize] == 0; first {
				hash = [hashSize]byte(p)
				copy(edge[CodeSize:], code)
			}
			continue
		}
		// Those of smaller levels were joined there.
		if code[0] == level {
			copy(edge[:CodeSize], code)
			if err := add(edge[:]); err != nil {
				return err
			}
		}
	}
	return nil
}
