package parallel

import (
	"context"
	"math"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// numbers are random inputs between -1 and 1, and small integers.
func numbers(g *graph.Graph, seed uint64) []interp.Tensor[float64] {
	var in []interp.Tensor[float64]
	for _, x := range residues(g, seed) {
		y := interp.Tensor[float64]{Sizes: x.Sizes}
		for _, n := range x.Data {
			if n > 1 {
				y.Data = append(y.Data, 2*float64(n)/fingerprint.P-1)
			} else {
				y.Data = append(y.Data, float64(n))
			}
		}
		in = append(in, y)
	}
	return in
}

func single(xs []interp.Tensor[float64]) []interp.Tensor[float32] {
	out := make([]interp.Tensor[float32], len(xs))
	for i, x := range xs {
		out[i].Sizes = x.Sizes
		for _, v := range x.Data {
			out[i].Data = append(out[i].Data, float32(v))
		}
	}
	return out
}

// In floating point sums are added in another order, and no more than that differs.
func TestFloats(t *testing.T) {
	ctx := context.Background()
	for _, n := range networks {
		p := pcgOf(t, parse(t, n.text))
		in := numbers(p.Graph, 5)
		want, err := interp.EvalGraph(ctx, interp.Float{}, parse(t, n.sequential), in)
		if err != nil {
			t.Fatal(err)
		}
		double, err := Run(ctx, p, interp.Float{}, in)
		if err != nil {
			t.Fatal(err)
		}
		float, err := Run(ctx, p, interp.Single{}, single(in))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			for j, x := range want[i].Data {
				if d := math.Abs(double.Outputs[i].Data[j] - x); !(d <= 1e-14) {
					t.Errorf("%s: float64: element %d differs by %g", n.name, j, d)
				}
				if d := math.Abs(float64(float.Outputs[i].Data[j]) - x); !(d <= 1e-5) {
					t.Errorf("%s: float32: element %d differs by %g", n.name, j, d)
				}
			}
		}
	}
}

// What is too large to be evaluated is proved.
func TestRolesOfLargeTensors(t *testing.T) {
	g := parse(t, `
x : float32[4096, 4096]
v : weight float32[4096, 16384]
w : weight float32[16384, 4096]
px = replicate[on=4](x)
pv = partition[axis=1, on=4](v)
pw = partition[axis=0, on=4](w)
h = matmul(px, pv)
r = relu(h)
y = matmul(r, pw)
z = reduce(y)
return z`)
	p := pcgOf(t, g)
	for _, f := range p.Findings {
		t.Error(f.Text)
	}
	for name, want := range map[string]string{"h": "a=4 shard 1", "r": "a=4 shard 1", "y": "a=4 sum"} {
		id, _ := g.Find(name)
		if got := p.LayoutText(p.Layout(id.Out(0))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if c := p.Collectives[3]; c.Kind != ReduceTo || c.Total != 3*4*4096*4096 {
		t.Errorf("%+v", c)
	}
}
