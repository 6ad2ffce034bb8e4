package plan

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
)

// deepJob is eight layers, of which most of the time is computing, on devices of a node.
func deepJob(t testing.TB, devices int) *Job {
	t.Helper()
	text := strings.NewReplacer("[64, 32]", "[4096, 256]", "[32, 32]", "[256, 256]").Replace(tower(8))
	return &Job{Training: training(t, text), Cluster: meshOf(t, "dgx-a100:1", 1).Cluster, Devices: devices, Strategies: strategies}
}

// A pipeline computes the same, its stages are in the order of the layers on devices of
// their own, and the simulation of the plan says what the plan says.
func TestPipeline(t *testing.T) {
	j := &Job{Strategies: strategies, Training: training(t, tower(4)), Cluster: meshOf(t, "dgx-a100:1", 1).Cluster, Devices: 4}
	p, err := Find(ctx, "pipeline", j)
	if err != nil {
		t.Fatal(err)
	}
	verified(t, p)
	x := p.Pipeline
	if x == nil || x.Bound > x.Makespan || x.Looked < 8 || p.Time() != x.Makespan {
		t.Fatalf("%+v", x)
	}
	s, err := p.Simulate(ctx, SimulateOptions{Samples: 64})
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Memory()
	if err != nil {
		t.Fatal(err)
	}
	if s.Makespan != x.Makespan || m.Peak != x.Peak {
		t.Errorf("makespan %v, peak %d; simulated %v, %d", x.Makespan, x.Peak, s.Makespan, m.Peak)
	}
}

