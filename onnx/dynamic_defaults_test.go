package onnx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
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

// TestSharedDefault: an input with a default has sizes of its own, also where its dimension has the
// name of another's: who leaves it out has the size of the default. Where the file needs them to be
// the same, they are, and a note says for which size the default is.
func TestSharedDefault(t *testing.T) {
	for _, c := range []struct {
		name, node, note string
		same             bool
	}{
		{"apart", "Concat x w -> y", "", false},
		{"together", "Add x w -> y", `the default of "w" is for n = 3`, true},
	} {
		a := &attack{name: c.name, in: "x 2,n; w 2,n", nodes: nodes(to(c.node, intAttribute("axis", 1))), float: map[string][]int{"w": {2, 3}}, out: "y"}
		if c.same {
			a.nodes = nodes(to(c.node))
		}
		m, rep, err := fileIn(t, a.proto())(ReadOptions{Dynamic: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		x, w := m.Graph.Shape(m.Inputs()[0].Out(0))[1].Dim, m.Graph.Shape(m.Inputs()[1].Out(0))[1].Dim
		if (x == w) != c.same {
			t.Errorf("%s: sizes %s and %s", c.name, x, w)
		}
		note := ""
		for _, v := range rep.Dynamic {
			note += v.With
		}
		if note != c.note {
			t.Errorf("%s: %q, want %q", c.name, note, c.note)
		}
	}
}

// TestGivenSample: a variable that is given has its sample, so that two files are read at the same
// sizes.
func TestGivenSample(t *testing.T) {
	a := &attack{name: "sample", in: "x n", nodes: nodes(to("Relu x -> y")), out: "y"}
	n := graph.SizeVar{Name: "n", Sample: 71, Range: graph.Range{Lo: 1, Hi: 100}, Step: 1}
	_, rep, err := fileIn(t, a.proto())(ReadOptions{Dynamic: true, Variables: map[string]graph.SizeVar{"n": n}})
	if err != nil || len(rep.Dynamic) != 1 || rep.Dynamic[0].Sample != 71 {
		t.Errorf("%v %+v", err, rep)
	}
}

// TestSameApart: of pools with gaps that are padded for as many windows as there are strides, ONNX
// Runtime has other sizes than ONNX defines.
func TestSameApart(t *testing.T) {
	for _, gap := range []int64{1, 2} {
		a := &attack{name: "same", in: "x 1,1,n,8", nodes: nodes(to("MaxPool x -> y", textAttribute("auto_pad", "SAME_UPPER"),
			intsAttribute("kernel_shape", 3, 3), intsAttribute("strides", 2, 2), intsAttribute("dilations", gap, gap))), out: "y"}
		_, _, err := fileIn(t, a.proto())(ReadOptions{Dynamic: true})
		if gap == 1 && err != nil || gap == 2 && (err == nil || !strings.Contains(err.Error(), "auto_pad is SAME and dilations are not 1")) {
			t.Errorf("a gap of %d: %v", gap, err)
		}
	}
}
