package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// device is a backend that runs the generated kernels on the CPU, one after the
// other: each buffer is memory of its own.
type device struct {
	races bool
	lib   kernel.Libraries // may be called: they are computed by their definition
	calls map[string]int   // of libraries, counted by their name
}

func (device) Info() backends.Info { return backends.Info{Name: "cuda"} }
func (device) Supports(g *graph.Graph, id graph.NodeID) error {
	return kernel.Supports(g, id)
}
func (device) Target() *lower.Target { return lower.CUDA() }
func (device) Measure(context.Context, cost.Application, backends.MeasureOptions) (cost.Sample, error) {
	return cost.Sample{}, errors.New("it has no clock")
}
func (device) Close() error { return nil }

// run is a compiled graph.
type run struct {
	device
	p    *lower.Plan
	bufs [][]byte // by buffer
	// known is set after a first checked run, if no index is computed from elements.
	known bool
}

func (d device) Compile(_ context.Context, m *model.Model, opt backends.CompileOptions) (backends.Plan, error) {
	p, err := lower.Graph(m.Graph, lower.CUDA(), lower.Options{NoFuse: opt.NoFuse, KeepAll: opt.KeepAll})
	if err != nil {
		return nil, err
	}
	r := &run{device: d, p: p, bufs: make([][]byte, len(p.Buffers))}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		switch {
		case b.Home == lower.Weight:
			if r.bufs[i], err = backends.ReadWeight(m, b.Node); err != nil {
				return nil, err
			}
		default:
			r.bufs[i] = slices.Repeat([]byte{0xff}, b.Bytes) // what is not a number
		}
	}
	for i := range p.Buffers {
		root := i
		for p.Buffers[root].Shares != lower.None {
			root = int(p.Buffers[root].Shares)
		}
		r.bufs[i] = r.bufs[root]
	}
	return r, r.kernels(p.Once)
}

func (r *run) kernels(ks []lower.Kernel) error {
	for i := range ks {
		calls, scratch, err := kernel.Calls(r.p, &ks[i], r.lib)
		if err != nil {
			return err
		}
		memory := slices.Repeat([]byte{0xff}, int(scratch))
		for _, c := range calls {
			do := r.launch
			switch {
			case c.Matmul != nil:
				r.calls["matmul"]++
				do = r.library
			case c.Conv != nil:
				r.calls["conv"]++
				do = r.library
			}
			if err := do(c, &ks[i], memory); err != nil {
				return fmt.Errorf("node %s (%s): %w", r.p.Graph.Name(c.Node), r.p.Graph.Op(c.Node).Name, err)
			}
		}
	}
	return nil
}

func (r *run) launch(c kernel.Call, k *lower.Kernel, scratch []byte) error {
	l := c.Launch
	fault := make([]int64, kernel.FaultBytes/8)
	args := make([]any, len(l.Args))
	for i, a := range l.Args {
		switch a.Value {
		case kernel.Scratch:
			args[i] = scratch[a.Offset:]
		case kernel.Fault:
			args[i] = fault
		default:
			v := &r.p.Values[a.Value]
			b := r.bufs[v.Buffer][int64(v.Offset*v.DType.Bytes())+a.Offset:]
			if !slices.Contains(k.Out, a.Value) {
				b = slices.Clone(b)
			}
			args[i] = b
		}
	}
	if err := fake.Try(fake.Kernel{Source: l.Source, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Races: r.races, Known: r.known}, args...); err != nil {
		return fmt.Errorf("%w in:\n%s", err, l.Source)
	}
	if fault[0] != 0 {
		return fmt.Errorf(l.Fault, fault[1])
	}
	return nil
}

