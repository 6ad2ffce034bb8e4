package cuda_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// mixed needs launches, a product, a convolution, a kernel that runs once and fault
// words.
const mixed = `
x : float32[1, 3, 8, 8]
i : int64[2]
w : weight float32[4, 3, 3, 3]
v : weight float32[64, 8]
u : weight float32[64, 8]
c = conv2d[pad=same_upper](x, w)
r = relu(c)
f = reshape[shape=[4, 64]](r)
t = ewadd(v, u)
m = matmul(f, t)
s = softmax[axis=1](m)
g = gather[axis=0](s, i)
return g`

// mixedModel is the graph mixed with numbers.
func mixedModel(t testing.TB) (*model.Model, []backends.Tensor) {
	t.Helper()
	g, err := graph.ParseText("mixed", mixed)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Name: "mixed", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	var in []backends.Tensor
	for k, id := range g.Inputs() {
		typ := g.Type(id.Out(0))
		x, err := backends.Random(uint64(k), typ)
		if err != nil {
			t.Fatal(err)
		}
		for k := range x.I64 {
			x.I64[k] = int64(3 - k)
		}
		if g.IsWeight(id) {
			m.Weights[id] = model.FromFloat32(typ.Sizes, x.F32)
		} else {
			in = append(in, x)
		}
	}
	return m, in
}

// product is a group to measure, which libraries do in several ways.
func product(t testing.TB) cost.Application {
	t.Helper()
	mm, _ := graph.Lookup("matmul")
	typ := func(sizes ...int) graph.TensorType { return graph.TensorType{DType: graph.Float32, Sizes: sizes} }
	return cost.Application{Op: mm, In: []graph.TensorType{typ(4, 64), typ(64, 8)}, Out: []graph.TensorType{typ(4, 8)}}
}

var errWrong = errors.New("the results are wrong")

// A life is all that a backend is asked, from opening to closing. Where the device
// is not lost, what failed is asked once more: nothing that failed may leave
// anything behind.
type life struct {
	m       *model.Model
	in      []backends.Tensor
	app     cost.Application
	want    []float32 // nil: the results are kept there
	closing func()    // called before the end
	c       *fake.Control
	failed  []error
}

// ask calls f, and again if it fails.
func (l *life) ask(b *cuda.Backend, f func() error) error {
	err := f()
	if err == nil {
		return nil
	}
	l.failed = append(l.failed, err)
	if b.Device().Lost() != nil {
		return err
	}
	if again := f(); again != nil {
		return fmt.Errorf("asked again: %w", again)
	}
	return nil
}

func (l *life) live(ctx context.Context) (err error) {
	var b *cuda.Backend
	opening := func() (err error) { b, err = cuda.Open(cuda.Options{NoCache: true}); return err }
	if err := opening(); err != nil {
		l.failed = append(l.failed, err)
		if err := opening(); err != nil {
			return fmt.Errorf("opened again: %w", err)
		}
	}
	b.Shorten()
	defer func() {
		l.closing()
		lost := b.Device().Lost()
		if more := b.Close(); more != nil {
			l.failed = append(l.failed, more)
			if lost != nil && err == nil {
				err = fmt.Errorf("close of a lost device: %w", more)
			}
		}
	}()
	var p backends.Plan
	if err := l.ask(b, func() (err error) { p, err = b.Compile(ctx, l.m, backends.CompileOptions{}); return err }); err != nil {
		return err
	}
	defer func() {
		if more := p.Close(); more != nil {
			l.failed = append(l.failed, more)
		}
	}()
	for range 2 { // the second run is a replay
		if err := l.ask(b, func() error { return l.run(ctx, p) }); err != nil {
			return err
		}
	}
	if b.Device().Lost() == nil { // a profile has no error
		if p.Profile() == nil && b.Device().Lost() == nil && p.Profile() == nil {
			return errors.New("no profile, twice")
		}
	}
	l.c.Empty(true) // a measurement is not about numbers
	opt := backends.MeasureOptions{Budget: time.Nanosecond, MinRuns: 2, Between: 4096, Cold: true}
	return l.ask(b, func() error {
		s, err := b.Measure(ctx, l.app, opt)
		if err == nil {
			err = s.Check()
		}
		return err
	})
}

func (l *life) run(ctx context.Context, p backends.Plan) error {
	out, err := p.Run(ctx, l.in)
	if err != nil {
		return err
	}
	if l.want == nil {
		l.want = out[0].F32
	}
	for i, w := range l.want {
		if d := math.Abs(float64(out[0].F32[i] - w)); !(d < 1e-5) { // a library may be refused
			return fmt.Errorf("%w: element %d is %v, not %v", errWrong, i, out[0].F32[i], w)
		}
	}
	return nil
}

// TestFaults makes every call of the libraries fail in turn, once so that it alone
// fails and once so that the device is lost, and each allocation for want of memory.
func TestFaults(t *testing.T) {
	c := fake.Libraries(t, fake.Options{Own: true, Unchecked: true})
	l := life{c: c, app: product(t)}
	l.m, l.in = mixedModel(t)
	closes := 0
	l.closing = func() { closes = c.Count() }
	if err := l.live(t.Context()); err != nil || l.failed != nil {
		t.Fatal(err, l.failed)
	}
	if bad := append(c.Problems(), c.Leaks()...); bad != nil {
		t.Fatal(bad)
	}
	calls := c.Calls()
	for _, want := range []string{"cuLaunchKernel", "cublasLtMatmul", "cudnnConvolutionBiasActivationForward", "cuGraphLaunch", "cuEventRecord"} {
		if c.Called(want) == 0 {
			t.Errorf("%s is not called", want)
		}
	}
	points, silent := 0, 0
	for _, kind := range []string{"plain", "memory", "lost"} {
		for i := 1; i <= len(calls); i++ {
			f := fake.Failure{Call: i, Lose: kind == "lost"}
			if kind == "memory" {
				if calls[i-1] != "cuMemAlloc_v2" {
					continue
				}
				f.Code = 2
			}
			c.Reset()
			c.Fail(f)
			points++
			try := l
			try.closing, try.failed = func() {}, nil
			err := try.live(t.Context())
			where := fmt.Sprintf("%s, call %d (%s)", kind, i, calls[i-1])
			for _, bad := range append(c.Problems(), c.Leaks()...) {
				t.Errorf("%s: %s", where, bad)
			}
			for _, e := range try.failed {
				if s := e.Error(); strings.Contains(s, "\n") || len(s) > 500 {
					t.Errorf("%s: %q", where, s)
				}
			}
			var lost *dl.LostError
			switch {
			case err == nil:
				if len(try.failed) == 0 {
					silent++
				}
			case errors.Is(err, errWrong):
				t.Errorf("%s: %v", where, err)
			case kind != "lost":
				t.Errorf("%s: it fails for good: %v", where, err)
			case kind == "lost" && i < closes && i > 40 && !errors.As(err, &lost):
				t.Errorf("%s: it is not known that the device is lost: %v", where, err)
			}
			if t.Failed() {
				t.Fatalf("%s: %v", where, try.failed)
			}
		}
	}
	t.Logf("%d calls, %d points of failure, %d of them noticed by nobody", len(calls), points, silent)
	c.Reset()
}
