package plan

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph/grad"
)

// What clusters take by a layout of a condensed training step is what they take by that of
// the whole one, of which most is left out.
func TestCondense(t *testing.T) {
	tr := training(t, layered(12))
	of, err := tr.Clusters(12)
	if err != nil {
		t.Fatal(err)
	}
	n := slices.Max(of)
	small := tr.condense(of, n)
	if small.Graph.Len()*2 > tr.Graph.Len() {
		t.Errorf("%d nodes of %d are left", small.Graph.Len(), tr.Graph.Len())
	}
	c := meshOf(t, "p3-16xlarge", 1).Cluster
	for _, means := range [][]Means{{Data}, {FSDP, Megatron}, {Data, Tensor}} {
		mesh, err := NewMeshOf(c, nil, axesOf(4, 0, []int{2, 4}[:len(means)])...)
		if err != nil {
			t.Fatal(err)
		}
		layout := func(tr *Training, of []int) *Plan {
			p, err := Make(ctx, tr, mesh, Options{Means: append([]Means{Micro}, means...), Strategies: strategies, division: division{of: of, solved: &solutions{}}})
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
		for i := range whole {
			if whole[i] != parts[i] {
				t.Errorf("%v: cluster %d takes %+v, in the condensed step %+v", means, i+1, whole[i], parts[i])
			}
		}
	}
}

// Of the 24 layers of a language model, and of the eight pairs of layers of one of experts, few are
// left, and each is a training step of its own.
func TestCondenseNetworks(t *testing.T) {
	for name, most := range map[string]int{"gpt-350m": 6, "moe-1.3b": 2} {
		net, err := models.BuildNetwork(name, models.Options{Batch: 64, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Train(net.Model.Graph, grad.Options{Optimizer: grad.Adam, Rate: 0.01, Axis: 1})
		if err != nil {
			t.Fatal(err)
		}
		of, n, err := tr.parts(0)
		if err != nil {
			t.Fatal(err)
		}
		small := tr.condense(of, n)
		if small.Graph.Len()*most > tr.Graph.Len() {
			t.Errorf("%s: %d nodes of %d are left", name, small.Graph.Len(), tr.Graph.Len())
		}
		if again, m, err := small.parts(0); err != nil || len(again) != small.Graph.Len()+1 || m < 4 {
			t.Errorf("%s: %d clusters of what is left: %v", name, m, err)
		}
	}
}
