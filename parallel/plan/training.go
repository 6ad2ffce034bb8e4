package plan

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
)

// Training is a graph with the inputs that outputs of it take the place of in its next
// run. A graph without such inputs is inference.
type Training struct {
	Graph *graph.Graph
	// Next says which output becomes which input: places among the graph's inputs, by
	// places among its outputs.
	Next map[int]int
	// Init is what all elements of an input are before the first step, by its place: of
	// the state of an optimizer.
	Init map[int]float64
	// Padded says of which training step this one is with longer axes; nil: of none.
	Padded *Padded
}

// as is the training step with a graph of the same inputs and outputs.
func (t *Training) as(g *graph.Graph) *Training {
	return &Training{Graph: g, Next: t.Next, Init: t.Init, Padded: t.Padded}
}

// Train is the training step of a model.
func Train(model *graph.Graph, opt grad.Options) (*Training, error) {
	step, err := grad.Train(model, opt)
	if err != nil {
		return nil, fmt.Errorf("training step: %w", err)
	}
	return Step(step), nil
}

// Step is a training step as one to plan.
func Step(step *grad.Step) *Training {
	t := &Training{Graph: step.Graph, Next: map[int]int{}, Init: map[int]float64{}}
	place := map[graph.NodeID]int{}
	for i, id := range step.Graph.Inputs() {
		place[id] = i
	}
	for i, k := range step.Next {
		t.Next[1+i] = place[k.Input]
		if k.State {
			t.Init[place[k.Input]] = k.Init
		}
	}
	return t
}
