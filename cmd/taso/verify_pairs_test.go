package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/taso-go/taso/onnx/onnxpb"
)

// table is Gather(E[2000, 4], ids[1, 8]).
func table() *file {
	f := newFile()
	f.input("ids", int64Type, 1, 8)
	f.weight("E", numbers(1, 8000), 2000, 4)
	f.node("Gather", "y", "E", "ids")
	f.output("y", 1, 8, 4)
	return f
}

// bert is an encoder of one layer over an embedding of 40 rows of 8.
func bert() *file {
	f := newFile()
	f.input("ids", int64Type, 1, 6)
	f.weight("E", numbers(2, 320), 40, 8)
	f.weight("P", numbers(3, 48), 6, 8)
	for i, w := range []string{"Wq", "Wk", "Wv"} {
		f.weight(w, numbers(uint64(10+i), 64), 8, 8)
	}
	f.weight("scale", []float32{0.375})
	f.weight("g", numbers(20, 8), 8)
	f.weight("b", numbers(21, 8), 8)
	f.weight("W", numbers(22, 40), 8, 5)
	f.weight("bias", numbers(23, 5), 5)
	f.integers("flat", 6, 8)
	f.node("Gather", "e", "E", "ids")
	f.node("Add", "x", "e", "P")
	f.node("MatMul", "q", "x", "Wq")
	f.node("MatMul", "k", "x", "Wk")
	f.node("MatMul", "v", "x", "Wv")
	setInts(f.node("Transpose", "kt", "k"), "perm", 0, 2, 1)
	f.node("MatMul", "s", "q", "kt")
	f.node("Mul", "ss", "s", "scale")
	setInt(f.node("Softmax", "p", "ss"), "axis", -1)
	f.node("MatMul", "o", "p", "v")
	f.node("Add", "r", "x", "o")
	setInt(f.node("LayerNormalization", "n", "r", "g", "b"), "axis", -1)
	f.node("Reshape", "m", "n", "flat")
	f.node("Gemm", "y", "m", "W", "bias")
	f.output("y", 6, 5)
	return f
}

// image is a convolution over a padded picture, a pool and a part of it.
func image() *file {
	f := newFile()
	f.input("x", floatType, 1, 2, 8, 8)
	f.weight("W", numbers(30, 54), 3, 2, 3, 3)
	f.weight("b", numbers(31, 3), 3)
	f.weight("with", []float32{0})
	f.integers("pads", 0, 0, 1, 1, 0, 0, 1, 1)
	f.integers("from", 0)
	f.integers("to", 3)
	f.integers("axes", 2)
	f.node("Pad", "xp", "x", "pads", "with")
	f.node("Conv", "c", "xp", "W", "b")
	f.node("Relu", "r", "c")
	setInts(setInts(f.node("MaxPool", "m", "r"), "kernel_shape", 2, 2), "strides", 2, 2)
	f.node("Slice", "y", "m", "from", "to", "axes")
	f.output("y", 1, 3, 3, 4)
	return f
}

// dense is relu(x W) V with matrices of n rows and columns.
func dense(n int64) *file {
	f := newFile()
	f.input("x", floatType, 2, n)
	f.weight("W", numbers(40, int(n*n)), n, n)
	f.weight("V", numbers(41, int(n*n)), n, n)
	f.node("MatMul", "h", "x", "W")
	f.node("Relu", "r", "h")
	f.node("MatMul", "y", "r", "V")
	f.output("y", 2, n)
	return f
}

// with is a file with a change.
func with(f *file, change func(*file)) *file {
	change(f)
	return f
}

// plus changes an element of a weight.
func plus(f *file, name string, at int, by float32) *file {
	return with(f, func(f *file) { f.set(name, at, func(x float32) float32 { return x + by }) })
}

// replaced has other integers in an initializer.
func replaced(f *file, name string, data ...int64) *file {
	return with(f, func(f *file) { f.find(name).RawData = integers(name, data...).RawData })
}

// branch adds a node that no output needs.
func branch(f *file, by float32) *file {
	f.weight("unused", []float32{1, 2 + by, 3, 4, 5, 6, 7, 8}, 8)
	f.node("Add", "unread", "x", "unused")
	return f
}

// through is bert with a reshape to other sizes, and a function that does not
// keep the order of elements apart.
func through(rows int64) *file {
	f := dense(12)
	f.g.Node = f.g.Node[:2]
	f.integers("to", rows, 24/rows)
	f.integers("back", 2, 12)
	f.node("Reshape", "t", "r", "to")
	setInt(f.node("Softmax", "u", "t"), "axis", -1)
	f.node("Reshape", "y", "u", "back")
	return f
}

// compared runs the command; the report is empty if it printed none.
func compared(t *testing.T, a, b string, flags ...string) (status int, rep struct {
	Agree   bool
	Verdict string
	Exact   struct{ Verdict string }
	Weights []struct {
		A      string
		Differ int
	}
	Unreached []string
}, diag string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(append([]string{"verify", a, b, "--json"}, flags...), nil, &out, &errs)
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
	}
	return status, rep, errs.String()
}

