package onnx

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func node(op string, in, out []string, a ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{OpType: proto.String(op), Name: proto.String("n_" + op), Input: in, Output: out, Attribute: a}
}

func float32Info(name string, sizes ...int) *onnxpb.ValueInfoProto {
	return valueInfo(name, graph.TensorType{Sizes: sizes})
}

// small is a model x, y -> z of one Add, that a test changes.
func small() *onnxpb.ModelProto {
	return &onnxpb.ModelProto{
		IrVersion:   proto.Int64(8),
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}},
		Graph: &onnxpb.GraphProto{
			Name:   proto.String("small"),
			Input:  []*onnxpb.ValueInfoProto{float32Info("x", 2, 3), float32Info("y", 2, 3)},
			Output: []*onnxpb.ValueInfoProto{float32Info("z", 2, 3)},
			Node:   []*onnxpb.NodeProto{node("Add", []string{"x", "y"}, []string{"z"})},
		},
	}
}

func marshal(t testing.TB, m *onnxpb.ModelProto) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// putting is the folder of each test that put writes to, and how many files it wrote.
var putting = struct {
	sync.Mutex
	in map[testing.TB]string
	n  int
}{in: map[testing.TB]string{}}

// put writes a file.
func put(t testing.TB, raw []byte) string {
	t.Helper()
	putting.Lock()
	defer putting.Unlock()
	if putting.in[t] == "" {
		putting.in[t] = t.TempDir()
		t.Cleanup(func() {
			putting.Lock()
			defer putting.Unlock()
			delete(putting.in, t)
		})
	}
	putting.n++
	path := filepath.Join(putting.in[t], fmt.Sprintf("%d.onnx", putting.n))
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// weightOf adds an initializer w of the given raw size and dims.
func weightOf(dims []int64, raw []byte) func(m *onnxpb.ModelProto) {
	return func(m *onnxpb.ModelProto) {
		m.Graph.Initializer = append(m.Graph.Initializer, &onnxpb.TensorProto{Name: proto.String("w"), DataType: proto.Int32(1), Dims: dims, RawData: raw})
	}
}

func externalWeight(location string, more ...*onnxpb.StringStringEntryProto) func(m *onnxpb.ModelProto) {
	return func(m *onnxpb.ModelProto) {
		m.Graph.Initializer = append(m.Graph.Initializer, &onnxpb.TensorProto{Name: proto.String("w"), DataType: proto.Int32(1), Dims: []int64{2, 3},
			DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(), ExternalData: append(more, entry("location", location))})
	}
}

// TestHostile: a file that is wrong gives one error that names the file, the
// place and the cause; and little memory is asked for.
func TestHostile(t *testing.T) {
	nodes := func(ns ...*onnxpb.NodeProto) func(m *onnxpb.ModelProto) {
		return func(m *onnxpb.ModelProto) { m.Graph.Node = ns }
	}
	dim := func(n int64) func(m *onnxpb.ModelProto) {
		return func(m *onnxpb.ModelProto) {
			m.Graph.Input[0].Type.GetTensorType().Shape.Dim[0] = &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: n}}
		}
	}
	for _, c := range []struct {
		name   string
		change func(m *onnxpb.ModelProto)
		want   string // behind the file's name
	}{
		{"no graph", func(m *onnxpb.ModelProto) { m.Graph = nil }, "read model: not an ONNX model: no graph"},
		{"no outputs", func(m *onnxpb.ModelProto) { m.Graph.Output = nil }, "the graph has no outputs"},
		{"new opset", func(m *onnxpb.ModelProto) { m.OpsetImport[0].Version = proto.Int64(99) }, "read model: operator set 99 is not supported"},
		{"opset 0", func(m *onnxpb.ModelProto) { m.OpsetImport[0].Version = nil }, "read model: operator set 0"},
		{"other opsets only", func(m *onnxpb.ModelProto) { m.OpsetImport[0].Domain = proto.String("other") }, `node "n_Add" (Add): the model does not import ONNX's operator set`},
		{"output of nothing", func(m *onnxpb.ModelProto) { m.Graph.Output[0].Name = proto.String("q") }, `output "q": nothing computes it`},
		{"input of nothing", nodes(node("Add", []string{"x", "q"}, []string{"z"})), `node "n_Add" (Add): nothing computes its input "q"`},
		{"cycle of one", nodes(node("Add", []string{"x", "z"}, []string{"z"})), `node "n_Add" (Add): it needs its own output: the graph has a cycle`},
		{"cycle of two", nodes(node("Add", []string{"x", "b"}, []string{"z"}), node("Relu", []string{"z"}, []string{"b"})),
			`node "n_Add" (Add): it needs its own output: the graph has a cycle`},
		{"dimension 2^63", dim(math.MinInt64), `input "x": size -9223372036854775808 of axis 0 is less than 0`},
		{"dimension 2^63-1", dim(math.MaxInt64), `input "x": size 9223372036854775807 of axis 0 is larger than 2147483647`},
		{"too many elements", func(m *onnxpb.ModelProto) { m.Graph.Input[0] = float32Info("x", 1<<30, 1<<30) }, `input "x": shape [1073741824, 1073741824]: more than 1099511627776 elements`},
		{"two inputs of a name", func(m *onnxpb.ModelProto) { m.Graph.Input[1].Name = proto.String("x") }, `input "x": there are two inputs of this name`},
		{"two weights of a name", func(m *onnxpb.ModelProto) {
			weightOf([]int64{1}, make([]byte, 4))(m)
			weightOf([]int64{1}, make([]byte, 4))(m)
		}, `weight "w": the value "w" is defined twice`},
		{"two values of a name", nodes(node("Add", []string{"x", "y"}, []string{"z"}), node("Relu", []string{"x"}, []string{"z"})),
			`node "n_Relu" (Relu): the value "z" is defined twice`},
		{"weight of 2^62 elements", weightOf([]int64{1 << 31, 1 << 31}, nil), `weight "w": size 2147483648 of axis 0 is not in 0 to 2147483647`},
		{"negative size", weightOf([]int64{-1}, nil), `weight "w": size -1 of axis 0 is not in 0 to 2147483647`},
		{"short weight", weightOf([]int64{1 << 20, 1 << 20}, make([]byte, 8)), `weight "w": 8 bytes of numbers for float32[1048576, 1048576], want 4398046511104`},
		{"missing external data", externalWeight("none.bin"), `weight "w": external data: "none.bin" is not there`},
		{"path traversal", externalWeight("../../etc/passwd"), `weight "w": external data: "../../etc/passwd" is not inside the model's folder`},
		{"absolute path", externalWeight("/etc/passwd"), `weight "w": external data: "/etc/passwd" is not inside the model's folder`},
		{"path through a link", externalWeight("link/secret"), `weight "w": external data: `},
		{"folder", externalWeight("folder"), `weight "w": external data: "folder" is not a regular file`},
		{"no location", externalWeight(""), `weight "w": external data: no location`},
		{"short external data", externalWeight("short.bin"), `weight "w": external data: "short.bin" has 3 bytes, not the 24 from byte 0 on`},
		{"offset far out", externalWeight("short.bin", entry("offset", "9223372036854775807")), `weight "w": external data: "short.bin" has 3 bytes, not the 24 from byte 9223372036854775807 on`},
		{"offset that is none", externalWeight("short.bin", entry("offset", "x")), `weight "w": external data: offset "x" is not a number`},
		{"huge expansion", nodes(node("ConstantOfShape", []string{"s"}, []string{"c"}), node("Add", []string{"c", "y"}, []string{"z"})), ""},
		{"sizes that differ", func(m *onnxpb.ModelProto) { m.Graph.Input[1] = float32Info("y", 2, 4) }, `node "n_Add" (Add): sizes [2 3] and [2 4] do not broadcast`},
		{"unknown operator without types", func(m *onnxpb.ModelProto) {
			m.Graph.Node[0].OpType = proto.String("Frobnicate")
			m.Graph.Output[0].Type = nil
		}, `node "n_Add" (Frobnicate): this operator is not supported, and the type of its output "z" is not known: the file does not say it`},
		{"attribute of a wrong type", nodes(node("Concat", []string{"x", "y"}, []string{"z"}, textAttribute("axis", "1"))), `node "n_Concat" (Concat): attribute axis is of type STRING, want INT`},
		{"attribute twice", nodes(node("Concat", []string{"x", "y"}, []string{"z"}, intAttribute("axis", 0), intAttribute("axis", 1))), `node "n_Concat" (Concat): two attributes "axis"`},
		{"axis outside", nodes(node("Concat", []string{"x", "y"}, []string{"z"}, intAttribute("axis", math.MaxInt64))), `node "n_Concat" (Concat): axis 9223372036854775807 of a tensor with 2 axes`},
		{"strings", func(m *onnxpb.ModelProto) { m.Graph.Input[0].Type.GetTensorType().ElemType = proto.Int32(8) }, `input "x": element type STRING is not supported`},
		{"a function of itself", func(m *onnxpb.ModelProto) {
			m.Graph.Node[0].Domain = proto.String("f")
			m.Functions = []*onnxpb.FunctionProto{{Domain: proto.String("f"), Name: proto.String("Add"), Input: []string{"a", "b"}, Output: []string{"c"},
				Node: []*onnxpb.NodeProto{{Domain: proto.String("f"), OpType: proto.String("Add"), Input: []string{"a", "b"}, Output: []string{"c"}}}}}
		}, `functions or branches are nested deeper than 16`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := small()
			c.change(m)
			if c.name == "huge expansion" {
				m.Graph.Initializer = []*onnxpb.TensorProto{{Name: proto.String("s"), DataType: proto.Int32(7), Dims: []int64{4}, Int64Data: []int64{1 << 30, 1 << 30, 2, 3}}}
				c.want = `node "n_ConstantOfShape" (ConstantOfShape): operator broadcast: `
			}
			path := put(t, marshal(t, m))
			dir := filepath.Dir(path)
			if err := os.WriteFile(filepath.Join(dir, "short.bin"), []byte("abc"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
				t.Fatal(err)
			}
			outside := t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "secret"), make([]byte, 24), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
				t.Skip(err)
			}
			checkRefused(t, path, path+": "+c.want, c.want)
		})
	}
}

