package selftest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/selftest"
	"github.com/taso-go/taso/model"
)

// wrong is a backend whose results are changed.
type wrong struct {
	backends.Backend
	math   string
	change func(x *float32) // of the first number of the first output
	lacks  string           // an operator that is not supported
}

type wrongPlan struct {
	backends.Plan
	change func(*float32)
}

func (w wrong) Info() backends.Info {
	i := w.Backend.Info()
	i.Math = w.math
	return i
}

func (w wrong) Supports(g *graph.Graph, id graph.NodeID) error {
	if op := g.Op(id); op != nil && op.Name == w.lacks {
		return &backends.Unsupported{Backend: "wrong", Node: g.Name(id), Op: op.Name, Why: "it is left out"}
	}
	return w.Backend.Supports(g, id)
}

func (w wrong) Compile(ctx context.Context, m *model.Model, o backends.CompileOptions) (backends.Plan, error) {
	p, err := w.Backend.Compile(ctx, m, o)
	if err != nil {
		return nil, err
	}
	return wrongPlan{p, w.change}, nil
}

func (p wrongPlan) Run(ctx context.Context, in []backends.Tensor) ([]backends.Tensor, error) {
	out, err := p.Plan.Run(ctx, in)
	if err == nil && p.change != nil && len(out[0].F32) > 0 {
		p.change(&out[0].F32[0])
	}
	return out, err
}

func processor(t testing.TB) backends.Backend {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func tiny(t testing.TB, name string) *model.Model {
	m, err := models.Build(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var relus = regexp.MustCompile("^operators/relu")

func TestRun(t *testing.T) {
	b := processor(t)
	for _, c := range []struct {
		name     string
		b        backends.Backend
		ok       bool
		failed   int // at least
		lacking  int // at least
		model    string
		maxFLOPs int64
	}{
		{name: "right", b: b, ok: true},
		{name: "right, by the other reference", b: b, ok: true, maxFLOPs: 1},
		{name: "a little off", b: wrong{Backend: b, change: func(x *float32) { *x += 1e-2 }}, failed: 1, model: "DIFFERS"},
		{name: "not a number", b: wrong{Backend: b, change: func(x *float32) { *x = float32(math.NaN()) }}, failed: 1, model: "not a number"},
		{name: "off by less than its mode", b: wrong{Backend: b, math: "tf32", change: func(x *float32) { *x *= 1.001 }}, ok: true},
		{name: "off by more than its mode", b: wrong{Backend: b, math: "tf32", change: func(x *float32) { *x += 1 }}, failed: 1, model: "DIFFERS"},
		{name: "no relu", b: wrong{Backend: b, lacks: "relu"}, ok: true, lacking: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := selftest.Run(t.Context(), selftest.Options{Backend: c.b, Only: relus, Models: []*model.Model{tiny(t, "squeezenet-tiny")}, MaxFLOPs: c.maxFLOPs})
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := r.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if r.OK() != c.ok || len(r.Failed) < c.failed || len(r.Unsupported) < c.lacking || r.Cases != r.Passed+len(r.Failed)+len(r.Unsupported) || r.Cases < 5 {
				t.Errorf("ok %v, %d cases, %d passed, %d failed, %d unsupported", r.OK(), r.Cases, r.Passed, len(r.Failed), len(r.Unsupported))
			}
			if !strings.Contains(text.String(), c.model) {
				t.Errorf("no %q in\n%s", c.model, text.String())
			}
		})
	}
}

func TestErrors(t *testing.T) {
	b := processor(t)
	if _, err := selftest.Run(t.Context(), selftest.Options{}); err == nil {
		t.Error("no backend")
	}
	if _, err := selftest.Run(t.Context(), selftest.Options{Backend: b, Only: regexp.MustCompile("^none$")}); err == nil || !strings.Contains(err.Error(), "no case of the suite matches") {
		t.Errorf("error %v", err)
	}
	if _, err := selftest.Run(t.Context(), selftest.Options{Backend: wrong{Backend: b, math: "int2"}}); err == nil || !strings.Contains(err.Error(), "int2") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := selftest.Run(ctx, selftest.Options{Backend: b}); !errors.Is(err, context.Canceled) || r == nil || len(r.Failed) > 0 {
		t.Errorf("cancelled: %v, %+v", err, r)
	}
}

func ExampleRun() {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	r, err := selftest.Run(context.Background(), selftest.Options{Backend: b, Only: regexp.MustCompile("^operators/matmul")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.OK(), len(r.Failed), r.Tolerance)
	// Output: true 0 2e-05
}
