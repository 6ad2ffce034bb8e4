package parallel

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// What no set of devices can run is refused, with the node and the cause.
func TestRefused(t *testing.T) {
	for want, text := range map[string]string{
		"node y: operator matmul: p [2, 2, 4] is on the mesh [2], b [2, 4, 6] is on no mesh": `
			x : float32[4, 4]
			b : float32[2, 4, 6]
			p = partition[axis=0, on=2](x)
			y = matmul(p, b)
			z = combine[axis=0](y)
			return z`,
		"node y: operator softmax: p [2, 4] is on the mesh [2]: each_softmax works on each member": `
			x : float32[8]
			p = partition[axis=0, on=2](x)
			y = softmax[axis=1](p)
			z = combine[axis=0](y)
			return z`,
		"output 0, y, is on a mesh [2]: outputs are whole tensors": `
			x : float32[8]
			p = partition[axis=0, on=2](x)
			y = relu(p)
			return y`,
		"node z: operator reduce: x [8, 4] is on no mesh: there is no axis of a mesh at place 0": `
			x : float32[8, 4]
			z = reduce(x)
			return z`,
		"node h: operator halo: q [2, 3, 4] is on the mesh [2, 3]: axis 1 is one of the mesh": `
			x : float32[24]
			p = partition[axis=0, on=3](x)
			q = partition[axis=1, on=2](p)
			h = halo[axis=0, before=1, after=1](q)
			r = each_combine[over=[2], axis=0](h)
			z = combine[axis=0](r)
			return z`,
		"node q: operator each_replicate: x [8, 4] is on no mesh: the axis that is made would lie behind axes of the tensor": `
			x : float32[8, 4]
			q = each_replicate[over=[8], on=2](x)
			y = each_drop[over=[8]](q)
			return y`,
		"node y: operator each_softmax: it works on each member over 1 axes, and q [2, 3, 8] is on the mesh [2, 3]": `
			x : float32[8]
			p = replicate[on=3](x)
			q = replicate[on=2](p)
			y = each_softmax[over=[2], axis=1](q)
			r = drop(y)
			z = drop(r)
			return z`,
	} {
		g, err := graph.ParseText("g", text)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if _, err := New(context.Background(), g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	p := pcgOf(t, parse(t, networks[0].text))
	in := residues(p.Graph, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for want, f := range map[string]func() error{
		"1 inputs, want 2": func() error {
			_, err := Run(context.Background(), p, interp.Float{}, make([]interp.Tensor[float64], 1))
			return err
		},
		"input x has sizes [] and 0 elements, want [8 4]": func() error {
			_, err := Run(context.Background(), p, interp.Float{}, make([]interp.Tensor[float64], 2))
			return err
		},
		"context canceled": func() error { _, err := Run(ctx, p, ring, in); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	g := parse(t, "x : float32[2048]\np = partition[axis=0, on=2048](x)\nz = combine[axis=0](p)\nreturn z")
	if _, err := Run(context.Background(), pcgOf(t, g), ring, residues(g, 1)); err == nil || !strings.Contains(err.Error(), "2048 are more than 1024") {
		t.Errorf("got %v", err)
	}
}
