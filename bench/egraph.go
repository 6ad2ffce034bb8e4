package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/search/saturate"
)

func init() {
	Register(&Benchmark{Name: "egraph", What: "saturation of the papers' models: size, cost, time",
		Takes: "5 min", Packages: []string{"search/saturate", "internal/pipeline/optimize", "backends/analytic", "bench/models"},
		Models: true, Default: append(slices.Clone(papers), "bert-large-64"), Run: saturated})
}

// nodeLimits are the limits of nodes that are compared; the table is of the default.
var nodeLimits = []int{saturate.DefaultNodes / 8, saturate.DefaultNodes / 4, saturate.DefaultNodes / 2,
	saturate.DefaultNodes, 2 * saturate.DefaultNodes, 4 * saturate.DefaultNodes}

func saturated(ctx context.Context, env *Env) (*Record, error) {
	b, err := v100()
	if err != nil {
		return nil, err
	}
	defer b.Close()
	laws, err := optimize.DefaultLaws(false)
	if err != nil {
		return nil, err
	}
	o := saturate.Options{Laws: laws, Price: saturate.PriceOf(b.Machine()), Target: b.Target()}
	t := NewTable("", Label("model"), Counted("parts"), Counted("distinct parts"), Counted("classes"), Counted("nodes"), Counted("rounds"),
		Measured("largest e-graph", "MB").Digits(2), Modelled("cost before", "ms").Digits(4), Modelled("cost after", "ms").Digits(4),
		Modelled("bound", "ms").Digits(4), Measured("time", "s").Digits(2))
	costs := NewPlot("Cost by node limit of an e-graph", Axis{Name: "nodes", Log: true}, Axis{Name: "cost relative to the model"})
	sizes := NewPlot("Time by node limit of an e-graph", Axis{Name: "nodes", Log: true}, Axis{Name: "time", Unit: "s", Log: true})
	stage := env.Progress.Stage("saturate", int64(len(env.Models)*len(nodeLimits)))
	for _, name := range env.Models {
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		var cs, ss *Curve
		if len(costs.Curves) < maxCurves {
			cs, ss = costs.Curve(filepath.Base(name), FromModel), sizes.Curve(filepath.Base(name), FromClock)
		}
		for _, limit := range nodeLimits {
			net, err := search.NewNetwork(m.Graph, nil)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			o.Nodes = limit
			start := time.Now()
			s, err := saturate.Run(ctx, net, o)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, fmt.Errorf("%s, %d nodes: %w", name, limit, err)
			}
			seconds := time.Since(start).Seconds()
			if cs != nil && s.Before > 0 {
				cs.Add(float64(limit), float64(s.After)/float64(s.Before))
				ss.Add(float64(limit), seconds)
			}
			if limit == saturate.DefaultNodes {
				t.Add(shown(name), s.Parts, s.Pieces, s.Classes, s.Nodes, s.Iterations, float64(s.Bytes)/1e6,
					float64(s.Before)/1e9, float64(s.After)/1e9, float64(s.Bound)/1e9, seconds)
			}
			stage.Add(1)
		}
	}
	stage.Done()
	return &Record{Tables: []*Table{t}, Plots: []*Plot{costs, sizes},
		Notes: []string{fmt.Sprintf("The table is of e-graphs of at most %d nodes. "+saturatedNote, saturate.DefaultNodes)}}, nil
}
