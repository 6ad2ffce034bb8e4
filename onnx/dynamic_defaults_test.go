package onnx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// TestOpenDefault: a dynamic axis of an input with a default is any size, though the default has
// one. Where sizes are fixed it is that of the default if nobody gives another, and the report
// names it.
func TestOpenDefault(t *testing.T) {
	for _, c := range []struct {
		opt      ReadOptions
		want     string // sizes of w, with the open sizes of the report
		standard bool
	}{
		{ReadOptions{Dynamic: true}, "n", false},
		{ReadOptions{Dynamic: true, Batch: 3}, "n", false},
		{ReadOptions{Shapes: map[string][]int{"m": {3}}}, "4, n = 4", true},
		{ReadOptions{Batch: 3}, "4, n = 4", true}, // it is no batch
		{ReadOptions{Shapes: map[string][]int{"m": {3}, "n": {5}}}, "5, n = 5", false},
		{ReadOptions{Shapes: map[string][]int{"m": {3}, "w": {4}}}, "4, n = 4", true},
	} {
		a := &attack{name: "default", in: "x m,1; w n", nodes: nodes(to("Add x w -> y")), float: map[string][]int{"w": {4}}, out: "y"}
		m, rep, err := fileIn(t, a.proto())(c.opt)
		if err != nil {
			t.Errorf("%v: %v", c.opt, err)
			continue
		}
		got := m.Graph.Shape(m.Inputs()[1].Out(0))[0].Dim.String()
		for _, o := range rep.Open {
			if o.Input == "w" {
				got += fmt.Sprintf(", %s = %d", o.Dim, o.Size)
			}
		}
		if got != c.want || (m.Standard["w"] != nil) != c.standard {
			t.Errorf("%v: %s with default %v, want %s", c.opt, got, m.Standard["w"] != nil, c.want)
		}
		if c.opt.Dynamic && !slices.ContainsFunc(rep.Dynamic, func(v Variable) bool { return v.Input == "w" }) {
			t.Errorf("the dynamic sizes are %v", rep.Dynamic)
		}
	}
}

// TestBareInput: the sizes of an input whose shape the file does not give are open.
func TestBareInput(t *testing.T) {
	a := &attack{name: "bare", in: "x", nodes: nodes(to("Relu x -> y")), out: "y"}
	p := a.proto()
	p.Graph.Input[0].Type.GetTensorType().Shape = nil
	_, rep, err := fileIn(t, p)(ReadOptions{Shapes: map[string][]int{"x": {2, 4}}})
	if err != nil || !slices.Equal(rep.Open, []OpenSize{{Input: "x", Size: 2}, {Input: "x", Axis: 1, Size: 4}}) {
		t.Errorf("%v %+v", err, rep)
	}
}

// TestResizeScales: runtimes multiply sizes by scales in float32, where 41 times 1/41 is less than
// 1. Only scales with which nothing is rounded are taken for all sizes.
func TestResizeScales(t *testing.T) {
	for _, c := range []struct {
		scale float32
		size  string // of the result; "" if it is refused
	}{{1.0 / 41, ""}, {1.0 / 3, ""}, {1.5, ""}, {3, "3*n"}, {0.25, "strided(n+1,(4, 4),0)-1"}} {
		a := &attack{name: "resize", in: "x 1,1,4,n", out: "y", nodes: nodes(
			to("Constant -> s", &onnxpb.AttributeProto{Name: proto.String("value_floats"), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: []float32{1, 1, 1, c.scale}}),
			to("Resize x _ s -> y", textAttribute("mode", "linear")))}
		m, _, err := fileIn(t, a.proto())(ReadOptions{Dynamic: true})
		if c.size == "" {
			if err == nil || !strings.Contains(err.Error(), "of a dynamic size is not supported") {
				t.Errorf("scale %g: error %v", c.scale, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("scale %g: %v", c.scale, err)
			continue
		}
		if got := m.Graph.Shape(m.Graph.Outputs()[0])[3].Dim.String(); !strings.Contains(got, c.size) {
			t.Errorf("scale %g: size %s, want %s", c.scale, got, c.size)
		}
	}
}

// TestErrorPlaces: errors of nodes without a name name an output, and have no empty parts.
func TestErrorPlaces(t *testing.T) {
	nameless := func(p *onnxpb.ModelProto, empty bool) *onnxpb.ModelProto {
		for _, n := range p.Graph.Node {
			if n.Name = nil; empty {
				n.Name = proto.String("")
			}
		}
		return p
	}
	for _, empty := range []bool{false, true} {
		a := &attack{name: "a slice", in: "x n,4", nodes: nodes(to("Slice x lo hi -> y")), ints: map[string][]int64{"lo": {0}, "hi": {3}}, out: "y"}
		_, _, err := fileIn(t, nameless(a.proto(), empty))(ReadOptions{Dynamic: true})
		if err == nil || !strings.Contains(err.Error(), `node of "y" (Slice): whether`) {
			t.Errorf("error %v", err)
		}
		// What is wrong before nodes are read.
		a = &attack{name: "deep", in: "x n,4", nodes: nodes(to("Odd x -> y", textAttribute("much", strings.Repeat("x", 1<<16)))), out: "y"}
		_, _, err = fileIn(t, nameless(a.proto(), empty))(ReadOptions{MaxBytes: 1 << 14})
		if err == nil || !strings.Contains(err.Error(), `node of "y" (Odd): `) {
			t.Errorf("error %v", err)
		}
	}
	for want, e := range map[string]*Error{
		"f: node (Op): cause": {File: "f", Node: "node", Op: "Op", Err: fmt.Errorf("cause")},
		"node: cause":         {Node: "node", Err: fmt.Errorf("cause")},
		"cause":               {Err: fmt.Errorf("cause")},
	} {
		if e.Error() != want {
			t.Errorf("got %q, want %q", e, want)
		}
	}
}
