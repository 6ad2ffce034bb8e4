package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/plan"
)

// ErrForm is wrapped by the error for a plan that is not of the form that flags say.
var ErrForm = errors.New("the plan is not of the form that flags of Megatron-LM and DeepSpeed say")

// flags is a plan as flags of Megatron-LM and a configuration of DeepSpeed, if it is exactly
// what they mean: one axis of samples at most, along which weights, gradients and state are
// copies or parts as a stage of ZeRO has them, and one axis at most along which all have all
// samples and matrices are dealt out by columns and rows. The error lists what is not.
func flags(p *plan.Plan) ([]byte, error) {
	x, err := newPlacements(p)
	if err != nil {
		return nil, err
	}
	data, tensor, zero := 1, 1, 0
	for k, a := range x.axes {
		degree := x.of.lay.Degrees()[a]
		switch samples, mixed := x.samples(a); {
		case degree == 1:
		case mixed:
			x.cannot("mesh axis %s: some inputs are dealt out, others are copies", axisName(a))
		case samples && data > 1, !samples && tensor > 1:
			x.cannot("mesh axis %s is the second one of its sort", axisName(a))
		case samples:
			data, zero = degree, x.zero(a)
		default:
			tensor = degree
			x.tensorParallel(k)
		}
	}
	if len(x.not) > 0 {
		var all []error
		for _, s := range x.not {
			all = append(all, errors.New(s))
		}
		return nil, fmt.Errorf("%w: %w", ErrForm, errors.Join(all...))
	}
	batch := x.batch()
	config := map[string]any{"zero_optimization": map[string]int{"stage": zero}, "gradient_accumulation_steps": x.of.micro}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Megatron-LM, on %d devices\n--tensor-model-parallel-size %d\n--pipeline-model-parallel-size 1\n", data*tensor, tensor)
	if batch > 0 {
		fmt.Fprintf(&b, "--micro-batch-size %d\n--global-batch-size %d\n", batch/data/x.of.micro, batch)
		config["train_batch_size"], config["train_micro_batch_size_per_gpu"] = batch, batch/data/x.of.micro
	}
	if zero == 1 || zero == 2 {
		b.WriteString("--use-distributed-optimizer\n")
	}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n# DeepSpeed\n%s\n", text)
	return b.Bytes(), nil
}

// kept says of the inputs which are weights and state, and of these which are state.
func (x *placements) kept() (weights, state []int) {
	for _, in := range x.p.Training.Next {
		if _, ok := x.p.Training.Init[in]; ok {
			state = append(state, in)
		} else {
			weights = append(weights, in)
		}
	}
	slices.Sort(weights)
	slices.Sort(state)
	return weights, state
}

// on reports whether a mesh axis deals an input out.
func (x *placements) on(in, axis int) bool {
	return slices.ContainsFunc(x.inputs[in].axes, func(l []int) bool { return slices.Contains(l, axis) })
}

// samples reports whether an axis deals out the first axis of all inputs that are no weights
// or state; mixed: of some, or another axis.
func (x *placements) samples(axis int) (yes, mixed bool) {
	weights, state := x.kept()
	n, first := 0, 0
	some := false
	of := x.p.Source().Graph
	for i, id := range of.Inputs() {
		if of.IsWeight(id) || slices.Contains(weights, i) || slices.Contains(state, i) {
			continue
		}
		n++
		some = some || x.on(i, axis)
		if l := x.inputs[i].axes; len(l) > 0 && slices.Contains(l[0], axis) {
			first++
		}
	}
	return n > 0 && first == n, some && first < n
}

// zero is the stage of ZeRO along an axis of samples, with what is of none.
func (x *placements) zero(axis int) int {
	weights, state := x.kept()
	count := func(list []int) (parts, copies int) {
		for _, in := range list {
			switch {
			case x.on(in, axis):
				parts++
			case len(x.p.Source().Graph.Sizes(x.p.Source().Graph.Inputs()[in].Out(0))) > 0:
				copies++
			}
		}
		return parts, copies
	}
	w, wc := count(weights)
	s, sc := count(state)
	scattered, reduced := 0, 0
	for _, c := range x.of.list {
		if c.Axis == axisName(axis) && !c.out {
			switch c.Kind {
			case parallel.ReduceScatter:
				scattered++
			case parallel.AllReduce:
				reduced++
			case parallel.AllToAll, parallel.Gather, parallel.ReduceTo:
				x.cannot("mesh axis %s: %v is sent (%s)", axisName(axis), c.Kind, c.Nodes[0])
			}
		}
	}
	switch {
	case w == 0 && s == 0 && scattered == 0:
		return 0
	case wc == 0 && sc == 0 && reduced == 0:
		return 3
	case w == 0 && sc == 0 && reduced == 0:
		return 2
	case w == 0 && sc == 0 && scattered == 0:
		return 1
	}
	x.cannot("mesh axis %s: %d weights are parts and %d copies, of the state %d and %d; %d gradients are scattered and %d added up everywhere: no stage of ZeRO",
		axisName(axis), w, wc, s, sc, scattered, reduced)
	return 0
}

// tensorParallel looks whether weights are dealt out along an axis by columns and rows.
func (x *placements) tensorParallel(k int) {
	axis := x.axes[k]
	of := x.p.Source().Graph
	weights, _ := x.kept()
	for _, in := range weights {
		id := of.Inputs()[in]
		if x.on(in, axis) && len(of.Sizes(id.Out(0))) == 2 && x.style(id, k) == "" {
			x.cannot("weight %s is dealt out along mesh axis %s neither by columns nor by rows", of.Name(id), axisName(axis))
		}
	}
	for _, c := range x.of.list {
		if c.Axis == axisName(axis) && !c.out && c.Kind != parallel.AllReduce {
			x.cannot("mesh axis %s: %v is sent (%s): tensor parallelism adds up only", axisName(axis), c.Kind, c.Nodes[0])
		}
	}
}

// batch is the number of samples, 0 if inputs differ.
func (x *placements) batch() int {
	weights, state := x.kept()
	of, n := x.p.Source().Graph, 0
	for i, id := range of.Inputs() {
		sizes := of.Sizes(id.Out(0))
		if of.IsWeight(id) || slices.Contains(weights, i) || slices.Contains(state, i) || len(sizes) == 0 {
			continue
		}
		if n != 0 && n != sizes[0] {
			return 0
		}
		n = sizes[0]
	}
	return n
}
