package optimize

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/model/fold"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/onnx/onnxpb"
	"github.com/taso-go/taso/search"
)

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
			path := filepath.Join(t.TempDir(), "m.onnx")
			if err := onnx.Write(path, out, onnx.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var p onnxpb.ModelProto
			if err := proto.Unmarshal(raw, &p); err != nil {
				t.Fatal(err)
			}
			known := map[string]bool{"": true}
			for _, x := range p.GetGraph().GetInput() {
				known[x.GetName()] = true
			}
			for _, x := range p.GetGraph().GetInitializer() {
				known[x.GetName()] = true
			}
			for _, n := range p.GetGraph().GetNode() {
				for _, x := range n.GetInput() {
					if !known[x] {
						t.Errorf("%s, round %d: node %s (%s) reads %s before it is there\n%s", name, round, n.GetName(), n.GetOpType(), x, out.Graph)
					}
				}
				for _, x := range n.GetOutput() {
					known[x] = true
				}
			}
			again, _, err := onnx.Read(path, onnx.ReadOptions{})
			if err != nil {
				t.Fatalf("%s, round %d: %v\n%s", name, round, err, out.Graph)
			}
			if again.Graph.Hash() != out.Graph.Hash() {
				t.Errorf("%s, round %d: read again it is another graph", name, round)
			}
		}
	}
}
