package runmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// fake is a backend with a clock of its own: run i of a plan takes runs[i], and
// each node with a kernel a quarter of that.
type fake struct {
	t      time.Time
	used   time.Duration // processor time: three quarters of the runs
	runs   []time.Duration
	fail   error // of run 2
	device bool  // computes elsewhere than on the processor
	closed int
	seen   []backends.Tensor
}

func (f *fake) now() time.Time     { return f.t }
func (f *fake) cpu() time.Duration { return f.used }

func (f *fake) Info() backends.Info {
	i := backends.Info{Name: "fake", Device: "thin air", Version: "1", Threads: 1}
	if f.device {
		i.Threads = 0
	}
	return i
}
func (f *fake) Supports(*graph.Graph, graph.NodeID) error { return nil }
func (f *fake) Close() error                              { return nil }
func (f *fake) Target() *lower.Target                     { return lower.CPU() }
func (f *fake) Measure(context.Context, cost.Application, backends.MeasureOptions) (cost.Sample, error) {
	return cost.Sample{}, backends.ErrNoRun
}
func (f *fake) Compile(_ context.Context, m *model.Model, _ backends.CompileOptions) (backends.Plan, error) {
	f.t = f.t.Add(5 * time.Second)
	return &plan{f: f, g: m.Graph}, nil
}

type plan struct {
	f    *fake
	g    *graph.Graph
	n    int
	last time.Duration
}

func (p *plan) Run(ctx context.Context, in []backends.Tensor) ([]backends.Tensor, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.n == 2 && p.f.fail != nil {
		return nil, p.f.fail
	}
	p.f.seen = in
	p.last = p.f.runs[p.n%len(p.f.runs)]
	p.f.t = p.f.t.Add(p.last)
	p.f.used += p.last * 3 / 4
	p.n++
	return []backends.Tensor{backends.Float32s([]float32{float32(p.n)}, 1)}, nil
}

func (p *plan) Profile() []backends.OpTime {
	var out []backends.OpTime
	var before graph.NodeID
	for id := range p.g.Nodes() {
		if p.g.Op(id) == nil {
			continue
		}
		t := backends.OpTime{Node: id, Name: p.g.Name(id), Op: p.g.Op(id).Name}
		if t.Op == "relu" {
			t.Into = before
		} else {
			t.Seconds = cost.FromDuration(p.last) / 4
		}
		before = id
		out = append(out, t)
	}
	return out
}

func (p *plan) PeakBytes() int64 { return 3 << 20 }
func (p *plan) Close() error     { p.f.closed++; return nil }

// mlp is two matrix products, the first with a relu.
func mlp(t testing.TB) *model.Model {
	t.Helper()
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2, 4)
	w, _ := b.AddWeight("w", graph.Float32, 4, 4)
	y, _ := b.Apply("y", op.MatMul, nil, x, w)
	r, _ := b.Apply("r", op.Relu, nil, y.Out(0))
	z, _ := b.Apply("z", op.MatMul, nil, r.Out(0), w)
	g, err := b.Finish(z.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	return &model.Model{Name: "mlp", Graph: g, Weights: map[graph.NodeID]*model.Weight{w.Node: model.Random(1, []int{4, 4}, 1)}}
}

func ms(xs ...int) []time.Duration {
	var out []time.Duration
	for _, x := range xs {
		out = append(out, time.Duration(x)*time.Millisecond)
	}
	return out
}

func near(a, b cost.Seconds) bool { return math.Abs(float64(a-b)) < 1e-9 }

