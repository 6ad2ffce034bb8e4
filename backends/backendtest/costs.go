package backendtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// RunCosts runs on b what applies to a backend that runs nothing and only tells
// times: every operator, in all shapes and attributes of the suite, has a time
// above zero, of one of the sources, and the same each time.
func RunCosts(t *testing.T, b backends.Backend, sources ...cost.Source) {
	t.Run("info", func(t *testing.T) {
		if err := info(t.Context(), b); err != nil {
			t.Error(err)
		}
	})
	t.Run("unknown operators", func(t *testing.T) {
		if err := costFaults(t.Context(), b); err != nil {
			t.Error(err)
		}
	})
	t.Run("every operator costs something", func(t *testing.T) {
		n := 0
		err := Applications(func(g *graph.Graph, id graph.NodeID) error {
			n++
			return costs(t.Context(), b, g, id, sources)
		})
		if err != nil {
			t.Error(err)
		}
		if n < 500 {
			t.Errorf("%d applications", n)
		}
	})
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// Applications calls f for the operators of all graphs of the suite, until it
// fails; equal applications may occur more than once.
func Applications(f func(g *graph.Graph, id graph.NodeID) error) error {
	cases, err := Cases()
	if err != nil {
		return err
	}
	for _, c := range cases {
		if c.Graph == nil {
			continue
		}
		for id := range c.Graph.Nodes() {
			if c.Graph.Op(id) == nil {
				continue
			}
			if err := f(c.Graph, id); err != nil {
				return fmt.Errorf("case %s, node %s: %w", c.Name, c.Graph.Name(id), err)
			}
		}
	}
	return nil
}

// costs checks the time of one application.
func costs(ctx context.Context, b backends.Backend, g *graph.Graph, id graph.NodeID, sources []cost.Source) error {
	if err := b.Supports(g, id); err != nil {
		return err
	}
	s, err := b.Measure(ctx, cost.At(g, id), backends.MeasureOptions{})
	if err != nil {
		return err
	}
	if err := s.Check(); err != nil { // above zero
		return err
	}
	for _, from := range sources {
		if s.Source == from {
			again, err := b.Measure(ctx, cost.At(g, id), backends.MeasureOptions{})
			if err == nil && again != s {
				err = fmt.Errorf("it takes %v, and %v when asked again", s, again)
			}
			return err
		}
	}
	return fmt.Errorf("time %v, want one of %v", s, sources)
}

func costFaults(ctx context.Context, b backends.Backend) error {
	m, _, err := smallModel()
	if err != nil {
		return err
	}
	if _, err := b.Compile(ctx, m, backends.CompileOptions{}); !errors.Is(err, backends.ErrNoRun) {
		return fmt.Errorf("compile: %v, want %v", err, backends.ErrNoRun)
	}
	if _, err := b.Compile(ctx, &model.Model{}, backends.CompileOptions{}); !errors.Is(err, backends.ErrNoRun) {
		return fmt.Errorf("compile no graph: %v, want %v", err, backends.ErrNoRun)
	}
	var un *backends.Unsupported
	if err := b.Supports(m.Graph, m.Graph.Inputs()[0]); !errors.As(err, &un) || un.Node != "x" {
		return fmt.Errorf("support of an input: %v", err)
	}
	if _, err := b.Measure(ctx, cost.Application{}, backends.MeasureOptions{}); err == nil {
		return errors.New("measured no operator")
	}
	y, _ := m.Graph.Find("y")
	one := cost.At(m.Graph, y)
	one.In = one.In[:1]
	if _, err := b.Measure(ctx, one, backends.MeasureOptions{}); err == nil {
		return errors.New("measured a product of one operand")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Measure(ended, cost.At(m.Graph, y), backends.MeasureOptions{}); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("measure with a cancelled context: %v", err)
	}
	return nil
}
