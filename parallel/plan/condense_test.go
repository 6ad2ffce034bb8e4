package plan

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel"
)

// What clusters take by a layout of a condensed training step is what they take by that of
// the whole one, of which most is left out.
func TestCondense(t *testing.T) {
	for _, name := range []string{"gpt-350m", "moe-1.3b"} {
		net, err := models.BuildNetwork(name, models.Options{Batch: 64, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Train(net.Model.Graph, grad.Options{Optimizer: grad.Adam, Rate: 0.01, Axis: 1, Stored: true})
		if err != nil {
			t.Fatal(err)
		}
		of, n, err := tr.parts(0)
		if err != nil {
			t.Fatal(err)
		}
		small := tr.condense(of, n)
		t.Logf("%s: %d nodes in %d clusters, %d in %d", name, tr.Graph.Len(), n, small.Graph.Len(), small.n)
		if small.Graph.Len()*8 > tr.Graph.Len()*7 {
			t.Errorf("%s: %d nodes of %d are left", name, small.Graph.Len(), tr.Graph.Len())
		}
		c := meshOf(t, "p3-16xlarge", 1).Cluster
		strategies := parallel.NewStrategies()
		for _, means := range [][]Means{{Data}, {FSDP, Megatron}} {
			mesh, err := NewMeshOf(c, nil, axesOf(4, 0, []int{2, 4}[:len(means)])...)
			if err != nil {
				t.Fatal(err)
			}
			layout := func(tr *Training, of []int) *Plan {
				p, err := Make(ctx, tr, mesh, Options{Means: append([]Means{Micro}, means...), Strategies: strategies, division: division{of: of, memo: map[string]*extract.Result{}}})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			whole, err := layout(tr, of).profile(of, n)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := small.profile(layout(small.Training, small.of))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(whole, parts) {
				for i := range whole {
					if whole[i] != parts[i] {
						t.Errorf("%s, %v: cluster %d takes %+v, in the condensed step %+v", name, means, i+1, whole[i], parts[i])
					}
				}
			}
		}
	}
}
