package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of a model's weights can be gigabytes, and its structure is a few
// kilobytes. slim reads the structure only: a ModelProto in which every long
// array of numbers is replaced by a note where in the file it lies. It also
// guards against files that lie about lengths: nothing is allocated before the
// bytes are known to be there and within the limit.

// kind is a protocol buffer message that slim looks into.
type kind uint8

const (
	kindModel kind = iota + 1
	kindGraph
	kindNode
	kindAttribute
	kindTensor
	kindSparse
	kindFunction
)

// inside are the fields of a message that are messages slim looks into; other
// fields are copied as they are.
var inside = map[kind]map[protowire.Number]kind{
	kindModel:     {7: kindGraph, 25: kindFunction},
	kindGraph:     {1: kindNode, 5: kindTensor, 15: kindSparse},
	kindNode:      {5: kindAttribute},
	kindAttribute: {5: kindTensor, 6: kindGraph, 10: kindTensor, 11: kindGraph, 22: kindSparse, 23: kindSparse},
	kindSparse:    {1: kindTensor, 2: kindTensor},
	kindFunction:  {7: kindNode},
}

const (
	fieldFloats  = 4  // TensorProto.float_data, packed: the same bytes as raw data
	fieldRaw     = 9  // TensorProto.raw_data
	fieldDoubles = 10 // TensorProto.double_data, packed
	fieldRef     = 536870911 - 7

	bulkMin  = 4096 // bytes of an array that is left in the file
	maxDepth = 32   // graphs within nodes within graphs …
)

// ref is where in the model's file an array lies.
type ref struct {
	field      protowire.Number
	off, bytes int64
}

func (r ref) encode() []byte {
	b := protowire.AppendVarint(nil, uint64(r.field))
	b = protowire.AppendVarint(b, uint64(r.off))
	b = protowire.AppendVarint(b, uint64(r.bytes))
	return b
}

// refsOf finds the notes in the unknown fields of a TensorProto.
func refsOf(unknown []byte) []ref {
	var refs []ref
	for len(unknown) > 0 {
		num, typ, n := protowire.ConsumeField(unknown)
		if n < 0 {
			return refs
		}
		if num == fieldRef {
			_, _, tag := protowire.ConsumeTag(unknown)
			if b, m := protowire.ConsumeBytes(unknown[tag:]); m > 0 {
				var v [3]uint64
				for i := range v {
					x, k := protowire.ConsumeVarint(b)
					if k < 0 {
						return refs
					}
					v[i], b = x, b[k:]
				}
				refs = append(refs, ref{protowire.Number(v[0]), int64(v[1]), int64(v[2])})
			}
		}
		_ = typ
		unknown = unknown[n:]
	}
	return refs
}

// slim is the state of reading one file.
type slim struct {
	r     io.ReaderAt
	size  int64
	pos   int64
	buf   []byte // bytes of the file from base
	base  int64
	left  int64 // bytes that may still be kept
	limit int64
	where []string // graph, node, attribute … being read
}

// slimModel reads the structure of a model of the given size, keeping at most
// limit bytes of it.
func slimModel(r io.ReaderAt, size, limit int64) ([]byte, error) {
	s := &slim{r: r, size: size, left: limit, limit: limit}
	b, err := s.message(kindModel, size, 0)
	if err != nil {
		return nil, s.wrap(err)
	}
	return b, nil
}

func (s *slim) wrap(err error) error {
	for i := len(s.where) - 1; i >= 0; i-- {
		if s.where[i] != "" {
			err = fmt.Errorf("%s: %w", s.where[i], err)
		}
	}
	return err
}

// fill makes at least n bytes at pos available, n small.
func (s *slim) fill(n int64) ([]byte, error) {
	if s.pos+n > s.size {
		return nil, io.ErrUnexpectedEOF
	}
	if s.pos < s.base || s.pos+n > s.base+int64(len(s.buf)) {
		want := min(max(n, 1<<16), s.size-s.pos)
		s.buf = slices.Grow(s.buf[:0], int(want))[:want]
		s.base = s.pos
		if _, err := s.r.ReadAt(s.buf, s.pos); err != nil && !(errors.Is(err, io.EOF) && s.pos+want == s.size) {
			return nil, fmt.Errorf("read at byte %d: %w", s.pos, err)
		}
	}
	at := s.pos - s.base
	return s.buf[at : at+n], nil
}

