package backends

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Single is a model of one application, or of a group, for a measurement: its
// weights (MeasureOptions.Weights) and random data for its other operands. The
// error says where the results are not those of the application.
func Single(a *cost.Application, opt MeasureOptions) (*model.Model, []Tensor, error) {
	var b graph.Builder
	m := &model.Model{Name: a.Op.Name, Weights: map[graph.NodeID]*model.Weight{}}
	var data []Tensor
	id, err := a.Build(&b, func(i int, t graph.TensorType) (graph.Tensor, error) {
		x, err := Random(opt.Seed+uint64(i), t)
		if err != nil {
			return graph.Tensor{}, err
		}
		for k := range x.I64 { // positions that differ, and other integers that are not 0
			if x.I64[k] = 1; a.Op.Places != nil && i > 0 {
				x.I64[k] = model.Wrap(t.DType, int64(k*7919)%int64(max(1, firstSize(a))))
			}
		}
		if a.Op.Name == "batchnorm" && i == 4 { // a variance
			x.fill(func(k int) float64 { return model.Round(t.DType, 0.5+x.Number(k)*x.Number(k)) })
		}
		name := "x" + strconv.Itoa(i)
		weight := i < len(opt.Weights) && opt.Weights[i]
		if i >= len(a.In) { // of the tail
			weight = !slices.Equal(t.Sizes, a.Out[0].Sizes)
		}
		if !weight {
			data = append(data, x)
			return b.AddInput(name, t.DType, t.Sizes...)
		}
		w, err := b.AddWeight(name, t.DType, t.Sizes...)
		m.Weights[w.Node] = model.FromBytes(t.DType, t.Sizes, x.Bytes())
		return w, err
	})
	if err != nil {
		return nil, nil, err
	}
	outs := make([]graph.Tensor, max(1, len(a.Out)))
	for i := range outs {
		outs[i] = id.Out(i)
	}
	if m.Graph, err = b.Finish(outs...); err != nil {
		return nil, nil, err
	}
	for i, t := range a.Out {
		if id := graph.NodeID(m.Graph.Len()); i >= m.Graph.NumOut(id) || !slices.Equal(m.Graph.Sizes(id.Out(i)), t.Sizes) {
			return nil, nil, fmt.Errorf("output %d is not %s", i, t)
		}
	}
	return m, data, nil
}

// firstSize is the size of the axis that a gather picks from.
func firstSize(a *cost.Application) int {
	axis, err := lower.Attrs{Op: a.Op, Values: a.Attrs}.Int("axis")
	if err != nil || len(a.In) == 0 || axis < 0 || axis >= len(a.In[0].Sizes) {
		return 1
	}
	return a.In[0].Sizes[axis]
}