func TestRun(t *testing.T) {
	f := &fake{runs: ms(100, 100, 100, 8, 10, 30, 12, 9)} // three to warm up
	m := mlp(t)
	r, err := Run(context.Background(), Options{Backend: f, Model: m, Repeat: 5, now: f.now, cpu: f.cpu})
	if err != nil {
		t.Fatal(err)
	}
	if !near(r.Time.Seconds, 10e-3) || !near(r.Time.MAD, 2e-3) || r.Time.Runs != 5 || r.Time.Source != cost.Measured || !near(r.Min, 8e-3) || !near(r.Max, 30e-3) {
		t.Errorf("time %v, %v to %v", r.Time, r.Min, r.Max)
	}
	if !near(r.CPU.Seconds, 7.5e-3) || r.CPU.Runs != 5 || math.Abs(r.Disturbed()-0.25) > 1e-9 {
		t.Errorf("processor time %v, disturbed %v", r.CPU, r.Disturbed())
	}
	if r.Compile != 5 || r.PeakBytes != 3<<20 || r.Params != 16 || r.FLOPs != m.FLOPs() || f.closed != 1 {
		t.Errorf("%+v, closed %d times", r, f.closed)
	}
	if !near(r.Overhead, 5e-3) || len(r.Nodes) != 3 || !near(r.Nodes[0].Seconds, 2.5e-3) || r.Nodes[1].Into != "y" || r.Nodes[1].Seconds != 0 {
		t.Errorf("profile %+v, overhead %v", r.Nodes, r.Overhead)
	}
	if len(r.Kinds) != 2 || r.Kinds[0].Op != "matmul" || r.Kinds[0].Nodes != 2 || r.Kinds[1].Fused != 1 || r.Nodes[1].Into == "" {
		t.Errorf("kinds %+v, nodes %+v", r.Kinds, r.Nodes)
	}
	if len(f.seen) != 1 || len(f.seen[0].F32) != 8 || f.seen[0].F32[0] == 0 {
		t.Errorf("inputs %v", f.seen)
	}
	if len(r.Outputs) != 1 || r.Outputs[0].F32[0] != 8 {
		t.Errorf("outputs %v", r.Outputs)
	}
	b, err := json.Marshal(r)
	if err != nil || !bytes.Contains(b, []byte(`"into":"y"`)) {
		t.Errorf("%s, %v", b, err)
	}
	var w bytes.Buffer
	if err := r.WriteText(&w, -1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mlp: 10 ms per run on fake 1 on thin air, 1 thread", "10 ms ± 2 ms, 8 ms to 30 ms", "3.0 MiB at most", "overhead", "other processes used the CPU for 25 %", "relu in y", "25.0 %"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("no %q in\n%s", want, w.String())
		}
	}
}

func TestSameSeedSameInputs(t *testing.T) {
	var seen [3][]backends.Tensor
	for i, seed := range []uint64{7, 7, 8} {
		f := &fake{runs: ms(1)}
		if _, err := Run(context.Background(), Options{Backend: f, Model: mlp(t), Repeat: 1, Warmup: -1, Seed: seed, now: f.now}); err != nil {
			t.Fatal(err)
		}
		seen[i] = f.seen
	}
	if fmt.Sprint(seen[0]) != fmt.Sprint(seen[1]) || fmt.Sprint(seen[0]) == fmt.Sprint(seen[2]) {
		t.Errorf("inputs of seeds 7, 7, 8: %v", seen)
	}
}

// stopper cancels a context after some runs.
type stopper struct {
	fake
	cancel context.CancelFunc
	after  int
}

func (s *stopper) Compile(ctx context.Context, m *model.Model, o backends.CompileOptions) (backends.Plan, error) {
	p, err := s.fake.Compile(ctx, m, o)
	return &stopPlan{p.(*plan), s}, err
}

type stopPlan struct {
	*plan
	s *stopper
}

func (p *stopPlan) Run(ctx context.Context, in []backends.Tensor) ([]backends.Tensor, error) {
	if p.n == p.s.after {
		p.s.cancel()
	}
	return p.plan.Run(ctx, in)
}

// What was timed before the context was cancelled is reported, with the error;
// if that is nothing, there is no report.
func TestRunStopped(t *testing.T) {
	for after, want := range []int{0, 0, 1, 2} { // one run to warm up
		ctx, cancel := context.WithCancel(context.Background())
		f := &stopper{fake: fake{runs: ms(10)}, cancel: cancel, after: after}
		rep, err := Run(ctx, Options{Backend: f, Model: mlp(t), Repeat: 5, Warmup: 1, now: f.now, cpu: f.cpu})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d runs: error %v", after, err)
		}
		switch {
		case want == 0 && rep != nil, want > 0 && rep == nil:
			t.Errorf("after %d runs: report %v", after, rep)
		case want > 0 && (rep.Time.Runs != want || rep.Time.Seconds != 0.01 || len(rep.Nodes) != 3 || rep.PeakBytes == 0):
			t.Errorf("after %d runs: %+v", after, rep)
		}
		if f.closed != 1 {
			t.Errorf("after %d runs: closed %d times", after, f.closed)
		}
	}
}

