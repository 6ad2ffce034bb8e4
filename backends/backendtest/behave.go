package backendtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// behaviour are the cases that are about no operator: what the interface
// promises.
func behaviour() []Case {
	return []Case{
		{Name: "info", Check: info},
		{Name: "errors of compile", Check: compileFaults},
		{Name: "errors of run", Check: runFaults},
		{Name: "unknown operators", Check: unknown},
		{Name: "cancel", Check: cancelled},
		{Name: "cancel in the middle", Check: cancelledLater},
		{Name: "weights belong to the caller", Check: weightsChange},
		{Name: "plans at once", Check: atOnce},
		{Name: "profile", Check: profile},
		{Name: "measure", Check: measure},
		{Name: "every operator costs something", Check: measureAll},
	}
}

func info(_ context.Context, b backends.Backend) error {
	i := b.Info()
	if i.Name == "" || i.Device == "" || i.Version == "" || i.Threads < 0 || !slices.IsSorted(i.Libraries) {
		return fmt.Errorf("info %+v leaves something open", i)
	}
	if i.String() != b.Info().String() {
		return errors.New("info changes")
	}
	return nil
}

const small = `
x : float32[2, 3]
w : weight float32[3, 4]
y = matmul(x, w)
z = relu(y)
return z`

// smallModel is the graph small with weights, and an input.
func smallModel() (*model.Model, []backends.Tensor, error) {
	g, err := graph.ParseText("small", small)
	if err != nil {
		return nil, nil, err
	}
	_, in, w, err := values(g)
	return &model.Model{Name: "small", Graph: g, Weights: w}, in, err
}

// compiled is a plan of smallModel.
func compiled(ctx context.Context, b backends.Backend, opt backends.CompileOptions) (backends.Plan, []backends.Tensor, error) {
	m, in, err := smallModel()
	if err != nil {
		return nil, nil, err
	}
	p, err := b.Compile(ctx, m, opt)
	return p, in, err
}

// with reports an error that is missing or does not contain a text.
func with(err error, what, text string) error {
	if err == nil || !strings.Contains(err.Error(), text) {
		return fmt.Errorf("%s: error %v, want one with %q", what, err, text)
	}
	return nil
}

func compileFaults(ctx context.Context, b backends.Backend) error {
	m, _, err := smallModel()
	if err != nil {
		return err
	}
	var errs []error
	try := func(what string, m *model.Model, want string) {
		p, err := b.Compile(ctx, m, backends.CompileOptions{})
		if err == nil {
			errs = append(errs, p.Close())
		}
		errs = append(errs, with(err, "compile "+what, want))
	}
	try("without a model", nil, "")
	try("without a graph", &model.Model{Name: "empty"}, "")
	try("without a weight", &model.Model{Name: "bare", Graph: m.Graph}, "weight w")
	w, _ := m.Graph.Find("w")
	for what, weight := range map[string]*model.Weight{
		"with a weight of other sizes": model.FromFloat32([]int{4, 3}, make([]float32, 12)),
		"with a weight too large":      model.FromFloat32([]int{300, 4}, make([]float32, 1200)),
		"with a weight of integers":    model.FromInt64([]int{3, 4}, make([]int64, 12)),
		"with too few numbers":         model.FromFloat32([]int{3, 4}, make([]float32, 11)),
		"with a weight out of reach": {Sizes: []int{3, 4}, Load: func() ([]byte, error) {
			return nil, errors.New("the disk is gone")
		}},
	} {
		try(what, &model.Model{Name: "bad", Graph: m.Graph, Weights: map[graph.NodeID]*model.Weight{w: weight}}, "weight w")
	}
	return errors.Join(errs...)
}

func runFaults(ctx context.Context, b backends.Backend) error {
	p, good, err := compiled(ctx, b, backends.CompileOptions{})
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range []struct {
		in   []backends.Tensor
		want string
	}{
		{nil, "0 inputs, want 1"},
		{append(good, good...), "2 inputs, want 1"},
		{[]backends.Tensor{backends.Float32s(make([]float32, 6), 3, 2)}, "input x"},
		{[]backends.Tensor{backends.Float32s(make([]float32, 6), 6)}, "input x"},
		{[]backends.Tensor{backends.Int64s(make([]int64, 6), 2, 3)}, "input x"},
		{[]backends.Tensor{backends.Float32s(make([]float32, 5), 2, 3)}, "not 5"},
		{[]backends.Tensor{backends.Float32s(make([]float32, 7), 2, 3)}, "not 7"},
	} {
		_, err := p.Run(ctx, c.in)
		errs = append(errs, with(err, "run", c.want))
	}
	if _, err := p.Run(ctx, good); err != nil {
		errs = append(errs, fmt.Errorf("run after errors: %w", err))
	}
	errs = append(errs, p.Close())
	if err := p.Close(); err != nil {
		errs = append(errs, fmt.Errorf("second close: %w", err))
	}
	_, err = p.Run(ctx, good)
	return errors.Join(append(errs, with(err, "run of a closed plan", ""))...)
}

