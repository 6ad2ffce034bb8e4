package plan

import (
	"context"
	"errors"
	"fmt"
)

// The planners that people use without a search for layouts, to compare with. What does not fit,
// also with results that are made again, takes micro-batches, whose gradients are added up.

var dataPlanner = padding(false, &Planner{
	Name:  "data",
	About: "data parallelism: weights are replicated, gradients all-reduced; micro-batches if memory is short",
	Find: func(ctx context.Context, j *Job) (*Plan, error) {
		return j.baseline(ctx, shape{1, []int{j.Devices}, Data.looks(true)})
	},
})

// fsdpPlanner's weights and state lie in parts, as those of ZeRO-3 do, and a gathered weight is
// kept until it is read last, unless memory wants it gathered again. Over
// micro-batches it is gathered once in a step, and gradients are added up whole, as in
// ZeRO-1, before each device gets its part of them.
var fsdpPlanner = padding(false, &Planner{
	Name: "fsdp",
	About: "data parallelism with sharded weights and optimizer state, gathered where used (ZeRO-3; with " +
		"micro-batches weights are gathered once a step and gradients added up whole, ZeRO-1)",
	Find: func(ctx context.Context, j *Job) (*Plan, error) {
		return j.baseline(ctx, shape{1, []int{j.Devices}, FSDP.looks(true)})
	},
})

var megatronPlanner = padding(true, &Planner{
	Name:  "megatron",
	About: "tensor parallelism within a node, data parallelism across nodes; pipeline stages if needed (Megatron-LM)",
	Find: func(ctx context.Context, j *Job) (*Plan, error) {
		per := min(j.Devices, j.Cluster.PerNode())
		if j.Devices%per != 0 {
			return nil, fmt.Errorf("%d devices are not whole nodes of %d", j.Devices, per)
		}
		first := shape{1, []int{j.Devices / per, per}, []look{{Data, false}, {Megatron, true}}}
		p, err := j.baseline(ctx, first)
		var over *MemoryError
		if !errors.As(err, &over) {
			return p, err
		}
		return j.megatronPipeline(ctx)
	},
})

// megatronShapes are samples × parts of weights × stages (Narayanan et al., Efficient Large-Scale
// Language Model Training on GPU Clusters Using Megatron-LM, SC 2021): parts within a node.
func (j *Job) megatronShapes() (out []shape) {
	for stages := 1; stages <= j.Devices; stages++ {
		if j.Devices%stages != 0 {
			continue
		}
		for parts := 1; parts <= min(j.Devices/stages, j.Cluster.PerNode()); parts++ {
			if rest := j.Devices / stages; rest%parts == 0 && j.Cluster.PerNode()%parts == 0 {
				out = append(out, shape{stages, []int{rest / parts, parts}, []look{{Data, false}, {Tensor, true}}})
			}
		}
	}
	return out
}

// baseline is the plan of a shape of one stage: without micro-batches if that fits, else
// with as many as are fastest.
func (j *Job) baseline(ctx context.Context, s shape) (*Plan, error) {
	a := arrangement{1, s.stages, s.degrees, s.looks}
	return j.once(ctx, "baseline "+a.key(len(s.looks)), func() (*Plan, error) { return j.ofShape(ctx, s) })
}

func (j *Job) ofShape(ctx context.Context, s shape) (*Plan, error) {
	if len(j.Training.Next) == 0 {
		return j.flat(ctx, s)
	}
	if lies := j.lies(s); lies > j.Memory {
		return nil, fmt.Errorf("weights and state alone: %w", &MemoryError{Need: lies, Have: j.Memory, At: "stage 1", Lies: lies})
	}
	x, err := j.grid(1)
	if err != nil { // nothing depends on samples
		return j.flat(ctx, s)
	}
	var first error
	if j.Training.Graph.Len() <= manyNodes || j.roomy(ctx, x, s) {
		p, err := j.flat(ctx, s)
		var over *MemoryError
		if !errors.As(err, &over) {
			return p, err
		}
		first = err
	}
	x.shapes = []shape{s}
	p, err := x.find(ctx)
	if err != nil && first != nil {
		return nil, first
	}
	return p, err
}

// flat is a plan without stages and micro-batches that fits.
func (j *Job) flat(ctx context.Context, s shape) (*Plan, error) {
	var means []Means
	var degrees []int
	for k, d := range s.degrees {
		if d > 1 || len(s.degrees) == 1 {
			means, degrees = append(means, s.looks[k].means), append(degrees, d)
		}
	}
	p, err := j.on(ctx, means, degrees...)
	if err != nil {
		return nil, err
	}
	return j.fit(p)
}

// roomy reports whether a stage of all samples at once is likely to fit.
func (j *Job) roomy(ctx context.Context, x *grid, s shape) bool {
	clusters, err := x.profile(ctx, cell{s, 1}.arrangement(), nil)
	if err != nil {
		return true
	}
	all := sumOf(clusters)
	return all.holds(1, true) <= j.Memory
}

// megatronPipeline is the best pipeline of Megatron-LM's shapes.
func (j *Job) megatronPipeline(ctx context.Context) (*Plan, error) {
	return j.once(ctx, "megatron", func() (*Plan, error) { return j.ofShapes(ctx, j.megatronShapes()) })
}

// ofShapes is the best pipeline of shapes.
func (j *Job) ofShapes(ctx context.Context, shapes []shape) (*Plan, error) {
	most := 1
	for _, s := range shapes {
		most = max(most, s.stages)
	}
	x, err := j.grid(most)
	if err != nil {
		return nil, err
	}
	x.shapes = shapes
	return x.find(ctx)
}
