package weightfacts

import (
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/network"
)

// Of is what is known of the numbers of the weights of a model, for [bank.FromReal].
func Of(m *model.Model) (w bank.Weights, err error) {
	ids, err := network.Infinite(m)
	if err != nil {
		return w, err
	}
	w.Infinite = map[string]bool{}
	for id := range ids {
		w.Infinite[m.Graph.Name(id)] = true
	}
	of, named := m.Intervals(), map[string]graph.NodeID{}
	for _, id := range m.Graph.Inputs() {
		named[m.Graph.Name(id)] = id
	}
	w.Interval = func(name string) graph.Interval {
		if id, ok := named[name]; ok {
			return of(id)
		}
		return graph.AnyReal
	}
	type constant struct {
		x  float64
		ok bool
	}
	var once sync.Map // by name: each search asks, and a weight may have gigabytes
	w.Constant = func(name string) (float64, bool) {
		if c, ok := once.Load(name); ok {
			return c.(constant).x, c.(constant).ok
		}
		var c constant
		if weight := m.Weights[named[name]]; weight != nil {
			c.x, c.ok, _ = weight.Constant() // one that cannot be read is none
		}
		once.Store(name, c)
		return c.x, c.ok
	}
	return w, nil
}
