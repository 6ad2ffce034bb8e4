package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// dims names the open dimensions of the inputs, in their order.
func (f *file) dims(names ...string) {
	for _, in := range f.g.Input {
		for _, d := range in.Type.GetTensorType().Shape.Dim {
			if d.Value == nil {
				d.Value, names = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: names[0]}, names[1:]
			}
		}
	}
}

// TestNamedDefault: what is compared at the size of a default is not said of all its sizes. The
// report says why sizes are fixed.
func TestNamedDefault(t *testing.T) {
	sum := func(name string, order ...string) string {
		f := newFile()
		f.input("x", floatType, 0, 1)
		f.input("w", floatType, 0)
		f.dims("batch", "n")
		f.weight("w", numbers(1, 4), 4)
		f.integers("from", 0)
		f.integers("to", 2)
		f.node("Slice", "p", order[0], "from", "to") // it is another model for n = 1
		f.node("Add", "y", "p", order[1]).Name = nil
		f.g.Node[0].Name = nil
		f.output("y")
		f.g.Output[0].Type = nil
		return f.write(t, name)
	}
	a, b := sum("a", "x", "w"), sum("b", "x", "w")
	if text, _ := command(t, 0, "verify", a, b, "--shape", "batch=2"); !strings.HasPrefix(text, "equal for all sizes, n = 1 or more, and only for batch = 2 (proved for all inputs)\n") {
		t.Error(text)
	}
	// The slice is read at fixed sizes, so that n is the size of the default.
	const statement, why = "equal for batch 1 and 3, n = 4 (proved for all inputs)", `node of "p" (Slice): whether batch is at least 2 depends on the sizes`
	if text, _ := command(t, 0, "verify", a, b); !strings.HasPrefix(text, statement+"\n") || !strings.Contains(text, "cannot be read for all sizes: ") || !strings.Contains(text, why) {
		t.Error(text)
	}
	text, _ := command(t, 0, "verify", a, b, "--json")
	var rep struct {
		Statement  string
		Only       string `json:"only_for"`
		SizesFixed string `json:"sizes_fixed"`
	}
	if err := json.Unmarshal([]byte(text), &rep); err != nil || rep.Statement != statement || rep.Only != "n = 4" || !strings.Contains(rep.SizesFixed, why) {
		t.Errorf("%v %+v", err, rep)
	}
	// What one file alone cannot be read for all sizes fixes both.
	plain := newFile()
	plain.input("x", floatType, 0, 1)
	plain.input("w", floatType, 0)
	plain.dims("batch", "n")
	plain.node("Add", "y", "x", "w")
	plain.output("y")
	plain.g.Output[0].Type = nil
	text, _ = command(t, 1, "verify", plain.write(t, "plain"), a, "--shape", "n=4")
	if !strings.Contains(text, "cannot be read for all sizes: ") || !strings.Contains(text, why) {
		t.Error(text)
	}
}

// TestStepsNamed: a size that is a multiple of 32 is named so, in all commands.
func TestStepsNamed(t *testing.T) {
	f := newFile()
	f.input("x", floatType, 1, 0)
	f.dims("n")
	f.integers("sizes", 1, -1, 32)
	f.node("Reshape", "p", "x", "sizes")
	f.node("Neg", "q", "p")
	f.node("Neg", "r", "q")
	f.node("Exp", "y", "r")
	f.output("y")
	f.g.Output[0].Type = nil
	path, dir := f.write(t, "steps"), t.TempDir()
	out, proof := filepath.Join(dir, "out.onnx"), filepath.Join(dir, "same.proof")
	const sizes = "for all sizes, n = 32 or more in steps of 32"
	for _, args := range [][]string{
		{"optimize", path, "--no-measure", "--tries", "100", "--out", out, "--proof", proof},
		{"check", "--no-z3", proof, path, out},
		{"verify", path, path},
	} {
		if text, _ := command(t, 0, args...); !strings.Contains(strings.ReplaceAll(text, "\n  ", " "), sizes) {
			t.Errorf("taso %s:\n%s", args[0], text)
		}
	}
}

