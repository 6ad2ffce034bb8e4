package onnx

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// TestBitsAreWritten: the operator set that is written by default has what the graph needs.
func TestBitsAreWritten(t *testing.T) {
	for fn := range bitwise {
		g, err := graph.ParseText("bits", "x : int32[3]\ny : int32[3]\nz = ewint[fn="+fn+"](x, y)\nreturn z\n")
		if err != nil {
			t.Fatal(err)
		}
		_, back := reread(t, &model.Model{Graph: g}, WriteOptions{})
		sameGraph(t, back.Graph, g)
	}
}

// TestLogSumExpOfInfinities: what is infinite is taken out of the exponents as a finite number.
func TestLogSumExpOfInfinities(t *testing.T) {
	m := small()
	m.Graph.Node = []*onnxpb.NodeProto{node("ReduceLogSumExp", []string{"x"}, []string{"z"}, intsAttribute("axes", 1), intAttribute("keepdims", 0))}
	m.Graph.Input, m.Graph.Output = m.Graph.Input[:1], []*onnxpb.ValueInfoProto{float32Info("z", 2)}
	got, _, err := Read(put(t, marshal(t, m)), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	in := interp.Tensor[float64]{Sizes: []int{2, 3}, Data: []float64{1, inf, -inf, -inf, -inf, -inf}}
	out, err := interp.EvalGraph(context.Background(), interp.Float{}, got.Graph, []interp.Tensor[float64]{in})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(out[0].Data, []float64{inf, -inf}) {
		t.Errorf("got %v", out[0].Data)
	}
	_, back := reread(t, got, WriteOptions{})
	sameGraph(t, back.Graph, got.Graph)
}