func (s *slim) varint() (uint64, error) {
	b, err := s.fill(min(binary.MaxVarintLen64, s.size-s.pos))
	if err != nil {
		return 0, err
	}
	x, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return 0, fmt.Errorf("byte %d: %w", s.pos, protowire.ParseError(n))
	}
	s.pos += int64(n)
	return x, nil
}

// take copies n bytes to out.
func (s *slim) take(out []byte, n int64) ([]byte, error) {
	if n > s.left {
		return nil, fmt.Errorf("a field of %d bytes at byte %d: the structure of the model is larger than %d bytes", n, s.pos, s.limit)
	}
	s.left -= n
	for n > 0 {
		k := min(n, 1<<16)
		b, err := s.fill(k)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
		s.pos += k
		n -= k
	}
	return out, nil
}

// message reads the message that ends at end.
func (s *slim) message(k kind, end int64, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("messages are nested deeper than %d", maxDepth)
	}
	var out []byte
	here := len(s.where)
	s.where = append(s.where, "")
	for s.pos < end {
		start := s.pos
		tag, err := s.varint()
		if err != nil {
			return nil, err
		}
		num, typ := protowire.DecodeTag(tag)
		if num < 1 {
			return nil, fmt.Errorf("byte %d: not a model: field number %d", start, num)
		}
		var keep []byte
		switch typ {
		case protowire.VarintType:
			x, err := s.varint()
			if err != nil {
				return nil, err
			}
			keep = protowire.AppendVarint(protowire.AppendTag(nil, num, typ), x)
		case protowire.Fixed32Type, protowire.Fixed64Type:
			n := int64(4)
			if typ == protowire.Fixed64Type {
				n = 8
			}
			if keep, err = s.take(protowire.AppendTag(nil, num, typ), n); err != nil {
				return nil, err
			}
		case protowire.BytesType:
			n, err := s.varint()
			if err != nil {
				return nil, err
			}
			if n > math.MaxInt64 || int64(n) > end-s.pos {
				return nil, fmt.Errorf("byte %d: a field of %d bytes, of which %d are there: the file is truncated or not a model", start, n, end-s.pos)
			}
			if keep, err = s.bytes(k, num, int64(n), depth, here); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("byte %d: not a model: wire type %d", start, typ)
		}
		if s.pos > end {
			return nil, fmt.Errorf("byte %d: a field ends outside its message", start)
		}
		if k == kindTensor && num == fieldRef {
			continue // only we write these
		}
		out = append(out, keep...)
	}
	s.where = s.where[:here]
	return out, nil
}

// bytes reads a field of n bytes; the result begins with its tag.
func (s *slim) bytes(k kind, num protowire.Number, n int64, depth, here int) ([]byte, error) {
	if k == kindTensor && n >= bulkMin && (num == fieldRaw || num == fieldFloats || num == fieldDoubles) {
		r := ref{num, s.pos, n}
		s.pos += n
		return protowire.AppendBytes(protowire.AppendTag(nil, fieldRef, protowire.BytesType), r.encode()), nil
	}
	tag := protowire.AppendTag(nil, num, protowire.BytesType)
	if child := inside[k][num]; child != 0 {
		sub, err := s.message(child, s.pos+n, depth+1)
		if err != nil {
			return nil, err
		}
		return protowire.AppendBytes(tag, sub), nil
	}
	b, err := s.take(nil, n)
	if err != nil {
		return nil, err
	}
	switch {
	case k == kindNode && num == 3:
		s.where[here] = fmt.Sprintf("node %q", clip(b))
	case k == kindNode && num == 4:
		s.where[here] += fmt.Sprintf(" (%s)", clip(b))
	case k == kindAttribute && num == 1:
		s.where[here] = fmt.Sprintf("attribute %q", clip(b))
	case k == kindTensor && num == 8:
		s.where[here] = fmt.Sprintf("tensor %q", clip(b))
	}
	return protowire.AppendBytes(tag, b), nil
}

// clip shortens a name that comes from a file, for messages.
func clip[T ~string | ~[]byte](name T) string {
	if len(name) > 100 {
		return string(name[:100]) + "…"
	}
	return string(name)
}
