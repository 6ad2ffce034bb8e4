package saturate_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search/saturate"
)

// BenchmarkModels saturates the papers' networks in full size, by the prices of two
// machines. Beside the time: classes and live nodes of all e-graphs, bytes of the
// largest, and the modelled cost of the plan before and after in microseconds.
func BenchmarkModels(b *testing.B) {
	for _, name := range []string{"bert", "resnext50", "nasneta", "nasrnn", "inceptionv3", "squeezenet", "vgg19", "mobilenetv2", "resnet50-taso", "bert-large-64"} {
		m, err := models.Build(name, 1)
		if err != nil {
			b.Fatal(err)
		}
		for _, on := range []string{"v100", "zen5"} {
			b.Run(name+"/"+on, func(b *testing.B) {
				machine, err := cost.FindMachine(on)
				if err != nil {
					b.Fatal(err)
				}
				score := saturate.ScoreOf(machine, lower.CPU())
				o := saturate.Options{Laws: laws(b, false), Price: saturate.PriceOf(machine), Target: lower.CPU(), Best: 4, Score: score}
				before, err := score(m.Graph)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					n := network(b, m.Graph)
					st, err := saturate.Run(context.Background(), n, o)
					if err != nil {
						b.Fatal(err)
					}
					g, _, err := n.Net.Graph()
					if err != nil {
						b.Fatal(err)
					}
					after, err := score(g)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(st.Classes), "classes")
					b.ReportMetric(float64(st.Nodes), "nodes")
					b.ReportMetric(float64(st.Bytes), "bytes")
					b.ReportMetric(float64(before)/1e6, "µs-before")
					b.ReportMetric(float64(after)/1e6, "µs-after")
				}
			})
		}
	}
}
