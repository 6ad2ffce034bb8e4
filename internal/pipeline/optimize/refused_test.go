package optimize_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/internal/pipeline/optimize"
)

// Where what costs least has a weight of which rounding leaves nothing, what is left of it
// without that weight is the result.
func TestRefused(t *testing.T) {
	filled := func(x float32) []float32 { return slices.Repeat([]float32{x}, 64*64) }
	const text = `x : float32[64, 64]
u : weight float32[64, 64]
v : weight float32[64, 64]
k : weight float32[64, 64]
l : weight float32[64, 64]
p = transpose[perm=(1, 0)](x)
a = ewmul(x, u)
b = ewmul(a, v)
c = ewmul(p, k)
d = ewmul(c, l)
return b, d`
	for _, c := range []struct {
		name           string
		u, v, k, l     float32
		products, drop int // of the result, and refused results at least
	}{
		{"nothing is refused", 0.5, 0.25, 2, 3, 2, 0},
		{"the first product", 1e-30, 1e-30, 2, 3, 3, 1},
		{"the second product", 0.5, 0.25, 1e-30, 1e-30, 3, 1},
		{"both", 1e-30, 1e-30, 1e-30, 1e-30, 4, 1},
	} {
		for _, method := range optimize.Methods() {
			m := numbered(t, written(t, text), filled(c.u), filled(c.v), filled(c.k), filled(c.l))
			run := func() *optimize.Result {
				r, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Method: optimize.Method(method), Tries: 2000})
				if err != nil {
					t.Fatalf("%s, %s: %v", c.name, method, err)
				}
				return r
			}
			r := run()
			products := c.products
			if method == string(optimize.Saturate) && c.drop > 0 {
				products = 4 // it has nothing to go on from
			}
			if n := strings.Count(r.Model.Graph.String(), "ewmul("); n != products || len(r.Refused) < c.drop || c.drop == 0 && len(r.Refused) > 0 {
				t.Errorf("%s, %s: %d products, want %d; refused: %q\n%s", c.name, method, n, products, r.Refused, r.Model.Graph)
			}
			if !r.ProofChecked || r.CostAfter > r.CostBefore || (r.StepCount > 0) != (products < 4) {
				t.Errorf("%s, %s: %d steps, cost %v to %v, proof accepted: %v", c.name, method, r.StepCount, r.CostBefore, r.CostAfter, r.ProofChecked)
			}
			if method == string(optimize.Auto) {
				if again := run(); again.Model.Graph.Hash() != r.Model.Graph.Hash() || fmt.Sprint(again.Refused, again.Tried) != fmt.Sprint(r.Refused, r.Tried) {
					t.Errorf("%s, %s: another run refused %q and tried %d", c.name, method, again.Refused, again.Tried)
				}
			}
		}
	}
}

// Where what costs least is right and the model itself is far off, since large numbers
// cancel in it, the result keeps what it deviates by, and is cheaper elsewhere.
func TestDeviated(t *testing.T) {
	m := written(t, `x : float32[256, 256]
u : weight float32[256, 256]
v : weight float32[256, 256]
k : weight float32[256, 256]
l : weight float32[256, 256]
p = transpose[perm=(1, 0)](x)
a = ewmul(x, u)
b = ewmul(x, v)
c = ewadd(a, b)
d = ewmul(p, k)
e = ewmul(d, l)
return c, e`)
	filled := func(x float32) []float32 { return slices.Repeat([]float32{x}, 256*256) }
	m = numbered(t, m, filled(1e8), filled(-1e8+8), filled(2), filled(3))
	runner, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	r, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Tries: 2000, Runner: runner})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(r.Model.Graph.String(), "ewmul("); n != 3 || r.Deviated == 0 || r.MaxRelError > 1e-5 || !r.ProofChecked {
		t.Errorf("%d products; deviated by %g, the result by %g\n%s", n, r.Deviated, r.MaxRelError, r.Model.Graph)
	}
}
