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

// A Side is a half of a rule.
type Side string

// The sides of a rule; NoSide where an error or a problem concerns neither.
const (
	NoSide Side = ""
	Src    Side = "src"
	Dst    Side = "dst"
)

// A SyntaxError says where and why a file cannot be read.
type SyntaxError struct {
	Offset int    // byte in the file
	Rule   int    // index of the rule, -1 outside of rules
	Side   Side   // of the operator
	Op     int    // index of the operator on its side, -1 outside of operators
	Field  string // name in the schema, or "field 7"
	Err    error  // cause, one of the Err variables, wrapped
}

// Error returns a message such as
// "byte 17, rule 3, src operator 1, input.opId: wrong wire type: …".
func (e *SyntaxError) Error() string {
	s := fmt.Sprintf("byte %d", e.Offset)
	if e.Rule >= 0 {
		s += fmt.Sprintf(", rule %d", e.Rule)
	}
	if e.Op >= 0 {
		s += fmt.Sprintf(", %s operator %d", e.Side, e.Op)
	}
	if e.Field != "" {
		s += ", " + e.Field
	}
	return s + ": " + e.Err.Error()
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
		return nil, &SyntaxError{Offset: MaxBytes, Rule: -1, Op: -1,
			Err: fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(data), MaxBytes)}
	}
	d := &decoder{rule: -1, op: -1}
	c := &RuleCollection{}
	err := d.message(data, 0, &c.Unknown, []fieldSpec{
		fieldRule: {"rule", MaxRules, func(b []byte, at int) error {
			d.rule = len(c.Rules)
			var r Rule
			if err := d.readRule(b, at, &r); err != nil {
				return err
			}
			c.Rules = append(c.Rules, r)
			d.rule = -1
			return nil
		}, nil},
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// A decoder knows which rule and operator it is in, for errors.
type decoder struct {
	rule   int
	side   Side
	op     int
	prefix string // of the field name, such as "input."
}

// fail builds the error for the present place.
func (d *decoder) fail(offset int, field string, err error) error {
	return &SyntaxError{Offset: offset, Rule: d.rule, Side: d.side, Op: d.op, Field: d.prefix + field, Err: err}
}

// A fieldSpec says how to read one field of a message: a repeated message, or a
// required int32. The zero value is a field that the schema does not name.
type fieldSpec struct {
	name  string
	limit int                             // of a repeated field
	each  func(data []byte, at int) error // for a repeated message
	value *int32                          // for a required int32
}

// message reads the fields of one message; data begins at byte base of the file.
// fields is indexed by field number.
func (d *decoder) message(data []byte, base int, unknown *[]byte, fields []fieldSpec) error {
	var counts [fieldDstTsID + 1]int // the highest field number of the schema
	for pos := 0; pos < len(data); {
		at := base + pos
		num, wire, n := protowire.ConsumeTag(data[pos:])
		if n < 0 {
			return d.fail(at, "tag", wireError(n))
		}
		if num > protowire.MaxValidNumber {
			return d.fail(at, "tag", fmt.Errorf("%w: invalid field number", ErrMalformed))
		}
		value := data[pos+n:]
		if int(num) >= len(fields) || fields[num].name == "" {
			size := protowire.ConsumeFieldValue(num, wire, value)
			if size < 0 {
				return d.fail(at, fmt.Sprintf("field %d", num), wireError(size))
			}
			*unknown = append(*unknown, data[pos:pos+n+size]...)
			pos += n + size
			continue
		}
		f := &fields[num]
		counts[num]++
		var size int
		var err error
		if f.value != nil {
			size, err = readInt32(wire, value, f.value)
			if err == nil && counts[num] > 1 {
				err = ErrRepeated
			}
		} else {
			var sub []byte
			sub, size, err = readBytes(wire, value)
			if err == nil && counts[num] > f.limit {
				err = fmt.Errorf("%w: more than %d of them", ErrTooLarge, f.limit)
			}
			if err == nil {
				if err := f.each(sub, at+n+size-len(sub)); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return d.fail(at, f.name, err)
		}
		pos += n + size
	}
	for num := range fields {
		if fields[num].value != nil && counts[num] == 0 {
			return d.fail(base+len(data), fields[num].name, ErrMissing)
		}
	}
	return nil
}

func (d *decoder) readRule(data []byte, base int, r *Rule) error {
	operators := func(side Side, ops *[]Operator) func([]byte, int) error {
		return func(b []byte, at int) error {
			d.side, d.op = side, len(*ops)
			var o Operator
			if err := d.readOperator(b, at, &o); err != nil {
				return err
			}
			*ops = append(*ops, o)
			d.side, d.op = NoSide, -1
			return nil
		}
	}
	return d.message(data, base, &r.Unknown, []fieldSpec{
		fieldSrcOp: {"srcOp", MaxOperators, operators(Src, &r.SrcOps), nil},
		fieldDstOp: {"dstOp", MaxOperators, operators(Dst, &r.DstOps), nil},
		fieldMapped: {"mappedOutput", MaxOutputs, func(b []byte, at int) error {
			var m MapOutput
			if err := d.leaf("mappedOutput.", b, at, &m.Unknown, []fieldSpec{
				fieldSrcOpID: {"srcOpId", 0, nil, &m.SrcOpID},
				fieldDstOpID: {"dstOpId", 0, nil, &m.DstOpID},
				fieldSrcTsID: {"srcTsId", 0, nil, &m.SrcTsID},
				fieldDstTsID: {"dstTsId", 0, nil, &m.DstTsID},
			}); err != nil {
				return err
			}
			r.Mapped = append(r.Mapped, m)
			return nil
		}, nil},
	})
}

func (d *decoder) readOperator(data []byte, base int, o *Operator) error {
	var opType int32
	err := d.message(data, base, &o.Unknown, []fieldSpec{
		fieldType: {"type", 0, nil, &opType},
		fieldInput: {"input", MaxInputs, func(b []byte, at int) error {
			var t Tensor
			if err := d.leaf("input.", b, at, &t.Unknown, []fieldSpec{
				fieldOpID: {"opId", 0, nil, &t.OpID},
				fieldTsID: {"tsId", 0, nil, &t.TsID},
			}); err != nil {
				return err
			}
			o.Inputs = append(o.Inputs, t)
			return nil
		}, nil},
		fieldPara: {"para", MaxParams, func(b []byte, at int) error {
			var p Parameter
			var key int32
			if err := d.leaf("para.", b, at, &p.Unknown, []fieldSpec{
				fieldKey:   {"key", 0, nil, &key},
				fieldValue: {"value", 0, nil, &p.Value},
			}); err != nil {
				return err
			}
			p.Key = ParamKey(key)
			o.Params = append(o.Params, p)
			return nil
		}, nil},
	})
	o.Type = OpType(opType)
	return err
}

// leaf reads a message of numbers only.
func (d *decoder) leaf(prefix string, data []byte, at int, unknown *[]byte, fields []fieldSpec) error {
	d.prefix = prefix
	err := d.message(data, at, unknown, fields)
	d.prefix = ""
	return err
}

// readBytes reads the length and content of a nested message and returns the
// bytes that both take.
func readBytes(wire protowire.Type, data []byte) (content []byte, size int, err error) {
	if wire != protowire.BytesType {
		return nil, 0, fmt.Errorf("%w: %s, want a message", ErrWireType, wireName(wire))
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
		return 0, fmt.Errorf("%w: %s, want a number", ErrWireType, wireName(wire))
	}
	v, n := protowire.ConsumeVarint(data)
	if n < 0 {
		return 0, wireError(n)
	}
	x := int64(v)
	if x < math.MinInt32 || x > math.MaxInt32 {
		return 0, fmt.Errorf("%w: %d", ErrRange, x)
	}
	*to = int32(x)
	return n, nil
}

// wireError turns a negative size of protowire into an error.
func wireError(n int) error {
	err := protowire.ParseError(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	// The library varies the space in its messages; ours are the same every time.
	text := strings.TrimLeft(strings.TrimPrefix(err.Error(), "proto:"), " \u00a0")
	return fmt.Errorf("%w: %s", ErrMalformed, text)
}

// wireName names a wire type for messages.
func wireName(wire protowire.Type) string {
	switch wire {
	case protowire.VarintType:
		return "a number"
	case protowire.Fixed32Type:
		return "four bytes"
	case protowire.Fixed64Type:
		return "eight bytes"
	case protowire.BytesType:
		return "bytes"
	case protowire.StartGroupType:
		return "the start of a group"
	case protowire.EndGroupType:
		return "the end of a group"
	}
	return fmt.Sprintf("wire type %d", wire)
}
