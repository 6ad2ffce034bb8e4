package grad_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/jax"
)

// JAX says the same of networks and their derivatives.
func TestJAX(t *testing.T) {
	if testing.Short() {
		t.Skip("runs Python")
	}
	rt, err := jax.Find(t.Context())
	if errors.Is(err, jax.ErrAbsent) {
		t.Skip(err)
	}
	jobs := make([]jax.Job, len(papers))
	outs := make([][]tensor, len(papers))
	for i, name := range papers {
		m := tiny(t, name)
		g := m.Graph
		pull, err := grad.Pullback(g, floats(g))
		if err != nil {
			t.Fatal(err)
		}
		given, job := numbers(t, m), jax.Job{Text: g.String(), Inputs: map[string][]float64{}}
		var in []tensor
		for k, id := range pull.Inputs() {
			x := drawn[float64](pull, id, 2, reals, interp.Float{})
			if k < len(g.Inputs()) {
				if given[id] != nil {
					x.Data = given[id]
				}
				for e, v := range x.Data { // JAX counts positions from the front
					if !pull.DType(id.Out(0)).IsFloat() {
						x.Data[e] = math.Abs(v)
					}
				}
				job.Inputs[g.Name(id)] = x.Data
			} else {
				job.Out = append(job.Out, x.Data)
			}
			in = append(in, x)
		}
		outs[i], jobs[i] = evaluate(t, pull, in), job
	}
	res, err := rt.Grad(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range papers {
		g := tiny(t, name).Graph
		if res[i].Error != "" {
			t.Errorf("%s: %s", name, res[i].Error)
			continue
		}
		for k, y := range res[i].Values {
			near(t, name, "value", outs[i][k].Data, y)
		}
		for k, id := range floats(g) {
			near(t, name, g.Name(id), outs[i][len(g.Outputs())+k].Data, res[i].In[g.Name(id)])
		}
	}
}

// near compares tensors, to the size of their largest element.
func near(t *testing.T, model, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %s: %d elements, JAX has %d", model, what, len(got), len(want))
		return
	}
	most, off := 0.0, 0.0
	for i := range got {
		most, off = max(most, math.Abs(want[i])), max(off, math.Abs(got[i]-want[i]))
	}
	if !(off <= 1e-9*most) {
		t.Errorf("%s: %s: off by %g of %g", model, what, off, most)
	}
}
