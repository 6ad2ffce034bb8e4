package onnx

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

func TestZZAt(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("ZZ"))
	for _, f := range files {
		m, rep, err := Read(f, ReadOptions{Dynamic: true, Ranges: map[string]graph.Range{"sequence": {Lo: 1, Hi: 512}, "sequence_length": {Lo: 1, Hi: 512}}})
		if err != nil || len(rep.Dynamic) == 0 {
			continue
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 3 {
			sizes, shapes := map[string]int{}, map[string][]int{}
			for _, v := range rep.Dynamic {
				sizes[v.Name] = 1 + rng.IntN(6)
				shapes[v.Dim] = []int{sizes[v.Name]}
			}
			a, err := m.At(sizes)
			if err != nil {
				t.Errorf("%s at %v: %v", f, sizes, err)
				continue
			}
			b, _, err := Read(f, ReadOptions{Shapes: shapes})
			if err != nil {
				t.Errorf("%s fixed at %v: %v", f, shapes, err)
				continue
			}
			var in []interp.Values
			for _, id := range b.Inputs() {
				ty := b.Graph.Type(id.Out(0))
				v := interp.Values{DType: ty.DType, Sizes: ty.Sizes}
				for range graph.NumElements(ty.Sizes) {
					if ty.DType.IsFloat() {
						v.Floats = append(v.Floats, rng.Float64()-0.5)
					} else {
						v.Ints = append(v.Ints, int64(rng.IntN(2)))
					}
				}
				in = append(in, v)
			}
			run := func(m *model.Model) []interp.Values {
				args := map[graph.NodeID]interp.Values{}
				for i, id := range m.Inputs() {
					args[id] = in[i]
				}
				var list []interp.Values
				for _, id := range m.Graph.Inputs() {
					if w := m.Weights[id]; w != nil {
						raw, err := w.Read()
						if err != nil {
							t.Fatal(err)
						}
						k, err := decodeConstant(w.DType, w.Sizes, raw)
						if err != nil {
							t.Fatal(err)
						}
						list = append(list, k.values())
					} else {
						list = append(list, args[id])
					}
				}
				out, err := interp.EvalValues(context.Background(), m.Graph, list)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			x, y := run(a), run(b)
			worst := 0.0
			for i := range x {
				if fmt.Sprint(x[i].Sizes) != fmt.Sprint(y[i].Sizes) {
					t.Errorf("%s: output %d %v %v", f, i, x[i].Sizes, y[i].Sizes)
					continue
				}
				for j := range x[i].Floats {
					worst = math.Max(worst, math.Abs(x[i].Floats[j]-y[i].Floats[j]))
				}
				for j := range x[i].Ints {
					if x[i].Ints[j] != y[i].Ints[j] {
						worst = math.Inf(1)
					}
				}
			}
			fmt.Println(filepath.Base(f), sizes, "nodes", a.Graph.Len(), b.Graph.Len(), "worst", worst)
		}
	}
}
