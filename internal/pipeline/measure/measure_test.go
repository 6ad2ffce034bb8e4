package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// fake measures everything but tanh: 1 µs for each element written. Its runs
// take at least a millisecond.
type fake struct {
	calls  []string
	stop   func() // called by the second measurement
	lose   bool   // the second measurement loses the device
	broken bool   // times of zero
	sleep  bool   // in runs
	runs   bool   // are in calls, too
	slow   int    // the pass of three measurements that takes ten times as long
	budget time.Duration
}

func (f *fake) Info() backends.Info {
	return backends.Info{Name: "fake", Device: "thin air", Version: "1", Threads: 1}
}
func (f *fake) Close() error { return nil }
func (f *fake) Supports(g *graph.Graph, id graph.NodeID) error {
	if g.Op(id).Name == "transpose" {
		return &backends.Unsupported{Backend: "fake", Node: g.Name(id), Op: "transpose", Why: "it cannot"}
	}
	return nil
}
func (f *fake) Target() *lower.Target { return lower.CPU() }
func (f *fake) Measure(ctx context.Context, a cost.Application, opt backends.MeasureOptions) (cost.Sample, error) {
	o, out := a.Op, a.Out
	name := o.Name
	for _, t := range a.Tail {
		name += "+" + t.Op.Name
	}
	f.calls = append(f.calls, name)
	f.budget = opt.Budget
	if f.stop != nil && len(f.calls) == 2 {
		f.stop()
		return cost.Sample{}, ctx.Err()
	}
	if f.lose && len(f.calls) >= 2 {
		return cost.Sample{}, fmt.Errorf("measure %s: %w", name, lost{})
	}
	if o == op.EWMul {
		return cost.Sample{}, errors.New("no kernel")
	}
	s := cost.Sample{Seconds: cost.Seconds(graph.NumElements(out[0].Sizes)) * 1e-6, Runs: 3, Source: cost.Measured}
	if f.slow > 0 && (len(f.calls)+2)/3 == f.slow {
		s.Seconds *= 10
	}
	if f.broken {
		s.Seconds = 0
	}
	return s, nil
}
func (f *fake) Compile(_ context.Context, m *model.Model, o backends.CompileOptions) (backends.Plan, error) {
	return &plan{f: f, g: m.Graph, fuse: !o.NoFuse, sleep: f.sleep}, nil
}

type plan struct {
	f           *fake
	g           *graph.Graph
	fuse, sleep bool
}

func (p *plan) Run(context.Context, []backends.Tensor) ([]backends.Tensor, error) {
	if p.f.runs {
		p.f.calls = append(p.f.calls, "run")
	}
	if p.sleep {
		time.Sleep(20 * time.Millisecond)
	}
	for start := time.Now(); time.Since(start) < time.Millisecond; { // time on the processor
	}
	return nil, nil
}
func (p *plan) Profile() []backends.OpTime {
	var out []backends.OpTime
	for id := range p.g.Nodes() {
		if p.g.Op(id) == nil {
			continue
		}
		t := backends.OpTime{Node: id, Name: p.g.Name(id), Op: p.g.Op(id).Name, Seconds: 1e-6}
		if t.Op == "relu" && p.fuse {
			t.Seconds, t.Into = 0, id-1
		}
		out = append(out, t)
	}
	return out
}
func (p *plan) PeakBytes() int64 { return 1 }
func (p *plan) Close() error     { return nil }

