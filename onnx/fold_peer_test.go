package onnx

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// referenceScript runs models without inputs by the reference of package onnx of Python, one
// JSON object a model.
const referenceScript = `
import json, sys
import numpy as np, onnx
from onnx.reference import ReferenceEvaluator
out = []
np.seterr(all="ignore")
for path in json.load(sys.stdin):
    try:
        outs = [np.asarray(y) for y in ReferenceEvaluator(onnx.load(path)).run(None, {})]
        out.append({"Outputs": [{"DType": str(y.dtype), "Sizes": list(y.shape), "Data": np.ascontiguousarray(y).tobytes().hex()} for y in outs]})
    except Exception as e:
        out.append({"Error": f"{type(e).__name__}: {e}"})
json.dump(out, sys.stdout)
`

// answer is what a peer computes.
type answer struct {
	Outputs []struct {
		DType string
		Sizes []int
		Data  string
	}
	Error string
}

// reference asks ONNX's reference; the test goes on without it where it is not installed.
func reference(t *testing.T, rt *ort.Runtime, paths []string) []answer {
	t.Helper()
	in, err := json.Marshal(paths)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(rt.Python, "-c", referenceScript)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Logf("no reference of ONNX: %v\n%s", err, stderr.String())
		return make([]answer, len(paths))
	}
	var out []answer
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// constants are the outputs of an answer.
func (a answer) constants() ([]*constant, error) {
	var out []*constant
	for _, o := range a.Outputs {
		data, err := hex.DecodeString(o.Data)
		if err != nil {
			return nil, err
		}
		k, err := constantOf(ort.Tensor{DType: map[string]string{"float8_e4m3fn": "float8e4m3fn", "float8_e4m3fnuz": "float8e4m3fnuz", "float8_e5m2": "float8e5m2",
			"float8_e5m2fnuz": "float8e5m2fnuz", "": ""}[o.DType], Sizes: o.Sizes, Data: data})
		if err != nil {
			k, err = constantOf(ort.Tensor{DType: o.DType, Sizes: o.Sizes, Data: data})
		}
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// near compares a folded constant with a peer's. Integers and truth values are equal. Numbers
// differ by at most some units in the last place of the type, or of the largest number that
// went in where they are sums.
func near(got, want *constant, units, largest float64) error {
	if got.dtype != want.dtype || !slices.Equal(got.sizes, want.sizes) {
		return fmt.Errorf("%s%v, want %s%v", got.dtype, got.sizes, want.dtype, want.sizes)
	}
	if !slices.Equal(got.ints, want.ints) {
		return fmt.Errorf("%v, want %v", got.ints, want.ints)
	}
	unit := 1 / float64(graph.Whole(got.dtype))
	for i, x := range got.floats {
		y := want.floats[i]
		if x == y || math.IsNaN(x) && math.IsNaN(y) {
			continue
		}
		if !(math.Abs(x-y) <= units*unit*max(math.Abs(y), largest)+math.SmallestNonzeroFloat32) {
			return fmt.Errorf("element %d is %g, want %g", i, x, y)
		}
	}
	return nil
}

// summing are the operators that add numbers up, of which peers round in another order or in
// another type.
var summing = []string{"ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "CumSum", "MatMul", "Mean", "ReduceProd",
	"ScatterElements", "Range"}

// rounding are the operators that are computed in several steps, or by a function that is not
// rounded correctly: how many units in the last place are theirs.
var rounding = map[string]float64{"Exp": 2, "Log": 2, "Tanh": 8, "Softmax": 8, "Softplus": 8, "Pow": 4, "HardSigmoid": 2, "Reciprocal": 1, "Shrink": 1, "Sqrt": 1}

// departing says why a peer's answer for an operator and an element type is not compared.
func departing(g *foldGraph, k *constant) string {
	op, t := g.nodes[0].GetOpType(), k.dtype
	large := slices.ContainsFunc(k.ints, func(n int64) bool { return n > 1<<9 || n < -1<<9 })
	switch {
	case t == graph.Float64 && (op == "HardSigmoid" || op == "Shrink"):
		return "we take an attribute for the number that it is written as, and ONNX Runtime for the float32"
	case large && slices.Contains([]string{"ReduceSum", "ReduceProd", "ReduceSumSquare", "Pow"}, op):
		return "ONNX Runtime computes them in float64 and saturates"
	}
	return ""
}

// onlyConstants are the operators that no graph has, with inputs for each of their types.
func onlyConstants(r *rand.Rand) (gs []*foldGraph) {
	add := func(opset int64, op string, outputs int, in []*constant, attrs ...*onnxpb.AttributeProto) {
		g := &foldGraph{variant: variant{opset: opset, name: op}}
		var names []string
		for i, k := range in {
			g.in = append(g.in, operand{name: fmt.Sprintf("x%d", i), k: k})
			names = append(names, g.in[i].name)
			g.name += " " + k.dtype.String() + k.text()
		}
		for i := range outputs {
			g.outs = append(g.outs, fmt.Sprintf("y%d", i))
		}
		g.nodes = []*onnxpb.NodeProto{node(op, names, g.outs, attrs...)}
		gs = append(gs, g)
	}
	number := func(t graph.DType, x float64) *constant {
		return operand{k: &constant{dtype: graph.Float64, floats: []float64{x}}}.as(t).k
	}
	for _, t := range []graph.DType{graph.Int16, graph.Int32, graph.Int64, graph.Float32, graph.Float64} {
		for _, x := range [][3]float64{{2, 9, 3}, {0, 5, 1}, {7, -4, -3}, {3, 3, 1}, {5, 1, 2}, {0.5, 2.25, 0.25}, {0, 1, 0.1}, {-1, 1, 1.0 / 3}} {
			if t.IsFloat() || x[2] == math.Trunc(x[2]) {
				add(11, "Range", 1, []*constant{number(t, x[0]), number(t, x[1]), number(t, x[2])})
			}
		}
	}
	for _, t := range plainTypes {
		add(13, "NonZero", 1, []*constant{randomConstant(r, t, 2, 3)})
	}
	for _, t := range numberTypes {
		k := operand{k: &constant{dtype: graph.Float64, sizes: []int{2, 4}, floats: []float64{3, 1, 2, 1, 0, 1, 5, 1}}}.as(t).k
		add(11, "Unique", 4, []*constant{k})
		add(11, "Unique", 4, []*constant{k}, intAttribute("sorted", 0), intAttribute("axis", 1))
		add(11, "Unique", 4, []*constant{randomConstant(r, t, 7)})
	}
	for _, op := range []string{"HannWindow", "HammingWindow", "BlackmanWindow"} {
		for _, to := range []graph.DType{graph.Float32, graph.Float64, graph.Float16} {
			for _, periodic := range []int64{0, 1} {
				add(17, op, 1, []*constant{intScalar(7)}, intAttribute("output_datatype", int64(elemOf(to))), intAttribute("periodic", periodic))
			}
		}
	}
	for _, to := range []graph.DType{graph.Float32, graph.Float64} {
		add(17, "MelWeightMatrix", 1, []*constant{intScalar(4), intScalar(16), intScalar(8000), number(graph.Float32, 0), number(graph.Float32, 4000)},
			intAttribute("output_datatype", int64(elemOf(to))))
	}
	for _, from := range plainTypes {
		for _, to := range plainTypes {
			if from != to && from.Bits() == to.Bits() && from != graph.Bool && to != graph.Bool {
				add(26, "BitCast", 1, []*constant{randomConstant(r, from, 5)}, intAttribute("to", int64(elemOf(to))))
			}
		}
	}
	return gs
}

// TestFoldedByPeers: what is folded is what ONNX Runtime computes, or ONNX's reference where
// ONNX Runtime has no kernel for the element type.
func TestFoldedByPeers(t *testing.T) {
	rt := ort.ForTest(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	all := onlyConstants(r)
	for i := range foldables {
		f := &foldables[i]
		for _, typ := range f.types {
			for range 3 {
				sizes := [][]int{{3}, {2, 3}, {2, 1, 3}}[r.IntN(3)]
				if f.op == "MatMulInteger" {
					sizes = []int{2, 3}
				}
				k := randomConstant(r, typ, sizes...)
				g := newFoldGraph(k)
				g.grow(r, f, "x", k)
				all = append(all, g)
			}
		}
	}
	var graphs []*foldGraph
	var ours [][]*constant
	var paths []string
	var jobs []ort.Job
	for _, g := range all {
		folded := g.folded(t)
		if folded == nil {
			continue
		}
		v := g.variant
		v.in = slices.Clone(v.in)
		v.types = map[string]graph.TensorType{}
		for i := range v.in {
			v.in[i].fixed = true
		}
		for i, k := range folded {
			v.types[v.outs[i]] = graph.TensorType{DType: k.dtype, Sizes: k.sizes}
		}
		m := v.proto()
		m.IrVersion = proto.Int64(min(m.GetIrVersion(), 11))
		path := put(t, marshal(t, m))
		graphs, ours, paths = append(graphs, g), append(ours, folded), append(paths, path)
		jobs = append(jobs, ort.Job{Model: path})
	}
	res, err := rt.RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	wants, errs := make([][]*constant, len(res)), make([]error, len(res))
	var others []int // what ONNX Runtime does not run, and the reference is asked
	var ask []string
	for i, r := range res {
		errs[i] = r.Err
		for _, o := range r.Outputs {
			k, bad := constantOf(o)
			if wants[i] = append(wants[i], k); bad != nil {
				errs[i] = bad
			}
		}
		if errs[i] != nil {
			others, ask = append(others, i), append(ask, paths[i])
		}
	}
	refs := make([]answer, len(res))
	for k, a := range reference(t, rt, ask) {
		refs[others[k]] = a
	}
	byRuntime, byReference, neither, departs := 0, 0, map[string]int{}, map[string]int{}
	for i, g := range graphs {
		want, err := wants[i], errs[i]
		peer := "ONNX Runtime"
		if err == nil {
			byRuntime++
		} else if want, err = refs[i].constants(); err == nil && len(want) > 0 {
			peer = "the reference"
			byReference++
		} else {
			neither[g.nodes[0].GetOpType()+" "+g.in[0].k.dtype.String()]++
			continue
		}
		if why := departing(g, g.in[0].k); why != "" {
			departs[why]++
			continue
		}
		if peer == "the reference" && want[0].dtype != ours[i][0].dtype {
			departs["the reference gives another element type"]++
			continue
		}
		op, largest := g.nodes[0].GetOpType(), 0.0
		if slices.Contains(summing, op) {
			largest = 1
			for _, o := range g.in {
				for _, x := range o.k.floats {
					largest = max(largest, math.Abs(x))
				}
			}
			if op != "ReduceSum" && op != "CumSum" {
				largest *= largest
			}
		}
		if strings.HasSuffix(op, "Window") {
			want[0], ours[i][0] = want[0].cast(graph.Float32), ours[i][0].cast(graph.Float32) // as ONNX Runtime computes them
			largest = 1
		}
		for j, k := range ours[i] {
			units := rounding[op]
			if largest > 0 {
				units = 8
			}
			if err := near(k, want[j], units, largest); err != nil {
				t.Errorf("%s %v: output %d by %s: %v\n%s", g.name, g.nodes[0].GetAttribute(), j, peer, err, g.in[0].k.text())
			}
		}
	}
	t.Logf("%d nodes folded as by ONNX Runtime %s, %d as by ONNX's reference; by neither: %v; not compared: %v", byRuntime, rt.Version, byReference, neither, departs)
	if byRuntime < 1000 {
		t.Errorf("ONNX Runtime ran %d nodes only", byRuntime)
	}
}
