package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
)

// Model is a graph with the numbers of its weights.
type Model struct {
	Name  string
	Graph *graph.Graph
	// Weights has a Weight for each input of Graph that is a weight, and nothing
	// else.
	Weights map[graph.NodeID]*Weight
	// Filled are operators that stand for weights: what a file makes of one number, and
	// is too large to be written out. By the name of the node, the elements of all weights
	// that are this one. A name that is no operator of the graph says nothing.
	Filled map[string]int64
	// Defaults are inputs of the file that have a default there, and are constants here.
	Defaults []string
	// Standard are the values that inputs have if nothing is fed, by their names. Nothing
	// that is proved about a model depends on them.
	Standard map[string]*Weight
	Doc      string // for people, may be empty
	Producer string // what made the model, may be empty
}

// Validate reports everything that is wrong with a model, in the order of its
// inputs: a weight without numbers, of another type or size than its input, or
// bound to what is not a weight. No numbers are loaded.
func (m *Model) Validate() error {
	if m.Graph == nil {
		return fmt.Errorf("model %s: no graph", m.Name)
	}
	var errs []error
	known := 0
	for id := range m.Graph.Nodes() {
		w, ok := m.Weights[id]
		if ok {
			known++
		}
		switch {
		case m.Graph.IsWeight(id):
			if err := w.check(m.Graph.DType(id.Out(0)), m.Graph.Sizes(id.Out(0))); err != nil {
				errs = append(errs, fmt.Errorf("model %s: weight %s: %w", m.Name, m.Graph.Name(id), err))
			}
		case ok:
			errs = append(errs, fmt.Errorf("model %s: node %s has numbers, but is no weight", m.Name, m.Graph.Name(id)))
		}
	}
	if n := len(m.Weights) - known; n > 0 {
		errs = append(errs, fmt.Errorf("model %s: %d weights of nodes that the graph does not have", m.Name, n))
	}
	return errors.Join(errs...)
}

// Inputs are the graph's inputs that the caller feeds: those that are no
// weights, in their order.
func (m *Model) Inputs() []graph.NodeID {
	var ids []graph.NodeID
	for _, id := range m.Graph.Inputs() {
		if !m.Graph.IsWeight(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Params is the number of weight elements, those of Filled included.
func (m *Model) Params() int64 {
	n := m.sum((*Weight).Elements)
	if len(m.Filled) == 0 {
		return n
	}
	counted := map[graph.NodeID]bool{}
	for id := range m.Graph.Nodes() {
		filled := m.Filled[m.Graph.Name(id)]
		if m.Graph.Op(id) == nil || filled <= 0 || n > math.MaxInt64-filled {
			continue
		}
		n += filled
		for _, t := range m.Graph.Operands(id) { // the number itself counts no more
			if w := m.Weights[t.Node]; w != nil && !counted[t.Node] {
				counted[t.Node] = true
				n -= w.Elements()
			}
		}
	}
	return n
}

// WeightBytes is the size of all weights in bytes.
func (m *Model) WeightBytes() int64 { return m.sum((*Weight).Bytes) }

func (m *Model) sum(f func(*Weight) int64) int64 {
	var n int64
	for _, w := range m.Weights {
		if w == nil {
			continue // Validate says so
		}
		x := f(w)
		if n > math.MaxInt64-x {
			return math.MaxInt64
		}
		n += x
	}
	return n
}

// FLOPs is the number of floating point operations of one run, a product and a
// sum counted as two: [graph.Graph.Work] of the graph.
func (m *Model) FLOPs() int64 { return m.Graph.Work().FLOPs }

// WithGraph is the model with another graph in place of its own, such as an
// equivalent one that a search found. The weights are found by the names of
// their inputs; weights that the other graph does not have are left out.
func (m *Model) WithGraph(g *graph.Graph) (*Model, error) {
	byName := make(map[string]*Weight, len(m.Weights))
	for id, w := range m.Weights {
		byName[m.Graph.Name(id)] = w
	}
	out := *m
	out.Graph, out.Weights = g, map[graph.NodeID]*Weight{}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			if w := byName[g.Name(id)]; w != nil {
				out.Weights[id] = w
			}
		}
	}
	if err := out.Validate(); err != nil {
		return nil, fmt.Errorf("bind weights to another graph: %w", err)
	}
	return &out, nil
}
