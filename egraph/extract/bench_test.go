package extract

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkPublished extracts from the e-graphs of testdata; cost in ms.
func BenchmarkPublished(b *testing.B) {
	for _, name := range []string{"resnet50", "vgg", "vgg_acyclic"} {
		g := published(b, name)
		for _, m := range Methods() {
			b.Run(name+"/"+string(m), func(b *testing.B) { solving(b, &g.Problem, m, 0) })
		}
	}
}

// BenchmarkNetwork extracts from e-graphs of the kind of saturated networks, up to
// 20,000 classes with 80,000 nodes; linear layers hang together.
func BenchmarkNetwork(b *testing.B) {
	for _, layers := range []int{20, 140} {
		for _, linear := range []float64{0, 0.3, 1} {
			p := network(1, layers, 6, linear)
			for _, m := range Methods() {
				b.Run(fmt.Sprintf("classes=%d,nodes=%d,linear=%v/%s", p.Classes, len(p.Nodes), linear, m),
					func(b *testing.B) { solving(b, p, m, 0) })
			}
		}
	}
}

func solving(b *testing.B, p *Problem, m Method, best int) {
	var r *Result
	for b.Loop() {
		var err error
		if r, err = Solve(context.Background(), p, Options{Method: m, Best: best}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.Cost)/GymScale, "cost")
	b.ReportMetric(100*r.Gap(), "gap%")
}

// BenchmarkSharePass is share moves from the greedy-DAG choice until none helps, on
// the problem as it is.
func BenchmarkSharePass(b *testing.B) {
	for _, c := range []struct {
		name string
		p    *Problem
	}{
		{"resnet50", &published(b, "resnet50").Problem},
		{"vgg", &published(b, "vgg").Problem},
		{"network", network(1, 140, 6, 0.3)},
	} {
		f, err := c.p.fold(0)
		if err != nil {
			b.Fatal(err)
		}
		choice, _ := f.core.dagChoice(1 << 26)
		users, scc := f.core.users(), f.core.cycles()
		b.Run(c.name, func(b *testing.B) {
			var s *state
			for b.Loop() {
				s = newState(f.core, users, scc, append([]int32(nil), choice...))
				s.share(1<<40, true, func() bool { return false })
			}
			b.ReportMetric(float64(s.cost)/GymScale, "cost")
		})
	}
}

// BenchmarkBest lists solutions beside the best.
func BenchmarkBest(b *testing.B) {
	g := published(b, "vgg")
	b.Run("vgg/16", func(b *testing.B) { solving(b, &g.Problem, Auto, 16) })
}