// checkRefused reads a file that must be refused, without asking for much
// memory.
func checkRefused(t *testing.T, path, prefix, part string) {
	t.Helper()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	_, _, err := Read(path, ReadOptions{})
	goruntime.ReadMemStats(&after)
	if err == nil {
		t.Fatal("it was read")
	}
	if !strings.HasPrefix(err.Error(), prefix) && !(strings.HasPrefix(err.Error(), path) && strings.Contains(err.Error(), part)) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got  %v\nwant %s", err, prefix)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestTruncated: no prefix of a model is a model, and none does harm.
func TestTruncated(t *testing.T) {
	m := small()
	weightOf([]int64{1024, 2}, make([]byte, 8192))(m)
	m.Graph.Node = append(m.Graph.Node, node("MatMul", []string{"w", "z"}, []string{"q"}))
	m.Graph.Output[0].Name = proto.String("q")
	raw := marshal(t, m)
	if _, _, err := decode(bytes.NewReader(raw), inMemory(raw), ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	for n := range raw {
		if n > 200 && n < len(raw)-200 && n%97 != 0 {
			continue
		}
		if _, _, err := decode(bytes.NewReader(raw[:n]), inMemory(raw[:n]), ReadOptions{}); err == nil {
			t.Errorf("%d of %d bytes were read as a model", n, len(raw))
		}
	}
	checkRefused(t, put(t, raw[:len(raw)/2]), "", "the file is truncated or not a model")
	checkRefused(t, put(t, nil), "", "the file is empty")
	checkRefused(t, put(t, []byte("<html>not found</html>")), "", "not a model")
	checkRefused(t, t.TempDir(), "", "not a regular file")
	checkRefused(t, filepath.Join(t.TempDir(), "none.onnx"), "", "open model: no such file")
}

// TestLargeAttribute: an attribute of 1 GB is refused by its length, before it
// is read. The file is sparse.
func TestLargeAttribute(t *testing.T) {
	const large = 1 << 30
	tag := func(num protowire.Number) []byte { return protowire.AppendTag(nil, num, protowire.BytesType) }
	attribute := append(protowire.AppendString(tag(1), "value"), protowire.AppendVarint(tag(4), large)...)
	nodeHead := protowire.AppendString(tag(3), "big")
	nodeHead = protowire.AppendVarint(append(nodeHead, tag(5)...), uint64(len(attribute)+large))
	graphHead := protowire.AppendVarint(tag(1), uint64(len(nodeHead)+len(attribute)+large))
	raw := protowire.AppendVarint(tag(7), uint64(len(graphHead)+len(nodeHead)+len(attribute)+large))
	raw = append(append(append(raw, graphHead...), nodeHead...), attribute...)
	path := put(t, raw)
	if err := os.Truncate(path, int64(len(raw))+large); err != nil {
		t.Skip(err)
	}
	checkRefused(t, path, path+`: read model: node "big": attribute "value": a field of 1073741824 bytes`, "")
}

// TestLargeWeight: the numbers of a weight stay in the file until they are
// asked for.
func TestLargeWeight(t *testing.T) {
	m := small()
	xs := make([]byte, 4<<20)
	for i := range xs {
		xs[i] = byte(i * 7)
	}
	weightOf([]int64{1 << 19, 2}, xs)(m)
	m.Graph.Node = append(m.Graph.Node, node("MatMul", []string{"w", "z"}, []string{"q"}))
	m.Graph.Output[0].Name = proto.String("q")
	path := put(t, marshal(t, m))
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	got, _, err := Read(path, ReadOptions{})
	goruntime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	id, _ := got.Graph.Find("w")
	raw, err := got.Weights[id].Read()
	if err != nil || !bytes.Equal(raw, xs) {
		t.Errorf("other numbers: %v", err)
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := got.Weights[id].Read(); err == nil || !strings.Contains(err.Error(), "has 100 bytes") {
		t.Errorf("got %v", err)
	}
}

// TestOptions: what is asked for must be there.
func TestOptions(t *testing.T) {
	open := small()
	for i := range 2 {
		open.Graph.Input[i].Type.GetTensorType().Shape.Dim[0] = &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "batch"}}
	}
	path := put(t, marshal(t, open))
	for _, c := range []struct {
		opt  ReadOptions
		want string // "" for success
	}{
		{ReadOptions{Shapes: map[string][]int{"batch": {5}}}, ""},
		{ReadOptions{Shapes: map[string][]int{"x": {5, 3}}}, ""},
		{ReadOptions{Batch: 5}, ""},
		{ReadOptions{Batch: 6, Shapes: map[string][]int{"batch": {5}}}, `batch 6: no input has a dynamic batch`},
		{ReadOptions{Shapes: map[string][]int{"x": {5, 4}}}, `the shape [5 4] is given, but axis 1 has size 3`},
		{ReadOptions{Shapes: map[string][]int{"x": {5}}}, `the shape [5] is given, but it has 2 axes`},
		{ReadOptions{Shapes: map[string][]int{"x": {5, 3}, "y": {6, 3}}}, `dimension "batch" is 5 and 6`},
		{ReadOptions{Shapes: map[string][]int{"x": {-1, 3}}}, `-1 is not in 0 to`},
		{ReadOptions{Shapes: map[string][]int{"q": {5}, "x": {5, 3}}}, `shape "q": the model has no such`},
		{ReadOptions{Shapes: map[string][]int{"q": {5}, "r": {6}, "x": {5, 3}}, Constants: map[string]*model.Weight{"s": model.FromInt64(nil, []int64{1})}, Some: true}, ""},
		{ReadOptions{Constants: map[string]*model.Weight{"q": model.FromInt64(nil, []int64{1})}, Shapes: map[string][]int{"batch": {5}}}, `constant "q": the model has no such`},
	} {
		_, rep, err := Read(path, c.opt)
		if c.want == "" && err == nil {
			unused := 0
			if c.opt.Some {
				unused = 3
			}
			if len(rep.Unused) != unused {
				t.Errorf("%v: unused are %v", c.opt, rep.Unused)
			}
			want := []OpenSize{{"x", 0, "batch", 5, false}, {"y", 0, "batch", 5, false}}
			if !slices.Equal(rep.Open, want) {
				t.Errorf("%v: open sizes %v, want %v", c.opt, rep.Open, want)
			}
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.opt, err, c.want)
		}
	}
}

