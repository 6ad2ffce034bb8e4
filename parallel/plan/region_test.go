package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/sweep"
)

// tower has layers that are alike.
func tower(layers int) string {
	var b strings.Builder
	b.WriteString("x : float32[64, 32]\n")
	for i := range layers {
		fmt.Fprintf(&b, "w%d : weight float32[32, 32]\n", i)
	}
	in := "x"
	for i := range layers {
		fmt.Fprintf(&b, "h%d = matmul(%s, w%d)\nr%d = relu(h%d)\n", i, in, i, i, i)
		in = fmt.Sprintf("r%d", i)
	}
	fmt.Fprintf(&b, "return %s\n", in)
	return b.String()
}

// Clusters are of equal work, one after the other; layers that are alike are solved once.
func TestClusters(t *testing.T) {
	tr := training(t, tower(8))
	of, err := tr.Clusters(4)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		for _, name := range []string{fmt.Sprintf("h%d", i), fmt.Sprintf("w%d", i), fmt.Sprintf("w%d_next", i)} {
			if id, ok := tr.Graph.Find(name); !ok || of[id] != i/2+1 {
				t.Errorf("%s is in cluster %d", name, of[id])
			}
		}
	}
	if of, err := tr.Clusters(1000); err != nil || of[tr.Graph.Len()] > len(tr.Activations()) {
		t.Errorf("1000 clusters: %v", err)
	}
	if _, err := tr.Clusters(0); err == nil {
		t.Error("no clusters")
	}
	memo := &solutions{}
	m, err := NewMeshOf(meshOf(t, "summit", 1).Cluster, nil, Axis{Degree: 2, Time: true}, Axis{Degree: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, means := range AllMeans() {
		p, err := Make(ctx, tr, m, Options{Strategies: strategies, Means: []Means{means}, division: division{of: of, solved: memo}})
		if err != nil {
			t.Fatal(err)
		}
		verified(t, p)
	}
	// First, middle, last; in time, and free and fixed by each of the means and border.
	n := 0
	for range memo.All() {
		n++
	}
	if n > 40 { // of 4 clusters and 2 solutions of 11 kinds
		t.Errorf("%d problems were solved", n)
	}
}

// Divided or not the same is computed, and where layers have no better border it costs
// the same.
func TestDivided(t *testing.T) {
	tr := training(t, tower(4))
	for _, means := range []Means{Data, FSDP} {
		var cost []string
		for _, n := range []int{0, 4} {
			p, err := Make(ctx, tr, meshOf(t, "summit", 4), Options{Strategies: strategies, Means: []Means{means}, Clusters: n})
			if err != nil {
				t.Fatal(err)
			}
			verified(t, p)
			cost = append(cost, fmt.Sprint(p.Time()))
		}
		if cost[0] != cost[1] {
			t.Errorf("%s: %v", means, cost)
		}
	}
}

// Statistics of a batch are added up before they are read by all samples, so that a network with
// them, too, can be laid out cluster by cluster, by samples, for no more than at once.
func TestStatisticsByClusters(t *testing.T) {
	n, err := models.BuildNetwork("resnet50-tiny", models.Options{Batch: 12, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Train(n.Model.Graph, grad.Options{Loss: grad.CrossEntropy, Axis: 1, Rate: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	s := strategies
	mesh := meshOf(t, "summit", 6)
	whole, err := Make(ctx, tr, mesh, Options{Means: []Means{Data}, Strategies: s, Steps: 1 << 18})
	if err != nil {
		t.Fatal(err)
	}
	for _, clusters := range []int{16, 4}[:sweep.Size(1, 2)] {
		p, err := Make(ctx, tr, mesh, Options{Means: []Means{Data}, Strategies: s, Steps: 1 << 18, Clusters: clusters})
		if err != nil {
			t.Fatalf("%d clusters: %v", clusters, err)
		}
		if p.Time() > whole.Time()+whole.Time()/100 {
			t.Errorf("%d clusters: %v, at once %v", clusters, p.Time(), whole.Time())
		}
	}
}
