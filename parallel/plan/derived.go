package plan

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/parallel/schedule"
)

// settle derives from the graph, the layouts and the stages what the stages of a pipeline
// take, and simulates them. A search prices stages before it lays them out; what a plan
// says is of the plan, and what a file says of it can be derived again.
func (p *Plan) settle() error { return p.settleIn(1 << 62) }

// settleIn has stages compute again where they need more than so many bytes of a device.
func (p *Plan) settleIn(memory int64) error {
	x, err := p.staging()
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	y, err := x.judge(p.Training, p.Mesh.Cluster)
	for err == nil && y.peak > memory && x.spares(memory, y.fullest) {
		y, err = x.judge(p.Training, p.Mesh.Cluster)
	}
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	l := *p.Pipeline
	l.Remade = x.remade()
	l.Stages, l.Makespan, l.Peak, l.Fullest = y.pipeline.Stages, y.makespan, y.peak, y.fullest
	p.Pipeline = &l
	return nil
}

// staging are the stages of a plan, with what they take by its layout.
func (p *Plan) staging() (*staging, error) {
	b, err := p.staged()
	if err != nil {
		return nil, err
	}
	return &b.staging, nil
}

// staged are the stages of a plan with what their clusters take by its layout. Errors: stages that
// are not those of clusters in the order of the graph, or not those of the mesh, and a schedule
// that is not that of a training step.
func (p *Plan) staged() (*stagedPlan, error) {
	l, t := p.Pipeline, p.Training
	n := t.Graph.Len()
	if p.Rewritten != nil {
		return nil, fmt.Errorf("the graph was rewritten: stages are of one that was not")
	}
	if len(l.Of) != n+1 || len(l.Clusters) != n+1 || len(l.Stages) != len(p.Mesh.Stages) || len(l.Stages) == 0 {
		return nil, fmt.Errorf("it is of %d nodes in stages, %d in clusters, and %d stages; there are %d nodes and %d stages",
			len(l.Of)-1, len(l.Clusters)-1, len(l.Stages), n, len(p.Mesh.Stages))
	}
	if len(l.Remade) > 0 && len(l.Remade) != len(l.Stages) {
		return nil, fmt.Errorf("of %d stages it says what is made again, there are %d", len(l.Remade), len(l.Stages))
	}
	switch l.Schedule {
	case schedule.GPipe, schedule.OneFOneB, schedule.Interleaved:
	default: // 2bw goes forward with weights of the step before
		return nil, fmt.Errorf("schedule %q: a training step is one by gpipe, 1f1b or interleaved", l.Schedule)
	}
	count := slices.Max(l.Clusters)
	if count > n {
		return nil, fmt.Errorf("cluster %d of a graph of %d nodes", count, n)
	}
	stage := make([]int, max(0, count)+1) // by cluster
	for id := 1; id <= n; id++ {
		c, s := l.Clusters[id], l.Of[id]
		if c < 1 || s < 1 || s > len(l.Stages) {
			return nil, fmt.Errorf("node %d is of cluster %d and stage %d of %d", id, c, s, len(l.Stages))
		}
		if stage[c] == 0 {
			stage[c] = s
		}
		if stage[c] != s {
			return nil, fmt.Errorf("cluster %d is of stages %d and %d", c, stage[c], s)
		}
	}
	for s := range l.Stages {
		if !slices.Contains(stage, s+1) {
			return nil, fmt.Errorf("stage %d has no nodes", s+1)
		}
	}
	if _, err := t.Stages(l.Of); err != nil {
		return nil, err
	}
	of, err := t.Stages(l.Clusters)
	if err != nil {
		return nil, fmt.Errorf("clusters: %w", err)
	}
	for id := range t.Graph.Nodes() {
		if of[id] != l.Clusters[id] {
			return nil, fmt.Errorf("node %s is of cluster %d; what it reads and leads to makes it one of %d", t.Graph.Name(id), l.Clusters[id], of[id])
		}
	}
	if err := p.own(l.Of); err != nil {
		return nil, err
	}
	clusters, err := p.profile(l.Clusters, count)
	if err != nil {
		return nil, err
	}
	b := &stagedPlan{clusters: clusters, stage: stage}
	b.staging = staging{of: l.Of, row: l.Row, submeshes: p.Mesh.Stages, micro: p.Mesh.MicroBatches(), kind: l.Schedule}
	for s := range l.Stages {
		b.recompute, b.lean = append(b.recompute, l.Stages[s].Recompute), append(b.lean, len(l.Remade) > s && l.Remade[s])
	}
	b.fill(&b.staging, t, stage)
	if b.kind == schedule.Interleaved && !b.inRow(t) {
		return nil, fmt.Errorf("schedule %s: stages are not in a row", b.kind)
	}
	return b, nil
}

// stagedPlan is the staging of a plan with the clusters of which it is made.
type stagedPlan struct {
	staging
	clusters []part
	stage    []int // by cluster, from 1
}

// fill says what stages take, given that of each cluster.
func (b *stagedPlan) fill(x *staging, t *Training, stage []int) {
	n := len(x.recompute)
	x.after, x.parts = t.after(x.of, n), nil
	if x.row {
		x.after = inRow(x.after)
	}
	for s := range n {
		var own []part
		for c, in := range stage[1:] {
			if in == s+1 {
				own = append(own, b.clusters[c])
			}
		}
		all := sumOf(own)
		if x.lean[s] {
			all = all.lean()
		}
		x.parts = append(x.parts, all)
	}
}

// other is the staging with clusters in other stages, and otherwise changed.
func (b *stagedPlan) other(t *Training, clusters, stage []int, change func(x *staging)) *staging {
	x := b.staging
	x.recompute, x.lean, x.of = slices.Clone(x.recompute), slices.Clone(x.lean), slices.Clone(x.of)
	for id := range t.Graph.Nodes() {
		x.of[id] = stage[clusters[id]]
	}
	if change != nil {
		change(&x)
	}
	b.fill(&x, t, stage)
	return &x
}

// lends reports whether a stage makes something of weights alone.
func (b *stagedPlan) lends(i int) bool {
	for c, in := range b.stage[1:] {
		if in == i+1 && b.clusters[c].lent > 0 {
			return true
		}
	}
	return false
}
