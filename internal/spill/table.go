package spill

// Table is records in a file, by number. It is written by one goroutine, and then read by
// any number of them.
type Table[T any] struct {
	w   writer[T]
	len int
}

// NewTable is an empty table.
func NewTable[T any](f *Folder, c Codec[T]) (*Table[T], error) {
	file, err := f.file()
	if err != nil {
		return nil, err
	}
	return &Table[T]{w: writer[T]{codec: c, file: file, buf: make([]byte, 0, chunk)}}, nil
}

// Append adds a record. It can be read after Flush.
func (t *Table[T]) Append(v T) error {
	t.len++
	return t.w.put(v)
}

// Flush ends writing.
func (t *Table[T]) Flush() error { return t.w.flush() }

// Len is the number of records.
func (t *Table[T]) Len() int { return t.len }

// At is record i, from 0.
func (t *Table[T]) At(i int) (v T, err error) {
	var small [64]byte
	b := small[:]
	if t.w.codec.Size > len(b) {
		b = make([]byte, t.w.codec.Size)
	}
	b = b[:t.w.codec.Size]
	if err := t.w.file.read(b, int64(i)*int64(len(b))); err != nil {
		return v, err
	}
	return t.w.codec.Get(b), nil
}

// Read fills list with the records from number i on, as many as there are, and says how
// many.
func (t *Table[T]) Read(i int, list []T) (int, error) {
	n := min(len(list), t.len-i)
	if n <= 0 {
		return 0, nil
	}
	size := t.w.codec.Size
	b := make([]byte, n*size)
	if err := t.w.file.read(b, int64(i)*int64(size)); err != nil {
		return 0, err
	}
	for k := range n {
		list[k] = t.w.codec.Get(b[k*size : (k+1)*size])
	}
	return n, nil
}

// Close frees the file.
func (t *Table[T]) Close() error {
	if t == nil {
		return nil
	}
	return t.w.file.close()
}
