package onnx

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// The numbers of a model's weights can be gigabytes, and its structure is a few
// kilobytes. slim reads the structure only: a ModelProto in which every long
// array of numbers is replaced by a note where in the file it lies. It also
// guards against files that lie about lengths, and against those of millions of
// small things: nothing is allocated before the bytes are known to be there, and
// everything is charged what it will take in memory, which the limit bounds.

// The messages that slim knows something about.
var (
	messages  = onnxpb.File_onnx_proto.Messages()
	nodeType  = messages.ByName("NodeProto")
	attrType  = messages.ByName("AttributeProto")
	arrayType = messages.ByName("TensorProto")
	modelType = messages.ByName("ModelProto")
)

const (
	fieldFloats  = 4  // TensorProto.float_data, packed: the same bytes as raw data
	fieldRaw     = 9  // TensorProto.raw_data
	fieldDoubles = 10 // TensorProto.double_data, packed
	fieldRef     = 536870911 - 7

	bulkMin  = 4096 // bytes of an array that is left in the file
	maxDepth = 64   // messages within messages
)

// Memory that a decoded field takes beside its bytes, with the room that
// growing slices leave.
const (
	stringCost = 48
	numberCost = 16
	packedCost = 8 // for each byte of a packed list
)

// messageCost is the memory of an empty message, by type.
var messageCost = sync.OnceValue(func() map[protoreflect.FullName]int64 {
	cost := map[protoreflect.FullName]int64{}
	var add func(list protoreflect.MessageDescriptors)
	add = func(list protoreflect.MessageDescriptors) {
		for i := range list.Len() {
			name := list.Get(i).FullName()
			if t, err := protoregistry.GlobalTypes.FindMessageByName(name); err == nil {
				cost[name] = int64(reflect.TypeOf(t.Zero().Interface()).Elem().Size()) + 3*numberCost
			}
			add(list.Get(i).Messages())
		}
	}
	add(messages)
	return cost
})

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
		num, _, n := protowire.ConsumeField(unknown)
		if n < 0 {
			return refs
		}
		_, _, tag := protowire.ConsumeTag(unknown)
		if b, m := protowire.ConsumeBytes(unknown[tag:]); num == fieldRef && m > 0 {
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
	left  int64 // bytes of memory that may still be taken
	limit int64
	where []string // graph, node, attribute … being read
}

