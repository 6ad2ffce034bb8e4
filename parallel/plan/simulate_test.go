package plan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// plans are those of the perceptron by some means, and each with savings that are drawn.
func plans(t *testing.T, f func(t *testing.T, p *Plan)) {
	tr, s := training(t, perceptron), strategies
	for _, c := range []struct {
		means   []Means
		degrees []int
	}{
		{[]Means{Data}, []int{4}},
		{[]Means{FSDP}, []int{4}},
		{[]Means{Megatron}, []int{4}},
		{[]Means{Data}, []int{2, 2}},
		{[]Means{Data, FSDP}, []int{2, 2}},
		{[]Means{FSDP, Megatron}, []int{2, 2}},
	} {
		t.Run(fmt.Sprintf("%v %v", c.means, c.degrees), func(t *testing.T) {
			p, err := Make(ctx, tr, meshOf(t, "summit", c.degrees...), Options{Means: c.means, Strategies: s})
			if err != nil {
				t.Fatal(err)
			}
			f(t, p)
			t.Run("saving", func(t *testing.T) { f(t, drawn(t, p, 1)) })
		})
	}
	for _, means := range []Means{Data, FSDP} {
		t.Run(fmt.Sprintf("%s [4] in 8", means), func(t *testing.T) {
			p, err := timed(t, tr, "summit", 8, []Means{Micro, means}, 4)
			if err != nil {
				t.Fatal(err)
			}
			f(t, p)
			t.Run("saving", func(t *testing.T) { f(t, drawn(t, p, 2)) })
		})
	}
}

func simulated(t *testing.T, p *Plan, opt SimulateOptions) *Simulation {
	t.Helper()
	s, err := p.Simulate(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// One thing after the other takes the time that a plan adds up, but for the loss, which only
// the first device has in the end; overlap never takes longer, and no device computes
// longer than the step.
func TestSimulateSerial(t *testing.T) {
	plans(t, func(t *testing.T, p *Plan) {
		serial := simulated(t, p, SimulateOptions{Serial: true})
		want, results := p.Time(), machine.Time(0)
		for axis := range p.Mesh.Degrees {
			if p.Passes[axis].Means != Megatron { // there the loss is computed everywhere
				loss, err := p.Mesh.Time(parallel.AllReduce, axis, 4)
				if err != nil {
					t.Fatal(err)
				}
				want -= loss
				if loss, err = p.Mesh.Time(parallel.ReduceTo, axis, 4); err != nil {
					t.Fatal(err)
				}
				want, results = want+loss, results+loss
			}
		}
		// Of several axes not all groups put the loss together.
		if got := serial.Makespan; got != want && (len(p.Mesh.Degrees) == 1 || got > want || got < want-results) {
			t.Errorf("serial: %d ps, want %d", got, want)
		}
		over := simulated(t, p, SimulateOptions{})
		if over.Makespan > serial.Makespan {
			t.Errorf("with overlap %v, without %v", over.Makespan, serial.Makespan)
		}
		for _, u := range over.Devices {
			if u.Compute+u.Exposed+u.Idle != over.Makespan {
				t.Errorf("device %d: %+v of %v", u.Device, u, over.Makespan)
			}
		}
	})
}

// The makespan, of which only the first device computes, is that of all devices.
func TestMakespan(t *testing.T) {
	tr := training(t, perceptron)
	for _, c := range []struct {
		cluster string
		degrees []int
		means   []Means
	}{
		{"summit", []int{4}, []Means{Data}}, {"summit:2", []int{2, 4}, []Means{FSDP, Megatron}}, {"summit:4", []int{4, 2}, []Means{Data, All}},
		{"dgx-a100:1", []int{2, 2, 2}, nil}, {"tpu-like:2x2", []int{2, 2}, []Means{Megatron, FSDP}},
	} {
		p, err := Make(ctx, tr, meshOf(t, c.cluster, c.degrees...), Options{Strategies: strategies, Means: c.means, Steps: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Makespan(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if all := simulated(t, p, SimulateOptions{}); got != all.Makespan {
			t.Errorf("%s %v: %v, all devices %v", c.cluster, c.degrees, got, all.Makespan)
		}
	}
}

// The gradient of the second layer is added up while that of the first one is computed,
// and only what is left of it is waited for.
func TestSimulateOverlap(t *testing.T) {
	p, err := Make(ctx, training(t, perceptron), meshOf(t, "summit", 4), Options{Strategies: strategies, Means: []Means{Data}})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := p.program()
	if err != nil {
		t.Fatal(err)
	}
	// Each all-reduce begins when what it sends is there and the links are free; who reads
	// it waits.
	end := make([]machine.Time, len(prog.slots))
	var device, links machine.Time
	sends := 0
	for i, s := range prog.slots {
		var ready machine.Time
		for _, r := range s.reads {
			ready = max(ready, end[r])
		}
		if s.kind == parallel.None {
			device = max(device, ready) + s.time
			end[i] = device
			continue
		}
		switch {
		case s.kind == parallel.AllReduce:
			sends++
		case s.kind != parallel.ReduceTo || !s.result:
			t.Fatalf("slot %d: %s", i, s.kind)
		}
		links = max(links, ready) + s.time
		end[i] = links
	}
	got := simulated(t, p, SimulateOptions{Samples: 64})
	if got.Makespan != max(device, links) || sends != 2 {
		t.Errorf("%d ps and %d all-reduces, want %d and 2", got.Makespan, sends, max(device, links))
	}
	if want := 64 / float64(got.Makespan.Seconds()); got.PerSecond != want {
		t.Errorf("%v samples a second, want %v", got.PerSecond, want)
	}
	// 2 (n-1) b by a ring over 4 devices of the gradients of both layers.
	for _, c := range got.Classes {
		if want := int64(2 * 3 * 4 * (128*256 + 256*64)); c.Class == "all-reduce" && (c.Bytes != want || c.Count != 2) {
			t.Errorf("%d all-reduces of %d bytes, want 2 of %d", c.Count, c.Bytes, want)
		}
	}
}

// The same plan is simulated the same way, written as it should be, and within bounds.
func TestSimulateOutput(t *testing.T) {
	p, err := Make(ctx, training(t, perceptron), meshOf(t, "summit", 2, 2), Options{Strategies: strategies, Means: []Means{FSDP, Megatron}})
	if err != nil {
		t.Fatal(err)
	}
	var traces [2]bytes.Buffer
	for i := range traces {
		s := simulated(t, p, SimulateOptions{})
		if err := s.Run.WriteTrace(&traces[i]); err != nil {
			t.Fatal(err)
		}
		if len(s.Critical) == 0 || s.Critical[len(s.Critical)-1].To != s.Makespan {
			t.Errorf("critical path %v of %v", s.Critical, s.Makespan)
		}
	}
	if traces[0].String() != traces[1].String() {
		t.Error("two runs differ")
	}
	if !strings.Contains(traces[0].String(), "all-gather") {
		t.Errorf("no all-gather in %s", traces[0].String())
	}
	if _, err := p.Simulate(ctx, SimulateOptions{MaxTasks: 10}); err == nil {
		t.Error("more than 10 tasks are 10")
	}
}
