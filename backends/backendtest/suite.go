package backendtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op" // operators are registered there
	"github.com/taso-go/taso/model"
)

// tolerance is the deviation from the reference that is taken for rounding:
// absolute, and relative to the value.
const tolerance = 2e-5

// Run runs the suite on b.
func Run(t *testing.T, b backends.Backend) {
	t.Run("info", func(t *testing.T) { info(t, b) })
	t.Run("operators", func(t *testing.T) {
		for _, c := range operators {
			for _, variant := range c.graphs() {
				t.Run(c.name()+variant.name, func(t *testing.T) {
					Check(t, b, parse(t, variant.text), variant.opt)
				})
			}
		}
	})
	t.Run("graphs", func(t *testing.T) {
		for _, c := range graphs {
			for _, opt := range []backends.CompileOptions{{}, {NoFuse: true}, {KeepAll: true}} {
				t.Run(c.name, func(t *testing.T) { Check(t, b, parse(t, c.text), opt) })
			}
		}
	})
	t.Run("errors", func(t *testing.T) { faults(t, b) })
	t.Run("cancel", func(t *testing.T) { cancelled(t, b) })
	t.Run("profile", func(t *testing.T) { profile(t, b) })
	t.Run("measure", func(t *testing.T) { measure(t, b) })
}

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("case", text)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return g
}

// values are the numbers for all inputs of a graph, weights included. Those of
// float32 are in -1 to 1, or in 0.5 to 1.5 for names that begin with "pos".
// Those of int64 count through 0, 1, 2, as far as the name says: "idx3".
func values(g *graph.Graph) (all []interp.Tensor[float64], feed []backends.Tensor, weights map[graph.NodeID]*model.Weight, err error) {
	weights = map[graph.NodeID]*model.Weight{}
	for i, id := range g.Inputs() {
		typ := g.Type(id.Out(0))
		x, err := backends.Random(uint64(i)+1, typ)
		if err != nil {
			return nil, nil, nil, err
		}
		name := g.Name(id)
		ref := make([]float64, graph.NumElements(typ.Sizes))
		for k := range x.F32 {
			if strings.HasPrefix(name, "pos") {
				x.F32[k] = 1 + x.F32[k]/2
			}
			ref[k] = float64(x.F32[k])
		}
		for k := range x.I64 {
			if n := name[len(name)-1] - '0'; n > 0 && n < 10 {
				x.I64[k] = int64(k) % int64(n)
			}
			ref[k] = float64(x.I64[k])
		}
		all = append(all, interp.Tensor[float64]{Sizes: typ.Sizes, Data: ref})
		switch {
		case !g.IsWeight(id):
			feed = append(feed, x)
		case typ.DType == graph.Int64:
			weights[id] = model.FromInt64(typ.Sizes, x.I64)
		default:
			weights[id] = model.FromFloat32(typ.Sizes, x.F32)
		}
	}
	return all, feed, weights, nil
}

// Check fails the test if Agree does not hold; the test is skipped if the
// backend does not support a node.
func Check(t *testing.T, b backends.Backend, g *graph.Graph, opt backends.CompileOptions) {
	t.Helper()
	for id := range g.Nodes() {
		if err := b.Supports(g, id); err != nil {
			t.Skip(err)
		}
	}
	if err := Agree(context.Background(), b, g, opt); err != nil {
		t.Errorf("%v in:\n%s", err, g)
	}
}

