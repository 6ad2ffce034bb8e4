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
