package grad_test

import (
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/model"
)

// papers are the graphs of the papers, and networks as published.
var papers = []string{"resnet50-taso", "resnext50", "nasneta", "nasrnn", "bert", "inceptionv3", "squeezenet", "vgg19", "mobilenetv2",
	"bert-base-layer-128", "dlrm", "mlp", "xdl", "candle", "bert-large-512", "alexnet", "resnet101", "rnntc", "rnnlm", "nmt", "mmt",
	"gpt-350m", "moe-380m", "wrn-250m"}

func tiny(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := models.Build(name+"-tiny", 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// numbers are those of a model's weights.
func numbers(t testing.TB, m *model.Model) map[graph.NodeID][]float64 {
	t.Helper()
	out := map[graph.NodeID][]float64{}
	for id, w := range m.Weights {
		raw, err := w.Read()
		if err != nil {
			t.Fatal(err)
		}
		for ; len(raw) > 0; raw = raw[w.DType.Bytes():] {
			n, x := model.Element(w.DType, raw)
			out[id] = append(out[id], float64(n)+x)
		}
	}
	return out
}

// The pullbacks of whole networks are what dual numbers give: modulo the prime where
// there is no maximum, and in float64.
func TestModels(t *testing.T) {
	for _, name := range papers {
		t.Run(name, func(t *testing.T) {
			m := tiny(t, name)
			g := m.Graph
			pull := pullback(t, g)
			if models.Count(g, "poolmax") == 0 {
				if err := exactly(g, pull, 1); err != nil {
					t.Error(err)
				}
			}
			if err := nearly(g, pull, 2, numbers(t, m)); err != nil {
				t.Error(err)
			}
			if _, err := grad.Train(g, grad.Options{Axis: 1, Loss: grad.MeanSquare}); err != nil {
				t.Error(err)
			}
		})
	}
}
