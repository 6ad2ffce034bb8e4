package plan

import (
	"context"

	"github.com/taso-go/taso/graph"
)

// expertPlanner is what people write by hand for a kind of model, as papers on planners have
// it for their baselines (Zheng et al., Alpa, OSDI 2022, section 8.1; Unger et al., Unity,
// OSDI 2022, section 8.1):
//
//	transformers          samples × parts of weights × equal stages, with micro-batches
//	                      (Narayanan et al., Megatron-LM, SC 2021)
//	experts               each device has samples and a share of the experts; the other
//	                      weights are copies or in parts, as in ZeRO (Lepikhin et al., GShard,
//	                      ICLR 2021; Rajbhandari et al., DeepSpeed-MoE, ICML 2022)
//	convolutions          samples, or equal stages with samples within them
//	tables                tables in parts, by row or column, the rest by samples (Naumov et
//	                      al., DLRM, 2019)
//	others                samples
//
// Of several ways it takes the one whose step is shortest, as experts try them.
var expertPlanner = &Planner{
	Name:  "expert",
	About: "what experts write by hand for the kind of model: Megatron-LM's grid, sharded experts or tables, stages, or data",
	Find:  expert,
}

func expert(ctx context.Context, j *Job) (*Plan, error) {
	one := func(l look) (*Plan, error) { return j.baseline(ctx, shape{1, []int{j.Devices}, []look{l}}) }
	data := func() (*Plan, error) { return one(look{Data, false}) }
	sparse := func() (*Plan, error) { return one(look{Sparse, false}) }
	switch j.Training.model() {
	case modelTransformer:
		return j.megatronPipeline(ctx)
	case modelExperts:
		return j.fastest(ctx, sparse, func() (*Plan, error) { return one(look{SparseFSDP, false}) })
	case modelConvolution:
		var rows []shape
		for _, s := range j.megatronShapes() {
			if s.degrees[1] == 1 {
				rows = append(rows, s)
			}
		}
		return j.fastest(ctx, data, func() (*Plan, error) { return j.ofShapes(ctx, rows) })
	case modelTables:
		return j.fastest(ctx, sparse)
	}
	return data()
}

// fastest is the plan of shortest step; the error of the first, if there is none.
func (j *Job) fastest(ctx context.Context, ways ...func() (*Plan, error)) (best *Plan, err error) {
	var first error
	for _, way := range ways {
		p, err := way()
		if err != nil && !IsNone(err) {
			return nil, err
		}
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		time, err := p.Makespan(ctx)
		if err != nil {
			return nil, err
		}
		if best != nil {
			if least, err := best.Makespan(ctx); err != nil || least <= time {
				continue
			}
		}
		best = p
	}
	if best == nil {
		return nil, first
	}
	return best, nil
}

// modelKind is the kind of a model, by which experts choose.
type modelKind int

const (
	modelOther modelKind = iota
	modelTransformer
	modelExperts
	modelConvolution
	modelTables
)

// model says of what kind the model is: of experts if a trained weight has a matrix for each of
// several, of tables if those that are looked up are most of its weights, of convolutions
// if it has one, a transformer if there is a softmax between two products of what
// depends on samples.
func (t *Training) model() modelKind {
	g, forward, fresh := t.Graph, t.Forward(), t.fresh()
	experts, tables := t.sparseWeights()
	var all, looked int64
	for i, is := range t.trained() {
		if id := g.Inputs()[i]; is {
			all += g.Type(id.Out(0)).Bytes()
			if tables[id] {
				looked += g.Type(id.Out(0)).Bytes()
			}
		}
	}
	attends := false
	for id := range g.Nodes() {
		o := g.Op(id)
		if o == nil || !forward[id] {
			continue
		}
		if o.Class == "conv" {
			return modelConvolution
		}
		if in := g.Operands(id); o.Class == "matmul" && fresh[in[0].Node] && fresh[in[1].Node] {
			attends = attends || t.behindSoftmax(in[0])
		}
	}
	switch {
	case len(experts) > 0:
		return modelExperts
	case looked*2 > all:
		return modelTables
	case attends:
		return modelTransformer
	}
	return modelOther
}

// behindSoftmax reports whether a tensor is what a softmax made, up to views.
func (t *Training) behindSoftmax(x graph.Tensor) bool {
	for {
		o, in := t.Graph.Op(x.Node), t.Graph.Operands(x.Node)
		switch {
		case o == nil:
			return false
		case o.Name == "softmax":
			return true
		case len(in) == 1:
			x = in[0]
		default:
			return false
		}
	}
}
