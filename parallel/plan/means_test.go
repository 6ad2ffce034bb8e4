package plan

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/graph"
)

// Where nothing is found that is said, with all means too: nothing is left as it is without a word.
func TestMeans(t *testing.T) {
	// Attention within one sample: what its positions need of one another is not sent by
	// means of samples.
	g, err := graph.ParseText("test", `
x : float32[32, 16]
y : float32[16, 32]
z = matmul(x, y)
s = softmax[axis=0](z)
return s`)
	if err != nil {
		t.Fatal(err)
	}
	tr := &Training{Graph: g, Next: map[int]int{}}
	for _, pl := range []Means{Data, FSDP} {
		if _, err := Make(ctx, tr, meshOf(t, "summit", 2), Options{Strategies: strategies, Means: []Means{pl}}); !errors.Is(err, ErrMeans) {
			t.Errorf("%s: %v", pl, err)
		}
	}
	p, err := Make(ctx, tr, meshOf(t, "summit", 2), Options{Strategies: strategies})
	if err != nil {
		t.Fatal(err)
	}
	verified(t, p)
}

// Samples that devices do not divide are not dealt out: no device would have its own.
func TestMeansOfSamples(t *testing.T) {
	tr := training(t, `
x : float32[6, 8]
w : weight float32[8, 8]
y = matmul(x, w)
return y`)
	for _, m := range []Means{Data, FSDP} {
		if p, err := Make(ctx, tr, meshOf(t, "summit", 4), Options{Strategies: strategies, Means: []Means{m}}); !errors.Is(err, ErrMeans) {
			t.Errorf("%s: %v, %v", m, p, err)
		}
		if _, err := Make(ctx, tr, meshOf(t, "summit", 2), Options{Strategies: strategies, Means: []Means{m}}); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}

// Weights that stay lie as copies where trained ones lie in parts.
func TestMeansOfMasks(t *testing.T) {
	tr := training(t, `
x : float32[8, 8]
w : weight float32[8, 8]
mask : weight int32[8, 8]
float = cast[to=float32](mask)
h = matmul(x, w)
y = matmul(h, float)
return y`)
	p, err := Make(ctx, tr, meshOf(t, "summit", 4), Options{Strategies: strategies, Means: []Means{FSDP}})
	if err != nil {
		t.Fatal(err)
	}
	verified(t, p)
}
