package tasopb

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/taso-go/taso/internal/golden"
)

// v and in build inputs: variable xN, and output 0 of an operator.
func v(n int32) Tensor  { return Tensor{OpID: -n} }
func in(n int32) Tensor { return Tensor{OpID: n} }

// associativity is x1 (x4 x5) => (x1 x4) x5.
func associativity() Rule {
	act := []Parameter{{Key: ParamActi, Value: int32(ActNone)}}
	mm := func(a, b Tensor) Operator { return Operator{Type: OpMatmul, Inputs: []Tensor{a, b}, Params: act} }
	return Rule{
		SrcOps: []Operator{mm(v(4), v(5)), mm(v(1), in(0))},
		DstOps: []Operator{mm(v(1), v(4)), mm(in(0), v(5))},
		Mapped: []MapOutput{{SrcOpID: 1, DstOpID: 1}},
	}
}

// associativityHex is associativity encoded by hand from the format's rules.
const associativityHex = "0a9801" + // rule, 152 bytes
	"0a26" + "0812" + // srcOp: type 18
	"120d08fcffffffffffffffff011000" + // input (-4, 0)
	"120d08fbffffffffffffffff011000" + // input (-5, 0)
	"1a0408091000" + // para ACTI = 0
	"0a1d" + "0812" + "120d08ffffffffffffffffff011000" + "120408001000" + "1a0408091000" +
	"1226" + "0812" + "120d08ffffffffffffffffff011000" + "120d08fcffffffffffffffff011000" + "1a0408091000" +
	"121d" + "0812" + "120408001000" + "120d08fbffffffffffffffff011000" + "1a0408091000" +
	"1a08" + "0801" + "1001" + "1800" + "2000" // mappedOutput

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestByHand(t *testing.T) {
	c := &RuleCollection{Rules: []Rule{associativity()}}
	want := unhex(t, associativityHex)
	if got := c.Marshal(); !bytes.Equal(got, want) {
		t.Errorf("Marshal\n%x, want\n%x", got, want)
	}
	got, err := Unmarshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c, got); d != "" {
		t.Errorf("Unmarshal (-want +got)\n%s", d)
	}
	if empty, err := Unmarshal(nil); err != nil || len(empty.Rules) != 0 || len(empty.Marshal()) != 0 {
		t.Errorf("empty file: %v %v", empty, err)
	}
}

// TestUnknownFields: fields of later versions of the schema, at each depth, are
// kept.
func TestUnknownFields(t *testing.T) {
	const (
		text  = "7a026869" // field 15, bytes "hi"
		group = "7b08017c" // field 15, a group with field 1 = 1
		fixed = "7d01020304"
	)
	tensor := "1208 0801 1000 " + text
	op := "0a1b" + "0812" + tensor + "1a08" + "0809" + "1000" + group + fixed
	mapped := "1a0c" + "0801" + "1001" + "1800" + "2000" + text
	rule := op + mapped + text
	n := len(unhex(t, rule))
	data := unhex(t, fmt.Sprintf("0a%02x", n)+rule+fixed+text)
	c, err := Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Marshal(); !bytes.Equal(got, data) {
		t.Errorf("written back\n%x, read\n%x", got, data)
	}
	r := c.Rules[0]
	for place, got := range map[string][]byte{
		text + "in tensor":           r.SrcOps[0].Inputs[0].Unknown,
		group + "in parameter":       r.SrcOps[0].Params[0].Unknown,
		fixed + "in operator":        r.SrcOps[0].Unknown,
		text + "in mapped output":    r.Mapped[0].Unknown,
		text + "in rule":             r.Unknown,
		fixed + text + "in the file": c.Unknown,
	} {
		if !strings.HasPrefix(place, hex.EncodeToString(got)+"in") {
			t.Errorf("unknown field %x, want %s", got, place)
		}
	}
}