// FuzzRead: nothing in a file makes reading fail otherwise than by an error; and
// what is read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add(marshal(f, small()))
	for i, change := range []func(m *onnxpb.ModelProto){
		weightOf([]int64{2, 3}, make([]byte, 24)),
		func(m *onnxpb.ModelProto) { m.ProducerName = proto.String(producer) },
		func(m *onnxpb.ModelProto) {
			m.Graph.Node = []*onnxpb.NodeProto{node("Concat", []string{"x", "y"}, []string{"z"}, intAttribute("axis", 1))}
		},
	} {
		m := small()
		change(m)
		m.Graph.Name = proto.String(fmt.Sprint(i))
		f.Add(marshal(f, m))
	}
	// ONNX's own tests, where they are installed.
	dir, _ := conformanceDir()
	files, _ := filepath.Glob(filepath.Join(dir, "node", "*", "model.onnx"))
	for _, path := range files {
		if raw, err := os.ReadFile(path); err == nil && len(raw) < 2048 {
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) < 1<<16 {
			survives(t, raw)
		}
	})
}

// survives reads bytes as a model; what can be read must come back when it is
// written and read again.
func survives(t *testing.T, raw []byte) {
	m, _, err := decode(bytes.NewReader(raw), inMemory(raw), ReadOptions{MaxBytes: 1 << 20})
	if err != nil || m.WeightBytes() > 1<<20 {
		return
	}
	out, err := encode(m, WriteOptions{}, nil, "")
	if err != nil {
		return // an opaque node of another operator set
	}
	back, _, err := decode(bytes.NewReader(out), inMemory(out), ReadOptions{})
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, m.Graph)
	}
	if back.Graph.Hash() != m.Graph.Hash() {
		t.Fatalf("another graph comes back:\n%s\nwas\n%s", back.Graph, m.Graph)
	}
}