// unknown: an opaque node is refused by name, unless no output needs it.
func unknown(ctx context.Context, b backends.Backend) error {
	var gb graph.Builder
	x, err := gb.AddInput("x", graph.Float32, 2)
	if err != nil {
		return err
	}
	id, err := gb.Opaque("mystery", "NonMaxSuppression", "payload", []graph.Tensor{x}, []graph.TensorType{{DType: graph.Float32, Sizes: []int{2}}})
	if err != nil {
		return err
	}
	g, err := gb.Finish(id.Out(0))
	if err != nil {
		return err
	}
	var un *backends.Unsupported
	if err := b.Supports(g, id); !errors.As(err, &un) || un.Node != "mystery" {
		return fmt.Errorf("support of an opaque node: %v", err)
	}
	_, err = b.Compile(ctx, &model.Model{Name: "opaque", Graph: g}, backends.CompileOptions{})
	return with(err, "compile an opaque node", "mystery")
}

func cancelled(ctx context.Context, b backends.Backend) (err error) {
	p, in, err := compiled(ctx, b, backends.CompileOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	m, _, err := smallModel()
	if err != nil {
		return err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.Run(ended, in); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("run with a cancelled context: %v", err)
	}
	if _, err := b.Compile(ended, m, backends.CompileOptions{}); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("compile with a cancelled context: %v", err)
	}
	if _, err := p.Run(ctx, in); err != nil {
		return fmt.Errorf("run after a cancelled one: %w", err)
	}
	return nil
}

// fuse is a context that is cancelled when it has been asked a few times.
type fuse struct {
	context.Context
	mu   sync.Mutex
	left int
}

func (f *fuse) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

