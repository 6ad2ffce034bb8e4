package main

import (
	"strings"
	"testing"
)

// TestWayOut: where the file does not say a type, the error says what adds it.
func TestWayOut(t *testing.T) {
	f := newFile()
	f.input("x", floatType, 2, 3)
	f.node("Frobnicate", "q", "x")
	f.node("Relu", "y", "q")
	f.output("y", 2, 3)
	path := f.write(t, "untyped")
	_, says := command(t, 2, "import", path)
	if !strings.Contains(says, `the type of its output "q" is not known: the file does not say it; shape inference may add it: pip install onnx && python3 -c "import onnx, sys; `) ||
		!strings.Contains(says, path) || strings.Count(says, "\n") != 1 {
		t.Error(says)
	}
}

// TestOpaqueGroups: nodes that are kept for one reason are one line.
func TestOpaqueGroups(t *testing.T) {
	f := newFile()
	f.input("x", floatType, 2, 3)
	last := "x"
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		f.node("Frobnicate", name, last)
		f.g.ValueInfo = append(f.g.ValueInfo, info(name, floatType, []int64{2, 3}))
		last = name
	}
	f.node("Twist", "y", last)
	f.output("y", 2, 3)
	path := f.write(t, "opaque")
	text, _ := command(t, 0, "import", path)
	if !strings.HasSuffix(text, `
opaque: 5 nodes Frobnicate (n_a, n_b, n_c and 2 more): this operator is not supported
opaque: n_y (Twist): this operator is not supported
`) {
		t.Error(text)
	}
	text, _ = command(t, 0, "import", path, "--nodes")
	if strings.Count(text, "opaque onnx.Frobnicate") < 5 {
		t.Error(text)
	}
}

// TestFilledParameters: parameters that the file makes by ConstantOfShape count, those
// that are too large to be written out too, and two of one size twice.
func TestFilledParameters(t *testing.T) {
	f := newFile()
	f.input("x", floatType, 4, 2000)
	f.integers("small", 2000, 3)
	f.integers("large", 2000, 2000)
	value := floats("", []float32{0.5}, 1)
	for _, name := range []string{"a", "b"} {
		setTensor(f.node("ConstantOfShape", name, "large"), "value", value)
	}
	setTensor(f.node("ConstantOfShape", "c", "small"), "value", value)
	f.node("MatMul", "xa", "x", "a")
	f.node("MatMul", "xb", "xa", "b")
	f.node("MatMul", "y", "xb", "c")
	f.output("y", 4, 3)
	text, _ := command(t, 0, "import", f.write(t, "light"))
	if !strings.Contains(text, "\n8.01 M parameters in ") || !strings.Contains(text, " filled with one number, ") {
		t.Error(text)
	}
	var found bool
	for line := range strings.Lines(text) {
		found = found || strings.HasPrefix(line, "matmul") && strings.Contains(line, "8.01 M")
	}
	if !found {
		t.Errorf("not counted with the operator that reads them:\n%s", text)
	}
	path := f.write(t, "light")
	text, _ = command(t, 0, "run", path, "--repeat", "1", "--json")
	if !strings.Contains(text, `"params": 8006000,`) {
		t.Errorf("run counts others:\n%s", text)
	}
	if text, _ = command(t, 0, "verify", path, path); strings.Count(text, "8006000 parameters") != 2 {
		t.Errorf("verify counts others:\n%s", text)
	}
}
