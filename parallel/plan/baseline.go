package plan

import (
	"context"
	"fmt"
)

// The planners that people use without a search, to compare with.

var dataPlanner = &Planner{
	Name:  "data",
	About: "each device has its samples and all weights; gradients are added up",
	Find: func(ctx context.Context, j *Job) (*Plan, error) {
		return j.on(ctx, []Means{Data}, j.Devices)
	},
}

var fsdpPlanner = &Planner{
	Name:  "fsdp",
	About: "data, with weights and state in parts that are gathered where they are used (ZeRO-3)",
	Find: func(ctx context.Context, j *Job) (*Plan, error) {
		return j.on(ctx, []Means{FSDP}, j.Devices)
	},
}

var megatronPlanner = &Planner{
	Name:  "megatron",
	About: "parts of weights within a node, samples across nodes (Megatron-LM)",
	Find: func(ctx context.Context, j *Job) (*Plan, error) {
		per := min(j.Devices, j.Cluster.PerNode())
		if j.Devices%per != 0 {
			return nil, fmt.Errorf("%d devices are not whole nodes of %d", j.Devices, per)
		}
		if j.Devices == per {
			return j.on(ctx, []Means{Megatron}, per)
		}
		return j.on(ctx, []Means{Data, Megatron}, j.Devices/per, per)
	},
}
