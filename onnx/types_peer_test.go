package onnx

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/model"
	"google.golang.org/protobuf/proto"
)

// TestTypesPeer: ONNX Runtime reads weights of every type, packed ones too, as we write
// them, and casts to every type as we do. One type it does not know.
func TestTypesPeer(t *testing.T) {
	t.Parallel()
	rt := ort.ForTest(t)
	r := rand.New(rand.NewPCG(11, 12))
	numbers := given("x", 0, 1, -1, 0.25, 1.5, 2.5, -2.5, 3, 0.1, -0.1, 1.0/3, 6, 5, 100, -100, 447, 460, 470, 60000, 1e-3, 1e-6, 1e-9, math.Inf(1), math.Inf(-1), math.NaN())
	dir := t.TempDir()
	var jobs []ort.Job
	var names []string
	var small []bool // an integer type, for which ONNX Runtime rounds 2.5 away from 0
	var want [][]float64
	for _, typ := range graph.DTypes() {
		const n = 9
		raw := codes(r, typ, n)
		g, err := graph.ParseText("m", fmt.Sprintf("w : weight %s[%d]\ny = cast[to=float32](w)\nreturn y\n", typ, n))
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{1: model.FromBytes(typ, []int{n}, raw)}}
		path := filepath.Join(dir, "w_"+typ.String()+".onnx")
		if err := Write(path, m, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		k, _ := decodeConstant(typ, []int{n}, raw)
		jobs, names, want = append(jobs, ort.Job{Model: path}), append(names, "from "+typ.String()), append(want, k.cast(graph.Float32).floats)
		small = append(small, false)
		for _, a := range conversions(typ) {
			if a != nil && !typ.IsFloat() {
				continue
			}
			m := castModel(graph.Float32, typ, numbers.k.len(), a...)
			m.Graph.Node = append(m.Graph.Node, node("Cast", []string{"y"}, []string{"z"}, intAttribute("to", int64(elemFloat))))
			m.Graph.Node[1].Name = proto.String("back")
			m.Graph.Output = append(m.Graph.Output[:0], valueInfo("z", graph.TensorType{DType: numbers.k.dtype, Sizes: numbers.k.sizes}))
			file := put(t, marshal(t, m))
			read, _, err := Read(file, ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := evaluate(read, map[string]*constant{"x": numbers.k})
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, ort.Job{Model: file, Inputs: []ort.Tensor{{Name: "x", DType: "float32", Sizes: numbers.k.sizes, Data: numbers.k.encode()}}})
			names, want = append(names, fmt.Sprintf("to %s %v", typ, a)), append(want, out[0].Data)
			small = append(small, typ.IsInt() && typ.Bits() < 8)
		}
	}
	res, err := rt.RunAll(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for i, got := range res {
		if got.Err != nil {
			if !strings.Contains(got.Err.Error(), "NOT_IMPLEMENTED") {
				t.Errorf("%s: %v", names[i], got.Err)
			}
			continue
		}
		compared++
		xs, err := got.Outputs[0].Float32s()
		if err != nil {
			t.Fatal(err)
		}
		for j, x := range xs {
			if y := float64(float32(want[i][j])); float64(x) != y && !math.IsNaN(y) && !(small[i] && math.Abs(numbers.k.floats[j]) == 2.5) {
				t.Errorf("%s: element %d is %v, here %v", names[i], j, x, y)
			}
		}
	}
	if compared < len(res)-2 {
		t.Errorf("only %d of %d models run", compared, len(res))
	}
	t.Logf("%d of %d models run", compared, len(res))
}
