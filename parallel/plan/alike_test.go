package plan

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// What is chosen in regions that are alike is what is chosen in each by a problem of its own,
// and of eight layers in four clusters those in the middle are alike.
func TestAlike(t *testing.T) {
	tr := training(t, tower(8))
	of, err := tr.Clusters(4)
	if err != nil {
		t.Fatal(err)
	}
	for _, means := range AllMeans() {
		mesh := meshOf(t, "summit", 4)
		s, err := along(ctx, &prices{mesh, parallel.NewLaying(tr.Graph, strategies)}, tr.Next, 4)
		if err != nil {
			t.Fatal(err)
		}
		flow := s.flow([maxAxes]bool{true})
		q := question{means: []Means{means}, steps: 1 << 18, tries: triesGathered}
		q.tiles = s.divide(division{of: of}, func(x graph.Tensor) (p place) {
			if means != Megatron {
				p = flow.between(s, x)
			}
			return p
		})
		got, err := s.choose(q)
		if err != nil {
			t.Fatal(err)
		}
		q.resident = got.resident
		cost, keys := got.cost, map[string]bool{}
		for _, r := range q.tiles.list {
			keys[s.key(r, &q)] = true
			a, err := s.region(r, &q)
			if err != nil {
				t.Fatal(err)
			}
			cost -= a.cost
			for i, id := range r.nodes {
				if !slices.Equal(a.ways[i], got.ways[id]) {
					t.Errorf("%s: of its region by itself another choice comes for %s", means, s.g.Name(id))
				}
			}
		}
		if cost != 0 {
			t.Errorf("%s: regions by themselves cost %v less", means, cost)
		}
		if len(keys) > 3 {
			t.Errorf("%s: %d of 4 regions differ", means, len(keys))
		}
	}
}
