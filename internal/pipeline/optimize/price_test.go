package optimize

import (
	"math"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
)

// What neighbours tell of the cost of a network is what its plan says, for all models
// and their forms.
func TestPrice(t *testing.T) {
	for _, machine := range []string{"v100", "zen5"}[:sweep.Size(1, 2)] {
		m, err := cost.FindMachine(machine)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range models.Names() {
			names := []string{name + "-tiny"}
			for _, v := range models.Variants(name + "-tiny") {
				names = append(names, v.Name)
			}
			for _, n := range names {
				x, err := models.Build(n, 0)
				if err != nil {
					t.Fatal(err)
				}
				for _, target := range []*lower.Target{lower.CPU(), lower.Separate(), lower.ONNXRuntime()} {
					net, _, err := bank.From(x.Graph, nil)
					if err != nil {
						t.Fatal(err)
					}
					p := search.NewPricer(net, target, cost.Picoseconds{Model: m})
					g, _, err := net.Graph()
					if err != nil {
						t.Fatal(err)
					}
					b, err := costOf(g, &Options{Target: target, Cost: m})
					if err != nil {
						t.Fatal(err)
					}
					got := float64(p.Cost()) * unit
					if d := got/float64(b.Total) - 1; math.Abs(d) > 0.02 {
						t.Errorf("%s on %s, %s: neighbours tell %.4g s, the plan %.4g s", n, machine, target.Name, got, float64(b.Total))
					}
				}
			}
		}
	}
}
