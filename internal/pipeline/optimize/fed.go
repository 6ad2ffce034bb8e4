package optimize

import (
	"context"
	"fmt"
	"math"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/runmodel"
	"github.com/taso-go/taso/model"
)

// compareFed runs the model and the result on Options.Feed. refused says which output
// deviates by more than its tolerance.
func (r *Result) compareFed(ctx context.Context, o *Options) (refused, err error) {
	if o.Feed == nil || o.Numbers == nil {
		return nil, nil
	}
	var outs [2][]backends.Tensor
	for i, m := range []*model.Model{o.Model, r.Model} {
		rep, err := runmodel.Run(ctx, runmodel.Options{Backend: o.Numbers, Model: m, Feed: o.Feed, Repeat: 1, Progress: o.Progress})
		if err != nil {
			return nil, err
		}
		outs[i] = rep.Outputs
	}
	a, b := o.Model.Graph, r.Model.Graph
	for i, want := range outs[0] {
		tolerance, _ := backends.OutputTolerance([]*graph.Graph{a, b}, []graph.Tensor{a.Outputs()[i], b.Outputs()[i]})
		d := deviation(want.Float64s(), outs[1][i].Float64s())
		if !(d <= tolerance) {
			return fmt.Errorf("output %d deviates by %.2g on the given inputs; at most %.2g is allowed", i, d, tolerance), nil
		}
		r.MaxRelError = max(r.MaxRelError, d)
	}
	return nil, nil
}

// deviation is the largest difference of elements, over the largest finite element of the
// first list; infinite where a number is none or infinite in one list only.
func deviation(xs, ys []float64) float64 {
	largest, by := 0.0, 0.0
	for i, x := range xs {
		switch y := ys[i]; {
		case x == y || math.IsNaN(x) && math.IsNaN(y):
		case math.IsNaN(x-y) || math.IsInf(x-y, 0):
			return math.Inf(1)
		default:
			by = max(by, math.Abs(x-y))
		}
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			largest = max(largest, math.Abs(x))
		}
	}
	if by == 0 {
		return 0
	}
	return by / largest
}
