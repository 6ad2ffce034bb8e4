package parallel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What a laying says of its tensors is believed; with another axis it is not.
func TestLaid(t *testing.T) {
	s := NewStrategies()
	rejected, of := 0, 0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 5))
		l := layOut(t, randomModel(rng), s, rng, 2, 3)
		if _, err := New(ctx, l.Graph()); err != nil {
			continue // no set of devices runs it
		}
		if _, err := Laid(l.g, l.degrees, l.layouts, l.origins); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, l.g)
		}
		for id := range l.g.Nodes() {
			for k := range l.g.NumOut(id) {
				lies := l.layouts[id][k]
				for i := range lies {
					for _, wrong := range []Layout{
						slices.Delete(slices.Clone(lies), i, i+1),
						append(slices.Clone(lies[:i]), append(Layout{{Axis: 1 - lies[i].Axis, Role: lies[i].Role}}, lies[i+1:]...)...),
					} {
						layouts := slices.Clone(l.layouts)
						layouts[id] = slices.Clone(layouts[id])
						layouts[id][k] = wrong
						of++
						if _, err := Laid(l.g, l.degrees, layouts, l.origins); err != nil {
							rejected++
						} else {
							t.Errorf("seed %d: %s lies as %v, believed as %v\n%s", seed, tensorName(l.g, id.Out(k)), lies, wrong, l.g)
						}
					}
				}
			}
		}
	}
	if rejected < 100 || rejected != of {
		t.Errorf("%d of %d wrong layouts rejected", rejected, of)
	}
}