func TestUnmarshalErrors(t *testing.T) {
	for _, c := range []struct {
		name, hex string
		cause     error
		message   string // whole
	}{
		{"tag cut", "80", ErrTruncated, "byte 0, tag: the data ends within a field"},
		{"length cut", "0a80", ErrTruncated, "byte 0, rule: the data ends within a field"},
		{"message cut", "0a00 0a05 0a00", ErrTruncated, "byte 2, rule: the data ends within a field: it says 5 bytes, 2 are left"},
		{"number cut", "0a04 0a02 08ff", ErrTruncated, "byte 4, rule 0, src operator 0, type: the data ends within a field"},
		{"unknown field cut", "7a05 00", ErrTruncated, "byte 0, field 15: the data ends within a field"},
		{"negative length", "0affffffffffffffffff01", ErrLength, "byte 0, rule: negative length: -1"},
		{"length of 2^62", "0a808080808080808040", ErrTruncated, "byte 0, rule: the data ends within a field: it says 4611686018427387904 bytes, 0 are left"},
		{"field 0", "0000", ErrMalformed, "byte 0, tag: malformed field: invalid field number"},
		{"field 2^29", "8080808010 00", ErrMalformed, "byte 0, tag: malformed field: invalid field number"},
		{"number too long", "0a0d 0a0b 08ffffffffffffffffff7f", ErrMalformed, "byte 4, rule 0, src operator 0, type: malformed field: variable length integer overflow"},
		{"end of no group", "7c", ErrMalformed, "byte 0, field 15: malformed field: mismatching end group marker"},
		{"reserved wire type", "7e", ErrMalformed, "byte 0, field 15: malformed field: cannot parse reserved wire type"},
		{"rule is a number", "0801", ErrWireType, "byte 0, rule: wrong wire type: 0, want 2, a message"},
		{"type is bytes", "0a05 1203 0a0100", ErrWireType, "byte 4, rule 0, dst operator 0, type: wrong wire type: 2, want 0, a number"},
		{"type is a float", "0a07 1205 0d00000000", ErrWireType, "byte 4, rule 0, dst operator 0, type: wrong wire type: 5, want 0, a number"},
		{"no type", "0a02 1200", ErrMissing, "byte 4, rule 0, dst operator 0, type: missing required field"},
		{"second operator", "0a08 1202 0812 1202 1200", ErrMissing, "byte 10, rule 0, dst operator 1, input.opId: missing required field"},
		{"second rule", "0a00 0a04 1a02 0801", ErrMissing, "byte 8, rule 1, mappedOutput.dstOpId: missing required field"},
		{"no tsId", "0a08 0a06 0801 1202 0801", ErrMissing, "byte 10, rule 0, src operator 0, input.tsId: missing required field"},
		{"no value", "0a08 0a06 0801 1a02 0801", ErrMissing, "byte 10, rule 0, src operator 0, para.value: missing required field"},
		{"type twice", "0a06 0a04 0801 0802", ErrRepeated, "byte 6, rule 0, src operator 0, type: field given twice"},
		{"type of 2^31", "0a08 0a06 088080808008", ErrRange, "byte 4, rule 0, src operator 0, type: value outside int32: 2147483648"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Unmarshal(unhex(t, c.hex))
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != c.message {
				t.Errorf("got  %s\nwant %s", err, c.message)
			}
			var s *SyntaxError
			if !errors.Is(err, c.cause) || !errors.As(err, &s) {
				t.Errorf("error %#v, want a SyntaxError with cause %v", err, c.cause)
			}
		})
	}
}

// TestTruncated cuts a valid file at every byte: only the cut before the first
// rule and the whole file can be read.
func TestTruncated(t *testing.T) {
	data := unhex(t, associativityHex)
	for n := range data {
		_, err := Unmarshal(data[:n])
		if (err == nil) != (n == 0) {
			t.Errorf("%d of %d bytes: error %v", n, len(data), err)
		}
	}
}

// TestLimits: counts are bounded at every depth, as is the size of the file.
func TestLimits(t *testing.T) {
	message := func(field protowire.Number, body []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), body)
	}
	opType := []byte{8, 1}
	many := func(n int, b []byte) []byte { return bytes.Repeat(b, n) }
	leaf := []byte{8, 0, 16, 0}
	for _, c := range []struct {
		name  string
		limit int
		file  func(n int) []byte
	}{
		{"rule", MaxRules, func(n int) []byte { return many(n, message(1, nil)) }},
		{"srcOp", MaxOperators, func(n int) []byte { return message(1, many(n, message(1, opType))) }},
		{"dstOp", MaxOperators, func(n int) []byte { return message(1, many(n, message(2, opType))) }},
		{"mappedOutput", MaxOutputs, func(n int) []byte {
			return message(1, many(n, message(3, []byte{8, 0, 16, 0, 24, 0, 32, 0})))
		}},
		{"input", MaxInputs, func(n int) []byte {
			return message(1, message(1, append(many(n, message(2, leaf)), opType...)))
		}},
		{"para", MaxParams, func(n int) []byte {
			return message(1, message(1, append(many(n, message(3, leaf)), opType...)))
		}},
	} {
		if _, err := Unmarshal(c.file(c.limit)); err != nil {
			t.Errorf("%s at the limit: %v", c.name, err)
		}
		_, err := Unmarshal(c.file(c.limit + 1))
		if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), ", "+c.name+": too large") {
			t.Errorf("%s above the limit: %v", c.name, err)
		}
	}
	if _, err := Unmarshal(make([]byte, MaxBytes+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("file of more than MaxBytes: %v", err)
	}
}

