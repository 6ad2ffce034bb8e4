package cost_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
)

// TestPrices: prices of single nodes, by what the plan makes of each, add up to
// the cost of the graph.
func TestPrices(t *testing.T) {
	m := machine(t, "zen5")
	for _, name := range models.Names() {
		mod, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		g := mod.Graph
		p := lowered(t, g)
		b, err := cost.GraphCost(p, m)
		if err != nil {
			t.Fatal(err)
		}
		class := map[graph.NodeID]cost.Class{} // of groups and views
		for _, n := range b.Nodes {
			if !n.Once {
				class[n.ID] = n.Class
			}
		}
		var sum cost.Seconds
		for id := range g.Nodes() {
			into, ok := p.Into[id]
			c, run := class[id]
			if !run && !ok {
				continue
			}
			a := cost.At(g, id)
			for i, x := range g.Operands(id) {
				if o := g.Op(x.Node); into != 0 && o != nil && o.Name == "broadcast" {
					a.In[i] = g.Type(g.Operands(x.Node)[0])
				}
			}
			prices, err := cost.PricesOf(m, a)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case into != 0:
				sum += prices.Fused
			case c == cost.View:
				sum += prices.View
			default:
				sum += prices.Alone
			}
		}
		if d := math.Abs(float64(sum/b.Total) - 1); d > 1e-9 {
			t.Errorf("%s: nodes add up to %v, the graph costs %v", name, sum, b.Total)
		}
	}
}