func (r *run) Run(_ context.Context, in []backends.Tensor) ([]backends.Tensor, error) {
	k := 0
	for _, v := range r.p.Inputs {
		if v == lower.None {
			continue
		}
		to := r.bufs[r.p.Values[v].Buffer][:0]
		held := in[k]
		held.DType = lower.Wide(held.DType)
		copy(to[:cap(to)], held.Bytes())
		k++
	}
	if err := r.kernels(r.p.Run); err != nil {
		return nil, err
	}
	r.known = true
	for id := range r.p.Graph.Nodes() {
		if op := r.p.Graph.Op(id); op != nil && slices.Contains([]string{"gather", "scatteradd", "topk"}, op.Name) {
			r.known = false
		}
	}
	out := make([]backends.Tensor, len(r.p.Outputs))
	for i, id := range r.p.Outputs {
		v := &r.p.Values[id]
		held := graph.TensorType{DType: v.DType, Sizes: v.Sizes}
		x, err := backends.FromBytes(held, r.bufs[v.Buffer][v.Offset*v.DType.Bytes():][:held.Bytes()])
		if err != nil {
			return nil, err
		}
		x.DType = r.p.Graph.DType(r.p.Graph.Outputs()[i])
		backends.RoundTo(x.DType, x.F32)
		out[i] = x
	}
	return out, nil
}

func (*run) Profile() []backends.OpTime { return nil }
func (*run) PeakBytes() int64           { return 0 }
func (*run) Close() error               { return nil }

// TestCases runs the suite's graphs by generated kernels.
func TestCases(t *testing.T) { cases(t, device{}, 0, "") }

// TestLibraries runs those with products and convolutions by calls of libraries, each
// compared with its fallback.
func TestLibraries(t *testing.T) {
	d := device{lib: kernel.Libraries{CublasLt: true, Cudnn: true}, calls: map[string]int{}}
	cases(t, d, 2, "matmul", "conv2d")
	if least := sweep.Size(25, 100); d.calls["matmul"] < least || d.calls["conv"] < least {
		t.Errorf("libraries were called for %v", d.calls)
	}
}

// TestTypes runs the cases of element types: what is held as float32 is computed with, all
// others are moved and cast; what is more is refused.
func TestTypes(t *testing.T) {
	skipWithoutCgo(t)
	cases, err := backendtest.Types()
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, c := range cases {
		kind, name, _ := strings.Cut(c.Name, "/")
		if !slices.Contains([]string{"mixed", "mask", "integers", "arithmetic", "truth", "graphs/small", "operators/relu", "operators/transpose"}, name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			err := c.Check(t.Context(), device{calls: map[string]int{}})
			var un *backends.Unsupported
			switch {
			case errors.As(err, &un) && !strings.Contains(un.Why, kind+"[") && name != "mixed":
				t.Errorf("refused: %v", un)
			case err != nil && un == nil:
				t.Error(err)
			case err == nil:
				ran[name] = true
			}
		})
	}
	for name, want := range map[string]bool{"mask": true, "integers": true, "graphs/small": true, "arithmetic": false, "truth": false} {
		if ran[name] != want {
			t.Errorf("%s: ran %t", name, ran[name])
		}
	}
}

// cases runs the suite's graphs that have one of some operators; "" is any. A sample has one
// form of each graph with a product or a convolution, which take most of the time.
func cases(t *testing.T, d device, offset int, ops ...string) {
	skipWithoutCgo(t)
	cases, err := backendtest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	forms := sweep.Forms{Offset: offset}
	for _, c := range cases {
		if c.Graph == nil || !slices.ContainsFunc(ops, func(op string) bool { return op == "" || slices.Contains(c.Ops, op) }) {
			continue
		}
		if (slices.Contains(c.Ops, "matmul") || slices.Contains(c.Ops, "conv2d")) && !forms.Keep(c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			err := c.Check(t.Context(), d)
			var un *backends.Unsupported
			switch {
			case errors.As(err, &un):
				t.Skip(err)
			case err != nil:
				t.Error(err)
			}
		})
	}
}

// skipWithoutCgo skips a test where nothing can be run.
func skipWithoutCgo(t *testing.T) {
	t.Helper()
	if err := fake.Try(fake.Kernel{Source: "extern \"C\" __global__ void k() {}"}); errors.Is(err, fake.ErrNoCgo) {
		t.Skip(err)
	}
}