// Agree compiles and runs a graph on random numbers and compares the outputs
// with the interpreter's. It runs the plan three times, the second time on
// other numbers, and wants the first results again, bit by bit.
func Agree(ctx context.Context, b backends.Backend, g *graph.Graph, opt backends.CompileOptions) (err error) {
	all, feed, weights, err := values(g)
	if err != nil {
		return err
	}
	want, err := interp.EvalGraph(ctx, interp.Float{}, g, all)
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	p, err := b.Compile(ctx, &model.Model{Name: "case", Graph: g, Weights: weights}, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	first, err := p.Run(ctx, feed)
	if err != nil {
		return err
	}
	if err := compare(g, first, want); err != nil {
		return err
	}
	other := make([]backends.Tensor, len(feed))
	for i, x := range feed {
		other[i] = backends.Tensor{DType: x.DType, Sizes: x.Sizes, I64: x.I64}
		for k := range x.F32 {
			other[i].F32 = append(other[i].F32, 0.25+x.F32[len(x.F32)-1-k]/2)
		}
	}
	if _, err := p.Run(ctx, other); err != nil {
		return err
	}
	again, err := p.Run(ctx, feed)
	if err != nil {
		return err
	}
	for i := range first {
		for k := range first[i].F32 {
			if math.Float32bits(first[i].F32[k]) != math.Float32bits(again[i].F32[k]) {
				return fmt.Errorf("output %d, element %d: %v in the first run, %v in the third", i, k, first[i].F32[k], again[i].F32[k])
			}
		}
	}
	return nil
}

// compare reports the first element that deviates.
func compare(g *graph.Graph, got []backends.Tensor, want []interp.Tensor[float64]) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d outputs, want %d", len(got), len(want))
	}
	for i := range got {
		if err := got[i].Check(g.Type(g.Outputs()[i])); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
		for k, w := range want[i].Data {
			var v float64
			if got[i].DType == graph.Int64 {
				v = float64(got[i].I64[k])
			} else {
				v = float64(got[i].F32[k])
			}
			if math.IsNaN(w) && math.IsNaN(v) || v == w {
				continue
			}
			if d := math.Abs(v - w); !(d <= tolerance*(1+math.Abs(w))) {
				return fmt.Errorf("output %d, element %d of %v: got %v, want %v", i, k, got[i].Sizes, v, w)
			}
		}
	}
	return nil
}

func info(t *testing.T, b backends.Backend) {
	i := b.Info()
	if i.Name == "" || i.Device == "" || i.Version == "" || i.Threads < 1 {
		t.Errorf("info %+v leaves something open", i)
	}
	if i.String() != b.Info().String() {
		t.Error("info changes")
	}
}

const small = `
x : float32[2, 3]
w : weight float32[3, 4]
y = matmul(x, w)
z = relu(y)
return z`

// smallModel is the graph small with weights.
func smallModel(t *testing.T) *model.Model {
	g := parse(t, small)
	_, _, w, err := values(g)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Model{Name: "small", Graph: g, Weights: w}
}

