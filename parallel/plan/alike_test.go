package plan

import (
	"reflect"
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
		lay := parallel.NewLaying(tr.Graph, strategies)
		a, err := newPass(ctx, &prices{mesh, lay}, means, tr.Next, 4, division{of: of, copies: means == Megatron, solved: &solutions{}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.best(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		want := &choice{strategies: map[graph.NodeID][]*parallel.Strategy{}, resident: got.resident, stop: got.stop}
		keys := map[string]bool{}
		for _, r := range a.regions.list {
			key, err := a.alike(r)
			if err != nil {
				t.Fatal(err)
			}
			keys[key] = true
			if err := a.write(r); err != nil {
				t.Fatal(err)
			}
			res, err := a.regions.solve(ctx, &a.problem, 1<<18)
			if err != nil {
				t.Fatal(err)
			}
			a.read(&solved{r, res, a.made}, r, want)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: of each region by itself another choice comes", means)
		}
		if len(keys) > 3 {
			t.Errorf("%s: %d of 4 regions differ", means, len(keys))
		}
	}
}
