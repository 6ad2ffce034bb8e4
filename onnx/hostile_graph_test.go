package onnx

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// weightProto is an initializer of float32 that a test changes.
func weightProto(change func(w *onnxpb.TensorProto)) func(m *onnxpb.ModelProto) {
	return func(m *onnxpb.ModelProto) {
		w := &onnxpb.TensorProto{Name: proto.String("w"), DataType: proto.Int32(1), Dims: []int64{2, 3}}
		change(w)
		m.Graph.Initializer = append(m.Graph.Initializer, w)
	}
}

// callers is a function of the domain f that calls others of it, each on its only
// input.
func callers(name string, calls ...string) *onnxpb.FunctionProto {
	f := &onnxpb.FunctionProto{Domain: proto.String("f"), Name: proto.String(name), Input: []string{"a"},
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}, {Domain: proto.String("f"), Version: proto.Int64(1)}}}
	at := "a"
	for i, c := range calls {
		to := "v" + string(rune('a'+i))
		n := node(c, []string{at}, []string{to})
		if c != "Relu" {
			n.Domain = proto.String("f")
		}
		f.Node = append(f.Node, n)
		at = to
	}
	f.Output = []string{at}
	return f
}

// calling makes a model of one call of a function of the domain f.
func calling(name string, fs ...*onnxpb.FunctionProto) func(m *onnxpb.ModelProto) {
	return func(m *onnxpb.ModelProto) {
		n := node(name, []string{"x"}, []string{"z"})
		n.Domain = proto.String("f")
		m.Graph.Node, m.Functions = []*onnxpb.NodeProto{n}, fs
	}
}

