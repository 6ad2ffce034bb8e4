package onnx

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/taso-go/taso/internal/must"
	"google.golang.org/protobuf/encoding/protowire"
)

// A file is rewritten piece by piece: what did not change is copied as the bytes that it is.

// Fields of a model and of its graph.
const (
	modelOpsets    = 8
	modelGraph     = 7
	graphNode      = 1
	graphWeight    = 5
	graphInput     = 11
	graphOutput    = 12
	graphInfo      = 13
	graphQuantized = 14
)

// segment is a piece of a file, or bytes in its place.
type segment struct {
	num  protowire.Number
	off  int64
	end  int64
	body int64  // where the content begins, behind tag and length
	text []byte // not nil: instead of the piece
}

func (s segment) size() int64 {
	if s.text != nil {
		return int64(len(s.text))
	}
	return s.end - s.off
}

// fieldsOf are the fields of the message between two places of a file.
func fieldsOf(r io.ReaderAt, size, off, end int64) (list []segment, err error) {
	defer must.Catch(&err)
	s := &slim{r: r, size: size, pos: off}
	for s.pos < end {
		start := s.pos
		num, typ := protowire.DecodeTag(s.varint())
		var body int64
		switch typ {
		case protowire.VarintType:
			body = s.pos
			s.varint()
		case protowire.Fixed32Type:
			body, s.pos = s.pos, s.pos+4
		case protowire.Fixed64Type:
			body, s.pos = s.pos, s.pos+8
		case protowire.BytesType:
			n := s.varint()
			body = s.pos
			if n > uint64(end-s.pos) {
				must.Failf("byte %d: a field ends outside its message", start)
			}
			s.pos += int64(n)
		default:
			must.Failf("byte %d: wire type %d", start, typ)
		}
		if s.pos > end {
			must.Failf("byte %d: a field ends outside its message", start)
		}
		list = append(list, segment{num: num, off: start, end: s.pos, body: body})
	}
	return list, nil
}

// open opens the file that was read.
func (s source) open() (io.ReaderAt, func(), error) {
	if s.path == "" {
		return bytes.NewReader(s.memory), func() {}, nil
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err == nil && st.Size() != s.size {
		err = fmt.Errorf("%s changed since it was read", s.path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}

// copyTo writes a segment.
func (s segment) copyTo(w io.Writer, r io.ReaderAt) error {
	if s.text != nil {
		_, err := w.Write(s.text)
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(r, s.off, s.end-s.off))
	return err
}

// content is the bytes of a segment's message.
func (s segment) content(r io.ReaderAt) ([]byte, error) {
	b := make([]byte, s.end-s.body)
	_, err := r.ReadAt(b, s.body)
	if err == io.EOF {
		err = nil
	}
	return b, err
}