// parse makes a model without weights of a graph's text.
func parse(t testing.TB, name, text string) *model.Model {
	t.Helper()
	g, err := graph.ParseText(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Model{Name: name, Graph: g}
}

const (
	small = "x : float32[4, 4]\ny = matmul(x, x)\nz = relu(y)\nu = matmul(z, x)\nreturn u"
	large = "x : float32[8, 8]\ny = matmul(x, x)\nz = relu(y)\nreturn z"
)

func TestMeasure(t *testing.T) {
	f := &fake{}
	path := filepath.Join(t.TempDir(), "t.costs")
	store, err := cost.OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Backend: f, Store: store, Passes: 1, Models: []*model.Model{parse(t, "small", small), parse(t, "large", large)}}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.calls); got != "[matmul relu matmul+relu matmul relu matmul+relu]" {
		t.Errorf("measured %s", got)
	}
	if r.Measured != 6 || r.Reused != 0 || len(r.Applications) != 6 || r.Applications[0].Uses != 2 || len(r.Skipped) != 0 {
		t.Errorf("%+v", r)
	}
	for i, want := range []cost.Seconds{32e-6, 64e-6} {
		if got := r.Models[i].Sum; got < want*0.999 || got > want*1.001 {
			t.Errorf("%s: sum %v, want %v", r.Models[i].Name, got, want)
		}
	}
	// The next run, of another process, finds all of it.
	if o.Store, err = cost.OpenStore(path); err != nil {
		t.Fatal(err)
	}
	if r, err = Run(context.Background(), o); err != nil || r.Measured != 0 || r.Reused != 6 || !r.Applications[1].Reused {
		t.Errorf("second run: %+v, %v", r, err)
	}
	o.Again = true
	if r, err = Run(context.Background(), o); err != nil || r.Measured != 6 || r.Reused != 0 {
		t.Errorf("again: %+v, %v", r, err)
	}
}

