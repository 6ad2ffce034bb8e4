package cuda_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
)

// quick are options of a measurement of a few runs.
var quick = backends.MeasureOptions{Budget: time.Nanosecond, MinRuns: 3, Between: 1 << 20}

// onItsOwn is the time of an application by the profile of a plan of it: on the
// fake device, what its calls are counted with where they are issued one by one.
func onItsOwn(t *testing.T, b *cuda.Backend, a cost.Application) cost.Seconds {
	t.Helper()
	m, in, err := backends.Single(&a, backends.MeasureOptions{}.WithDefaults(&a))
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Compile(t.Context(), m, backends.CompileOptions{NoFuse: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	var sum cost.Seconds
	for _, o := range p.Profile() {
		sum += o.Seconds
	}
	return sum
}

// replayed is what the fake device counts in the replay of a graph for what takes a
// time where it is issued by itself.
func replayed(t cost.Seconds) cost.Seconds { return t / 2 }

// unary is an operator of one operand, n by n.
func unary(name string, n int) cost.Application {
	op, _ := graph.Lookup(name)
	typ := graph.TensorType{DType: graph.Float32, Sizes: []int{n, n}}
	return cost.Application{Op: op, In: []graph.TensorType{typ}, Out: []graph.TensorType{typ}}
}

// TestMeasure: a measured time is what the device counts for the application's calls.
func TestMeasure(t *testing.T) {
	b, _ := open(t, cuda.Options{}, fake.Options{Empty: true})
	for _, n := range []int{4, 64, 300} {
		a := unary("relu", n)
		want := replayed(onItsOwn(t, b, a))
		for _, between := range []int64{-1, 0, 1 << 20} {
			for _, cold := range []bool{false, true} {
				opt := quick
				opt.Between, opt.Cold = between, cold
				s, err := b.Measure(t.Context(), a, opt)
				if err != nil {
					t.Fatal(err)
				}
				// The launch of the graph is counted too.
				if s.Seconds < want || s.Seconds > want*101/100 || s.MAD > want/1000 || s.Runs < 3 {
					t.Errorf("relu of %d, between %d, cold %v: %v, want %v", n, between, cold, s, want)
				}
			}
		}
	}
}

// TestMeasureNoise: where times scatter, there are more runs, and the median is near
// the middle.
func TestMeasureNoise(t *testing.T) {
	b, _ := open(t, cuda.Options{}, fake.Options{Empty: true, Noise: 2})
	a := unary("relu", 64)
	exact := replayed(cost.Seconds(2000e-9 + 64*64/50*1e-9))
	opt := quick
	opt.MinRuns = 20
	s, err := b.Measure(t.Context(), a, opt)
	if err != nil {
		t.Fatal(err)
	}
	if s.Runs < 20 || s.MAD == 0 || math.Abs(float64(s.Seconds/exact)-1.01) > 0.01 {
		t.Errorf("%v, without noise %v", s, exact)
	}
}

// TestChoice: the fastest algorithm is found by measuring, plans use it from then on,
// and so does another backend that shares the folder.
func TestChoice(t *testing.T) {
	dir := t.TempDir()
	fake.Libraries(t, fake.Options{Empty: true})
	mm, _ := graph.Lookup("matmul")
	typ := func(sizes ...int) graph.TensorType { return graph.TensorType{DType: graph.Float32, Sizes: sizes} }
	a := cost.Application{Op: mm, In: []graph.TensorType{typ(64, 64), typ(64, 64)}, Out: []graph.TensorType{typ(64, 64)}}
	start := func() *cuda.Backend {
		b, err := cuda.Open(cuda.Options{Cache: dir})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	one := start()
	before := onItsOwn(t, one, a)
	s, err := one.Measure(t.Context(), a, quick)
	if err != nil {
		t.Fatal(err)
	}
	after := onItsOwn(t, one, a)
	// Of the fake's algorithms the second takes 0.8 of the first's time.
	if r := after / before; r < 0.79 || r > 0.81 {
		t.Errorf("the choice takes %v, without measuring %v", after, before)
	}
	if w := replayed(after); s.Seconds < w || s.Seconds > w*101/100 {
		t.Errorf("measured %v, a run takes %v", s, after)
	}
	two := start()
	if got := onItsOwn(t, two, a); got != after {
		t.Errorf("the next backend takes %v, not %v", got, after)
	}
	files, err := filepath.Glob(filepath.Join(dir, "choices-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", string(whole[:len(whole)/2]), `{"choices":{}}`, "[]"} {
		if err := os.WriteFile(files[0], []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		three := start()
		if got := onItsOwn(t, three, a); got != before {
			t.Errorf("with a file of %q it takes %v, not %v", bad, got, before)
		}
		if err := three.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := two.Measure(t.Context(), unary("relu", 8), quick); err != nil {
		t.Error(err)
	}
	for _, b := range []*cuda.Backend{one, two} {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A fuse is a context that is cancelled when it has been asked a few times.
type fuse struct {
	context.Context
	left int
}

func (f *fuse) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestMeasureCancelled cancels a measurement at each place where it looks: nothing is
// left behind, no choice is half made, and the next measurement is as ever.
func TestMeasureCancelled(t *testing.T) {
	dir := t.TempDir()
	fake.Libraries(t, fake.Options{Empty: true})
	b, err := cuda.Open(cuda.Options{Cache: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.Shorten()
	a := product(t)
	before := onItsOwn(t, b, a)
	idle := b.Device().Live()
	places := 0
	for ; ; places++ {
		_, err := b.Measure(&fuse{Context: t.Context(), left: places}, a, quick)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("at %d: %v", places, err)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*.tmp*")); len(files) > 0 {
			t.Errorf("at %d: %v", places, files)
		}
		if b.Reference() { // it stays, from when it is there
			continue
		}
		if live := b.Device().Live(); live.Allocations > idle.Allocations || live.Descriptors > idle.Descriptors || live.Graphs > idle.Graphs {
			t.Errorf("at %d: %+v lives, before %+v", places, live, idle)
		}
	}
	if places < 10 {
		t.Errorf("cancelled at %d places", places)
	}
	if after := onItsOwn(t, b, a); after >= before {
		t.Errorf("no choice was made: %v, before %v", after, before)
	}
}
