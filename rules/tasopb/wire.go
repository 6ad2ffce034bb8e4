package tasopb

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Causes of errors of Unmarshal, for errors.Is.
var (
	ErrTruncated = errors.New("the data ends within a field")
	ErrMalformed = errors.New("malformed field")
	ErrWireType  = errors.New("wrong wire type")
	ErrLength    = errors.New("negative length")
	ErrRange     = errors.New("value outside int32")
	ErrMissing   = errors.New("missing required field")
	ErrRepeated  = errors.New("field given twice")
	ErrTooLarge  = errors.New("too large")
)

// A SyntaxError says where and why a file cannot be read.
type SyntaxError struct {
	Offset int    // byte in the file
	Place  string // the rule, operator and field, such as "rule 3, src operator 1, input.opId"
	Err    error  // cause, one of the Err variables, wrapped
}

// Error returns a message such as
// "byte 17, rule 3, src operator 1, input.opId: wrong wire type: …".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("byte %d, %s: %v", e.Offset, e.Place, e.Err)
}

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Unmarshal decodes a file. It reads what the schema allows and keeps unknown
// fields, with three exceptions in favour of early errors: a single field given
// twice and a number outside int32 are refused rather than resolved silently,
// and sizes are limited (MaxBytes and the others). Its error is a *SyntaxError.
// The result shares no memory with data. Whether the rules make sense is a
// question for Validate.
func Unmarshal(data []byte) (*RuleCollection, error) {
	if len(data) > MaxBytes {
		return nil, &SyntaxError{MaxBytes, "file", fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(data), MaxBytes)}
	}
	c := &RuleCollection{}
	if err := read(data, 0, c, ""); err != nil {
		return nil, err
	}
	return c, nil
}

// Marshal encodes the collection. Equal collections give equal bytes: fields are
// written in the order of their numbers, unknown fields last, numbers in their
// shortest form, negative ones in ten bytes as the format demands.
func (c *RuleCollection) Marshal() []byte { return write(nil, c) }

// A message lists its fields, that of number n at n-1, and where it keeps those
// that the schema does not name.
type message interface {
	fields() (fields []field, unknown *[]byte)
}

// A field is a required int32 or a list of messages.
type field struct {
	name   string // in the schema
	number *int32
	list   elements
	limit  int // of the list's length
	// place is what an element is called in errors; with %d it is numbered.
	place string
}

// elements is a list of messages of one type.
type elements interface {
	len() int
	at(i int) message
	grow() message // appends an element
}

type list[T any, P interface {
	*T
	message
}] struct{ to *[]T }

func (l list[T, P]) len() int         { return len(*l.to) }
func (l list[T, P]) at(i int) message { return P(&(*l.to)[i]) }

func (l list[T, P]) grow() message {
	*l.to = append(*l.to, *new(T))
	return l.at(l.len() - 1)
}

// write appends a message.
func write(b []byte, m message) []byte {
	fields, unknown := m.fields()
	for i, f := range fields {
		num := protowire.Number(i + 1)
		if f.number != nil { // the format extends the sign to 64 bits
			b = protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(int64(*f.number)))
			continue
		}
		for k := range f.list.len() {
			b = protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), write(nil, f.list.at(k)))
		}
	}
	return append(b, *unknown...)
}

// read reads a message, which begins at byte base of the file; place is where it
// is, with what separates it from a field's name.
func read(data []byte, base int, m message, place string) error {
	fields, unknown := m.fields()
	given := make([]bool, len(fields))
	for pos := 0; pos < len(data); {
		fail := func(name string, err error) error { return &SyntaxError{base + pos, place + name, err} }
		num, wire, n := protowire.ConsumeTag(data[pos:])
		if n < 0 {
			return fail("tag", wireError(n))
		}
		if num > protowire.MaxValidNumber {
			return fail("tag", fmt.Errorf("%w: invalid field number", ErrMalformed))
		}
		value := data[pos+n:]
		if int(num) > len(fields) {
			size := protowire.ConsumeFieldValue(num, wire, value)
			if size < 0 {
				return fail(fmt.Sprintf("field %d", num), wireError(size))
			}
			*unknown = append(*unknown, data[pos:pos+n+size]...)
			pos += n + size
			continue
		}
		f := &fields[num-1]
		if f.number != nil {
			size, err := readInt32(wire, value, f.number)
			if err == nil && given[num-1] {
				err = ErrRepeated
			}
			if err != nil {
				return fail(f.name, err)
			}
			given[num-1] = true
			pos += n + size
			continue
		}
		sub, size, err := readBytes(wire, value)
		if err == nil && f.list.len() == f.limit {
			err = fmt.Errorf("%w: more than %d of them", ErrTooLarge, f.limit)
		}
		if err != nil {
			return fail(f.name, err)
		}
		pos += n + size
		at := f.place
		if strings.Contains(at, "%d") {
			at = fmt.Sprintf(at, f.list.len())
		}
		if err := read(sub, base+pos-len(sub), f.list.grow(), place+at); err != nil {
			return err
		}
	}
	for i, f := range fields {
		if f.number != nil && !given[i] {
			return &SyntaxError{base + len(data), place + f.name, ErrMissing}
		}
	}
	return nil
}

// readBytes reads the length and content of a nested message and returns the
// bytes that both take.
func readBytes(wire protowire.Type, data []byte) (content []byte, size int, err error) {
	if wire != protowire.BytesType {
		return nil, 0, fmt.Errorf("%w: %d, want 2, a message", ErrWireType, wire)
	}
	length, n := protowire.ConsumeVarint(data)
	if n < 0 {
		return nil, 0, wireError(n)
	}
	if length > math.MaxInt64 {
		return nil, 0, fmt.Errorf("%w: %d", ErrLength, int64(length))
	}
	if rest := uint64(len(data) - n); length > rest {
		return nil, 0, fmt.Errorf("%w: it says %d bytes, %d are left", ErrTruncated, length, rest)
	}
	return data[n : n+int(length)], n + int(length), nil
}

// readInt32 reads an int32, which is encoded as a 64-bit number.
func readInt32(wire protowire.Type, data []byte, to *int32) (size int, err error) {
	if wire != protowire.VarintType {
		return 0, fmt.Errorf("%w: %d, want 0, a number", ErrWireType, wire)
	}
	v, n := protowire.ConsumeVarint(data)
	if n < 0 {
		return 0, wireError(n)
	}
	if x := int64(v); x < math.MinInt32 || x > math.MaxInt32 {
		return 0, fmt.Errorf("%w: %d", ErrRange, x)
	}
	*to = int32(v)
	return n, nil
}

// wireError turns a negative size of protowire into an error.
func wireError(n int) error {
	err := protowire.ParseError(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	// The library varies the space in its messages; ours are the same every time.
	return fmt.Errorf("%w: %s", ErrMalformed, strings.TrimLeft(strings.TrimPrefix(err.Error(), "proto:"), " \u00a0"))
}
