package onnx_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// emptyGraphs have operands, or results, without elements.
var emptyGraphs = []string{
	"x : float32[2, 3]\ny = slice[axis=1, lo=1, hi=1](x)\nreturn y",
	"x : float32[0, 3]\ny = slice[axis=0, lo=0, hi=0](x)\nz = relu(y)\nreturn z",
	"x : float32[2, 3]\ns = split[axis=1, at=0](x)\ny = concat[axis=1](s.1, s.0)\nreturn y, s.0",
	"x : float32[0, 3]\ny : float32[2, 3]\nz = concat[axis=0](x, y)\nreturn z",
	"x : float32[2, 0]\ny : float32[1, 0]\nz = concat[axis=0](x, y)\nreturn z",
	"x : float32[0, 3]\ny = ewadd(x, x)\nreturn y",
	"x : float32[2, 0, 3]\ny = reducesum[axes=(1)](x)\nz = exp(y)\nreturn z",
	"x : float32[0, 2]\ny = reducesum[axes=(1), keep=1](x)\nreturn y",
	"x : float32[0, 2]\ny = reducemean[axes=(1)](x)\nreturn y",
	"x : float32[0, 2]\ny = reducemax[axes=(1)](x)\nreturn y",
	"x : float32[2, 0]\ny = reducemax[axes=(1)](x)\nz = relu(y)\nreturn y, z",
	"x : float32[2, 0]\ny : float32[0, 3]\nz = matmul(x, y)\nreturn z",
	"x : float32[0, 2]\ny : float32[2, 3]\nz = matmul(x, y)\nreturn z",
	"x : float32[0, 2, 2]\ny : float32[0, 2, 3]\nz = matmul(x, y)\nreturn z",
	"x : float32[0, 2, 4, 4]\nw : float32[3, 2, 2, 2]\ny = conv2d[pad=valid](x, w)\nreturn y",
	"x : float32[1, 0, 4, 4]\nw : float32[3, 0, 2, 2]\ny = conv2d[pad=valid](x, w)\nreturn y",
	"x : float32[1, 2, 4, 4]\nw : float32[0, 2, 2, 2]\ny = conv2d[pad=valid](x, w)\nreturn y",
	"x : float32[1, 2, 0, 4]\nw : float32[3, 2, 2, 2]\ny = conv2d[pad=(1, 1, 1, 1)](x, w)\nreturn y",
	"x : float32[0, 2, 4, 4]\ny = poolmax[kh=2, kw=2, pad=valid](x)\nreturn y",
	"x : float32[0, 2, 4, 4]\ny = poolavg[kh=2, kw=2, pad=valid](x)\nreturn y",
	"x : float32[0, 3]\ny = reshape[shape=[2, 0, 5]](x)\nreturn y",
	"x : float32[0, 3]\ny = transpose[perm=(1, 0)](x)\nreturn y",
	"x : float32[1, 3]\ny = broadcast[shape=[2, 0, 3]](x)\nreturn y",
	"x : float32[2, 3]\ni : int64[0]\ny = gather[axis=0](x, i)\nreturn y",
	"x : float32[0, 3]\ni : int64[0]\ny = gather[axis=0](x, i)\nreturn y",
	"x : float32[2, 0]\ni : int64[3]\ny = gather[axis=0](x, i)\nreturn y",
	"x : float32[2, 0]\ny = softmax[axis=1](x)\nreturn y",
	"x : float32[0, 2]\ny = softmax[axis=1](x)\nreturn y",
	"x : float32[0, 3]\ns : float32[3]\ny = layernorm[axis=1, eps=1e-05](x, s, s)\nreturn y",
	"x : float32[0, 3, 2]\ns : float32[3]\ny = batchnorm[eps=1e-05](x, s, s, s, s)\nreturn y",
	"x : float32[2, 3]\ny = topk[axis=1, k=0](x)\nreturn y",
	"x : float32[0, 2]\ny = pad[before=(1, 0), after=(1, 0), value=7](x)\nreturn y",
	"x : float32[0, 2]\ny = pad[before=(0, 1), after=(0, 1)](x)\nreturn y",
	"x : float32[0]\ny = cast[to=int64](x)\nreturn y",
	"c : float32[0]\nx : float32[0]\ny = ewwhere(c, x, x)\nreturn y",
	"w : weight float32[0, 3]\nx : float32[2, 0]\ny = matmul(x, w)\nreturn y, w",
}

