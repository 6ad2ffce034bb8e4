package plan

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/sweep"
)

// blocks has four equal blocks of two layers.
const blocksText = `
x : float32[64, 128]
v0 : weight float32[128, 256]
w0 : weight float32[256, 128]
v1 : weight float32[128, 256]
w1 : weight float32[256, 128]
v2 : weight float32[128, 256]
w2 : weight float32[256, 128]
v3 : weight float32[128, 256]
w3 : weight float32[256, 128]
h0 = matmul(x, v0)
r0 = relu(h0)
y0 = matmul(r0, w0)
h1 = matmul(y0, v1)
r1 = relu(h1)
y1 = matmul(r1, w1)
h2 = matmul(y1, v2)
r2 = relu(h2)
y2 = matmul(r2, w2)
h3 = matmul(y2, v3)
r3 = relu(h3)
y3 = matmul(r3, w3)
return y3`

// A choice by regions is one of the whole graph, of which the tally has the price, and is
// laid out as it says; blocks that are alike have one choice.
func TestTiles(t *testing.T) {
	j, err := (&Job{Training: training(t, blocksText), Cluster: meshOf(t, "summit", 1).Cluster, Devices: 4, Steps: 1 << 18, Strategies: strategies}).fill()
	if err != nil {
		t.Fatal(err)
	}
	of, err := j.Training.Clusters(4)
	if err != nil {
		t.Fatal(err)
	}
	for _, degrees := range [][]int{{2, 2}, {4}}[:sweep.Size(1, 2)] {
		m, err := NewMesh(j.Cluster, degrees...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSpace(ctx, j, m)
		if err != nil {
			t.Fatal(err)
		}
		flow := s.flow([maxAxes]bool{true, true})
		tl := s.divide(division{of: of}, func(t graph.Tensor) place { return flow.lies[t] })
		seen := map[string]bool{}
		q := question{means: []Means{All}, steps: 1 << 16, tiles: tl, kept: true}
		nodes := 0
		for _, r := range tl.list {
			seen[s.key(r, &q)] = true
			nodes += len(r.nodes)
		}
		if len(tl.list) != 4 || len(seen) > 3 { // the first and the last one are apart
			t.Errorf("%v: %d regions, %d kinds", degrees, len(tl.list), len(seen))
		}
		l, err := s.look(of, j.Steps/64, 2)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.realize(l)
		if err != nil {
			t.Fatal(err)
		}
		verified(t, p)
		if p.Time() != l.cost {
			t.Errorf("%v: chosen at %v, laid out at %v", degrees, l.cost, p.Time())
		}
		q.steps = 1 << 17
		if l, err = s.solve(q); err != nil {
			t.Fatal(err)
		}
		y := s.tally(l)
		y.settle(func(id graph.NodeID) []place { return s.lies(id.Out(0)) })
		before := y.cost
		if y.count(); y.cost != before {
			t.Errorf("%v: kept up to date %v, counted %v", degrees, before, y.cost)
		}
		if p, err = s.realize(y.layouts()); err != nil {
			t.Fatal(err)
		}
		verified(t, p)
		if p.Time() != y.cost {
			t.Errorf("%v: by regions %v, laid out at %v", degrees, y.cost, p.Time())
		}
	}
}