// anyCollection draws collections that need not make sense, with unknown fields.
func anyCollection() *rapid.Generator[*RuleCollection] {
	unknown := rapid.Custom(func(t *rapid.T) []byte {
		var b []byte
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "unknown fields") {
			b = protowire.AppendTag(b, protowire.Number(rapid.IntRange(5, 1000).Draw(t, "field")), protowire.BytesType)
			b = protowire.AppendBytes(b, rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "bytes"))
		}
		return b
	})
	number := rapid.OneOf(rapid.Int32Range(-3, 30), rapid.Int32())
	tensor := rapid.Custom(func(t *rapid.T) Tensor {
		return Tensor{number.Draw(t, "op"), number.Draw(t, "ts"), unknown.Draw(t, "unknown")}
	})
	parameter := rapid.Custom(func(t *rapid.T) Parameter {
		return Parameter{ParamKey(number.Draw(t, "key")), number.Draw(t, "value"), unknown.Draw(t, "unknown")}
	})
	mapped := rapid.Custom(func(t *rapid.T) MapOutput {
		return MapOutput{number.Draw(t, "a"), number.Draw(t, "b"), number.Draw(t, "c"), number.Draw(t, "d"), unknown.Draw(t, "unknown")}
	})
	operator := rapid.Custom(func(t *rapid.T) Operator {
		return Operator{OpType(number.Draw(t, "type")), slice(t, tensor), slice(t, parameter), unknown.Draw(t, "unknown")}
	})
	rule := rapid.Custom(func(t *rapid.T) Rule {
		return Rule{slice(t, operator), slice(t, operator), slice(t, mapped), unknown.Draw(t, "unknown")}
	})
	return rapid.Custom(func(t *rapid.T) *RuleCollection {
		return &RuleCollection{slice(t, rule), unknown.Draw(t, "unknown")}
	})
}

// slice draws up to 3 elements, nil for none, as the reader does.
func slice[T any](t *rapid.T, g *rapid.Generator[T]) []T {
	s := rapid.SliceOfN(g, 0, 3).Draw(t, "slice")
	if len(s) == 0 {
		return nil
	}
	return s
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyCollection().Draw(t, "collection")
		data := c.Marshal()
		got, err := Unmarshal(data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, got); d != "" {
			t.Fatalf("(-wrote +read)\n%s", d)
		}
		if again := got.Marshal(); !bytes.Equal(again, data) {
			t.Fatalf("written again %x, first %x", again, data)
		}
		// Neither may panic or hang on senseless rules.
		for i := range c.Rules {
			_ = c.Rules[i].String()
		}
		if err := c.Validate(); err != nil && err.Error() == "" {
			t.Fatal("an error without text")
		}
	})
}

