package spill

import (
	"slices"
	"strings"
)

// Codec says how records are written and ordered.
type Codec[T any] struct {
	Size    int                 // bytes of a record
	Put     func(b []byte, v T) // writes v to the Size bytes of b
	Get     func(b []byte) T    // is the reverse
	Compare func(a, b T) int
}

// Strings is the codec of records that are strings of size bytes, in the order of these.
func Strings(size int) Codec[string] {
	return Codec[string]{
		Size:    size,
		Put:     func(b []byte, v string) { copy(b, v) },
		Get:     func(b []byte) string { return string(b) },
		Compare: strings.Compare,
	}
}

// Sorter collects records and gives them back in order. It serves one goroutine.
type Sorter[T any] struct {
	folder *Folder
	codec  Codec[T]
	limit  int  // records in memory
	unique bool // equal records are one
	buf    []T
	kept   int // records, when repetitions were dropped last
	file   *file
	runs   []run
	bytes  []byte
}

// run is a part of a file.
type run struct{ from, to int64 }

// NewSorter is a sorter that keeps about limit bytes of records in memory, and of which
// equal records come back once, if unique says so, or else as often as they were added.
// A limit of 0 is none: everything stays in memory.
func NewSorter[T any](f *Folder, c Codec[T], limit int64, unique bool) *Sorter[T] {
	s := &Sorter[T]{folder: f, codec: c, unique: unique}
	if limit > 0 {
		s.limit = max(int(limit/int64(c.Size)), minRecords)
	}
	return s
}

// minRecords is the least number of records of a run: fewer would make more runs than can
// be merged with buffers of some size.
const minRecords = 256

// Add takes a record. The error names the folder.
func (s *Sorter[T]) Add(v T) error {
	if s.buf = append(s.buf, v); s.limit == 0 {
		// Repetitions are dropped each time that there may be twice as many records as
		// were left the last time.
		if s.unique && len(s.buf) >= max(1<<16, 2*s.kept) {
			s.Sort()
			s.kept = len(s.buf)
		}
		return nil
	}
	if len(s.buf) < s.limit {
		return nil
	}
	// What repeats much is not written for it.
	if s.Sort(); s.unique && len(s.buf) < s.limit/2 {
		return nil
	}
	return s.spill()
}

// Sort orders what is in memory. Merge does it where it was not done.
func (s *Sorter[T]) Sort() {
	slices.SortFunc(s.buf, s.codec.Compare)
	if s.unique {
		s.buf = slices.CompactFunc(s.buf, func(a, b T) bool { return s.codec.Compare(a, b) == 0 })
	}
}

// chunk is the number of bytes written at once.
const chunk = 1 << 16

// spill writes the sorted buffer as a run.
func (s *Sorter[T]) spill() error {
	if s.file == nil {
		f, err := s.folder.file()
		if err != nil {
			return err
		}
		s.file, s.bytes = f, make([]byte, 0, chunk)
	}
	from := s.file.size
	w := writer[T]{codec: s.codec, file: s.file, buf: s.bytes[:0]}
	for _, v := range s.buf {
		if err := w.put(v); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	s.runs = append(s.runs, run{from, s.file.size})
	s.buf = s.buf[:0]
	return nil
}

// Spilled reports that a run was written.
func (s *Sorter[T]) Spilled() bool { return len(s.runs) > 0 }

// Spill writes what is in memory, so that memory is free before records are merged.
func (s *Sorter[T]) Spill() error {
	if len(s.buf) == 0 {
		return nil
	}
	s.Sort()
	err := s.spill()
	s.buf = nil
	return err
}

// Close frees the sorter's file. What was merged from it cannot be read any more.
func (s *Sorter[T]) Close() error {
	if s == nil {
		return nil
	}
	s.buf, s.runs = nil, nil
	f := s.file
	s.file = nil
	return f.close()
}

// writer writes records to a file.
type writer[T any] struct {
	codec Codec[T]
	file  *file
	buf   []byte
}

func (w *writer[T]) put(v T) error {
	n := len(w.buf)
	w.buf = slices.Grow(w.buf, w.codec.Size)[:n+w.codec.Size]
	w.codec.Put(w.buf[n:], v)
	if len(w.buf)+w.codec.Size > chunk {
		return w.flush()
	}
	return nil
}

func (w *writer[T]) flush() error {
	err := w.file.write(w.buf)
	w.buf = w.buf[:0]
	return err
}