// cancelledLater ends runs after some of their operators. What they left behind
// must not show in the next run.
func cancelledLater(ctx context.Context, b backends.Backend) (err error) {
	g, err := graph.ParseText("several", `
x : float32[4, 6]
w : weight float32[6, 6]
a = matmul(x, w)
b = softmax[axis=1](a)
c = matmul(b, w)
d = softmax[axis=0](c)
e = matmul(d, w)
f = ewadd(e, a)
return f, c`)
	if err != nil {
		return err
	}
	_, in, weights, err := values(g)
	if err != nil {
		return err
	}
	p, err := b.Compile(ctx, &model.Model{Name: "several", Graph: g, Weights: weights}, backends.CompileOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	first, err := p.Run(ctx, in)
	if err != nil {
		return err
	}
	stopped := 0
	for asked := range 6 {
		switch _, err := p.Run(&fuse{Context: ctx, left: asked}, in); {
		case errors.Is(err, context.Canceled):
			stopped++
		case err != nil:
			return fmt.Errorf("run cancelled later: %w", err)
		}
		again, err := p.Run(ctx, in)
		if err != nil {
			return fmt.Errorf("run after one that was cancelled: %w", err)
		}
		if err := same("output", again, first, "in the first run", "after a cancelled one"); err != nil {
			return err
		}
	}
	if stopped < 3 {
		return fmt.Errorf("%d of 6 runs saw that their context was cancelled, want 3 at least", stopped)
	}
	return nil
}

// weightsChange: once a model is compiled, its weights may be dropped.
func weightsChange(ctx context.Context, b backends.Backend) (err error) {
	m, in, err := smallModel()
	if err != nil {
		return err
	}
	data := make([]float32, 12)
	for i := range data {
		data[i] = float32(i)
	}
	w, _ := m.Graph.Find("w")
	m.Weights[w] = model.FromFloat32([]int{3, 4}, data)
	p, err := b.Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	first, err := p.Run(ctx, in)
	if err != nil {
		return err
	}
	clear(data)
	m.Weights[w].Load = func() ([]byte, error) { return nil, errors.New("the file is closed") }
	again, err := p.Run(ctx, in)
	if err != nil {
		return fmt.Errorf("run without the model: %w", err)
	}
	return same("output", again, first, "before the weights changed", "after that")
}

// atOnce: several goroutines compile and run with one backend.
func atOnce(ctx context.Context, b backends.Backend) error {
	texts := []string{small, `
x : float32[20, 20]
y : float32[20, 20]
a = matmul(x, y)
b = softmax[axis=1](a)
c = ewadd(b, x)
return c`}
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			g, err := graph.ParseText("case", texts[i%len(texts)])
			for range 3 {
				if err == nil {
					err = Agree(ctx, b, g, backends.CompileOptions{})
				}
			}
			errs[i] = err
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

func profile(ctx context.Context, b backends.Backend) error {
	for _, noFuse := range []bool{false, true} {
		if err := profileOf(ctx, b, noFuse); err != nil {
			return err
		}
	}
	return nil
}

func profileOf(ctx context.Context, b backends.Backend, noFuse bool) (err error) {
	p, in, err := compiled(ctx, b, backends.CompileOptions{NoFuse: noFuse})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if got := p.Profile(); len(got) != 0 {
		return fmt.Errorf("profile before the first run: %v", got)
	}
	start := time.Now()
	if _, err := p.Run(ctx, in); err != nil {
		return err
	}
	whole := cost.FromDuration(time.Since(start))
	got := p.Profile()
	if len(got) != 2 || got[0].Name != "y" || got[0].Op != "matmul" || got[1].Name != "z" || got[1].Op != "relu" || got[0].Node+1 != got[1].Node {
		return fmt.Errorf("profile %v", got)
	}
	if got[0].Seconds <= 0 || got[0].Into != 0 || got[0].Seconds+got[1].Seconds > whole {
		return fmt.Errorf("profile of a run of %v: matmul took %v, relu %v", whole, got[0].Seconds, got[1].Seconds)
	}
	if noFuse && (got[1].Seconds <= 0 || got[1].Into != 0) {
		return fmt.Errorf("without fusion relu took %v, computed by node %d", got[1].Seconds, got[1].Into)
	}
	if got[1].Into != 0 && (got[1].Into != got[0].Node || got[1].Seconds != 0) {
		return fmt.Errorf("relu is fused into node %d and took %v", got[1].Into, got[1].Seconds)
	}
	if p.PeakBytes() < 4*(6+12+8) || p.PeakBytes() > 64<<20 {
		return fmt.Errorf("peak of %d bytes", p.PeakBytes())
	}
	return nil
}

func measure(ctx context.Context, b backends.Backend) error {
	opt := backends.MeasureOptions{Budget: 5 * time.Millisecond, Between: 1 << 20, Seed: 3}
	typ := func(sizes ...int) graph.TensorType { return graph.TensorType{DType: graph.Float32, Sizes: sizes} }
	mm, _ := graph.Lookup("matmul")
	sample := func(ctx context.Context, m, k, l, n, o int) (cost.Sample, error) {
		s, err := b.Measure(ctx, cost.Application{Op: mm, In: []graph.TensorType{typ(m, k), typ(l, n)}, Out: []graph.TensorType{typ(m, o)}}, opt)
		if err == nil && (s.Check() != nil || s.Runs < 5 || s.Source != cost.Measured) {
			err = fmt.Errorf("measured %+v", s)
		}
		return s, err
	}
	short, err := sample(ctx, 4, 4, 4, 4, 4)
	if err != nil {
		return err
	}
	long, err := sample(ctx, 160, 160, 160, 160, 160)
	if err != nil {
		return err
	}
	if short.Seconds >= long.Seconds || math.IsInf(float64(long.Seconds), 0) {
		return fmt.Errorf("a product of 4x4 takes %v, one of 160x160 %v", short.Seconds, long.Seconds)
	}
	if _, err := sample(ctx, 2, 3, 4, 5, 5); err == nil {
		return errors.New("measured a product whose sizes do not fit")
	}
	if _, err := sample(ctx, 2, 3, 3, 5, 6); err == nil {
		return errors.New("measured with a result of another size")
	}
	relu, _ := graph.Lookup("relu")
	group := cost.Application{Op: mm, In: []graph.TensorType{typ(4, 4), typ(4, 4)}, Out: []graph.TensorType{typ(4, 4)}, Tail: []cost.Fused{{Op: relu}}}
	if s, err := b.Measure(ctx, group, opt); err != nil || s.Check() != nil {
		return fmt.Errorf("measured a product with a function behind it: %v, %v", s, err)
	}
	if _, err := b.Measure(ctx, cost.Application{}, opt); err == nil {
		return errors.New("measured no operator")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := sample(ended, 2, 3, 3, 5, 5); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("measure with a cancelled context: %v", err)
	}
	return nil
}

// measureAll measures one application of each operator that is supported: none
// is free, whatever it does.
func measureAll(ctx context.Context, b backends.Backend) error {
	opt := backends.MeasureOptions{Budget: time.Microsecond, Between: -1}
	done := map[string]bool{}
	for _, c := range operators {
		if done[c.op] {
			continue
		}
		done[c.op] = true
		g, err := graph.ParseText("case", c.graphs()[0].text)
		if err != nil {
			return err
		}
		id := graph.NodeID(g.Len())
		if b.Supports(g, id) != nil {
			continue
		}
		s, err := b.Measure(ctx, cost.At(g, id), opt)
		if err == nil {
			err = s.Check() // above zero
		}
		if err != nil {
			return fmt.Errorf("measure %s: %w", c.name(), err)
		}
	}
	return nil
}
