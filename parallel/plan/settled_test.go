package plan

import (
	"errors"
	"testing"
)

// What is made of weights that stay, by an operator whose meaning depends on types: since laws say
// how to deal a cast out it may be made in each step, as it is by this planner.
func TestSettled(t *testing.T) {
	tr := training(t, `
x : float32[16, 8]
w : weight float32[8, 8]
places : weight int32[16, 8]
mask = cast[to=float32](places)
h = matmul(x, w)
y = ewadd(h, mask)
return y`)
	for _, degrees := range [][]int{{4}, {2, 2}} {
		p, err := Make(ctx, tr, meshOf(t, "summit", degrees...), Options{Strategies: strategies, Means: []Means{Megatron}})
		if err != nil {
			t.Fatal(err)
		}
		verified(t, p)
	}
}

// Planners that choose along all axes at once take it for given, too.
func TestSettledTogether(t *testing.T) {
	tr := training(t, `
x : float32[8, 4]
places : weight int32[4, 4]
w : weight float32[4, 4]
mask = cast[to=float32](places)
v = ewmul(w, mask)
y = matmul(x, v)
return y`)
	c := meshOf(t, "summit", 1).Cluster
	for _, name := range []string{"soap", "exhaustive"} {
		p, err := Find(ctx, name, &Job{Strategies: strategies, Training: tr, Cluster: c, Devices: 2})
		if errors.Is(err, ErrLarge) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		verified(t, p)
	}
}
