package plan

import (
	"fmt"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
)

// Pipeline says how the nodes of a training step are stages on devices of their own. It
// changes no number: who computes a node is no matter of what it computes.
type Pipeline struct {
	// Of is the stage, from 1, of each node of the training graph, by node; an input is of
	// the first stage that reads it.
	Of []int `json:"of"`
	// Clusters is the cluster, from 1, of each node, likewise: parts of stages, of which one
	// that computes again keeps what they read.
	Clusters []int         `json:"clusters"`
	Schedule schedule.Kind `json:"schedule"`
	// Row: each stage waits for the one before it, whether it reads that or not.
	Row bool `json:"row,omitempty"`
	// Stages are what each stage takes of its devices, and whether it keeps its inputs only
	// and goes forward once more before it goes backward (Recompute).
	Stages []schedule.Stage `json:"stages"`
	// Remade says by stage that what is made of weights alone, such as gathered or transposed
	// weights, is made again in each pass, and not kept for the step; none: in no stage.
	Remade []bool `json:"remade,omitempty"`
	// Makespan is the modelled time of a step, Peak the bytes of the device that needs most,
	// of stage Fullest.
	Makespan machine.Time `json:"makespan_ps"`
	Peak     int64        `json:"peak"`
	Fullest  int          `json:"fullest"`
	// Bound is at most the makespan of any pipeline of the clusters, layouts, submeshes and
	// micro-batches that were looked at; Looked is how many were, Simulated how many of these
	// over time.
	Bound     machine.Time `json:"bound_ps"`
	Looked    int          `json:"looked"`
	Simulated int          `json:"simulated"`
	// Stop says why the search ended.
	Stop extract.Stop `json:"stop"`
}

// Forward says by node which the loss depends on: the model and its loss, and not the
// derivatives and updates. Of inference that is all that outputs depend on.
func (t *Training) Forward() []bool {
	out := make([]bool, t.Graph.Len()+1)
	for i, o := range t.Graph.Outputs() {
		if i == 0 || len(t.Next) == 0 {
			out[o.Node] = true
		}
	}
	for id := graph.NodeID(t.Graph.Len()); id > 0; id-- {
		if !out[id] {
			continue
		}
		for _, x := range t.Graph.Operands(id) {
			out[x.Node] = true
		}
	}
	return out
}

// Activations lists the forward operators of which a run makes other results than the one
// before whatever the weights are: those that depend on an input that is no weight or
// state, in the order of the graph.
func (t *Training) Activations() (out []graph.NodeID) {
	forward, fresh := t.Forward(), t.fresh()
	for id := range t.Graph.Nodes() {
		if t.Graph.Op(id) != nil && forward[id] && fresh[id] {
			out = append(out, id)
		}
	}
	return out
}

// fresh says by node what depends on an input that no output takes the place of, and
// that is no weight.
func (t *Training) fresh() []bool {
	kept := map[int]bool{}
	for _, in := range t.Next {
		kept[in] = true
	}
	place := map[graph.NodeID]int{}
	for i, id := range t.Graph.Inputs() {
		place[id] = i
	}
	out := make([]bool, t.Graph.Len()+1)
	for id := range t.Graph.Nodes() {
		if t.Graph.Op(id) == nil {
			out[id] = !kept[place[id]] && !t.Graph.IsWeight(id)
			continue
		}
		for _, x := range t.Graph.Operands(id) {
			out[id] = out[id] || out[x.Node]
		}
	}
	return out
}

// Stages gives each node its stage, given those of [Training.Activations], from 1, by
// node; what an activation reads is of no later stage. What is made of weights alone is of
// the first stage that reads it. A derivative is of the first stage of its operands, but of
// no earlier one than that of the weights whose updates it leads to: what stage s+1 made is
// taken back through stage s by stage s, and what a stage has received to go forward it
// also uses to go backward.
func (t *Training) Stages(of []int) ([]int, error) {
	g, forward := t.Graph, t.Forward()
	stage := make([]int, g.Len()+1)
	for _, id := range t.Activations() {
		if int(id) >= len(of) || of[id] < 1 {
			return nil, fmt.Errorf("node %s is of no stage", g.Name(id))
		}
		stage[id] = of[id]
		for _, x := range g.Operands(id) {
			if stage[x.Node] > of[id] {
				return nil, fmt.Errorf("node %s of stage %d reads %s of stage %d", g.Name(id), of[id], g.Name(x.Node), stage[x.Node])
			}
		}
	}
	known := append([]int(nil), stage...)
	first := func(only func(reader graph.NodeID) bool) { // what has none is of the first stage that reads it
		for id := graph.NodeID(g.Len()); id > 0; id-- {
			if stage[id] == 0 || !only(id) {
				continue
			}
			for _, x := range g.Operands(id) {
				if n := x.Node; known[n] == 0 && (stage[n] == 0 || stage[id] < stage[n]) {
					stage[n] = stage[id]
				}
			}
		}
	}
	first(func(id graph.NodeID) bool { return forward[id] })
	// The first stage that a derivative may be of.
	low := make([]int, g.Len()+1)
	inputs := g.Inputs()
	for i, o := range g.Outputs() {
		if in, ok := t.Next[i]; ok {
			low[o.Node] = max(low[o.Node], stage[inputs[in]])
		}
	}
	for id := graph.NodeID(g.Len()); id > 0; id-- {
		if forward[id] {
			continue
		}
		for _, x := range g.Operands(id) {
			low[x.Node] = max(low[x.Node], low[id])
		}
	}
	for id := range g.Nodes() {
		if forward[id] || g.Op(id) == nil {
			continue
		}
		for _, x := range g.Operands(id) {
			if s := stage[x.Node]; s > 0 && (stage[id] == 0 || s < stage[id]) {
				stage[id] = s
			}
		}
		if stage[id] > 0 { // else it is made of constants and state, for who reads it
			stage[id] = max(stage[id], low[id])
		}
	}
	copy(known, stage)
	first(func(graph.NodeID) bool { return true })
	for id := range g.Nodes() {
		stage[id] = max(stage[id], 1) // what nobody reads
	}
	return stage, nil
}

// StageOf is the stage, from 1, of a node of the graph as it is laid out; 0: there are no
// stages. A layout operator is of the stage whose axis it makes or ends, else of that of the
// tensor that it converts.
func (p *Plan) StageOf(id graph.NodeID) int {
	if p.Pipeline == nil {
		return 0
	}
	o := p.Laying.Origin(id)
	if o.Converts {
		if a := ended(p.Laying, id); a >= 0 && p.Mesh.Axes[a].Stage > 0 {
			return p.Mesh.Axes[a].Stage
		}
	}
	return p.Pipeline.Of[o.Tensor.Node]
}