// Pairs of models that differ in one number: what no run would feed, too.
func TestVerifyOneDifference(t *testing.T) {
	for _, c := range []struct {
		name    string
		a, b    *file
		status  int
		verdict string
		exact   string
		weight  string // that is reported
	}{
		{"the last row of a table", table(), plus(table(), "E", 7999, 1), 1, "differ", "undecided", "E"},
		{"the first row of a table, by little", table(), plus(table(), "E", 0, 1.0/1024), 1, "differ", "undecided", "E"},
		{"an embedding row", bert(), plus(bert(), "E", 33*8+5, 0.5), 1, "differ", "undecided", "E"},
		{"an unused branch", branch(dense(8), 0), branch(dense(8), 1), 0, "equal", "equal", ""},
		{"a bias", bert(), plus(bert(), "bias", 3, 1.0/1024), 1, "differ", "undecided", "bias"},
		{"an entry of a kernel", image(), plus(image(), "W", 53, 1.0/1024), 1, "differ", "undecided", "W"},
		{"a constant", bert(), plus(bert(), "scale", 0, 1.0/4096), 1, "differ", "undecided", "scale"},
		{"an entry of a large matrix, by little", dense(200), plus(dense(200), "W", 12345, 1e-3), 1, "differ", "undecided", "W"},
		{"an entry by a millionth of it", dense(200), with(dense(200), func(f *file) {
			f.set("W", 12345, func(x float32) float32 { return x * (1 + 1e-6) })
		}), 1, "differ", "undecided", "W"},
		{"the sizes of a reshape", through(2), through(6), 1, "differ", "undecided", ""},
		{"the bounds of a slice", image(), replaced(replaced(image(), "from", 1), "to", 4), 1, "differ", "undecided", ""},
		{"the number in the border", image(), plus(image(), "with", 0, 0.5), 1, "differ", "undecided", ""},
		{"where the border is", image(), replaced(image(), "pads", 0, 0, 2, 1, 0, 0, 0, 1), 1, "differ", "undecided", ""},
	} {
		status, rep, diag := compared(t, c.a.write(t, "a"), c.b.write(t, "b"))
		named := len(rep.Weights) == 1 && rep.Weights[0].A == c.weight && rep.Weights[0].Differ == 1
		if status != c.status || rep.Verdict != c.verdict || rep.Exact.Verdict != c.exact || named != (c.weight != "") {
			t.Errorf("%s: status %d, %+v\n%s", c.name, status, rep, diag)
		}
	}
	// An output of another shape is a difference, too.
	status, _, diag := compared(t, dense(8).write(t, "a"), dense(9).write(t, "b"))
	if status != 1 || diag == "" {
		t.Errorf("other sizes: status %d, %s", status, diag)
	}
}

// renamed has other names of everything but inputs and outputs.
func renamed(f *file) *file {
	keep := map[string]bool{"": true}
	for _, v := range append(slices.Clone(f.g.Input), f.g.Output...) {
		keep[v.GetName()] = true
	}
	to := func(s string) string {
		if keep[s] {
			return s
		}
		return "other_" + s
	}
	for _, n := range f.g.Node {
		n.Name = proto.String("other_" + n.GetName())
		for i := range n.Input {
			n.Input[i] = to(n.Input[i])
		}
		for i := range n.Output {
			n.Output[i] = to(n.Output[i])
		}
	}
	for _, t := range f.g.Initializer {
		t.Name = proto.String(to(t.GetName()))
	}
	return f
}

// inserted puts a node between a tensor and all that read it.
func inserted(f *file, tensor, op string) *file {
	at := 0
	for i, n := range f.g.Node {
		for j, in := range n.Input {
			if in == tensor {
				n.Input[j] = tensor + "_" + op
			}
		}
		if slices.Contains(n.Output, tensor) {
			at = i + 1
		}
	}
	f.node(op, tensor+"_"+op, tensor)
	last := f.g.Node[len(f.g.Node)-1]
	f.g.Node = slices.Insert(f.g.Node[:len(f.g.Node)-1], at, last)
	return f
}

// asConstants has nodes in the place of initializers.
func asConstants(f *file) *file {
	var nodes []*onnxpb.NodeProto
	for _, t := range f.g.Initializer {
		n := &onnxpb.NodeProto{OpType: proto.String("Constant"), Output: []string{t.GetName()}}
		nodes = append(nodes, setTensor(n, "value", t))
	}
	f.g.Node, f.g.Initializer = append(nodes, f.g.Node...), nil
	return f
}

// mapped picks rows of a table in another order, at positions that are looked up.
func mapped(f *file, rows, width int) *file {
	e := f.find("E")
	place, raw := make([]int64, rows), make([]byte, len(e.RawData))
	for i := range rows {
		to := (7*i + 3) % rows
		place[i] = int64(to)
		copy(raw[4*width*to:4*width*(to+1)], e.RawData[4*width*i:])
	}
	e.RawData = raw
	f.integers("place", place...)
	for _, n := range f.g.Node {
		if n.GetOpType() == "Gather" {
			n.Input[1] = "there"
		}
	}
	n := f.node("Gather", "there", "place", "ids")
	f.g.Node = slices.Insert(f.g.Node[:len(f.g.Node)-1], 0, n)
	return f
}

