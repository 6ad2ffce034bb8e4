package cluster

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/cespare/xxhash/v2"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/spill"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&walk{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(int, []byte), error](&evaluate{})
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&known{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&join{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// disturb is called when a function of a pipeline begins; tests end the process in it.
var disturb = func() {}

// graphs is the pipeline that finds the terms of a level and which agree.
func (j *Job) graphs(s beam.Scope) {
	shares := beam.Reshuffle(s, beam.CreateList(s, numbers(0, j.Shares)))
	codes := beam.ParDo(s.Scope("walk"), &walk{*j}, shares)
	prints := beam.ParDo(s.Scope("evaluate"), &evaluate{*j}, beam.GroupByKey(s, codes))
	before := beam.ParDo(s.Scope("smaller levels"), &known{*j}, shares)
	beam.ParDo0(s.Scope("join"), &join{*j}, beam.GroupByKey(s, beam.Flatten(s, prints, before)))
}

// numbers are those from lo to hi-1.
func numbers(lo, hi int) (list []int) {
	for i := lo; i < hi; i++ {
		list = append(list, i)
	}
	return list
}

// walk yields the encodings of the terms of a share, by part, and writes how many
// operator sequences it tried.
type walk struct{ Job Job }

// ProcessElement is called by Beam with the number of a share.
func (f *walk) ProcessElement(ctx context.Context, share int, emit func(int, []byte)) error {
	disturb()
	w, err := f.Job.worker(ctx)
	if err != nil {
		return err
	}
	s := f.Job.sorter(enumerate.CodeSize)
	defer s.Close()
	visits, err := w.Walk(ctx, share, f.Job.Shares, func(code []byte) error { return s.Add(string(code)) })
	// A walk that was stopped is not whole.
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	out := newChunks(f.Job.Parts, emit)
	if share == 0 {
		out.everywhere()
	}
	err = each(s, func(record string) error {
		out.add(xxhash.Sum64String(record), []byte(record))
		return nil
	})
	if err != nil {
		return err
	}
	out.flush()
	return save(ctx, partPath(f.Job.Dir, "visits", share, f.Job.Shares), func(add func([]byte) error) error {
		return add(binary.BigEndian.AppendUint64(nil, visits))
	})
}

// sorted are the records of a part in order, for a worker. done frees them.
func (j *Job) sorted(ctx context.Context, chunks func(*[]byte) bool, size int) (w *enumerate.Worker, all *spill.Stream[string], done func(), err error) {
	disturb()
	if w, err = j.worker(ctx); err != nil {
		return nil, nil, nil, err
	}
	s := j.sorter(size)
	if all, err = collect(chunks, s, size); err != nil {
		return nil, nil, nil, errors.Join(err, s.Close())
	}
	return w, all, func() { s.Close() }, nil
}

// evaluate writes the terms of a part with their fingerprints, and the renamings that
// change nothing, and yields the fingerprints, by part.
type evaluate struct{ Job Job }

// ProcessElement is called by Beam with a part and its encodings.
func (f *evaluate) ProcessElement(ctx context.Context, part int, codes func(*[]byte) bool, emit func(int, []byte)) error {
	w, all, done, err := f.Job.sorted(ctx, codes, enumerate.CodeSize)
	if err != nil {
		return err
	}
	defer done()
	out := newChunks(f.Job.Parts, emit)
	err = save(ctx, partPath(f.Job.Dir, "terms", part, f.Job.Parts), func(term func([]byte) error) error {
		return save(ctx, partPath(f.Job.Dir, "symmetries", part, f.Job.Parts), func(symmetry func([]byte) error) error {
			to := enumerate.Sink{Term: term, Symmetry: symmetry, Print: func(b []byte) error {
				out.add(binary.BigEndian.Uint64(b), b)
				return nil
			}}
			for c, ok := all.Next(); ok; c, ok = all.Next() {
				if err := w.Evaluate([]byte(c), to); err != nil {
					return err
				}
			}
			return errors.Join(all.Err(), ctx.Err())
		})
	})
	if err != nil {
		return err
	}
	out.flush()
	return nil
}

// known yields the fingerprints of the terms of smaller levels, by part.
type known struct{ Job Job }

// ProcessElement is called by Beam with the number of a share.
func (f *known) ProcessElement(ctx context.Context, share int, emit func(int, []byte)) error {
	w, err := f.Job.worker(ctx)
	if err != nil {
		return err
	}
	out := newChunks(f.Job.Parts, emit)
	if share == 0 {
		out.everywhere()
	}
	err = w.Known(share, f.Job.Shares, func(b []byte) error {
		out.add(binary.BigEndian.Uint64(b), b)
		return nil
	})
	out.flush()
	return err
}

// join writes which terms agree.
type join struct{ Job Job }

// ProcessElement is called by Beam with a part and its fingerprints.
func (f *join) ProcessElement(ctx context.Context, part int, prints func(*[]byte) bool) error {
	w, all, done, err := f.Job.sorted(ctx, prints, enumerate.PrintSize)
	if err != nil {
		return err
	}
	defer done()
	return save(ctx, partPath(f.Job.Dir, "edges", part, f.Job.Parts), func(edge func([]byte) error) error {
		err := w.Join(func() ([]byte, bool) {
			p, ok := all.Next()
			return []byte(p), ok
		}, edge)
		return errors.Join(err, all.Err(), ctx.Err())
	})
}