// slimModel reads the structure of a model of the given size, keeping at most
// limit bytes of it.
func slimModel(r io.ReaderAt, size, limit int64) (b []byte, err error) {
	s := &slim{r: r, size: size, left: limit, limit: limit}
	if err = must.Try(func() { b = s.message(modelType, size, 0) }); err != nil {
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
func (s *slim) fill(n int64) []byte {
	if s.pos+n > s.size {
		must.Do(io.ErrUnexpectedEOF)
	}
	if s.pos < s.base || s.pos+n > s.base+int64(len(s.buf)) {
		want := min(max(n, 1<<16), s.size-s.pos)
		s.buf = slices.Grow(s.buf[:0], int(want))[:want]
		s.base = s.pos
		if _, err := s.r.ReadAt(s.buf, s.pos); err != nil && !(errors.Is(err, io.EOF) && s.pos+want == s.size) {
			must.Failf("read at byte %d: %w", s.pos, err)
		}
	}
	at := s.pos - s.base
	return s.buf[at : at+n]
}

func (s *slim) varint() uint64 {
	x, n := protowire.ConsumeVarint(s.fill(min(binary.MaxVarintLen64, s.size-s.pos)))
	if n < 0 {
		must.Failf("byte %d: %w", s.pos, protowire.ParseError(n))
	}
	s.pos += int64(n)
	return x
}

// charge counts memory that will be taken.
func (s *slim) charge(n int64) {
	if n > s.left {
		must.Failf("at byte %d the structure of the model is larger than %d bytes", s.pos, s.limit)
	}
	s.left -= n
}

// take appends n bytes to out.
func (s *slim) take(out []byte, n int64) []byte {
	if n > s.left {
		must.Failf("a field of %d bytes at byte %d: the structure of the model is larger than %d bytes", n, s.pos, s.limit)
	}
	s.left -= n
	for n > 0 {
		k := min(n, 1<<16)
		out = append(out, s.fill(k)...)
		s.pos += k
		n -= k
	}
	return out
}

// message reads the message of a type that ends at end.
func (s *slim) message(t protoreflect.MessageDescriptor, end int64, depth int) []byte {
	if depth > maxDepth {
		must.Failf("messages are nested deeper than %d", maxDepth)
	}
	s.charge(messageCost()[t.FullName()])
	var out []byte
	here := len(s.where)
	s.where = append(s.where, "")
	for s.pos < end {
		start := s.pos
		num, typ := protowire.DecodeTag(s.varint())
		if num < 1 {
			must.Failf("byte %d: not a model: field number %d", start, num)
		}
		keep := protowire.AppendTag(nil, num, typ)
		switch typ {
		case protowire.VarintType:
			keep = protowire.AppendVarint(keep, s.varint())
			s.charge(numberCost)
		case protowire.Fixed32Type:
			s.charge(numberCost)
			keep = s.take(keep, 4)
		case protowire.Fixed64Type:
			s.charge(numberCost)
			keep = s.take(keep, 8)
		case protowire.BytesType:
			n := s.varint()
			if n > math.MaxInt64 || int64(n) > end-s.pos {
				must.Failf("byte %d: a field of %d bytes, but only %d are left: the file is truncated or not a model", start, n, end-s.pos)
			}
			keep = s.bytes(t, num, int64(n), depth, here)
		default:
			must.Failf("byte %d: not a model: wire type %d", start, typ)
		}
		if s.pos > end {
			must.Failf("byte %d: a field ends outside its message", start)
		}
		if t == arrayType && num == fieldRef {
			continue // only we write these
		}
		out = append(out, keep...)
	}
	s.where = s.where[:here]
	return out
}

// bytes reads a field of n bytes; the result begins with its tag.
func (s *slim) bytes(t protoreflect.MessageDescriptor, num protowire.Number, n int64, depth, here int) []byte {
	if t == arrayType && n >= bulkMin && (num == fieldRaw || num == fieldFloats || num == fieldDoubles) {
		r := ref{num, s.pos, n}
		s.pos += n
		s.charge(stringCost)
		return protowire.AppendBytes(protowire.AppendTag(nil, fieldRef, protowire.BytesType), r.encode())
	}
	tag := protowire.AppendTag(nil, num, protowire.BytesType)
	cost := int64(stringCost)
	if f := t.Fields().ByNumber(num); f != nil {
		switch f.Kind() {
		case protoreflect.MessageKind:
			return protowire.AppendBytes(tag, s.message(f.Message(), s.pos+n, depth+1))
		case protoreflect.StringKind, protoreflect.BytesKind:
		default:
			cost += min(n, s.size) * packedCost // a packed list
		}
	}
	b := s.take(nil, n)
	s.charge(cost)
	switch {
	case t == nodeType && num == 2 && s.where[here] == "" && len(b) > 0:
		s.where[here] = fmt.Sprintf("node of %q", clip(b))
	case t == nodeType && num == 3 && len(b) > 0:
		s.where[here] = fmt.Sprintf("node %q", clip(b))
	case t == nodeType && num == 4:
		s.where[here] = cmp.Or(s.where[here], "node") + fmt.Sprintf(" (%s)", word(clip(b)))
	case t == attrType && num == 1:
		s.where[here] = fmt.Sprintf("attribute %q", clip(b))
	case t == arrayType && num == 8:
		s.where[here] = fmt.Sprintf("tensor %q", clip(b))
	}
	return protowire.AppendBytes(tag, b)
}

// clip shortens a name that comes from a file, for messages.
func clip[T ~string | ~[]byte](name T) string {
	if len(name) > 100 {
		return string(name[:100]) + "…"
	}
	return string(name)
}

// word is a name from a file as it may stand in a message without quotes.
func word(name string) string {
	for _, r := range name {
		if r < 0x21 || r > 0x7e {
			return strconv.Quote(name)
		}
	}
	return name
}