// TestCheckNamesBatch: a proof about a batch of 1 is one for this batch.
func TestCheckNamesBatch(t *testing.T) {
	f := newFile()
	f.input("x", floatType, 0, 4)
	f.dims("batch")
	f.integers("from", 0)
	f.integers("to", 2)
	f.node("Slice", "p", "x", "from", "to") // it is another model for a batch of 1
	f.node("Neg", "q", "p")
	f.node("Neg", "r", "q")
	f.node("Exp", "y", "r")
	f.output("y")
	f.g.Output[0].Type = nil
	path, dir := f.write(t, "open"), t.TempDir()
	out, proof := filepath.Join(dir, "out.onnx"), filepath.Join(dir, "same.proof")
	text, _ := command(t, 0, "optimize", path, "--no-measure", "--tries", "100", "--out", out, "--proof", proof)
	if !strings.Contains(text, "fixed dimension: axis 0 of x is 1 in the result and dynamic in the file") {
		t.Error(text)
	}
	if text, _ := command(t, 0, "check", "--no-z3", proof, path, out); !strings.Contains(text, "compute the same only for batch = 1.\n") {
		t.Error(text)
	}
	if text, _ := command(t, 0, "check", "--no-z3", proof, path, out, "--json"); !strings.Contains(text, `"sizes": "only for batch = 1"`) {
		t.Error(text)
	}
}

// TestDeclaredOpaque: what a file declares of an operator that is not understood is believed, by an
// assumption that --strict refuses. ONNX Runtime goes on with another size after a warning.
func TestDeclaredOpaque(t *testing.T) {
	f := newFile()
	f.input("x", floatType, 0, 4)
	f.dims("n")
	f.node("NonZero", "p", "x")
	setInt(f.node("Cast", "q", "p"), "to", 1)
	f.node("Neg", "r", "q")
	f.node("Neg", "s", "r")
	f.node("Exp", "y", "s")
	f.g.ValueInfo = append(f.g.ValueInfo, info("p", int64Type, []int64{2, 3}))
	f.output("y")
	f.g.Output[0].Type = nil
	path, dir := f.write(t, "opaque"), t.TempDir()
	out, proof := filepath.Join(dir, "out.onnx"), filepath.Join(dir, "same.proof")
	for _, args := range [][]string{
		{"optimize", path, "--no-measure", "--tries", "100", "--out", out, "--proof", proof},
		{"check", "--no-z3", proof, path, out},
		{"verify", path, out},
	} {
		if text, _ := command(t, 0, args...); !strings.Contains(text, "assuming ") || !strings.Contains(text, "opaque") {
			t.Errorf("taso %s:\n%s", args[0], text)
		}
		if args[0] == "optimize" {
			args[6] = filepath.Join(dir, "strict.onnx")
		}
		if _, says := command(t, 1, append(args, "--strict")...); !strings.Contains(says, "opaque") {
			t.Errorf("taso %s --strict: %s", args[0], says)
		}
	}
}

// TestSizesAssumed: arithmetic on sizes may wrap around: 65,536 to the power of 4 is 2^64. A verdict
// for all sizes says that it takes this not to happen.
func TestSizesAssumed(t *testing.T) {
	f := newFile()
	f.input("x", int64Type, 0)
	f.dims("n")
	f.node("Shape", "n", "x")
	f.node("Mul", "n2", "n", "n")
	f.node("Mul", "n4", "n2", "n2")
	f.node("Add", "y", "x", "n4")
	f.g.Output = append(f.g.Output, &onnxpb.ValueInfoProto{Name: proto.String("y")})
	path := f.write(t, "power")
	if text, _ := command(t, 0, "verify", path, path); !strings.HasPrefix(text, "equal for all sizes, n = 1 or more (proved for all inputs)\nassuming sizes (docs/trust.md)\n") {
		t.Error(text)
	}
	if _, says := command(t, 1, "verify", path, path, "--strict"); !strings.Contains(says, "assuming sizes") {
		t.Error(says)
	}
}
