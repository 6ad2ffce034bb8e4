package onnx

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// TestRecordsAreComplete: each published version and each attribute of an operator of the
// table is named in its record, as understood or as refused, and nothing else is.
func TestRecordsAreComplete(t *testing.T) {
	table.once.Do(fillTable)
	for _, o := range table.all {
		var versions []int64
		published := map[string]bool{}
		for _, d := range o.definitions {
			versions = append(versions, d.since)
			for name := range d.attrs {
				published[name] = true
			}
		}
		if named := slices.Sorted(maps.Keys(o.read)); !slices.Equal(versions, named) {
			t.Errorf("%s: versions %v are published, %v are in the record", o.fullName(), versions, named)
		}
		for _, name := range slices.Sorted(maps.Keys(published)) {
			if _, ok := o.attr[name]; !ok {
				t.Errorf("%s: the record does not name the attribute %s", o.fullName(), name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(o.attr)) {
			if !published[name] {
				t.Errorf("%s: the record names %s, which no version has", o.fullName(), name)
			}
		}
	}
}

// TestDefinitions: definitions.txt says what its lines say.
func TestDefinitions(t *testing.T) {
	d := lookup("", "Clip").at(12)
	if d.since != 12 || d.in.least != 1 || len(d.in.all) != 3 || !d.in.all[1].optional || len(d.attrs) != 0 {
		t.Errorf("Clip of operator set 12: %+v", d)
	}
	if has := d.types["T"]; !has.has(&value{dtype: graph.Uint64}) || has.has(&value{dtype: graph.BFloat16}) || has.has(&value{dtype: graph.Bool}) {
		t.Errorf("types of Clip of operator set 12: %v", has)
	}
	if d := lookup("", "Gelu").at(19); d != nil {
		t.Errorf("operator set 19 has a Gelu: %+v", d)
	}
	a := lookup("", "LSTM").at(14).attrs["direction"]
	if a.kind != onnxpb.AttributeProto_STRING || a.missing != "forward" || a.required {
		t.Errorf("direction of an LSTM: %+v", a)
	}
	if a := lookup("", "Concat").at(13).attrs["axis"]; !a.required {
		t.Errorf("axis of a Concat: %+v", a)
	}
	// An optional value that is there is read as the value.
	if d := lookup("", "OptionalGetElement").at(15); !d.types["O"].has(&value{list: []*value{}}) || !d.types["O"].has(&value{}) {
		t.Errorf("types of OptionalGetElement: %v", d.types["O"])
	}
}

// TestDefaultsArePublished: an attribute of a node that says its published default reads
// as one that is left out.
func TestDefaultsArePublished(t *testing.T) {
	table.once.Do(fillTable)
	for _, o := range table.all {
		for _, d := range o.definitions {
			for name, def := range d.attrs {
				if def.missing == "" || o.lower == nil || !o.read[d.since] {
					continue
				}
				a := &onnxpb.AttributeProto{Name: proto.String(name), Type: def.kind.Enum()}
				switch def.kind {
				case onnxpb.AttributeProto_INT:
					n, err := strconv.ParseInt(def.missing, 10, 64)
					if err != nil {
						t.Fatal(err)
					}
					a.I = proto.Int64(n)
				case onnxpb.AttributeProto_FLOAT:
					x, err := strconv.ParseFloat(def.missing, 32)
					if err != nil {
						t.Fatal(err)
					}
					a.F = proto.Float32(float32(x))
				case onnxpb.AttributeProto_STRING:
					a.S = []byte(def.missing)
				default:
					continue
				}
				if !def.isDefault(a) {
					t.Errorf("%s of %s, version %d: %s is not its default", name, o.fullName(), d.since, def.missing)
				}
			}
		}
	}
}

// TestUnreadNodesAreOpaque: what a record does not cover is kept as it is, and says why.
func TestUnreadNodesAreOpaque(t *testing.T) {
	for _, c := range []struct {
		name  string
		opset int64
		node  *onnxpb.NodeProto
		typ   graph.DType
		want  string // the reason; with "error: ", of an error
	}{
		{"an attribute that no version has", 17, node("Relu", []string{"x"}, []string{"z"}, intAttribute("slope", 1)), graph.Float32,
			`Relu of operator set 17 has no attribute "slope"`},
		{"an attribute of an older version", 17, node("Add", []string{"x", "y"}, []string{"z"}, intAttribute("axis", 0)), graph.Float32,
			`Add of operator set 17 has no attribute "axis"`},
		{"an attribute of a newer version", 8, node("MaxPool", []string{"x"}, []string{"z"}, intsAttribute("kernel_shape", 1), intsAttribute("dilations", 1)), graph.Float32,
			`MaxPool of operator set 8 has no attribute "dilations"`},
		{"an attribute that is refused", 23, node("RMSNormalization", []string{"x", "y"}, []string{"z"}, intAttribute("stash_type", 10)), graph.Float32,
			`attribute stash_type is 10, which is not supported`},
		{"a flag that is neither 0 nor 1", 13, node("ReduceMax", []string{"x"}, []string{"z"}, intAttribute("keepdims", 3)), graph.Float32,
			`its attribute keepdims is 3, and runtimes differ on flags other than 0 and 1`},
		{"a shrink whose ranges overlap", 9, node("Shrink", []string{"x"}, []string{"z"}, floatAttribute("lambd", -1)), graph.Float32,
			`lambd -1 is not supported, it must not be negative`},
		{"zero is not absence", 14, node("RNN", []string{"x", "y", "y"}, []string{"z"}, floatAttribute("clip", 0)), graph.Float32,
			`attribute clip is 0, which is not supported`},
		{"an older operator set", 17, node("Gelu", []string{"x"}, []string{"z"}), graph.Float32,
			`operator set 17 has no such operator`},
		{"a version that is not read", 1, node("GlobalLpPool", []string{"x"}, []string{"z"}), graph.Float32,
			`its definition of operator set 1 is not supported`},
		{"an element type", 13, node("Relu", []string{"x"}, []string{"z"}), graph.Int32,
			`operator set 13 does not apply it to int32`},
		{"one input too many", 17, node("Relu", []string{"x", "y"}, []string{"z"}), graph.Float32,
			`error: 2 inputs, want 1`},
		{"an attribute of another type", 17, node("Concat", []string{"x", "y"}, []string{"z"}, floatAttribute("axis", 1)), graph.Float32,
			`error: attribute axis is of type FLOAT, want INT`},
		{"an attribute that must be there", 17, node("Concat", []string{"x", "y"}, []string{"z"}), graph.Float32,
			`error: its attribute axis is missing`},
		{"training of operator set 9", 9, node("Dropout", []string{"x"}, []string{"z"}, intAttribute("is_test", 0)), graph.Float32,
			`Dropout of operator set 9 has no attribute "is_test"`},
		{"training of operator set 6", 6, node("Dropout", []string{"x"}, []string{"z"}), graph.Float32,
			`training mode is not supported`},
		{"training of operator set 6, said", 6, node("Dropout", []string{"x"}, []string{"z"}, intAttribute("is_test", 0)), graph.Float32,
			`training mode is not supported`},
		{"no broadcast", 6, node("Add", []string{"x", "y"}, []string{"z"}), graph.Float32,
			`error: "x" float32[2, 3, 4] and "y" float32[3, 4] have different sizes, and broadcast is not 1`},
	} {
		m := small()
		m.OpsetImport[0].Version = proto.Int64(c.opset)
		m.Graph.Node = []*onnxpb.NodeProto{c.node}
		m.Graph.Input = []*onnxpb.ValueInfoProto{valueInfo("x", graph.TensorType{DType: c.typ, Sizes: []int{2, 3, 4}}),
			valueInfo("y", graph.TensorType{DType: c.typ, Sizes: []int{3, 4}})}
		m.Graph.Output = []*onnxpb.ValueInfoProto{valueInfo("z", graph.TensorType{DType: c.typ, Sizes: []int{2, 3, 4}})}
		_, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if want, ok := strings.CutPrefix(c.want, "error: "); ok {
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", c.name, err, want)
			}
			continue
		}
		if err != nil || len(r.Opaque) != 1 || r.Opaque[0].Reason != c.want {
			t.Errorf("%s: got %v, %+v, want %s", c.name, err, r, c.want)
		}
	}
}

// TestVersionsOfDomains: a node of another domain needs a version of it that is known.
func TestVersionsOfDomains(t *testing.T) {
	for version, want := range map[int64]string{0: `the model does not import the domain "com.microsoft"`, 1: "", 2: `version 2 of the domain "com.microsoft" is not known, only 1 to 1`} {
		m := small()
		if version > 0 {
			m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(contributed), Version: proto.Int64(version)})
		}
		n := node("QuickGelu", []string{"x"}, []string{"z"})
		n.Domain = proto.String(contributed)
		m.Graph.Node = []*onnxpb.NodeProto{n}
		_, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
		got := ""
		if err != nil {
			got = err.Error()
		} else if len(r.Opaque) > 0 {
			got = r.Opaque[0].Reason
		}
		if !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("version %d: got %s, want %s", version, got, want)
		}
	}
}

// TestIrregularNodesStayInTheirOperatorSet: what a node that breaks its definition means in
// another operator set is not known.
func TestIrregularNodesStayInTheirOperatorSet(t *testing.T) {
	for opset, want := range map[int64]string{
		17: "",
		13: "it is opaque, and not as ONNX defines Relu in operator set 13: what it means in the 17 that is written is not known",
	} {
		m := small()
		m.OpsetImport[0].Version = proto.Int64(opset)
		m.Graph.Node = []*onnxpb.NodeProto{node("Relu", []string{"x"}, []string{"z"}, intAttribute("slope", 1))}
		got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = encode(got, WriteOptions{}, nil, ""); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("operator set %d: got %v, want %s", opset, err, want)
		}
	}
}
