package recorded_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/recorded"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
)

var (
	gpu  = cost.Setting{Device: "GPU, 1 thread", Library: "cudnn 9"}
	relu = []graph.TensorType{{Sizes: []int{8}}}
)

// app is an operator on tensors like its result.
func app(o *graph.Op, t []graph.TensorType) cost.Application {
	return cost.Application{Op: o, In: t, Out: t}
}

// table has relu of 8 elements on the GPU, measured, and tanh, modelled.
func table(t testing.TB) *cost.Table {
	t.Helper()
	var tab cost.Table
	put := func(o *graph.Op, s cost.Sample) {
		if _, err := tab.Put(cost.NewEntry(cost.KeyOf(gpu, app(o, relu)), s)); err != nil {
			t.Fatal(err)
		}
	}
	put(op.Relu, cost.Sample{Seconds: 3e-6, MAD: 1e-7, Runs: 9, Source: cost.Measured})
	put(op.EWAdd, cost.Sample{Seconds: 5e-6, Source: cost.Modelled})
	return &tab
}

func TestMeasure(t *testing.T) {
	b := recorded.New(table(t), gpu)
	ctx := context.Background()
	opt := backends.MeasureOptions{}
	s, err := b.Measure(ctx, app(op.Relu, relu), opt)
	if want := (cost.Sample{Seconds: 3e-6, MAD: 1e-7, Runs: 9, Source: cost.Recorded}); err != nil || s != want {
		t.Errorf("got %v, %v, want %v", s, err, want)
	}
	if s, err = b.Measure(ctx, app(op.EWAdd, relu), opt); err != nil || s.Source != cost.Modelled {
		t.Errorf("a modelled time is replayed as %v, %v", s, err)
	}
	var missing *cost.MissingError
	other := []graph.TensorType{{Sizes: []int{9}}}
	if _, err := b.Measure(ctx, app(op.Relu, other), opt); !errors.As(err, &missing) || !strings.Contains(err.Error(), "relu(float32[9])") {
		t.Errorf("a size that was not recorded: %v", err)
	}
	if _, err := b.Measure(ctx, app(nil, relu), opt); err == nil {
		t.Error("no operator, and no error")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Measure(done, app(op.Relu, relu), opt); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestEveryOperator: what another backend tells of every operator is replayed
// from a file, the same.
func TestEveryOperator(t *testing.T) {
	m, err := cost.FindMachine("v100")
	if err != nil {
		t.Fatal(err)
	}
	var entries []cost.Entry
	want := map[cost.Key]cost.Seconds{}
	err = backendtest.Applications(func(g *graph.Graph, id graph.NodeID) error {
		a := cost.At(g, id)
		s, _, err := m.Cost(a)
		k := cost.KeyOf(gpu, a)
		entries, want[k] = append(entries, cost.NewEntry(k, cost.Sample{Seconds: s, Runs: 7, Source: cost.Measured})), s
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "all.costs")
	store, err := cost.OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Add(entries...); err != nil {
		t.Fatal(err)
	}
	b, damaged, err := recorded.Open(path, "GPU")
	if err != nil || len(damaged) > 0 {
		t.Fatal(err, damaged)
	}
	backendtest.RunCosts(t, b, cost.Recorded)
	err = backendtest.Applications(func(g *graph.Graph, id graph.NodeID) error {
		a := cost.At(g, id)
		s, err := b.Measure(t.Context(), a, backends.MeasureOptions{})
		if w := want[cost.KeyOf(gpu, a)]; err == nil && s.Seconds != w {
			err = fmt.Errorf("%v is replayed, %v was recorded", s, w)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSupports(t *testing.T) {
	var gb graph.Builder
	x, _ := gb.AddInput("x", graph.Float32, 8)
	y, _ := gb.Apply("y", op.Relu, nil, x)
	o, _ := gb.Opaque("o", "If", nil, []graph.Tensor{x}, relu)
	z, _ := gb.Apply("z", op.EWMul, nil, y.Out(0), o.Out(0))
	g, err := gb.Finish(z.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	b := recorded.New(table(t), gpu)
	for id, want := range map[graph.NodeID]string{x.Node: "no operator", y: "", o: "If): it is opaque", z: "no time recorded for ewmul"} {
		err := b.Supports(g, id)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("node %s: got %v, want %q", g.Name(id), err, want)
		}
	}
	if _, err := b.Compile(context.Background(), &model.Model{Graph: g}, backends.CompileOptions{}); !errors.Is(err, backends.ErrNoRun) {
		t.Errorf("compile: %v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, tab *cost.Table) string {
		path := filepath.Join(dir, name)
		s, err := cost.OpenStore(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(tab.Entries()...); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tab := table(t)
	one := write("one.costs", tab)
	k := cost.KeyOf(cost.Setting{Device: "CPU", Library: "x"}, app(op.Relu, relu))
	if _, err := tab.Put(cost.NewEntry(k, cost.Sample{Seconds: 1, Source: cost.Modelled})); err != nil {
		t.Fatal(err)
	}
	two := write("two.costs", tab)
	modes := &cost.Table{}
	for _, math := range []string{"float16", "tf32", ""} {
		s := gpu
		s.Math = math
		if _, err := modes.Put(cost.NewEntry(cost.KeyOf(s, app(op.Relu, relu)), cost.Sample{Seconds: 1, Source: cost.Modelled})); err != nil {
			t.Fatal(err)
		}
	}
	three := write("three.costs", modes)
	if b, _, err := recorded.Open(three, "tf32"); err != nil || b.Info().Math != "tf32" {
		t.Errorf("tf32: %v, %v", b, err)
	}
	for _, c := range []struct{ path, device, want string }{
		{one, "", ""}, {two, "GPU", ""}, {two, "", "2 settings fit"}, {two, "TPU", "0 settings fit"},
		{three, "GPU", ""}, {three, "math", "2 settings fit"}, {filepath.Join(dir, "no"), "", "no such file"},
	} {
		b, damaged, err := recorded.Open(c.path, c.device)
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %q: got %v, want %q", c.path, c.device, err, c.want)
			}
		case err != nil || len(damaged) > 0 || b.Setting() != gpu || b.Info().Device != gpu.Device:
			t.Errorf("%s %q: %v, %v, %v", c.path, c.device, b, damaged, err)
		}
	}
	if err := os.WriteFile(one, []byte("PNG\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := recorded.Open(one, ""); err == nil || !strings.Contains(err.Error(), "no table") {
		t.Errorf("a picture: %v", err)
	}
}

func TestSettingOf(t *testing.T) {
	i := backends.Info{Name: "cpu", Device: "EPYC", Version: "3", Threads: 2, Libraries: []string{"OpenBLAS 0.3"}}
	if got := recorded.SettingOf(i); got != (cost.Setting{Device: "EPYC, 2 threads", Library: "cpu 3, OpenBLAS 0.3"}) {
		t.Errorf("got %+v", got)
	}
	for n, want := range []string{"EPYC", "EPYC, 1 thread"} {
		i.Threads = n
		if got := recorded.SettingOf(i).Device; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	i.Math = "tf32"
	if got := recorded.SettingOf(i); got.Math != "tf32" || recorded.New(nil, got).Info().Math != "tf32" {
		t.Errorf("the arithmetic is lost: %+v", got)
	}
}

// TestTarget: times are laid on the plans that they were measured by.
func TestTarget(t *testing.T) {
	for library, want := range map[string]string{
		"cuda 1, NVRTC 12.9": "cuda", "cpu 4-avx512": "cpu", "cudax 1": "cpu", "": "cpu",
	} {
		b := recorded.New(&cost.Table{}, cost.Setting{Device: "d", Library: library})
		if got := b.Target().Name; got != want {
			t.Errorf("%q: target %s, want %s", library, got, want)
		}
	}
}

func Example() {
	var t cost.Table
	s := cost.Setting{Device: "GPU, 1 thread", Library: "cudnn 9"}
	in := []graph.TensorType{{Sizes: []int{8}}}
	if _, err := t.Put(cost.NewEntry(cost.KeyOf(s, app(op.Relu, in)), cost.Sample{Seconds: 3e-6, Runs: 9, Source: cost.Measured})); err != nil {
		fmt.Println(err)
		return
	}
	b := recorded.New(&t, s)
	fmt.Println(b.Measure(context.Background(), app(op.Relu, in), backends.MeasureOptions{}))
	_, err := b.Measure(context.Background(), cost.Application{Op: op.EWAdd, In: append(in, in...), Out: in}, backends.MeasureOptions{})
	fmt.Println(err)
	// Output:
	// 3 µs ± 0 s (recorded, 9 runs) <nil>
	// no time recorded for ewadd(float32[8], float32[8]) -> float32[8] on "GPU, 1 thread" by "cudnn 9"
}