// TestHostileGraph: more ways for a file to be wrong; each gives one error that
// names file, place and cause.
func TestHostileGraph(t *testing.T) {
	nodes := func(ns ...*onnxpb.NodeProto) func(m *onnxpb.ModelProto) {
		return func(m *onnxpb.ModelProto) { m.Graph.Node = ns }
	}
	double := make([]*onnxpb.FunctionProto, 16) // each calls the next twice
	for i := range double {
		double[i] = callers(string(rune('A'+i)), string(rune('B'+i)), string(rune('B'+i)))
	}
	double[15] = callers("P", "Relu")
	double[15].DocString = proto.String(strings.Repeat("long ", 1<<18))
	nested := func(depth int) *onnxpb.NodeProto {
		n := node("Relu", []string{"x"}, []string{"z"})
		for range depth {
			g := &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{n}, Output: []*onnxpb.ValueInfoProto{{Name: proto.String("z")}}}
			branch := func(name string, g *onnxpb.GraphProto) *onnxpb.AttributeProto {
				return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: g}
			}
			n = node("If", []string{"c"}, []string{"z"}, branch("then_branch", g), branch("else_branch", &onnxpb.GraphProto{}))
		}
		return n
	}
	for _, c := range []struct {
		name   string
		change func(m *onnxpb.ModelProto)
		want   string // behind the file's name
	}{
		{"offset below 0", externalWeight("short.bin", entry("offset", "-1")), `weight "w": external data: "short.bin" has 3 bytes, not the 24 from byte -1 on`},
		{"length below 0", externalWeight("short.bin", entry("length", "-24")), `weight "w": external data: "short.bin": -24 bytes, want 24`},
		{"length beyond the tensor", externalWeight("long.bin", entry("length", "25")), `weight "w": external data: "long.bin": 25 bytes, want 24`},
		{"length that is no number", externalWeight("long.bin", entry("length", "99999999999999999999")), `weight "w": external data: length "99999999999999999999" is not a number`},
		{"traversal in the middle", externalWeight("folder/../../secret"), `weight "w": external data: "folder/../../secret" is not inside the model's folder`},
		{"this folder", externalWeight("."), `weight "w": external data: "." is not a regular file`},
		{"pipe", externalWeight("pipe"), `weight "w": external data: "pipe" is not a regular file`},
		{"link out of the folder", externalWeight("link"), `weight "w": external data: `},
		{"name that is not UTF-8", externalWeight("\xff\xfe"), `weight "w": external data: "\xff\xfe" is not there`},
		{"external data in memory", func(m *onnxpb.ModelProto) {
			externalWeight("none")(m)
			m.Graph.Node = []*onnxpb.NodeProto{node("Relu", []string{"w"}, []string{"z"})}
		}, `weight "w": external data: "none" is not there`},

		{"numbers of another field", weightProto(func(w *onnxpb.TensorProto) { w.Int32Data = []int32{1, 2, 3, 4, 5, 6} }), `weight "w": 0 numbers for float32[2, 3], want 6`},
		{"numbers of another field, many", weightProto(func(w *onnxpb.TensorProto) {
			w.Dims, w.DoubleData = []int64{1000}, make([]float64, 1000)
		}), `weight "w": numbers in field 10 for element type float32`},
		{"too few numbers", weightProto(func(w *onnxpb.TensorProto) { w.FloatData = []float32{1, 2, 3} }), `weight "w": 3 numbers for float32[2, 3], want 6`},
		{"too many numbers", weightProto(func(w *onnxpb.TensorProto) { w.FloatData = make([]float32, 7) }), `weight "w": 7 numbers for float32[2, 3], want 6`},
		{"too many bytes", weightProto(func(w *onnxpb.TensorProto) { w.RawData = make([]byte, 25) }), `weight "w": 25 bytes of numbers for float32[2, 3], want 24`},
		{"bytes of another type", weightProto(func(w *onnxpb.TensorProto) { w.DataType, w.RawData = proto.Int32(7), make([]byte, 24) }), `weight "w": 24 bytes of numbers for int64[2, 3], want 48`},
		{"no numbers", weightProto(func(w *onnxpb.TensorProto) {}), `weight "w": 0 numbers for float32[2, 3], want 6`},
		{"sizes whose product overflows", weightProto(func(w *onnxpb.TensorProto) { w.Dims = []int64{math.MaxInt32, math.MaxInt32, math.MaxInt32} }), `weight "w": sizes [2147483647 2147483647 2147483647]: more than 1099511627776 elements`},
		{"very many axes", weightProto(func(w *onnxpb.TensorProto) { w.Dims = make([]int64, 1000) }), `weight "w": 1000 axes, more than`},
		{"a piece of a tensor", weightProto(func(w *onnxpb.TensorProto) {
			w.Segment = &onnxpb.TensorProto_Segment{Begin: proto.Int64(0), End: proto.Int64(6)}
		}), `weight "w": a tensor in segments is not supported`},
		{"type that is none", weightProto(func(w *onnxpb.TensorProto) { w.DataType = proto.Int32(77) }), `weight "w": element type 77 is not supported`},
		{"weight without a name", weightProto(func(w *onnxpb.TensorProto) { w.Name, w.RawData = nil, make([]byte, 24) }), `weight "": no name`},
		{"sparse weight", func(m *onnxpb.ModelProto) {
			m.Graph.SparseInitializer = []*onnxpb.SparseTensorProto{{Values: &onnxpb.TensorProto{Name: proto.String("w")}}}
		}, `weight "w": sparse initializers are not supported`},
		{"weight and input that differ", func(m *onnxpb.ModelProto) {
			weightOf([]int64{4}, make([]byte, 16))(m)
			m.Graph.Initializer[0].Name = proto.String("y")
		}, `input "y": it is declared otherwise than its weight, float32[4]`},
		{"weight and input of two types", func(m *onnxpb.ModelProto) {
			weightProto(func(w *onnxpb.TensorProto) {
				w.Name, w.DataType, w.RawData = proto.String("y"), proto.Int32(6), make([]byte, 24)
			})(m)
		}, `input "y": it is declared otherwise than its weight, int32[2, 3]`},
		{"node that computes an input", nodes(node("Add", []string{"x", "y"}, []string{"x"}), node("Relu", []string{"x"}, []string{"z"})), `node "n_Add" (Add): the value "x" is defined twice`},
		{"node that computes a weight", func(m *onnxpb.ModelProto) {
			weightOf([]int64{2, 3}, make([]byte, 24))(m)
			m.Graph.Node = append(m.Graph.Node, node("Relu", []string{"x"}, []string{"w"}))
		}, `node "n_Relu" (Relu): the value "w" is defined twice`},
		{"node with one name for two outputs", nodes(node("Split", []string{"x"}, []string{"z", "z"})), `node "n_Split" (Split): the value "z" is defined twice`},
		{"two outputs of a name", func(m *onnxpb.ModelProto) { m.Graph.Output = append(m.Graph.Output, m.Graph.Output[0]) }, `output "z": there are two outputs of this name`},
		{"output without a name", func(m *onnxpb.ModelProto) { m.Graph.Output[0].Name = nil }, `output "": nothing computes it`},
		{"input without a name", func(m *onnxpb.ModelProto) { m.Graph.Input[0].Name = nil }, `input "": no name`},
		{"input of no type", func(m *onnxpb.ModelProto) { m.Graph.Input[0].Type = nil }, `input "x": it is not a tensor`},
		{"size below 0", func(m *onnxpb.ModelProto) {
			m.Graph.Input[0].Type.GetTensorType().Shape.Dim[0] = &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: -7}}
		}, `input "x": size -7 of axis 0 is less than 0`},

		{"too few inputs", nodes(node("Add", []string{"x"}, []string{"z"})), `node "n_Add" (Add): 1 inputs, want 2`},
		{"too many inputs", nodes(node("Relu", []string{"x", "y"}, []string{"z"})), `node "n_Relu" (Relu): 2 inputs, want 1`},
		{"an input that is left out", nodes(node("Add", []string{"", "y"}, []string{"z"})), `node "n_Add" (Add): input 0 is missing`},
		{"no inputs", nodes(node("Concat", nil, []string{"z"}, intAttribute("axis", 0))), `node "n_Concat" (Concat): 0 inputs, want at least 1`},
		{"no outputs", nodes(node("Split", []string{"x"}, nil), node("Relu", []string{"x"}, []string{"z"})), `node "n_Split" (Split): `},
		{"too many outputs", nodes(node("Relu", []string{"x"}, []string{"z", "q"})), `node "n_Relu" (Relu): 2 outputs, want 1`},
		{"no operator", nodes(node("", []string{"x"}, []string{"q"}), node("Relu", []string{"q"}, []string{"z"})), `node "n_": this operator is not supported, and the type of its output "q" is not known`},
		{"operator of two lines", nodes(node("A\nB\x1b[2J", []string{"x"}, []string{"q"}), node("Relu", []string{"q"}, []string{"z"})), `node "n_A\nB\x1b[2J" ("A\nB\x1b[2J"): this operator is not supported`},
		{"names that are not UTF-8", nodes(node("Add", []string{"x", "\xff"}, []string{"z"})), `node "n_Add" (Add): nothing computes its input "\xff"`},
		{"unknown domain", func(m *onnxpb.ModelProto) {
			m.Graph.Node[0].Domain = proto.String("elsewhere")
			m.Graph.Output[0].Type = nil
		}, `node "n_Add" (elsewhere.Add): the domain "elsewhere" is not known, and the type of its output "z" is not known`},
		{"operator set of one model twice", func(m *onnxpb.ModelProto) {
			m.OpsetImport = append(m.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String("ai.onnx"), Version: proto.Int64(13)})
		}, `read model: operator sets 17 and 13 at once`},
		{"operator set below 0", func(m *onnxpb.ModelProto) { m.OpsetImport[0].Version = proto.Int64(-3) }, `read model: operator set -3`},
		{"no operator set", func(m *onnxpb.ModelProto) { m.OpsetImport = nil }, `read model: it names no operator set`},
		{"attribute of a function outside of one", nodes(node("Concat", []string{"x", "y"}, []string{"z"}, &onnxpb.AttributeProto{Name: proto.String("axis"), RefAttrName: proto.String("a")})), `node "n_Concat" (Concat): attribute "axis" refers to "a" outside of a function`},
		{"axes that are too large", nodes(node("Transpose", []string{"x"}, []string{"z"}, intsAttribute("perm", math.MaxInt64, 0))), `node "n_Transpose" (Transpose): 9223372036854775807 is too large`},
		{"strides of 0", nodes(node("MaxPool", []string{"x"}, []string{"z"}, intsAttribute("strides", 0), intsAttribute("kernel_shape", 2))), `node "n_MaxPool" (MaxPool): "x" float32[2, 3]: want at least 3 axes`},

		{"functions of one name", calling("A", callers("A", "Relu"), callers("A", "Relu", "Relu")), `read model: there are two functions "A" of the domain "f"`},
		{"functions in a circle", calling("A", callers("A", "B"), callers("B", "A")), `functions or branches are nested deeper than 16`},
		{"functions that call twice", calling("A", double...), `functions copy more than 67108864 bytes`},
		{"function with too few inputs", func(m *onnxpb.ModelProto) {
			calling("A", callers("A", "Relu"))(m)
			m.Graph.Node[0].Input = append(m.Graph.Node[0].Input, "y")
		}, `node "n_A" (f.A): the function has 1 inputs and 1 outputs, the node 2 and 1`},
		{"function that does not compute", func(m *onnxpb.ModelProto) {
			calling("A", callers("A", "Relu"))(m)
			m.Functions[0].Output = []string{"none"}
		}, `node "n_A" (f.A): the function does not compute its output none`},
		{"branches in branches", func(m *onnxpb.ModelProto) {
			weightProto(func(w *onnxpb.TensorProto) {
				w.Name, w.Dims, w.DataType, w.RawData = proto.String("c"), nil, proto.Int32(9), []byte{1}
			})(m)
			m.Graph.Node = []*onnxpb.NodeProto{nested(20)}
		}, `functions or branches are nested deeper than 16`},
		{"branches in very many branches", nodes(nested(1000)), `messages are nested deeper than 64`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := small()
			c.change(m)
			path := put(t, marshal(t, m))
			dir, outside := filepath.Dir(path), t.TempDir()
			for name, n := range map[string]int{filepath.Join(dir, "short.bin"): 3, filepath.Join(dir, "long.bin"): 100, filepath.Join(outside, "secret"): 24} {
				if err := os.WriteFile(name, make([]byte, n), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")); err != nil {
				t.Skip(err)
			}
			if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
				t.Skip(err)
			}
			done := make(chan error, 1)
			go func() {
				_, _, err := Read(path, ReadOptions{})
				done <- err
			}()
			select {
			case err := <-done:
				switch {
				case err == nil:
					t.Error("it was read")
				case !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\x1b") || !utf8.ValidString(err.Error()):
					t.Errorf("got  %v\nwant %s", err, c.want)
				}
			case <-time.After(time.Minute):
				t.Fatal("no answer for a minute")
			}
		})
	}
}

