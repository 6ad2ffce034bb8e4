package plan

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/graph"
)

// A planner that finds no layout says so, Auto too: nothing is left as it is without a word.
func TestMeans(t *testing.T) {
	// Attention within one sample: what its positions need of one another is not sent by
	// planners of samples.
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
	for _, pl := range []Planner{Data, FSDP} {
		if _, err := Make(ctx, tr, meshOf(t, "summit", 2), Options{Planners: []Planner{pl}}); !errors.Is(err, ErrMeans) {
			t.Errorf("%s: %v", pl, err)
		}
	}
	p, err := Make(ctx, tr, meshOf(t, "summit", 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	verified(t, p)
}