// Pairs of models that are equal and written in other ways.
func TestVerifyEqualPairs(t *testing.T) {
	column := func(data []float32, rows, cols int, order []int) []float32 {
		var out []float32
		for r := range rows {
			for _, c := range order {
				out = append(out, data[r*cols+c])
			}
		}
		return out
	}
	for _, c := range []struct {
		name    string
		a, b    *file
		verdict string
		flags   []string
	}{
		{"other names", bert(), renamed(bert()), "equal", nil},
		{"another order", bert(), with(bert(), func(f *file) {
			n := f.g.Node
			n[2], n[3], n[4] = n[4], n[2], n[3]
			slices.Reverse(f.g.Initializer)
		}), "equal", nil},
		{"a constant computed before", bert(), with(bert(), func(f *file) {
			f.weight("part", []float32{0.75})
			f.weight("rest", []float32{0.5})
			f.find("scale").Name = proto.String("unread")
			f.g.Node = slices.Insert(f.g.Node, 0, f.node("Mul", "scale", "part", "rest"))[:len(f.g.Node)+0]
		}), "equal", nil},
		{"a product in two parts", dense(8), with(dense(8), func(f *file) {
			w := numbers(40, 64)
			f.find("W").Name = proto.String("unread")
			f.weight("W1", column(w, 8, 8, []int{0, 1, 2}), 8, 3)
			f.weight("W2", column(w, 8, 8, []int{3, 4, 5, 6, 7}), 8, 5)
			f.node("MatMul", "h1", "x", "W1")
			f.node("MatMul", "h2", "x", "W2")
			setInt(f.node("Concat", "h", "h1", "h2"), "axis", 1)
			f.g.Node = append(f.g.Node[3:], f.g.Node[1:3]...)
		}), "equal", nil},
		{"a transposed weight", bert(), with(bert(), func(f *file) {
			w, wt := numbers(22, 40), []float32(nil)
			for c := range 5 {
				wt = append(wt, column(w, 8, 5, []int{c})...)
			}
			*f.find("W") = onnxpb.TensorProto{Name: proto.String("W"), DataType: proto.Int32(floatType), Dims: []int64{5, 8},
				RawData: floats("W", wt).RawData}
			setInt(f.g.Node[len(f.g.Node)-1], "transB", 1)
		}), "equal", nil},
		{"a permuted table", table(), mapped(table(), 2000, 4), "agree", nil},
		{"a permuted embedding", bert(), mapped(bert(), 40, 8), "agree", nil},
		{"an identity", bert(), inserted(inserted(bert(), "e", "Identity"), "p", "Identity"), "equal", nil},
		{"a dropout that does nothing", bert(), inserted(bert(), "r", "Dropout"), "equal", nil},
		{"constants for initializers", bert(), asConstants(bert()), "equal", nil},
		{"a weight that is there twice", with(dense(8), func(f *file) { f.g.Node[2].Input[1] = "W" }), with(dense(8), func(f *file) {
			f.find("V").RawData = f.find("W").RawData
		}), "equal", nil},
		{"a factor in the weights, rounded", with(dense(8), func(f *file) {
			f.weight("third", []float32{1.0 / 3})
			f.node("Mul", "y", "z", "third")
			f.g.Node[2].Output[0] = "z"
		}), with(dense(8), func(f *file) {
			for i := range 64 {
				f.set("V", i, func(x float32) float32 { return x * float32(1.0/3) })
			}
		}), "agree", nil},
	} {
		status, rep, diag := compared(t, c.a.write(t, "a"), c.b.write(t, "b"), c.flags...)
		if status != 0 || rep.Verdict != c.verdict || len(rep.Unreached) > 0 {
			t.Errorf("%s: status %d, %+v\n%s", c.name, status, rep, diag)
		}
	}
	// Numbers beside the file.
	f := dense(40)
	a := f.write(t, "a")
	w := f.find("W")
	dir := filepath.Dir(a)
	if err := os.WriteFile(filepath.Join(dir, "w.bin"), w.RawData, 0o666); err != nil {
		t.Fatal(err)
	}
	w.RawData, w.DataLocation = nil, onnxpb.TensorProto_EXTERNAL.Enum()
	w.ExternalData = []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("w.bin")}}
	b := f.write(t, "b")
	moved := filepath.Join(dir, "b.onnx")
	raw, err := os.ReadFile(b)
	if err == nil {
		err = os.WriteFile(moved, raw, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if status, rep, diag := compared(t, a, moved); status != 0 || rep.Verdict != "equal" {
		t.Errorf("numbers beside the file: status %d, %+v\n%s", status, rep, diag)
	}
}
