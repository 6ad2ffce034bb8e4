package cpu

import (
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// load is a model of a graph in text form with random weights.
func load(t testing.TB, text string) *model.Model {
	t.Helper()
	g, err := graph.ParseText("case", text)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Name: "case", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.Random(uint64(id), g.Sizes(id.Out(0)), 1)
		}
	}
	return m
}

func compileText(t testing.TB, text string, opt backends.CompileOptions) *Plan {
	t.Helper()
	b, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Compile(context.Background(), load(t, text), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p.(*Plan)
}

// TestMemoryIsReused: a chain of layers that cannot be computed in place needs
// two buffers, not one a layer.
func TestMemoryIsReused(t *testing.T) {
	text := "x : float32[1, 4, 10, 10]\n"
	last := "x"
	for i := range 10 {
		text += fmt.Sprintf("y%d = poolmax[kh=3, kw=3, pad=same_upper](%s)\n", i, last)
		last = fmt.Sprintf("y%d", i)
	}
	text += "return " + last
	one := 4 * 4 * 10 * 10
	p := compileText(t, text, backends.CompileOptions{})
	if arena, weights, _ := p.Memory(); arena > 2*int64(roundUp(one, align)) || weights != 0 {
		t.Errorf("%d bytes for tensors of %d, %d of constants", arena, one, weights)
	}
	kept := compileText(t, text, backends.CompileOptions{KeepAll: true})
	if arena, _, _ := kept.Memory(); arena < 11*int64(one) {
		t.Errorf("%d bytes though all is kept", arena)
	}
}

// TestInPlace: elementwise steps work in their operand's memory, unless it is
// needed later.
func TestInPlace(t *testing.T) {
	const one = 4 * 1024
	for _, c := range []struct {
		text string
		want int64
	}{
		{"x : float32[1024]\ny = exp(x)\nreturn y", one},
		{"x : float32[1024]\ny = exp(x)\nreturn y, x", 2 * one},
		{"x : float32[1024]\ny = ewadd(x, x)\nz = ewmul(y, y)\nreturn z", one},
	} {
		p := compileText(t, c.text, backends.CompileOptions{NoFuse: true})
		if arena, _, _ := p.Memory(); arena != c.want {
			t.Errorf("%s\nneeds %d bytes, want %d", c.text, arena, c.want)
		}
	}
}

// TestLeaks: whatever happens, closing releases all.
func TestLeaks(t *testing.T) {
	before := liveBlocks.Load()
	const good = `
x : float32[2, 3, 8, 8]
w : weight float32[4, 3, 3, 3]
s : weight float32[]
b : weight float32[1, 4, 1, 1]
k = smul(w, s)
c = conv2d[pad=same_upper](x, k)
bb = broadcast[shape=[2, 4, 8, 8]](b)
d = ewadd(c, bb)
e = tanh(d)
return e`
	be, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	p, err := be.Compile(ctx, load(t, good), backends.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := backends.Random(1, graph.TensorType{Sizes: []int{2, 3, 8, 8}})
	if _, err := p.Run(ctx, []backends.Tensor{x}); err != nil {
		t.Fatal(err)
	}
	if liveBlocks.Load() == before {
		t.Error("a plan holds no memory: the count is wrong")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	bad := load(t, good)
	for id := range bad.Weights {
		if bad.Graph.Name(id) == "b" {
			bad.Weights[id] = model.FromFloat32([]int{1, 4, 1, 1}, make([]float32, 3)) // too short
		}
	}
	if _, err := be.Compile(ctx, bad, backends.CompileOptions{}); err == nil {
		t.Error("compiled with a weight that is too short")
	}
	if now := liveBlocks.Load(); now != before {
		t.Errorf("%d blocks of memory are left", now-before)
	}
}
