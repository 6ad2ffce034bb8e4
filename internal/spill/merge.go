package spill

import "container/heap"

// Stream gives records in order.
type Stream[T any] struct {
	codec  Codec[T]
	unique bool
	heads  heads[T]
	last   T
	begun  bool
	err    error
}

// source is one sorted list: of a file, or in memory.
type source[T any] struct {
	head T
	// In memory:
	list []T
	// Of a file: what of the run is still there, and what of it was read.
	file     *file
	at, to   int64
	buf, cur []byte
}

// Merge is the records of all sorters in order, repetitions dropped if the first sorter is
// asked for it. Nothing may be added to the sorters any more, and they are to be closed
// after the stream is read. limit is the number of bytes of buffers for reading; 0: what is
// usual.
func Merge[T any](limit int64, sorters ...*Sorter[T]) (*Stream[T], error) {
	runs := 0
	for _, s := range sorters {
		runs += len(s.runs)
	}
	if limit <= 0 {
		limit = 64 << 20
	}
	m := &Stream[T]{codec: sorters[0].codec, unique: sorters[0].unique}
	m.heads.compare = m.codec.Compare
	each := int(min(max(limit/int64(max(runs, 1)), 4<<10), 1<<20))
	each -= each % m.codec.Size
	for _, s := range sorters {
		s.Sort()
		m.open(&source[T]{list: s.buf})
		for _, r := range s.runs {
			m.open(&source[T]{file: s.file, at: r.from, to: r.to, buf: make([]byte, max(each, m.codec.Size))})
		}
	}
	if m.err != nil {
		return nil, m.err
	}
	heap.Init(&m.heads)
	return m, nil
}

// open takes a source that has records.
func (m *Stream[T]) open(s *source[T]) {
	if m.advance(s) {
		m.heads.list = append(m.heads.list, s)
	}
}

// advance moves to the next record of a source.
func (m *Stream[T]) advance(s *source[T]) bool {
	if s.file == nil {
		if len(s.list) == 0 {
			return false
		}
		s.head, s.list = s.list[0], s.list[1:]
		return true
	}
	if len(s.cur) == 0 {
		n := min(int64(len(s.buf)), s.to-s.at)
		if n == 0 {
			return false
		}
		s.cur = s.buf[:n]
		if err := s.file.read(s.cur, s.at); err != nil {
			m.err = err
			return false
		}
		s.at += n
	}
	s.head, s.cur = m.codec.Get(s.cur[:m.codec.Size]), s.cur[m.codec.Size:]
	return true
}

// Next is the next record; false at the end, and on an error, which Err tells.
func (m *Stream[T]) Next() (v T, ok bool) {
	for m.err == nil && len(m.heads.list) > 0 {
		s := m.heads.list[0]
		v = s.head
		if m.advance(s) {
			heap.Fix(&m.heads, 0)
		} else {
			heap.Pop(&m.heads)
		}
		if m.err != nil {
			break
		}
		if m.unique && m.begun && m.codec.Compare(v, m.last) == 0 {
			continue
		}
		m.last, m.begun = v, true
		return v, true
	}
	var none T
	return none, false
}

// Err is the error that ended the stream, if one did.
func (m *Stream[T]) Err() error { return m.err }

// heads are the sources by their first record.
type heads[T any] struct {
	list    []*source[T]
	compare func(a, b T) int
}

func (h *heads[T]) Len() int           { return len(h.list) }
func (h *heads[T]) Less(i, j int) bool { return h.compare(h.list[i].head, h.list[j].head) < 0 }
func (h *heads[T]) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *heads[T]) Push(x any)         { h.list = append(h.list, x.(*source[T])) }
func (h *heads[T]) Pop() any {
	last := len(h.list) - 1
	x := h.list[last]
	h.list[last] = nil
	h.list = h.list[:last]
	return x
}