// What tensors without elements become is what ONNX Runtime makes of them.
func TestEmptyAsRuntime(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	rt := ort.ForTest(t)
	dir := t.TempDir()
	var jobs []ort.Job
	var want [][]interp.Tensor[float64]
	var types [][]graph.TensorType
	for i, text := range emptyGraphs {
		g, err := graph.ParseText("m", text)
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
		var in []interp.Tensor[float64]
		var fed []ort.Tensor
		for _, id := range g.Inputs() {
			typ := g.Type(id.Out(0))
			x := interp.Tensor[float64]{Sizes: typ.Sizes, Data: make([]float64, graph.NumElements(typ.Sizes))}
			var raw []byte
			for k := range x.Data {
				if x.Data[k] = float64(k % 2); typ.DType.IsFloat() {
					x.Data[k] = float64(k) + 0.5
				}
				raw = model.AppendElement(raw, typ.DType, int64(x.Data[k]), x.Data[k])
			}
			in = append(in, x)
			if g.IsWeight(id) {
				m.Weights[id] = model.FromBytes(typ.DType, typ.Sizes, raw)
			} else {
				fed = append(fed, ort.Tensor{Name: g.Name(id), DType: typ.DType.String(), Sizes: typ.Sizes, Data: raw})
			}
		}
		out, err := interp.EvalGraph(ctx, interp.Float{}, g, in)
		if err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		path := filepath.Join(dir, "m"+string(rune('A'+i))+".onnx")
		if err := onnx.Write(path, m, onnx.WriteOptions{}); err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		checkRead(t, path, text, g, in, out)
		var ts []graph.TensorType
		for _, o := range g.Outputs() {
			ts = append(ts, g.Type(o))
		}
		jobs = append(jobs, ort.Job{Model: path, Inputs: fed})
		want, types = append(want, out), append(types, ts)
	}
	res, err := rt.RunAll(ctx, jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range res {
		if r.Err != nil || len(r.Outputs) != len(want[i]) {
			t.Errorf("%d outputs, %v of\n%s", len(r.Outputs), r.Err, emptyGraphs[i])
			continue
		}
		for k, o := range r.Outputs {
			var raw []byte
			for _, v := range want[i][k].Data {
				raw = model.AppendElement(raw, types[i][k].DType, int64(v), v)
			}
			if !slices.Equal(o.Sizes, want[i][k].Sizes) || o.DType != types[i][k].DType.String() || !slices.Equal(o.Data, raw) {
				t.Errorf("output %d: ONNX Runtime gives %s%v %v, want %s %v of\n%s", k, o.DType, o.Sizes, o.Data, types[i][k], want[i][k].Data, emptyGraphs[i])
			}
		}
	}
}

// checkRead reads a file that was written of a graph: it has the same inputs, and computes
// the same of them.
func checkRead(t *testing.T, path, text string, g *graph.Graph, in, want []interp.Tensor[float64]) {
	t.Helper()
	m, _, err := onnx.Read(path, onnx.ReadOptions{})
	if err != nil {
		t.Errorf("read again: %v of\n%s", err, text)
		return
	}
	e := interp.Evaluator[float64]{Ring: interp.Float{}, Input: func(id graph.NodeID) (interp.Tensor[float64], error) {
		for i, was := range g.Inputs() {
			if g.Name(was) == m.Graph.Name(id) {
				return in[i], nil
			}
		}
		typ := m.Graph.Type(id.Out(0))
		x := interp.Tensor[float64]{Sizes: typ.Sizes, Data: make([]float64, graph.NumElements(typ.Sizes))}
		raw, err := m.Weights[id].Read()
		for k := range x.Data {
			n, v := model.Element(typ.DType, raw[k*typ.DType.Bytes():])
			if x.Data[k] = v; !typ.DType.IsFloat() {
				x.Data[k] = float64(n)
			}
		}
		return x, err
	}}
	got, err := e.Run(context.Background(), m.Graph)
	if err != nil || len(got) != len(want) {
		t.Errorf("read again: %d outputs, %v of\n%s", len(got), err, text)
		return
	}
	for i := range want {
		if !slices.Equal(got[i].Sizes, want[i].Sizes) || !slices.Equal(got[i].Data, want[i].Data) {
			t.Errorf("read again: output %d is %v, want %v of\n%s", i, got[i], want[i], text)
		}
	}
}

// What ONNX Runtime and ONNX's reference refuse is refused, by the name of the node.
func TestEmptyRefused(t *testing.T) {
	for _, c := range []struct {
		op    string
		sizes []int64
		want  string
	}{
		{"ArgMax", []int64{0, 2}, "no elements"},
		{"ArgMin", []int64{0, 2}, "no elements"},
		{"GlobalMaxPool", []int64{1, 2, 0, 4}, "no elements"},
		{"GlobalAveragePool", []int64{1, 2, 0, 4}, "no elements"},
		{"ReduceMean", []int64{2, 0}, "no elements"},
	} {
		dims := &onnxpb.TensorShapeProto{}
		for _, n := range c.sizes {
			dims.Dim = append(dims.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: n}})
		}
		typ := func(shape *onnxpb.TensorShapeProto, elem onnxpb.TensorProto_DataType) *onnxpb.TypeProto {
			return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(elem)), Shape: shape}}}
		}
		elem := onnxpb.TensorProto_FLOAT
		if strings.HasPrefix(c.op, "Arg") {
			elem = onnxpb.TensorProto_INT64
		}
		raw, err := proto.Marshal(&onnxpb.ModelProto{
			IrVersion: proto.Int64(8), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(18)}},
			Graph: &onnxpb.GraphProto{Name: proto.String("g"),
				Node:   []*onnxpb.NodeProto{{Name: proto.String("n"), OpType: proto.String(c.op), Input: []string{"x"}, Output: []string{"y"}}},
				Input:  []*onnxpb.ValueInfoProto{{Name: proto.String("x"), Type: typ(dims, onnxpb.TensorProto_FLOAT)}},
				Output: []*onnxpb.ValueInfoProto{{Name: proto.String("y"), Type: typ(nil, elem)}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m.onnx")
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := onnx.Read(path, onnx.ReadOptions{}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.op) {
			t.Errorf("%s of %v: %v, want %q", c.op, c.sizes, err, c.want)
		}
	}
}