// schema builds the message type RuleCollection for Google's own encoder.
func schema(t testing.TB) protoreflect.MessageDescriptor {
	t.Helper()
	label := func(l descriptorpb.FieldDescriptorProto_Label) *descriptorpb.FieldDescriptorProto_Label { return &l }
	kind := func(k descriptorpb.FieldDescriptorProto_Type) *descriptorpb.FieldDescriptorProto_Type { return &k }
	message := func(name string, fields ...string) *descriptorpb.DescriptorProto {
		m := &descriptorpb.DescriptorProto{Name: &name}
		for i, f := range fields {
			name, of, _ := strings.Cut(f, ":")
			d := &descriptorpb.FieldDescriptorProto{Name: &name, Number: proto.Int32(int32(i + 1))}
			if of == "" {
				d.Label = label(descriptorpb.FieldDescriptorProto_LABEL_REQUIRED)
				d.Type = kind(descriptorpb.FieldDescriptorProto_TYPE_INT32)
			} else {
				d.Label = label(descriptorpb.FieldDescriptorProto_LABEL_REPEATED)
				d.Type = kind(descriptorpb.FieldDescriptorProto_TYPE_MESSAGE)
				d.TypeName = proto.String(".GraphSubst." + of)
			}
			m.Field = append(m.Field, d)
		}
		return m
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("rules.proto"), Package: proto.String("GraphSubst"), Syntax: proto.String("proto2"),
		MessageType: []*descriptorpb.DescriptorProto{
			message("RuleCollection", "rule:Rule"),
			message("Rule", "srcOp:Operator", "dstOp:Operator", "mappedOutput:MapOutput"),
			message("Operator", "type", "input:Tensor", "para:Parameter"),
			message("Tensor", "opId", "tsId"),
			message("Parameter", "key", "value"),
			message("MapOutput", "srcOpId", "dstOpId", "srcTsId", "dstTsId"),
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file.Messages().ByName("RuleCollection")
}

// TestAgainstReference compares bytes with those of Google's implementation.
func TestAgainstReference(t *testing.T) {
	desc := schema(t)
	rapid.Check(t, func(t *rapid.T) {
		data := anyCollection().Draw(t, "collection").Marshal()
		m := dynamicpb.NewMessage(desc)
		if err := proto.Unmarshal(data, m); err != nil {
			t.Fatalf("the reference does not read what we write: %v", err)
		}
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("the reference writes %x, %v, we write %x", got, err, data)
		}
	})
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte{})
	f.Add(unhex(f, associativityHex))
	f.Add(unhex(f, "0a08 1202 0812 1202 1200"))
	f.Add(unhex(f, "0a06 0a04 08127801 7a026869"))
	f.Add(unhex(f, "7b7b7b7c7c7c"))
	desc := schema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Unmarshal(data)
		if err != nil {
			var s *SyntaxError
			if !errors.As(err, &s) || s.Offset < 0 || s.Offset > len(data) {
				t.Fatalf("error %#v for %d bytes", err, len(data))
			}
			return
		}
		if err := proto.Unmarshal(data, dynamicpb.NewMessage(desc)); err != nil {
			t.Fatalf("the reference refuses it: %v", err)
		}
		out := c.Marshal()
		if len(out) > len(data) {
			t.Fatalf("written in %d bytes, read from %d", len(out), len(data))
		}
		again, err := Unmarshal(out)
		if err != nil {
			t.Fatalf("cannot read what was written: %v", err)
		}
		if d := cmp.Diff(c, again); d != "" {
			t.Fatalf("(-first +second)\n%s", d)
		}
		if !bytes.Equal(again.Marshal(), out) {
			t.Fatal("written differently the second time")
		}
		_ = c.Validate()
		for i := range c.Rules {
			if s := c.Rules[i].String(); len(s) > 3*maxStringBytes {
				t.Fatalf("a string of %d bytes", len(s))
			}
		}
	})
}

// TestPublished reads TASO's published rule set and what its generator emits at
// three operators.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		name       string
		rules, two int // rules, and rules with two outputs
		types      string
	}{
		{"taso_graph_subst.pb", 133, 13, "CONV2D RELU CONCAT SPLIT EW_ADD EW_MUL MATMUL"},
		{"taso_depth3.pb", 619, 84, "CONV2D POOL2D_MAX POOL2D_AVG RELU CONCAT SPLIT TRANSPOSE EW_ADD EW_MUL MATMUL MUL ENLARGE CONSTANT_IMM CONSTANT_ICONV CONSTANT_ONE CONSTANT_POOL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := golden.Data(t, c.name)
			set, err := Unmarshal(data)
			if err != nil {
				t.Fatal(err)
			}
			two := 0
			seen := map[OpType]bool{}
			for i := range set.Rules {
				r := &set.Rules[i]
				if len(r.Mapped) == 2 {
					two++
				}
				for _, o := range append(append([]Operator(nil), r.SrcOps...), r.DstOps...) {
					seen[o.Type] = true
				}
			}
			var types []string
			for op := range numOpTypes {
				if seen[op] {
					types = append(types, op.String())
				}
			}
			if len(set.Rules) != c.rules || two != c.two || strings.Join(types, " ") != c.types {
				t.Errorf("%d rules, %d with two outputs, operators %v", len(set.Rules), two, types)
			}
			if err := set.Validate(); err != nil {
				t.Errorf("published rules are not valid:\n%v", err)
			}
			if got := set.Marshal(); !bytes.Equal(got, data) {
				t.Errorf("written back: %d bytes, not the %d read", len(got), len(data))
			}
		})
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	data := (&RuleCollection{Rules: manyRules(1000)}).Marshal()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Unmarshal(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshal(b *testing.B) {
	c := &RuleCollection{Rules: manyRules(1000)}
	b.SetBytes(int64(len(c.Marshal())))
	b.ReportAllocs()
	for b.Loop() {
		c.Marshal()
	}
}

func manyRules(n int) []Rule {
	rules := make([]Rule, n)
	for i := range rules {
		rules[i] = associativity()
	}
	return rules
}
