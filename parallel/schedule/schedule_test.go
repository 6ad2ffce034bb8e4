package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/schedule"
	"github.com/taso-go/taso/parallel/sim"
)

const us = sim.Time(1e6)

// star is n devices at a host, each with 1 GB/s each way and 1 µs from end to end.
func star(t testing.TB, n int) *machine.Cluster {
	t.Helper()
	var ends []string
	for i := range n {
		ends = append(ends, fmt.Sprint(i))
	}
	c, err := machine.Parse("star.yaml", []byte("name: star\ndevice: v100\nnodes: 1\nclasses: {a: {latency: 500ns, bandwidth: 1GB/s}}\n"+
		"node: {devices: "+fmt.Sprint(n)+", hosts: {s: 4GB}, links: [{class: a, star: s, of: ["+strings.Join(ends, ", ")+"]}]}\n"), machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	f, b    = 3 * us, 5 * us
	kept    = int64(1000)
	weights = int64(70000)
	state   = int64(200000)
)

// equal is stages in a row that are alike, send nothing, and lie on devices in turns.
func equal(stages, devices int) []schedule.Stage {
	var out []schedule.Stage
	for i := range stages {
		out = append(out, schedule.Stage{Name: fmt.Sprint("s", i), Devices: []int{i % devices}, Forward: f, Backward: b, Kept: kept, Weights: weights, State: state})
	}
	return schedule.Chain(out...)
}

func build(t testing.TB, c *machine.Cluster, p schedule.Pipeline) *schedule.Run {
	t.Helper()
	r, err := p.Build(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Graph.Run(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBubble: the time of equal stages that send nothing is that of the literature, and the
// devices are idle for (P-1)/(M+P-1) of it with a flush, exactly.
func TestBubble(t *testing.T) {
	for _, P := range []int{1, 2, 3, 4, 8} {
		for _, M := range []int{1, 2, 4, 8, 16} {
			c := star(t, P)
			p, m := sim.Time(P), sim.Time(M)
			for _, k := range []schedule.Kind{schedule.GPipe, schedule.OneFOneB} {
				g := build(t, c, schedule.Pipeline{Stages: equal(P, P), MicroBatches: M, Schedule: k}).Graph
				if got, want := g.Makespan(), (m+p-1)*(f+b); got != want {
					t.Errorf("%s, P=%d, M=%d: %s, want (M+P-1)(f+b) = %s", k, P, M, got, want)
				}
				for _, u := range g.Usage() {
					if u.Idle*(m+p-1) != (p-1)*g.Makespan() {
						t.Errorf("%s, P=%d, M=%d: device %d is idle for %s of %s, want (P-1)/(M+P-1)", k, P, M, u.Device, u.Idle, g.Makespan())
					}
				}
				g = build(t, c, schedule.Pipeline{Stages: equal(P, P), MicroBatches: M, Batches: 3, Schedule: k}).Graph
				if got, want := g.Makespan(), 3*(m+p-1)*(f+b); got != want {
					t.Errorf("%s, P=%d, M=%d, three batches: %s, want %s", k, P, M, got, want)
				}
			}
			if M%P == 0 {
				for v := 1; v <= 4; v++ {
					g := build(t, c, schedule.Pipeline{Stages: equal(v*P, P), MicroBatches: M, Schedule: schedule.Interleaved}).Graph
					// A device computes Mv(f+b) and waits a v-th of what it would with stages v
					// times as long: (P-1)v(f+b)/v.
					if got, want := g.Makespan(), m*sim.Time(v)*(f+b)+(p-1)*(f+b); got != want {
						t.Errorf("interleaved, P=%d, M=%d, v=%d: %s, want Mv(f+b) + (P-1)(f+b) = %s", P, M, v, got, want)
					}
				}
			}
			if M >= P {
				g := build(t, c, schedule.Pipeline{Stages: equal(P, P), MicroBatches: M, Batches: 3, Schedule: schedule.TwoBW}).Graph
				if got, want := g.Makespan(), (3*m+p-1)*(f+b); got != want {
					t.Errorf("2bw, P=%d, M=%d, three batches: %s, want (3M+P-1)(f+b) = %s", P, M, got, want)
				}
			}
		}
	}
}

// TestInFlight: the most that each stage keeps at once is min(P-s, M) micro-batches with
// one forward, one backward, all M with GPipe, beside its weights, two versions of them
// without a flush.
func TestInFlight(t *testing.T) {
	for _, P := range []int{1, 2, 4, 7} {
		for _, M := range []int{1, 3, 4, 12} {
			for _, k := range schedule.Kinds() {
				if k == schedule.Interleaved || k == schedule.TwoBW && M < P {
					continue
				}
				g := build(t, star(t, P), schedule.Pipeline{Stages: equal(P, P), MicroBatches: M, Batches: 2, Schedule: k}).Graph
				for s, m := range g.Memory()[:P] {
					flight, versions := int64(min(P-s, M)), int64(1)
					if k == schedule.GPipe {
						flight = int64(M)
					}
					if k == schedule.TwoBW {
						versions = 2
					}
					if want := versions*weights + state + flight*kept; m.Peak != want {
						t.Errorf("%s, P=%d, M=%d: stage %d has %d bytes at most, want %d", k, P, M, s, m.Peak, want)
					}
				}
			}
		}
	}
}

// TestInterleavedInFlight: the first of P devices keeps as many chunks as Megatron-LM's
// schedule begins with and one more: 2(P-1) + (v-1)P + 1, if there are so many.
func TestInterleavedInFlight(t *testing.T) {
	for _, P := range []int{2, 4} {
		for v := 1; v <= 3; v++ {
			M := 4 * P
			g := build(t, star(t, P), schedule.Pipeline{Stages: equal(v*P, P), MicroBatches: M, Schedule: schedule.Interleaved}).Graph
			want := int64(min(2*(P-1)+(v-1)*P+1, M*v))*kept + int64(v)*(weights+state)
			if got := g.Memory()[0].Peak; got != want {
				t.Errorf("P=%d, v=%d: %d bytes on the first device, want %d", P, v, got, want)
			}
		}
	}
}

// branches are two branches of two stages each, and a stage that joins them.
func branches() []schedule.Stage {
	s := equal(5, 5)
	s[0].After, s[1].After = nil, []int{0}
	s[2].After, s[3].After = nil, []int{2}
	s[4].After = []int{1, 3}
	return s
}

// TestBranches: on a graph of stages the bubble is that of the longest way, shorter than
// that of all stages in a row, and so is what the first stages keep (GraphPipe).
func TestBranches(t *testing.T) {
	const M = 6
	c := star(t, 5)
	for _, k := range []schedule.Kind{schedule.GPipe, schedule.OneFOneB} {
		graph := build(t, c, schedule.Pipeline{Stages: branches(), MicroBatches: M, Schedule: k}).Graph
		if got, want := graph.Makespan(), (M+3-1)*(f+b); got != want {
			t.Errorf("%s: %s, want (M+2)(f+b) = %s", k, got, want)
		}
		row := build(t, c, schedule.Pipeline{Stages: equal(5, 5), MicroBatches: M, Schedule: k}).Graph
		if got, want := row.Makespan(), (M+5-1)*(f+b); got != want {
			t.Errorf("%s in a row: %s, want %s", k, got, want)
		}
		if k == schedule.OneFOneB {
			var flight []int64
			for _, m := range graph.Memory()[:5] {
				flight = append(flight, (m.Peak-weights-state)/kept)
			}
			if !slices.Equal(flight, []int64{3, 2, 3, 2, 1}) {
				t.Errorf("in flight %v, want as deep as each stage is", flight)
			}
		}
	}
}

// TestRecompute: going forward again takes f a micro-batch, and only one micro-batch is
// kept whole.
func TestRecompute(t *testing.T) {
	const P, M = 4, 8
	stages := equal(P, P)
	for i := range stages {
		stages[i].Recompute = true
	}
	g := build(t, star(t, P), schedule.Pipeline{Stages: stages, MicroBatches: M, Schedule: schedule.OneFOneB}).Graph
	// Recomputing does not wait for the gradient, so the last steps of the drain overlap.
	if got, want := g.Makespan(), (M+P-1)*(2*f+b); got > want || got < M*(2*f+b) {
		t.Errorf("%s, want at most (M+P-1)(2f+b) = %s", got, want)
	}
	for s, m := range g.Memory()[:P] {
		if m.Peak != weights+state+kept {
			t.Errorf("stage %d keeps %d bytes, want those of one micro-batch, %d", s, m.Peak-weights-state, kept)
		}
	}
}

// TestSegments: of a stage that computes again the inputs of its segments are kept by each
// micro-batch in flight, and one segment at a time is there besides; the time is that without
// segments.
func TestSegments(t *testing.T) {
	const P, M, inputs, segment = 4, 8, 30, 250
	for _, k := range []schedule.Kind{schedule.OneFOneB, schedule.GPipe} {
		var span [2]sim.Time
		for with := range span {
			stages := equal(P, P)
			for i := range stages {
				stages[i].Recompute = true
				if with == 1 {
					stages[i].Inputs, stages[i].Segment = inputs, segment
				}
			}
			g := build(t, star(t, P), schedule.Pipeline{Stages: stages, MicroBatches: M, Schedule: k}).Graph
			span[with] = g.Makespan()
			for s, m := range g.Memory()[:P] {
				flight := int64(min(P-s, M))
				if k == schedule.GPipe {
					flight = M
				}
				if want := weights + state + flight*inputs + segment; with == 1 && m.Peak != want {
					t.Errorf("%s: stage %d has %d bytes at most, want %d", k, s, m.Peak, want)
				}
			}
		}
		if span[0] != span[1] {
			t.Errorf("%s: %s with segments, %s without", k, span[1], span[0])
		}
	}
}

// TestOffload: what is kept lies at the host meanwhile, and the device needs less.
func TestOffload(t *testing.T) {
	const P, M = 4, 8
	stages := equal(P, P)
	for i := range stages {
		stages[i].Offload = true
	}
	c := star(t, P)
	g := build(t, c, schedule.Pipeline{Stages: stages, MicroBatches: M, Schedule: schedule.GPipe}).Graph
	m := g.Memory()
	for s := range P {
		if flight := (m[s].Peak - weights - state) / kept; flight > 3 || flight < 1 {
			t.Errorf("stage %d keeps %d micro-batches on the device, want few", s, flight)
		}
	}
	if host := m[P]; host.Vertex != P || host.Peak < (M-2)*kept {
		t.Errorf("the host: %+v", host)
	}
	plain := build(t, c, schedule.Pipeline{Stages: equal(P, P), MicroBatches: M, Schedule: schedule.GPipe}).Graph
	if g.Makespan() < plain.Makespan() {
		t.Errorf("%s with offload, %s without", g.Makespan(), plain.Makespan())
	}
}

// TestSends: with two stages a micro-batch's output and gradient are on the way once each,
// and gradients are added up by a ring.
func TestSends(t *testing.T) {
	c := star(t, 4)
	stages := schedule.Chain(
		schedule.Stage{Name: "a", Devices: []int{0, 1}, Forward: f, Backward: b, Out: 4000, Gradients: 6000, Update: 7 * us},
		schedule.Stage{Name: "b", Devices: []int{2, 3}, Forward: f, Backward: b, Out: 999999, Update: 7 * us})
	g := build(t, c, schedule.Pipeline{Stages: stages, MicroBatches: 1, Schedule: schedule.OneFOneB}).Graph
	// Device 0 sends its half, 2000 bytes, to device 2: 1 µs + 2 µs. The ring over two
	// devices: 2 steps of 1 µs + 3 µs.
	if got, want := g.Makespan(), f+3*us+f+b+3*us+b+8*us+7*us; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, n := range []int{1, 3} { // parts for another number of devices
		stages[1].Devices = []int{3, 2, 1}[:n]
		stages[0].Devices = []int{0}
		r := build(t, c, schedule.Pipeline{Stages: stages, MicroBatches: 1, Schedule: schedule.OneFOneB})
		x, ok := r.Graph.Task(r.Forward[0][0][0] + 1)
		if !ok || x.Class != "send" {
			t.Fatalf("the second task is %+v", x)
		}
		sum := int64(0)
		for _, m := range x.Work.(sim.Messages) {
			sum += m.Bytes
		}
		if sum != 4000 {
			t.Errorf("%d bytes are sent to %d devices, want 4000", sum, n)
		}
	}
}

// TestRandom: in random pipelines every pass runs once and after what it needs, no device
// is needed for less than its work, and no schedule with a flush beats the longest way.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		n, M := 1+r.IntN(6), 1+r.IntN(8)
		var stages []schedule.Stage
		next := 0
		for i := range n {
			s := schedule.Stage{Name: fmt.Sprint("s", i), Forward: sim.Time(r.IntN(9)) * us, Backward: sim.Time(r.IntN(9)) * us,
				Out: r.Int64N(5000), Kept: r.Int64N(3000), Gradients: r.Int64N(2) * 6000, Update: sim.Time(r.IntN(3)) * us,
				Recompute: r.IntN(4) == 0}
			s.Offload = !s.Recompute && r.IntN(4) == 0
			for range 1 + r.IntN(3) {
				s.Devices = append(s.Devices, next)
				next++
			}
			for a := range i {
				if r.IntN(2) == 0 {
					s.After = append(s.After, a)
				}
			}
			stages = append(stages, s)
		}
		for _, k := range []schedule.Kind{schedule.GPipe, schedule.OneFOneB, schedule.TwoBW} {
			p := schedule.Pipeline{Stages: stages, MicroBatches: M, Batches: 1 + r.IntN(2), Schedule: k}
			run, err := p.Build(star(t, next))
			if err != nil {
				if k == schedule.TwoBW && strings.Contains(err.Error(), "wants at least as many micro-batches") {
					continue
				}
				t.Fatal(err)
			}
			g := run.Graph
			if err := g.Run(); err != nil {
				t.Fatal(err)
			}
			usage := g.Usage()
			for i, s := range stages {
				for m := range M * p.Batches {
					for j, d := range s.Devices {
						fw, bw := g.Span(run.Forward[i][m][j]), g.Span(run.Backward[i][m][j])
						if bw.Start < fw.End {
							t.Fatalf("seed %d, %s: stage %d goes backward at %d, forward until %d", seed, k, i, bw.Start, fw.End)
						}
						for _, a := range s.After {
							for x := range stages[a].Devices {
								if fw.Start < g.Span(run.Forward[a][m][x]).End || g.Span(run.Backward[a][m][x]).Start < bw.End {
									t.Fatalf("seed %d, %s: stage %d, micro-batch %d runs before what it needs", seed, k, i, m)
								}
							}
						}
						work := (s.Forward + s.Backward) * sim.Time(M*p.Batches)
						if usage[d].Compute < work {
							t.Fatalf("seed %d, %s: device %d computes for %s, its passes are %s", seed, k, d, usage[d].Compute, work)
						}
					}
				}
				if len(run.Updates[i]) != p.Batches {
					t.Fatalf("seed %d, %s: stage %d is updated %d times in %d batches", seed, k, i, len(run.Updates[i]), p.Batches)
				}
			}
		}
	}
}

// TestDataParallel: with gradients that take longer than a layer the links are busy from the
// last layer's backward on, so the step is a forward, one backward, and all of these.
func TestDataParallel(t *testing.T) {
	const n, L = 4, 7
	c := star(t, n)
	layers := make([]schedule.Layer, L)
	for i := range layers {
		layers[i] = schedule.Layer{Forward: f, Backward: b, Kept: kept, Gradients: 8000, Update: 2 * us}
	}
	g, err := schedule.DataParallel(c, c.All(), layers, machine.Ring)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Run(); err != nil {
		t.Fatal(err)
	}
	// A ring: 6 steps of 1 µs + 2 µs, of which 12 µs hold the links.
	if got, want := g.Makespan(), L*f+b+(L-1)*12*us+18*us+2*us; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if m := g.Memory()[0]; m.Peak != L*kept {
		t.Errorf("%d bytes kept, want %d", m.Peak, L*kept)
	}
	layers[2].Backward = -1
	if _, err := schedule.DataParallel(c, c.All(), layers, machine.Ring); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("a negative time: %v", err)
	}
	if _, err := schedule.DataParallel(c, []int{0, 9}, layers, machine.Ring); err == nil {
		t.Error("a device that is not there")
	}
}

func TestErrors(t *testing.T) {
	c := star(t, 4)
	ok := schedule.Pipeline{Stages: equal(4, 4), MicroBatches: 4, Schedule: schedule.OneFOneB}
	for want, change := range map[string]func(*schedule.Pipeline){
		`schedule "" is none of gpipe`:                              func(p *schedule.Pipeline) { p.Schedule = "" },
		`0 stages, want 1 to`:                                       func(p *schedule.Pipeline) { p.Stages = nil },
		`0 micro-batches of 1 batches, want at least 1`:             func(p *schedule.Pipeline) { p.MicroBatches = 0 },
		`4000000 micro-batches of 1 batches`:                        func(p *schedule.Pipeline) { p.MicroBatches = 4e6 },
		`stage 2 (s2): it has no devices`:                           func(p *schedule.Pipeline) { p.Stages[2].Devices = nil },
		`stage 2 (s2): a time is negative`:                          func(p *schedule.Pipeline) { p.Stages[2].Backward = -1 },
		`stage 2 (s2): a number of bytes is negative`:               func(p *schedule.Pipeline) { p.Stages[2].Kept = -1 },
		`stage 2 (s2): it reads stage 2, want one before it`:        func(p *schedule.Pipeline) { p.Stages[2].After = []int{2} },
		`stage 2 (s2): it reads a stage twice`:                      func(p *schedule.Pipeline) { p.Stages[2].After = []int{1, 1} },
		`stage 2 (s2): device 1 is in stage 1 (s1), too`:            func(p *schedule.Pipeline) { p.Stages[2].Devices = []int{1} },
		`stage 2 (s2): 9 is none of the devices 0 to 3`:             func(p *schedule.Pipeline) { p.Stages[2].Devices = []int{9} },
		`it has segments and computes nothing again`:                func(p *schedule.Pipeline) { p.Stages[2].Segment = 1 },
		`recompute or offload`:                                      func(p *schedule.Pipeline) { p.Stages[2].Recompute, p.Stages[2].Offload = true, true },
		`wants at least as many micro-batches`:                      func(p *schedule.Pipeline) { p.Schedule, p.MicroBatches = schedule.TwoBW, 3 },
		`wants numbers of stages and micro-batches that it divides`: func(p *schedule.Pipeline) { p.Schedule, p.MicroBatches = schedule.Interleaved, 3 },
		`wants stages in a row`:                                     func(p *schedule.Pipeline) { p.Schedule, p.Stages[2].After = schedule.Interleaved, []int{0} },
	} {
		p := ok
		p.Stages = slices.Clone(ok.Stages)
		change(&p)
		if _, err := p.Build(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	if _, err := ok.Build(c); err != nil {
		t.Error(err)
	}
}
