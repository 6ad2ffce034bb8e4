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
kept as it is: 5 nodes Frobnicate (n_a, n_b, n_c and 2 more): there is no lowering for it
kept as it is: n_y (Twist): there is no lowering for it
`) {
		t.Error(text)
	}
	text, _ = command(t, 0, "import", path, "--nodes")
	if strings.Count(text, "opaque onnx.Frobnicate") < 5 {
		t.Error(text)
	}
}
