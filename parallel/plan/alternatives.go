package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
)

// Alternative is another choice for a pipeline, all else as it is: another border between two
// stages, other results kept, or another schedule. Times are modelled.
type Alternative struct {
	// What is done otherwise.
	What string `json:"what"`
	// More is what a step takes more; below 0: less.
	More machine.Time `json:"more_ps"`
	// Peak is what the device that has most then holds, in bytes; Fits: no more than the machine's
	// devices have.
	Peak int64 `json:"peak"`
	Fits bool  `json:"fits"`
}

// errNoStages says that a plan is no pipeline.
var errNoStages = errors.New("it has no stages and micro-batches")

// Alternatives lists other choices for the plan's pipeline, those that fit and take least first. They
// are priced as a planner prices them: what a cluster takes of a stage's devices by the layout that
// it has, and the stages' passes simulated. Where stages have layouts of their own a border is not
// moved, since a cluster would need another layout. An error says that the plan has no stages.
func (p *Plan) Alternatives(ctx context.Context) ([]Alternative, error) {
	if p.Pipeline == nil {
		return nil, fmt.Errorf("alternatives to the pipeline of the plan: %w", errNoStages)
	}
	b, err := p.staged()
	if err != nil {
		return nil, fmt.Errorf("alternatives to the pipeline of the plan: %w", err)
	}
	var out []Alternative
	add := func(what string, of []int, change func(x *staging)) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		x := b.other(p.Training, p.Pipeline.Clusters, of, change)
		y, err := x.judge(p.Training, p.Mesh.Cluster)
		if err != nil {
			return fmt.Errorf("alternatives to the pipeline of the plan: %s: %w", what, err)
		}
		out = append(out, Alternative{what, y.makespan - p.Pipeline.Makespan, y.peak, y.peak <= p.Mesh.Cluster.Memory})
		return nil
	}
	for _, m := range p.borders(b.stage) {
		if err := add(m.what, m.of, nil); err != nil {
			return nil, err
		}
	}
	for i := range b.parts {
		again, lean := "recomputes its activations", "recomputes what depends on weights only"
		if b.recompute[i] {
			again = "keeps its activations"
		}
		if b.lean[i] {
			lean = "keeps what depends on weights only"
		}
		if err := add(fmt.Sprintf("stage %d %s", i+1, again), b.stage, func(x *staging) { x.recompute[i] = !x.recompute[i] }); err != nil {
			return nil, err
		}
		if b.lends(i) {
			if err := add(fmt.Sprintf("stage %d %s", i+1, lean), b.stage, func(x *staging) { x.lean[i] = !x.lean[i] }); err != nil {
				return nil, err
			}
		}
	}
	for _, kind := range []schedule.Kind{schedule.OneFOneB, schedule.GPipe} {
		if kind == b.kind || b.kind == schedule.Interleaved { // its stages are twice as many
			continue
		}
		if err := add("schedule "+string(kind), b.stage, func(x *staging) { x.kind = kind }); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b Alternative) int {
		if a.Fits != b.Fits {
			if a.Fits {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.More, b.More)
	})
	return out, nil
}

// border is stages of which one begins with another cluster.
type border struct {
	what string
	of   []int // stage, from 1, by cluster, from 1
}

// borders moves the last cluster of each stage to the next one, and the first one to that before,
// where stages are clusters in a row that all have one layout on equally many devices.
func (p *Plan) borders(stage []int) (out []border) {
	for _, a := range p.Mesh.Axes {
		if a.Stage > 0 {
			return nil
		}
	}
	for _, s := range p.Mesh.Stages {
		if s.Devices != p.Mesh.Stages[0].Devices {
			return nil
		}
	}
	if !slices.IsSorted(stage) {
		return nil
	}
	move := func(cluster, to int) {
		of := slices.Clone(stage)
		of[cluster] = to
		for s := range p.Pipeline.Stages {
			if !slices.Contains(of[1:], s+1) {
				return // a stage would have nothing
			}
		}
		out = append(out, border{fmt.Sprintf("stage %d, instead of %d, computes %s", to, stage[cluster], p.clusterText(cluster)), of})
	}
	for c := 2; c < len(stage); c++ {
		if stage[c] != stage[c-1] {
			move(c-1, stage[c])
			move(c, stage[c-1])
		}
	}
	return out
}

// clusterText is the first and the last operator of the model in a cluster.
func (p *Plan) clusterText(cluster int) string {
	var first, last graph.NodeID
	for _, id := range p.Training.Activations() {
		if p.Pipeline.Clusters[id] == cluster {
			if first == 0 {
				first = id
			}
			last = id
		}
	}
	if first == last {
		return p.Training.Graph.Name(first)
	}
	return p.Training.Graph.Name(first) + " to " + p.Training.Graph.Name(last)
}
