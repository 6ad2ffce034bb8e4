package plan

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/parallel/machine"
)

// Alpa's plan computes the same, and is within what the bound and the pipeline say.
func TestAlpa(t *testing.T) {
	j := &Job{Training: training(t, tower(4)), Cluster: meshOf(t, "dgx-a100:1", 1).Cluster, Devices: 4, Strategies: strategies}
	p, err := Find(ctx, "alpa", j)
	if err != nil {
		t.Fatal(err)
	}
	verified(t, p)
	if x := p.Pipeline; x == nil || x.Bound > x.Makespan || x.Looked == 0 {
		t.Errorf("%+v", x)
	}
}

// stagesApart is a plan of stages on submeshes of different sizes, with layouts of their own.
func stagesApart(t *testing.T) *Plan {
	t.Helper()
	j, err := (&Job{Strategies: strategies, Training: training(t, tower(6)), Cluster: meshOf(t, "dgx-a100:1", 1).Cluster, Devices: 7}).fill()
	if err != nil {
		t.Fatal(err)
	}
	of, err := j.Training.Clusters(6)
	if err != nil {
		t.Fatal(err)
	}
	x := &intra{hunt: &hunt{j: j, of: of, n: 6, after: j.Training.after(of, 6)}, how: division{of: of, solved: &solutions{}}, units: 6, group: []int{0, 1, 2, 3, 4, 5}}
	none := make([]part, 6)
	var list []*piece
	for i, l := range []*layoutOf{{1, []int{1}, Data.looks(true), none}, {4, []int{2, 2}, []look{{FSDP, false}, {Megatron, true}}, none}, {2, []int{2}, Data.looks(true), none}} {
		list = append(list, &piece{from: 2 * i, to: 2*i + 2, layout: l})
	}
	s := x.staged(list, 4)[0]
	if want := []Submesh{{6, 1}, {0, 4}, {4, 2}}; !slices.Equal(s.submeshes, want) {
		t.Errorf("submeshes %v, want %v", s.submeshes, want)
	}
	best, err := s.judge(j.Training, j.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	p, err := x.plan(ctx, best, list)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.tell(p, best); err != nil {
		t.Fatal(err)
	}
	return p
}

// Stages on submeshes of different sizes with layouts of their own compute the same: what
// passes from one to the other is put together and dealt out again.
func TestStagesApart(t *testing.T) {
	p := stagesApart(t)
	verified(t, p)
	// Each stage's nodes lie along the axes of the stage only.
	g := p.Laying.Graph()
	counts := map[int]int{}
	for id := range g.Nodes() {
		if p.Laying.Origin(id).Converts || g.Op(id) == nil {
			continue
		}
		stage := p.StageOf(id)
		counts[stage]++
		for _, a := range p.Laying.Mesh(id.Out(0)) {
			if s := p.Mesh.Axes[a].Stage; s > 0 && s != stage {
				t.Errorf("%s of stage %d lies along axis %d of stage %d", g.Name(id), stage, a, s)
			}
		}
	}
	if len(counts) != 3 {
		t.Errorf("nodes by stage: %v", counts)
	}
}

// The dynamic program finds what trying all divisions finds.
func TestIntervals(t *testing.T) {
	for seed := range 20 {
		x := &intervals{n: 4, devices: 4, micro: 3, memory: 100, sizes: []int{1, 2, 4}, most: 4}
		next := seed
		draw := func(n int) int { next = (next*1103515245 + 12345) & 0x7fffffff; return (next >> 8) % n }
		for _, d := range []int{1, 2, 4, 2} {
			l := &layoutOf{devices: d}
			for range 4 {
				first := int64(draw(3))
				l.clusters = append(l.clusters, part{first: first, some: true, forward: machine.Time(1 + draw(20)), backward: machine.Time(draw(30)), weights: int64(draw(30)), kept: int64(draw(20)), inputs: int64(draw(5)), most: int64(draw(20))})
			}
			x.layouts = append(x.layouts, l)
		}
		found, done := x.solve()
		if !done {
			t.Fatal("times were left out")
		}
		cost := func(list []*piece) machine.Time {
			var sum, most machine.Time
			for _, p := range list {
				sum, most = sum+p.time, max(most, p.time)
			}
			return sum + 2*most
		}
		want, any := machine.Time(0), false
		var try func(list []*piece, from, devices int)
		try = func(list []*piece, from, devices int) {
			if from == x.n && devices == 0 {
				for i, p := range list { // the last one has one micro-batch in flight
					w, s := sumOf(p.layout.clusters[p.from:p.to]), len(list)-i
					kept := w.kept * int64(min(s, x.micro))
					if p.again { // one cluster at a time, and what all of them read
						first := p.layout.clusters[p.from].first
						kept = min(w.kept+first*int64(min(s, x.micro)), w.most+w.inputs*int64(min(s, x.micro)))
					}
					if w.weights+kept > x.memory {
						return
					}
				}
				if c := cost(list); !any || c < want {
					want, any = c, true
				}
				return
			}
			for to := from + 1; to <= x.n; to++ {
				for _, l := range x.layouts {
					for _, again := range []bool{false, true} {
						if l.devices <= devices {
							w := sumOf(l.clusters[from:to])
							p := &piece{from, to, l, again, false, w.forward + w.backward}
							if again {
								p.time += w.forward
							}
							try(append(slices.Clip(list), p), to, devices-l.devices)
						}
					}
				}
			}
		}
		try(nil, 0, x.devices)
		if any != (len(found) > 0) || any && cost(found[len(found)-1]) != want {
			t.Errorf("seed %d: %d found, want %v", seed, len(found), want)
		}
	}
}

// Submeshes of a node's devices do not divide eight devices of nodes of six.
func TestAlpaPartNodes(t *testing.T) {
	j := deepJob(t, 8)
	j.Cluster = meshOf(t, "summit:2", 1).Cluster
	p, err := Find(ctx, "alpa", j)
	if err != nil {
		t.Fatal(err)
	}
	certified(t, p)
}
