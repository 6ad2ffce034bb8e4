package sim_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
	"github.com/taso-go/taso/parallel/sim"
)

// training is a step of layers on all devices of a cluster with data parallelism.
func training(b testing.TB, cluster string, layers int) *sim.Graph {
	c, err := machine.Find(cluster, machine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	all := make([]schedule.Layer, layers)
	for i := range all {
		all[i] = schedule.Layer{Forward: sim.Time(900+i%7*50) * us, Backward: sim.Time(1800+i%7*100) * us, Kept: 1 << 20, Gradients: 40e6, Update: 50 * us}
	}
	g, err := schedule.DataParallel(c, c.All(), all, machine.Ring)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

var trainings = []struct {
	cluster string
	layers  int
}{{"summit:1", 100}, {"summit:4", 100}, {"summit:32", 100}, {"dgx-a100:128", 100}}

// BenchmarkFull simulates everything each time.
func BenchmarkFull(b *testing.B) {
	for _, x := range trainings {
		b.Run(fmt.Sprintf("%s-%d", x.cluster, x.layers), func(b *testing.B) {
			g := training(b, x.cluster, x.layers)
			run(b, g)
			b.ResetTimer()
			for range b.N {
				g.Forget()
				if err := g.Run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(g.Len())*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}

// BenchmarkDelta changes the time of a random task and simulates what follows, beside a
// full run of the same.
func BenchmarkDelta(b *testing.B) {
	for _, x := range trainings {
		for _, full := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s-%d/full=%v", x.cluster, x.layers, full), func(b *testing.B) {
				g := training(b, x.cluster, x.layers)
				run(b, g)
				r := rand.New(rand.NewPCG(3, 4))
				ids := g.IDs()
				placed := 0
				b.ResetTimer()
				for range b.N {
					id := ids[r.IntN(len(ids))]
					t, _ := g.Task(id)
					if c, ok := t.Work.(sim.Compute); ok {
						c.Time = sim.Time(900+r.IntN(2000)) * us
						t.Work = c
					} else if c, ok := t.Work.(sim.Collective); ok {
						c.Bytes = 20e6 + r.Int64N(40)*1e6
						t.Work = c
					}
					if err := g.Set(id, t); err != nil {
						b.Fatal(err)
					}
					if full {
						g.Forget()
					}
					if err := g.Run(); err != nil {
						b.Fatal(err)
					}
					placed += g.Simulated()
				}
				b.ReportMetric(float64(placed)/float64(b.N)/float64(g.Len()), "simulated")
			})
		}
	}
}