func TestRunErrors(t *testing.T) {
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	broken := mlp(t)
	broken.Weights = nil
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		ctx  context.Context
		o    Options
		want string
	}{
		{"nothing", ctx, Options{}, "no backend"},
		{"no weights", ctx, Options{Backend: &fake{}, Model: broken}, "weight w"},
		{"wrong input", ctx, Options{Backend: &fake{}, Model: mlp(t), Inputs: []backends.Tensor{backends.Float32s([]float32{1}, 1)}}, "input x"},
		{"negative", ctx, Options{Backend: &fake{}, Model: mlp(t), Repeat: -1}, "-1 runs"},
		{"cancelled", cancelled, Options{Backend: &fake{runs: ms(1)}, Model: mlp(t)}, "context canceled"},
		{"a run fails", ctx, Options{Backend: &fake{runs: ms(1), fail: boom}, Model: mlp(t)}, "run model mlp: boom"},
	} {
		r, err := Run(c.ctx, c.o)
		if err == nil || r != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v, want an error with %q", c.name, r, err, c.want)
		}
		if f, ok := c.o.Backend.(*fake); ok && len(f.runs) > 0 && f.closed != 1 {
			t.Errorf("%s: the plan was closed %d times", c.name, f.closed)
		}
	}
}

func ExampleRun() {
	f := &fake{runs: ms(10)} // a clock for the example; a program leaves now alone
	g, err := graph.ParseText("g", "x : float32[2, 4]\ny = relu(x)\nreturn y")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := Run(context.Background(), Options{Backend: f, Model: &model.Model{Name: "relu", Graph: g}, Repeat: 7, now: f.now})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Model, r.Time)
	// Output: relu 10 ms ± 0 s (measured, 7 runs)
}

// The calmest part of a session counts, and the report is about all parts.
func TestSessionCalm(t *testing.T) {
	f := &fake{runs: ms(9, 9, 9, 4, 6)} // a plan starts from the first
	s, err := New(Options{Backend: f, Model: mlp(t), Warmup: -1, now: f.now, cpu: f.cpu})
	if err != nil {
		t.Fatal(err)
	}
	if s.Report() != nil {
		t.Error("a report before the first run")
	}
	for _, n := range []int{3, 5} {
		if err := s.Run(context.Background(), n, 0); err != nil {
			t.Fatal(err)
		}
		f.runs = ms(4, 6, 5, 7, 8)
	}
	r := s.Report()
	// Runs of the fake wait for a quarter of their time.
	if !near(r.Calm.Seconds, 4.5e-3) || r.Calm.Runs != 5 || !r.CalmCPU || len(r.Runs) != 8 || r.Time.Runs != 8 || f.closed != 2 {
		t.Errorf("calm %v (processor time: %v) of %d runs, closed %d times", r.Calm, r.CalmCPU, len(r.Runs), f.closed)
	}
	// More runs if these take less than the time given.
	if err := s.Run(context.Background(), 1, 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if r := s.Report(); len(r.Runs) != 12 {
		t.Errorf("%d runs", len(r.Runs))
	}
}

// The processor's time is not that of another device, for which it waits.
func TestOtherDevice(t *testing.T) {
	f := &fake{runs: ms(4, 6, 5), device: true}
	r, err := Run(context.Background(), Options{Backend: f, Model: mlp(t), Repeat: 3, Warmup: -1, now: f.now, cpu: f.cpu})
	if err != nil {
		t.Fatal(err)
	}
	if !near(r.Calm.Seconds, 5e-3) || r.CalmCPU || r.Disturbed() != 0 || r.Setting.Device != "thin air" {
		t.Errorf("calm %v (processor time: %v), disturbed %v, on %q", r.Calm, r.CalmCPU, r.Disturbed(), r.Setting.Device)
	}
}