// FuzzNode reads models of one node with any operator, inputs and attributes:
// more of these are almost right than of mutated files.
func FuzzNode(f *testing.F) {
	var ops []string
	for _, o := range records() {
		if o.domain == "" {
			ops = append(ops, o.name)
		}
	}
	slices.Sort(ops)
	for i := range ops {
		f.Add(uint16(i), uint8(17), []byte{2, 2, 1, 3, 0, 1, 2, 1, 1}, []byte{1, 1, 1})
		f.Add(uint16(i), uint8(9), []byte{4, 1, 2, 5, 5, 0, 4, 4, 1, 3, 3, 1}, []byte{9, 2, 1, 1, 3, 2, 3, 3})
	}
	f.Fuzz(func(t *testing.T, op uint16, opset uint8, in, attrs []byte) {
		next := func(b *[]byte) int {
			if len(*b) == 0 {
				return 0
			}
			x := (*b)[0]
			*b = (*b)[1:]
			return int(x)
		}
		m := small()
		m.OpsetImport[0].Version = proto.Int64(int64(opset%newestOpset) + 1)
		m.Graph.Input, m.Graph.Output = nil, []*onnxpb.ValueInfoProto{float32Info("z0", 2)}
		n := node(ops[int(op)%len(ops)], nil, []string{"z0", "z1"}[:1+int(op)>>15])
		m.Graph.Node = []*onnxpb.NodeProto{n}
		// Inputs: rank, sizes, then 0 for an input, 1 for a weight of float32, 2 for
		// one of int64, 3 for none.
		for i := 0; len(in) > 0 && i < 6; i++ {
			name := fmt.Sprintf("x%d", i)
			sizes := make([]int, next(&in)%6)
			for j := range sizes {
				sizes[j] = next(&in) % 7
			}
			count := graph.NumElements(sizes)
			switch next(&in) % 4 {
			case 0:
				m.Graph.Input = append(m.Graph.Input, float32Info(name, sizes...))
			case 1:
				w := tensorProto(name, graph.TensorType{Sizes: sizes})
				for range count {
					w.FloatData = append(w.FloatData, float32(int8(next(&in)))/4)
				}
				m.Graph.Initializer = append(m.Graph.Initializer, w)
			case 2:
				w := tensorProto(name, graph.TensorType{DType: graph.Int64, Sizes: sizes})
				for range count {
					w.Int64Data = append(w.Int64Data, int64(int8(next(&in))))
				}
				m.Graph.Initializer = append(m.Graph.Initializer, w)
			default:
				name = ""
			}
			n.Input = append(n.Input, name)
		}
		d := lookup("", n.GetOpType()).at(m.OpsetImport[0].GetVersion())
		if d == nil {
			return
		}
		names := slices.Sorted(maps.Keys(d.attrs))
		for i := 0; len(attrs) > 0 && len(names) > 0 && i < 4; i++ {
			name := names[next(&attrs)%len(names)]
			k := next(&attrs)
			switch d.attrs[name].kind {
			case onnxpb.AttributeProto_STRING:
				texts := []string{"VALID", "SAME_UPPER", "SAME_LOWER", "NOTSET", "linear", "cubic", "reflect", "edge", "align_corners", "asymmetric"}
				n.Attribute = append(n.Attribute, textAttribute(name, texts[k%len(texts)]))
			case onnxpb.AttributeProto_INTS:
				list := make([]int, k%7)
				for j := range list {
					list[j] = int(int8(next(&attrs)))
				}
				n.Attribute = append(n.Attribute, intsAttribute(name, list...))
			case onnxpb.AttributeProto_FLOAT:
				n.Attribute = append(n.Attribute, floatAttribute(name, float64(int8(k))/4))
			default:
				n.Attribute = append(n.Attribute, intAttribute(name, int64(int8(k))))
			}
		}
		survives(t, marshal(t, m))
	})
}
