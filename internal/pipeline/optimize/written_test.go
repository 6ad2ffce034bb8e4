package optimize

import (
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/roundtrip"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/fold"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/search"
)

// onnxFormat writes and reads ONNX files.
var onnxFormat = roundtrip.Format{
	Write: func(path string, m *model.Model) error { return onnx.Write(path, m, onnx.WriteOptions{}) },
	Read: func(path string) (*model.Model, error) {
		m, _, err := onnx.Read(path, onnx.ReadOptions{})
		return m, err
	},
}

// Whatever moves lead to is written so that nodes come behind what they read, as ONNX
// asks, and read again as it is.
func TestWritten(t *testing.T) {
	laws, err := DefaultLaws(true)
	if err != nil {
		t.Fatal(err)
	}
	rules, _, err := search.NewRules(laws)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"bert-tiny", "nasrnn-tiny", "nasneta-tiny", "resnext50-tiny", "squeezenet-tiny", "mobilenetv2-tiny", "resnet50-tiny", "inceptionv3-tiny"} {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 3 {
			net, _, err := bank.From(m.Graph, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := search.NewRewriter(net, rules)
			moves := search.NewMoves(r)
			rnd := rand.New(rand.NewPCG(uint64(round), uint64(i)))
			for range 40 {
				var all []search.Move
				net.Nodes(func(x bank.Node) bool {
					one, many := moves.At(x)
					all = append(append(all, one...), many...)
					return true
				})
				mv := all[rnd.IntN(len(all))]
				mark := net.Mark()
				r.Find(&mv, func(x *search.Match) { _ = r.Apply(x) })
				moves.Update(mark)
				net.Keep(mark)
			}
			g, _, err := net.Graph()
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.WithGraph(g)
			if err != nil {
				t.Fatal(err)
			}
			if round == 2 {
				worth := fold.Worth(out.Graph, fold.Limits{})
				if out, err = fold.Model(out, func(id graph.NodeID) bool { return worth[id] }); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := onnxFormat.Of(t.TempDir(), out); err != nil {
				t.Errorf("%s, round %d: %v", name, round, err)
			}
		}
	}
}
