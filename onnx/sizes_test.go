package onnx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// openModel has an input for each text, such as "x batch 3 ?": its name, and its
// axes, where ? is open and has no name. Each input goes through Relu.
func openModel(inputs ...string) *onnxpb.ModelProto {
	m := small()
	m.Graph.Input, m.Graph.Node, m.Graph.Output = nil, nil, nil
	for i, text := range inputs {
		words := strings.Fields(text)
		in := float32Info(words[0], make([]int, len(words)-1)...)
		for j, w := range words[1:] {
			d := &onnxpb.TensorShapeProto_Dimension{}
			n := int64(0)
			if _, err := fmt.Sscan(w, &n); err == nil {
				d.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: n}
			} else if w != "?" {
				d.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: w}
			}
			in.Type.GetTensorType().Shape.Dim[j] = d
		}
		out := fmt.Sprint("out", i)
		m.Graph.Input = append(m.Graph.Input, in)
		m.Graph.Node = append(m.Graph.Node, node("Relu", []string{words[0]}, []string{out}))
		m.Graph.Output = append(m.Graph.Output, &onnxpb.ValueInfoProto{Name: proto.String(out)})
	}
	return m
}

// TestOpenSizes: all that is open, and all that the options name in vain, is told at
// once; the batch is 1 where nobody says otherwise.
func TestOpenSizes(t *testing.T) {
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("x%d 2 d%d", i, i)
	}
	shape := func(name string, sizes ...int) ReadOptions { return ReadOptions{Shapes: map[string][]int{name: sizes}} }
	for _, c := range []struct {
		inputs []string
		opt    ReadOptions
		want   string // the error, or what was taken
	}{
		{[]string{"x batch 3"}, ReadOptions{}, "x 0 1 assumed"},
		{[]string{"x -1 3", "y ? 4"}, ReadOptions{}, "x 0 1 assumed, y 0 1 assumed"},
		{[]string{"x 8 my_batch_size", "y my_batch_size"}, ReadOptions{}, "x 1 1 assumed, y 0 1 assumed"},
		{[]string{"x batch 3", "y batch 3"}, shape("y", 4, 3), "x 0 4, y 0 4"},
		{[]string{"x batch 3", "y batch 3"}, shape("batch", 4), "x 0 4, y 0 4"},
		{[]string{"x batch 3"}, ReadOptions{Batch: 6}, "x 0 6"},
		{[]string{"x ?"}, ReadOptions{Batch: 6}, "x 0 6"},
		// What may be no batch is not taken for one.
		{[]string{"x ?"}, ReadOptions{}, `dynamic dimensions need a size: axis 0 of "x"; use --shape x=N`},
		{[]string{"x seq 8", "y batch seq"}, ReadOptions{}, `dynamic dimensions need a size: "seq" (axis 0 of "x", axis 1 of "y"); use --shape seq=N`},
		{[]string{"x batch seq", "y batch seq", "z batch 3 ? ?"}, ReadOptions{},
			`dynamic dimensions need a size: "seq" (axis 1 of "x", axis 1 of "y"), axis 2, 3 of "z"; use --shape seq=N --shape z=N,3,N,N`},
		{[]string{"x batch seq"}, shape("sequ", 4),
			`dynamic dimensions need a size: "seq" (axis 1 of "x"); use --shape seq=N; shape "sequ": the model has no such input or named dimension; did you mean seq?`},
		{[]string{"x 1 seq"}, ReadOptions{Shapes: map[string][]int{"sequ": {4}, "y": {4}, "seq": {9}}},
			`shape "sequ": the model has no such input or named dimension; did you mean seq?; shape "y": the model has no such input or named dimension`},
		{[]string{"x 1 seq"}, ReadOptions{Shapes: map[string][]int{"sequ": {4}}, Some: true}, `; shape "sequ": the model`},
		{[]string{"x 1 past+1"}, ReadOptions{}, `use --shape past+1=N`},
		{[]string{"x 1 $(rm)"}, ReadOptions{}, `use --shape "$(rm)=N"`},
		{many, ReadOptions{}, `"d15" (axis 1 of "x15") and 24 more; use --shape d0=N --shape d1=N`},
	} {
		_, rep, err := Read(put(t, marshal(t, openModel(c.inputs...))), c.opt)
		if err != nil {
			if got := err.Error(); !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("%v: got %v, want %s", c.inputs, err, c.want)
			}
			continue
		}
		var got []string
		for _, o := range rep.Open {
			text := fmt.Sprintf("%s %d %d", o.Input, o.Axis, o.Size)
			if o.Assumed {
				text += " assumed"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, strings.Split(c.want, ", ")) {
			t.Errorf("%v: taken are %q, want %s", c.inputs, got, c.want)
		}
	}
	m := openModel("x 2", "y 2 seq")
	m.Graph.Input[0].Type.GetTensorType().Shape = nil
	want := `dynamic dimensions need a size: all of "x", which has no shape in the file, "seq" (axis 1 of "y"); use --shape x=N,… --shape seq=N`
	if _, _, err := Read(put(t, marshal(t, m)), ReadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
