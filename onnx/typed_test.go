package onnx

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// A constant for an input gets the declared type and sizes. Numbers that the type does not hold are an error.
func TestConstantsTyped(t *testing.T) {
	m := castModel(graph.Float16, graph.Float32, 3)
	in := m.Graph.Input[0].Type.GetTensorType()
	number := func(t graph.DType, sizes []int, n int64, x float64) *model.Weight {
		return model.FromBytes(t, sizes, bytes.Repeat(model.AppendElement(nil, t, n, x), int(graph.Product(sizes...))))
	}
	for _, c := range []struct {
		to    graph.DType
		sizes []int64 // -1: open
		by    *model.Weight
		want  *model.Weight
		says  string
	}{
		{graph.Float16, nil, number(graph.Float64, nil, 0, 0.1), number(graph.Float16, []int{}, 0, 0.1), ""},
		{graph.Float16, []int64{1}, number(graph.Int64, nil, 3, 0), number(graph.Float16, []int{1}, 0, 3), ""},
		{graph.Int64, []int64{2, -1}, number(graph.Int64, []int{4}, 1<<53+1, 0), number(graph.Int64, []int{2, 2}, 1<<53+1, 0), ""},
		{graph.Bool, []int64{2}, number(graph.Bool, []int{2}, 1, 0), number(graph.Bool, []int{2}, 1, 0), ""},
		{graph.Bool, []int64{}, number(graph.Int64, nil, 1, 0), number(graph.Bool, nil, 1, 0), ""},
		{graph.Bool, []int64{}, number(graph.Int64, nil, 2, 0), nil, "element 0 is 2, which bool does not hold"},
		{graph.Float32, []int64{}, number(graph.Int64, nil, 1<<24+1, 0), nil, "element 0 is 16777217, which float32 does not hold"},
		{graph.Int32, []int64{}, number(graph.Float64, nil, 0, 1.5), nil, "element 0 is 1.5, which int32 does not hold"},
		{graph.Int64, []int64{3}, number(graph.Int64, []int{2}, 1, 0), number(graph.Int64, []int{2}, 1, 0), "has sizes [2], but the file declares [3]"},
		{graph.Int64, []int64{-1, -1}, number(graph.Int64, []int{2}, 1, 0), number(graph.Int64, []int{2}, 1, 0), "has sizes [2], but the file declares [?, ?]"},
	} {
		in.ElemType = proto.Int32(int32(elemOf(c.to)))
		in.Shape = &onnxpb.TensorShapeProto{}
		for _, n := range c.sizes {
			d := &onnxpb.TensorShapeProto_Dimension{}
			if n >= 0 {
				d.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: n}
			}
			in.Shape.Dim = append(in.Shape.Dim, d)
		}
		m.Graph.Output[0].Type = nil
		_, report, err := Read(put(t, marshal(t, m)), ReadOptions{Constants: map[string]*model.Weight{"x": c.by}})
		if c.says != "" && c.want != nil {
			if err != nil || !slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.HasSuffix(w, c.says) }) {
				t.Errorf("%s%v: %v, warnings %q", c.to, c.sizes, err, report.Warnings)
			}
			continue
		}
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s%v: got %v", c.to, c.sizes, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s%v: %v", c.to, c.sizes, err)
			continue
		}
		got := report.Constants["x"]
		a, _ := got.Read()
		b, _ := c.want.Read()
		if got.DType != c.want.DType || len(got.Sizes) != len(c.sizes) || !bytes.Equal(a, b) {
			t.Errorf("%s%v: got %s%v %x, want %s%v %x", c.to, c.sizes, got.DType, got.Sizes, a, c.want.DType, c.want.Sizes, b)
		}
	}
}