// Where a device has no memory for all layers there are stages, and where it has not for
// what they keep they compute it again; where nothing helps it is said what is missing.
func TestPipelineMemory(t *testing.T) {
	j := deepJob(t, 4)
	free, err := Find(ctx, "pipeline", j)
	if err != nil {
		t.Fatal(err)
	}
	again := false
	for memory := free.Pipeline.Peak - 1; ; {
		j.Memory = memory
		p, err := Find(ctx, "pipeline", j)
		var over *MemoryError
		if errors.As(err, &over) {
			if over.Have != memory || over.Need <= memory || !strings.Contains(err.Error(), "devices of") {
				t.Errorf("%v", err)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.Pipeline.Peak > memory {
			t.Errorf("%d bytes of %d", p.Pipeline.Peak, memory)
		}
		for _, s := range p.Pipeline.Stages {
			again = again || s.Recompute
		}
		memory = p.Pipeline.Peak * 85 / 100
	}
	if !again {
		t.Error("no stage computes anything again")
	}
}

// The slowest of stages is as fast as can be.
func TestBalance(t *testing.T) {
	of := []schedule.Stage{{Forward: 3}, {Forward: 1}, {Forward: 1}, {Forward: 4}, {Forward: 2}, {Forward: 1}}
	ends := balance(len(of), 3, func(i, k int) (t machine.Time) {
		for _, s := range of[i:k] {
			t += s.Forward
		}
		return t
	})
	if len(ends) != 3 || ends[0] != 2 || ends[1] != 4 || ends[2] != 6 {
		t.Errorf("%v", ends)
	}
}

// What a pipeline says of its stages follows from the graph: stages that are none are
// refused, figures are derived again.
func TestPipelineDerived(t *testing.T) {
	p, err := (*Plan)(nil), error(nil)
	j := deepJob(t, 4)
	j.Memory = 12 << 20
	if p, err = Find(ctx, "pipeline", j); err != nil {
		t.Fatal(err)
	}
	told := p.Pipeline
	if len(told.Stages) < 2 {
		t.Fatalf("%d stages", len(told.Stages))
	}
	last := p.Training.Activations()
	first := last[0]
	for i, c := range []struct {
		refused bool
		change  func(x *Pipeline)
	}{
		{false, func(x *Pipeline) { x.Makespan-- }},
		{false, func(x *Pipeline) { x.Peak-- }},
		{false, func(x *Pipeline) { x.Fullest = 9 }},
		{false, func(x *Pipeline) { x.Stages[0].Devices = []int{7} }},
		{false, func(x *Pipeline) { x.Stages[0].Forward++ }},
		{false, func(x *Pipeline) { x.Stages[0].Offload, x.Stages[0].Kept = true, 0 }},
		{false, func(x *Pipeline) { x.Stages[1].After = nil }},
		{true, func(x *Pipeline) { x.Of[1] = 9 }},
		{true, func(x *Pipeline) { x.Of[1] = -1 }},
		{true, func(x *Pipeline) { x.Of = x.Of[1:] }},
		{true, func(x *Pipeline) { x.Clusters = nil }},
		{true, func(x *Pipeline) { x.Clusters[1] = 1 << 40 }},
		{true, func(x *Pipeline) { x.Stages = append(x.Stages, x.Stages[0]) }},
		{true, func(x *Pipeline) { x.Schedule = "none" }},
		{true, func(x *Pipeline) { x.Schedule = schedule.TwoBW }}, // the weights of the step before
		{true, func(x *Pipeline) { // a stage reads what a later one makes
			for id := range x.Of[1:] {
				x.Of[id+1] = len(x.Stages) + 1 - x.Of[id+1]
			}
		}},
		{true, func(x *Pipeline) { x.Of[first] = x.Of[last[len(last)-1]] }},
		{true, func(x *Pipeline) { x.Clusters[first] = x.Clusters[last[len(last)-1]] }},
	} {
		x := *told
		x.Of, x.Clusters, x.Stages = slices.Clone(x.Of), slices.Clone(x.Clusters), slices.Clone(x.Stages)
		c.change(&x)
		q := *p
		q.Pipeline = &x
		err := q.settle()
		if (err != nil) != c.refused {
			t.Errorf("change %d: %v", i, err)
		}
		if err == nil && !reflect.DeepEqual(q.Pipeline, told) {
			t.Errorf("change %d: it is believed", i)
		}
	}
}

// Two stages on each device in turns are a pipeline whose mesh says so.
func TestInterleaved(t *testing.T) {
	j, err := deepJob(t, 2).fill()
	if err != nil {
		t.Fatal(err)
	}
	of, err := j.Training.Clusters(8)
	if err != nil {
		t.Fatal(err)
	}
	s := &hunt{j: j, of: of, n: 8, after: j.Training.after(of, 8)}
	clusters := slices.Repeat([]part{{forward: 1000, backward: 2000, kept: 8, weights: 16}}, 8)
	var best []*judged
	for _, x := range slices.Concat(s.cut(clusters, equal(2, 1), 4, false, schedule.OneFOneB), s.cut(clusters, slices.Repeat(equal(2, 1), 2), 4, false, schedule.Interleaved)) {
		y, err := x.judge(j.Training, j.Cluster)
		if err != nil {
			t.Fatal(err)
		}
		best = append(best, y)
		for i := range x.parts {
			if x.need(i) > 10*y.peak {
				t.Errorf("%s: stage %d needs %d, peak %d", x.kind, i+1, x.need(i), y.peak)
			}
		}
	}
	m, err := NewMeshOf(j.Cluster, best[1].submeshes, Axis{Degree: 4, Time: true}, Axis{Degree: 1})
	if err != nil {
		t.Fatal(err)
	}
	if m.Devices() != 2 || len(m.Stages) != 4 || len(m.all(1)) != 2 {
		t.Errorf("%d devices, %d stages, %v", m.Devices(), len(m.Stages), m.all(1))
	}
	if _, err := NewMeshOf(j.Cluster, []Submesh{{0, 2}, {0, 1}}); err == nil {
		t.Error("stages share a device of several")
	}
	p, err := j.inTime(ctx, j.Training, 4, division{of: of, solved: &solutions{}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Mesh, err = NewMeshOf(j.Cluster, best[1].submeshes, p.Mesh.Axes...); err != nil {
		t.Fatal(err)
	}
	if err := s.tell(p, best[1]); err != nil {
		t.Error(err)
	}
}