// TestPasses: a pass may be slow, and the result does not show it.
func TestPasses(t *testing.T) {
	f := &fake{slow: 2}
	r, err := Run(context.Background(), Options{Backend: f, Models: []*model.Model{parse(t, "small", small)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.calls); got != "[matmul relu matmul+relu matmul relu matmul+relu matmul relu matmul+relu matmul relu matmul+relu]" {
		t.Errorf("measured %s", got)
	}
	for _, a := range r.Applications {
		if a.Sample.Seconds != 16e-6 || a.Sample.Runs != 12 || a.Sample.MAD != 0 {
			t.Errorf("%s: %v", a.Key, a.Sample)
		}
	}
	if r.Measured != 3 {
		t.Errorf("%d measured", r.Measured)
	}
	if f.budget != 100*time.Millisecond/4 {
		t.Errorf("a pass may take %v", f.budget)
	}
	if got := combine([]cost.Sample{{Seconds: 1, MAD: 5, Runs: 1}, {Seconds: 3, MAD: 1, Runs: 2}, {Seconds: 9, MAD: 1, Runs: 4}}); got != (cost.Sample{Seconds: 1, MAD: 2, Runs: 7}) {
		t.Errorf("combined %+v", got)
	}
}

// Runs of whole models come in turns with the measurements of their operators.
func TestTurns(t *testing.T) {
	f := &fake{runs: true}
	r, err := Run(context.Background(), Options{Backend: f, Passes: 2, EndToEnd: true, Repeat: 3,
		Models: []*model.Model{parse(t, "small", small), parse(t, "large", large), parse(t, "again", small)}})
	if err != nil {
		t.Fatal(err)
	}
	// Each compilation is followed by three runs to warm up.
	// The last two models run one after the other: the third has no operator of its own.
	want := "matmul relu matmul+relu run*4 matmul relu matmul+relu run*8 matmul relu matmul+relu run*5 matmul relu matmul+relu run*10"
	var got []string
	for i := 0; i < len(f.calls); {
		n := 1
		for i+n < len(f.calls) && f.calls[i] == "run" && f.calls[i+n] == "run" {
			n++
		}
		if f.calls[i] == "run" {
			got = append(got, fmt.Sprintf("run*%d", n))
		} else {
			got = append(got, f.calls[i])
		}
		i += n
	}
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	for _, m := range r.Models {
		if len(m.Run.Runs) != 3 || m.Run.Time.Runs != 3 || len(m.Run.Nodes) == 0 {
			t.Errorf("%s: %d runs counted", m.Name, len(m.Run.Runs))
		}
	}
}

// A model has a sum though its only view is a slice: dispatch is measured.
func TestViews(t *testing.T) {
	f := &fake{}
	r, err := Run(context.Background(), Options{Backend: f, Passes: 1,
		Models: []*model.Model{parse(t, "part", "x : float32[4, 4]\ny = slice[axis=1, lo=0, hi=2](x)\nz = matmul(x, y)\nreturn z")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.calls); got != "[slice matmul reshape]" {
		t.Errorf("measured %s", got)
	}
	// 8 elements of the product and a view of 1, not the 8 of a copied slice.
	if s := r.Models[0].Sum; s < 8.99e-6 || s > 9.01e-6 {
		t.Errorf("sum %v", s)
	}
}

func TestResume(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	path := filepath.Join(t.TempDir(), "t.costs")
	store, err := cost.OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Backend: &fake{stop: cancel}, Store: store, Passes: 1, Models: []*model.Model{parse(t, "small", small)}}
	r, err := Run(ctx, o)
	if !errors.Is(err, context.Canceled) || r == nil || r.Measured != 1 {
		t.Fatalf("interrupted: %+v, %v", r, err)
	}
	f := &fake{}
	o.Backend = f
	if o.Store, err = cost.OpenStore(path); err != nil {
		t.Fatal(err)
	}
	if r, err = Run(context.Background(), o); err != nil || r.Reused != 1 || fmt.Sprint(f.calls) != "[relu matmul+relu]" {
		t.Errorf("resumed: %+v, %v, measured %v", r, err, f.calls)
	}
}

// lost is the error of a device that is gone.
type lost struct{}

func (lost) Error() string { return "device lost" }
func (lost) Lost() bool    { return true }

// A device that is lost ends it; what was measured before is kept.
func TestLost(t *testing.T) {
	f := &fake{lose: true}
	r, err := Run(context.Background(), Options{Backend: f, Models: []*model.Model{parse(t, "large", large)}})
	if err == nil || !backends.Lost(err) || len(f.calls) != 2 || r == nil || r.Measured != 1 || len(r.Skipped) != 0 {
		t.Errorf("%+v, %v, measured %v", r, err, f.calls)
	}
}

func TestSkipped(t *testing.T) {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 4, 4)
	y, _ := b.Apply("y", op.Transpose, op.Transpose.MustAttr(map[string]graph.Value{"perm": graph.TupleValue(1, 0)}), x)
	z, _ := b.Opaque("z", "If", nil, []graph.Tensor{y.Out(0)}, []graph.TensorType{{Sizes: []int{4, 4}}})
	u, _ := b.Apply("u", op.EWMul, nil, z.Out(0), x)
	v, _ := b.Apply("v", op.Relu, nil, u.Out(0))
	g, err := b.Finish(v.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), Options{Backend: &fake{}, Models: []*model.Model{{Name: "m", Graph: g}}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range r.Skipped {
		got[s.Node] = s.Op + ": " + s.Why
	}
	for node, want := range map[string]string{"y": "transpose: ", "z": "If: opaque", "u": "ewmul: no kernel"} {
		if !strings.HasPrefix(got[node], want) {
			t.Errorf("node %s: %q, want %q", node, got[node], want)
		}
	}
	if r.Measured != 1 || r.Models[0].Cost != nil || r.Models[0].Sum != 0 {
		t.Errorf("%+v", r)
	}
	var w bytes.Buffer
	if err := r.WriteText(&w, 5); err != nil || !strings.Contains(w.String(), "m: no sum") || !strings.Contains(w.String(), "node u (ewmul): no kernel") {
		t.Errorf("%s, %v", w.String(), err)
	}
	// A time of zero is no time.
	r, err = Run(context.Background(), Options{Backend: &fake{broken: true}, Models: []*model.Model{parse(t, "large", large)}})
	if err != nil || r.Measured != 0 || len(r.Skipped) != 2 {
		t.Errorf("times of zero: %+v, %v", r, err)
	}
}

func TestEndToEnd(t *testing.T) {
	m, err := cost.FindMachine("laptop")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Backend: &fake{}, EndToEnd: true, Repeat: 3, Machine: m,
		Models: []*model.Model{parse(t, "small", small), parse(t, "large", large)},
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Models[0].Measured
	if p == nil || p.Fused != 1 || p.Nodes != 2 || p.Source != cost.Measured || p.Measured.Seconds <= 0 {
		t.Errorf("prediction %+v", p)
	}
	if k := r.Models[0].Kinds; len(k) != 2 || k[0].Op != "matmul+relu" || k[1].Op != "matmul" || k[1].Nodes != 1 || k[1].Within != 1e-6 || k[1].Alone < 15e-6 {
		t.Errorf("kinds %+v", k)
	}
	if a := r.Models[0].Analytic; a == nil || a.Source != cost.Modelled || a.Predicted <= 0 {
		t.Errorf("analytic %+v", a)
	}
	if c := r.Models[1].Calibrated; c == nil || c.Predicted == r.Models[1].Analytic.Predicted {
		t.Errorf("calibrated %+v", c)
	}
	if r.Fit == nil || r.Fit.Count != 4 {
		t.Errorf("fit %+v: %s", r.Fit, r.FitError)
	}
	if a := r.Accuracy; a.Measured == nil || a.Measured.Models != 2 || a.Analytic == nil || a.Calibrated == nil {
		t.Errorf("accuracy %+v", a)
	}
	var w bytes.Buffer
	if err := r.WriteText(&w, 2); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"6 timed now", "small: sum of operators 32 µs", "sum of the times vs whole runs", "formula of the machine", "formula fitted", "largest differences", "laptop-calibrated"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("no %q in\n%s", want, w.String())
		}
	}
	if strings.Count(w.String(), " then re") != 1 { // the list ends after two
		t.Errorf("the list is not cut:\n%s", w.String())
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if p.Measured != r.Models[0].Run.Calm || p.Measured.Runs != 1 || p.Measured.Seconds > r.Models[0].Run.Time.Seconds {
		t.Errorf("compared with %v: %+v", p.Measured, r.Models[0].Run)
	}
	// Runs that sleep look like runs on a busy machine.
	o.Backend = &fake{sleep: true}
	r, err = Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Models[0]; m.Run.CPU.Runs > 0 && (!m.Disturbed || m.Measured.Measured.Seconds > m.Run.Time.Seconds/2) {
		t.Errorf("disturbed: %+v", m)
	}
	o.Backend, o.NoFuse = &fake{}, true
	if r, err = Run(context.Background(), o); err != nil || r.Models[0].Measured.Fused != 0 || r.Models[0].Measured.Nodes != 3 {
		t.Errorf("without fusion: %+v, %v", r.Models[0].Measured, err)
	}
}

func TestErrors(t *testing.T) {
	m, err := cost.FindMachine("laptop")
	if err != nil {
		t.Fatal(err)
	}
	b, err := analytic.New(m)
	if err != nil {
		t.Fatal(err)
	}
	one := []*model.Model{parse(t, "small", small)}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	nowhere, err := cost.OpenStore(filepath.Join(t.TempDir(), "new.costs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(nowhere.Path(), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"nothing":          {Options{}, "no backend"},
		"no model":         {Options{Backend: b}, "no model"},
		"no graph":         {Options{Backend: b, Models: []*model.Model{{}}}, "without a graph"},
		"runs nothing":     {Options{Backend: b, Models: one, EndToEnd: true}, backends.ErrNoRun.Error()},
		"file is a folder": {Options{Backend: b, Models: one, Store: nowhere}, "is a directory"},
	} {
		if _, err := Run(context.Background(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	// Modelled times do not calibrate a machine.
	r, err := Run(context.Background(), Options{Backend: b, Models: one, Machine: m})
	if err != nil || r.Fit != nil || !strings.Contains(r.FitError, "observations") {
		t.Errorf("%+v, %v", r, err)
	}
}

func ExampleRun() {
	g, err := graph.ParseText("mlp", "x : float32[64, 1024]\nw : float32[1024, 1024]\ny = matmul(x, w)\nz = relu(y)\nreturn z")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := cost.FindMachine("v100")
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := analytic.New(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := Run(context.Background(), Options{Backend: b, Models: []*model.Model{{Name: "mlp", Graph: g}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range r.Applications {
		fmt.Println(a.Sample, a.Key.Application())
	}
	// Output:
	// 23.93 µs (modelled) matmul(float32[64, 1024], float32[1024, 1024]) -> float32[64, 1024]
	// 5.316 µs (modelled) relu(float32[64, 1024]) -> float32[64, 1024]
	// 23.94 µs (modelled) matmul(float32[64, 1024], float32[1024, 1024]) -> float32[64, 1024] then relu(_)
}
