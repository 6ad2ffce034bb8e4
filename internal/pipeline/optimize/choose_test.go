package optimize

import (
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/search"
)

// By plain prices a tensor is not read faster in halves, and a part of it is no gift: what
// is cheaper by the formula of a machine with caches, or of one whose kernels read parts,
// is dearer by them.
func TestPlain(t *testing.T) {
	m, err := cost.FindMachine("zen5")
	if err != nil {
		t.Fatal(err)
	}
	of := func(text string, p search.Prices) int64 {
		g, err := graph.ParseText("g", text)
		if err != nil {
			t.Fatal(err)
		}
		net, _, err := bank.From(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := search.NewPricer(net, lower.CPU(), p)
		if x.Err() != nil {
			t.Fatal(x.Err())
		}
		return x.Cost()
	}
	for _, c := range []struct{ name, whole, parts string }{
		{"a convolution, and its halves", `
x : float32[1, 32, 112, 112]
w : weight float32[16, 32, 1, 1]
y = conv2d[pad=valid](x, w)
return y`, `
x : float32[1, 32, 112, 112]
u : weight float32[8, 32, 1, 1]
v : weight float32[8, 32, 1, 1]
a = conv2d[pad=valid](x, u)
b = conv2d[pad=valid](x, v)
y = concat[axis=1](a, b)
return y`},
		{"convolutions of one image, and one that is cut", `
x : float32[1, 64, 28, 28]
u : weight float32[64, 64, 1, 1]
v : weight float32[64, 64, 1, 1]
a = conv2d[pad=valid](x, u)
b = conv2d[pad=valid](x, v)
return a, b`, `
x : float32[1, 64, 28, 28]
w : weight float32[128, 64, 1, 1]
y = conv2d[pad=valid](x, w)
a = slice[axis=1, lo=0, hi=64](y)
b = slice[axis=1, lo=64, hi=128](y)
return a, b`},
	} {
		if w, p := of(c.whole, cost.Picoseconds{Model: m}), of(c.parts, cost.Picoseconds{Model: m}); p >= w {
			t.Errorf("%s: by the formula %d and %d: nothing to be careful of", c.name, w, p)
		}
		if w, p := of(c.whole, plain(m)), of(c.parts, plain(m)); p <= w {
			t.Errorf("%s: by plain prices %d and %d", c.name, w, p)
		}
	}
}
