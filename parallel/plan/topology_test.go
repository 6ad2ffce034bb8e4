package plan

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/parallel/machine"
)

// heavy has weights so large that gradients take longer to send than to make.
const heavy = `
x : float32[64, 2048]
v : weight float32[2048, 2048]
w : weight float32[2048, 2048]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
return y`

// Links and layout together are better than layout alone, the plan computes the same, and the
// file names its links: read back, a step takes as long.
func TestTopology(t *testing.T) {
	for _, text := range []string{perceptron, heavy} {
		tr := training(t, text)
		j := &Job{Strategies: strategies, Training: tr, Cluster: meshOf(t, "topoopt:16", 1).Cluster}
		p, err := Find(ctx, "topology", j)
		if err != nil {
			t.Fatal(err)
		}
		if text == perceptron {
			verified(t, p)
		} else {
			certified(t, p)
		}
		time, err := p.Makespan(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"data", "fsdp", "megatron"} {
			q, err := Find(ctx, name, j)
			if err != nil {
				t.Fatal(err)
			}
			if other, err := q.Makespan(ctx); err != nil || other < time || text == heavy && other < time*3/2 {
				t.Errorf("%s: %v (%v), with links %v", name, other, err, time)
			}
		}
		again, err := Find(ctx, "topology", j)
		if err != nil || !slices.Equal(again.Mesh.Cluster.Wires(), p.Mesh.Cluster.Wires()) {
			t.Errorf("a second time it finds other links (%v)", err)
		}
		var b bytes.Buffer
		if err := p.File().Write(&b); err != nil {
			t.Fatal(err)
		}
		f, err := ReadFile(&b, "plan.json")
		if err != nil {
			t.Fatal(err)
		}
		q, err := f.Plan(j.Cluster)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := q.Makespan(ctx); err != nil || read != time || q.Time() != p.Time() {
			t.Errorf("read: %v, %v (%v), written %v, %v", read, q.Time(), err, time, p.Time())
		}
		if s, err := q.Simulate(ctx, SimulateOptions{}); err != nil || s.Makespan != time {
			t.Errorf("simulated on all devices: %v, want %v", err, time)
		}
		if _, err := f.Plan(meshOf(t, "summit:3", 1).Cluster); err == nil || !strings.Contains(err.Error(), "machine: links: cluster summit: its links cannot be set") {
			t.Errorf("on links that cannot be set: %v", err)
		}
		f.Machine.Links = f.Machine.Links[:1]
		if _, err := f.Plan(j.Cluster); err == nil || !strings.Contains(err.Error(), "no links lead") {
			t.Errorf("on one link: %v", err)
		}
	}
}

// A plan on other links is priced as what is made there: the same layout takes the same time.
func TestMoved(t *testing.T) {
	tr := training(t, heavy)
	c := meshOf(t, "topoopt:8", 1).Cluster
	other, err := c.Rewire(machine.Circulant(8, []int{1, 3, 5, 7}))
	if err != nil {
		t.Fatal(err)
	}
	var plans []*Plan
	for _, c := range []*machine.Cluster{c, other} {
		p, err := Find(ctx, "data", &Job{Strategies: strategies, Training: tr, Cluster: c})
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, p)
	}
	sent, err := plans[0].traffic()
	if err != nil {
		t.Fatal(err)
	}
	on, err := plans[0].wire(c, []int{1, 3, 5, 7}, sent)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plans[0].moved(on, sent)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Makespan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b, err := plans[1].Makespan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if a != b || p.Time() != plans[1].Time() || p.Time() >= plans[0].Time() {
		t.Errorf("moved %v, %v, made there %v, %v, before %v", a, p.Time(), b, plans[1].Time(), plans[0].Time())
	}
}

// Where links cannot be set, or no layout fits, that is said.
func TestNoTopology(t *testing.T) {
	tr := training(t, perceptron)
	_, err := Find(ctx, "topology", &Job{Strategies: strategies, Training: tr, Cluster: meshOf(t, "summit", 1).Cluster, Devices: 4})
	if !IsNone(err) || !strings.Contains(err.Error(), "links between nodes cannot be set") {
		t.Errorf("on summit: %v", err)
	}
	if _, err := Find(ctx, "topology", &Job{Strategies: strategies, Training: tr, Cluster: meshOf(t, "topoopt:4", 1).Cluster, Memory: 100}); !IsNone(err) {
		t.Errorf("in 100 bytes: %v", err)
	}
}

func TestStrides(t *testing.T) {
	for _, x := range []struct {
		nodes, degree int
		want          []int
	}{{16, 4, []int{1, 3, 5, 7}}, {12, 4, []int{1, 5, 7, 11}}, {4, 4, []int{1, 2, 3}}, {2, 4, []int{1}}, {1, 4, nil}} {
		got := spread(x.nodes, x.degree)
		slices.Sort(got)
		if !slices.Equal(got, x.want) {
			t.Errorf("%d of %d nodes: %v, want %v", x.degree, x.nodes, got, x.want)
		}
	}
	c := meshOf(t, "topoopt:16", 1).Cluster
	if got := stridesOf(c); !slices.Equal(got, []int{1, 2, 14, 15}) {
		t.Errorf("strides %v", got)
	}
	links := machine.Circulant(16, []int{1})
	links = append(links, [2]int{0, 5})
	c, err := c.Rewire(links)
	if err != nil {
		t.Fatal(err)
	}
	if got := stridesOf(c); got != nil {
		t.Errorf("strides %v of what is no circulant", got)
	}
}