func faults(t *testing.T, b backends.Backend) {
	ctx := context.Background()
	m := smallModel(t)
	if _, err := b.Compile(ctx, &model.Model{Name: "bare", Graph: m.Graph}, backends.CompileOptions{}); err == nil || !strings.Contains(err.Error(), "w") {
		t.Errorf("compile without the weight w: %v", err)
	}
	if _, err := b.Compile(ctx, nil, backends.CompileOptions{}); err == nil {
		t.Error("compile without a model: no error")
	}
	p, err := b.Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in   []backends.Tensor
		want string
	}{
		{nil, "0 inputs, want 1"},
		{[]backends.Tensor{backends.Float32s(make([]float32, 6), 3, 2)}, "input x"},
		{[]backends.Tensor{backends.Int64s(make([]int64, 6), 2, 3)}, "input x"},
		{[]backends.Tensor{backends.Float32s(make([]float32, 5), 2, 3)}, "not 5"},
	} {
		if _, err := p.Run(ctx, c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("run: error %v, want one with %q", err, c.want)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if _, err := p.Run(ctx, []backends.Tensor{backends.Float32s(make([]float32, 6), 2, 3)}); err == nil {
		t.Error("a closed plan runs")
	}

	var gb graph.Builder
	x, _ := gb.AddInput("x", graph.Float32, 2)
	id, err := gb.Opaque("mystery", "NonMaxSuppression", "payload", []graph.Tensor{x}, []graph.TensorType{{DType: graph.Float32, Sizes: []int{2}}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gb.Finish(id.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	var un *backends.Unsupported
	if err := b.Supports(g, id); !errors.As(err, &un) || un.Node != "mystery" {
		t.Errorf("opaque node: %v", err)
	}
	if _, err := b.Compile(ctx, &model.Model{Name: "opaque", Graph: g}, backends.CompileOptions{}); err == nil || !strings.Contains(err.Error(), "mystery") {
		t.Errorf("compile an opaque node: %v", err)
	}
}

func cancelled(t *testing.T, b backends.Backend) {
	m := smallModel(t)
	ctx, cancel := context.WithCancel(context.Background())
	p, err := b.Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	cancel()
	in := []backends.Tensor{backends.Float32s(make([]float32, 6), 2, 3)}
	if _, err := p.Run(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("run with a cancelled context: %v", err)
	}
	if _, err := b.Compile(ctx, m, backends.CompileOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("compile with a cancelled context: %v", err)
	}
	if _, err := p.Run(context.Background(), in); err != nil {
		t.Errorf("run after a cancelled one: %v", err)
	}
}

func profile(t *testing.T, b backends.Backend) {
	ctx := context.Background()
	for _, noFuse := range []bool{false, true} {
		p, err := b.Compile(ctx, smallModel(t), backends.CompileOptions{NoFuse: noFuse})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Profile(); len(got) != 0 {
			t.Errorf("profile before the first run: %v", got)
		}
		if _, err := p.Run(ctx, []backends.Tensor{backends.Float32s(make([]float32, 6), 2, 3)}); err != nil {
			t.Fatal(err)
		}
		got := p.Profile()
		if len(got) != 2 || got[0].Name != "y" || got[0].Op != "matmul" || got[1].Name != "z" || got[1].Op != "relu" {
			t.Fatalf("profile %v", got)
		}
		if got[0].Seconds <= 0 {
			t.Errorf("matmul took %v", got[0].Seconds)
		}
		if noFuse && (got[1].Seconds <= 0 || got[1].Into != 0) {
			t.Errorf("without fusion relu took %v, computed by node %d", got[1].Seconds, got[1].Into)
		}
		if p.PeakBytes() < 4*(6+12+8) {
			t.Errorf("peak of %d bytes", p.PeakBytes())
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func measure(t *testing.T, b backends.Backend) {
	ctx := context.Background()
	opt := backends.MeasureOptions{Budget: 5 * time.Millisecond, Between: 1 << 20, Seed: 3}
	typ := func(sizes ...int) graph.TensorType { return graph.TensorType{DType: graph.Float32, Sizes: sizes} }
	mm, _ := graph.Lookup("matmul")
	sample := func(m, k, n int) cost.Sample {
		s, err := b.Measure(ctx, mm, nil, []graph.TensorType{typ(m, k), typ(k, n)}, []graph.TensorType{typ(m, n)}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if s.Runs < 5 || s.Seconds <= 0 || s.MAD < 0 || s.Source != cost.Measured {
			t.Errorf("sample %+v", s)
		}
		return s
	}
	if a, c := sample(4, 4, 4), sample(160, 160, 160); a.Seconds >= c.Seconds {
		t.Errorf("a product of 4x4 takes %v, one of 160x160 %v", a.Seconds, c.Seconds)
	}
	if _, err := b.Measure(ctx, mm, nil, []graph.TensorType{typ(2, 3), typ(4, 5)}, []graph.TensorType{typ(2, 5)}, opt); err == nil {
		t.Error("measured a product whose sizes do not fit")
	}
	if _, err := b.Measure(ctx, mm, nil, []graph.TensorType{typ(2, 3), typ(3, 5)}, []graph.TensorType{typ(2, 6)}, opt); err == nil {
		t.Error("measured with a result of another size")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Measure(ended, mm, nil, []graph.TensorType{typ(2, 3), typ(3, 5)}, []graph.TensorType{typ(2, 5)}, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("measure with a cancelled context: %v", err)
	}
}