// TestHostileBytes: files that are no messages.
func TestHostileBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"endless number", []byte{0x38, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, "variable length integer overflow"},
		{"length of 2^63", append([]byte{0x3a}, protowire.AppendVarint(nil, 1<<63)...), "a field of 9223372036854775808 bytes"},
		{"length of 2^64-1", append([]byte{0x3a}, protowire.AppendVarint(nil, math.MaxUint64)...), "a field of 18446744073709551615 bytes"},
		{"field 0", []byte{0x02, 0x00}, "not a model: field number 0"},
		{"field far out", append(protowire.AppendVarint(nil, math.MaxUint64&^7|2), 0), "not a model: field number"},
		{"groups", []byte{0x3b, 0x3c}, "not a model: wire type 3"},
		{"message beyond its message", []byte{0x3a, 0x02, 0x0a, 0x05, 0, 0, 0, 0, 0}, "a field of 5 bytes, but only 0 are left"},
		{"number beyond its message", []byte{0x3a, 0x02, 0x08, 0x80, 0x01}, "ends outside its message"},
		{"number for a graph", []byte{0x38, 0x01}, "no graph"},
	} {
		_, _, err := Read(put(t, c.raw), ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	pipe := filepath.Join(t.TempDir(), "pipe.onnx")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	checkRefused(t, pipe, "", "not a regular file")
}

// TestStrange: files that look wrong and are not.
func TestStrange(t *testing.T) {
	for i, c := range []struct {
		name   string
		change func(m *onnxpb.ModelProto)
		want   string // of the graph
	}{
		{"output that is an input", func(m *onnxpb.ModelProto) { m.Graph.Node, m.Graph.Output[0].Name = nil, proto.String("x") }, "return x"},
		{"inputs that nobody reads", func(m *onnxpb.ModelProto) { m.Graph.Node[0].Input = []string{"x", "x"} }, "y : float32[2, 3]"},
		{"nodes of one name", func(m *onnxpb.ModelProto) {
			m.Graph.Node = append(m.Graph.Node, node("Add", []string{"z", "y"}, []string{"q"}))
			m.Graph.Output[0].Name = proto.String("q")
		}, "return q"},
		{"weights that share bytes", func(m *onnxpb.ModelProto) {
			externalWeight("w.bin", entry("offset", "0"))(m)
			externalWeight("w.bin", entry("offset", "4"), entry("checksum", "x"))(m)
			m.Graph.Initializer[1].Name = proto.String("v")
			m.Graph.Node[0].Input = []string{"w", "v"}
		}, "ewadd(w, v)"},
		{"data in a folder below, and through a link within", func(m *onnxpb.ModelProto) {
			externalWeight("folder/w.bin")(m)
			externalWeight("link/w.bin")(m)
			m.Graph.Initializer[1].Name = proto.String("v")
			m.Graph.Node[0].Input = []string{"w", "v"}
		}, "ewadd(w, v)"},
		{"function before an operator of its name", func(m *onnxpb.ModelProto) {
			m.Functions = []*onnxpb.FunctionProto{{Name: proto.String("Add"), Input: []string{"a", "b"}, Output: []string{"c"},
				OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}}, Node: []*onnxpb.NodeProto{node("Mul", []string{"a", "b"}, []string{"c"})}}}
		}, "ewmul(x, y)"},
		{"functions that differ by their overload", func(m *onnxpb.ModelProto) {
			calling("A", callers("A", "Relu"), callers("A", "Relu", "Relu"))(m)
			m.Functions[1].Overload = proto.String("twice")
			m.Graph.Node[0].Overload = proto.String("twice")
		}, "= relu(t3)"},
	} {
		m := small()
		c.change(m)
		path := put(t, marshal(t, m))
		dir := filepath.Dir(path)
		if i == 0 { // all are in one folder
			if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("folder", filepath.Join(dir, "link")); err != nil {
				t.Skip(err)
			}
		}
		for _, name := range []string{"w.bin", "folder/w.bin"} {
			if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 28), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, _, err := Read(path, ReadOptions{})
		if err != nil || !strings.Contains(got.Graph.String(), c.want) {
			t.Errorf("%s: %v", c.name, err)
			if err == nil {
				t.Logf("%s", got.Graph)
			}
			continue
		}
		_, back := reread(t, got, WriteOptions{})
		if back.Graph.Hash() != got.Graph.Hash() && c.name != "output that is an input" {
			t.Errorf("%s: another graph comes back:\n%s\nwas\n%s", c.name, back.Graph, got.Graph)
		}
	}
}
