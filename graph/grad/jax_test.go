package grad_test

import (
	"errors"
	"math"
	"os"
	"testing"

	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/jax"
)

// quick are the networks that JAX compiles in seconds; with TASO_ALL_MODELS=1 it is asked
// about all.
var quick = []string{"mlp", "dlrm", "bert-base-layer-128", "nasrnn"}

// JAX says the same of networks and their derivatives.
func TestJAX(t *testing.T) {
	if testing.Short() {
		t.Skip("runs Python")
	}
	rt, err := jax.Find(t.Context())
	if errors.Is(err, jax.ErrAbsent) {
		t.Skip(err)
	}
	names := quick
	if os.Getenv("TASO_ALL_MODELS") != "" {
		names = papers
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { compareJAX(t, rt, name) })
	}
}

func compareJAX(t *testing.T, rt *jax.Runtime, name string) {
	m := tiny(t, name)
	g := m.Graph
	pull := pullback(t, g)
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
	out := evaluate(t, pull, in)
	res, err := rt.Grad(t.Context(), []jax.Job{job})
	if err != nil {
		t.Fatal(err)
	}
	if res[0].Error != "" {
		t.Fatal(res[0].Error)
	}
	for k, y := range res[0].Values {
		near(t, "value", out[k].Data, y)
	}
	for k, id := range floats(g) {
		near(t, g.Name(id), out[len(g.Outputs())+k].Data, res[0].In[g.Name(id)])
	}
}

// near compares tensors, to the size of their largest element. Some are 0 but for rounding:
// softmax does not see what is added to all keys.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d elements, JAX has %d", what, len(got), len(want))
		return
	}
	most, off := 0.0, 0.0
	for i := range got {
		most, off = max(most, math.Abs(want[i])), max(off, math.Abs(got[i]-want[i]))
	}
	if !(off <= 1e-9*most+1e-14) {
		t.Errorf("%s: off by %g of %g", what, off, most)
	}
}
