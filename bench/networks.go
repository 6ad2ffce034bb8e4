package bench

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/bench/models"
)

func init() {
	Register(&Benchmark{Name: "models", What: "operators, work and parameters of the models vs published",
		Takes: "1 s", Packages: []string{"bench/models"}, Run: modelCounts})
	Register(&Benchmark{Name: "forms", What: "rewritten forms of the models: operators and work",
		Takes: "5 s", Packages: []string{"bench/models"}, Run: formCounts})
}

func modelCounts(ctx context.Context, _ *Env) (*Record, error) {
	t := NewTable("", Label("model"), Counted("operators, ours"), Recorded("operators, source", ""),
		Counted("GFLOP").Digits(4), Counted("GMAC, ours").Digits(5), Recorded("GMAC, published", ""),
		Counted("parameters, ours"), Recorded("parameters, published", ""), Label("source"), Label("difference"))
	for _, m := range models.List() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := m.Published
		known := func(v any, zero bool) any {
			if zero {
				return nil
			}
			return v
		}
		t.Add(m.Name, m.Operators, known(p.Total, p.Total == 0), float64(m.FLOPs)/1e9, float64(m.MACs)/1e9,
			known(p.GMAC, p.GMAC == 0), m.Learned, known(p.Learned, p.Learned == 0), p.Cite, p.Note)
	}
	return &Record{Tables: []*Table{t}}, nil
}

func formCounts(ctx context.Context, _ *Env) (*Record, error) {
	t := NewTable("", Label("form"), Counted("operators"), Counted("of the model"), Counted("GMAC").Digits(4),
		Counted("of the model").Digits(4), Label("rewrite"))
	for _, v := range models.Variants("") {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		was, err := models.Build(v.Of, 1)
		if err != nil {
			return nil, err
		}
		m, err := models.Build(v.Name, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		a, b := models.Describe(was), models.Describe(m)
		t.Add("`"+v.Name+"`", b.Operators, a.Operators, float64(b.MACs)/1e9, float64(a.MACs)/1e9, v.Doc)
	}
	return &Record{Tables: []*Table{t}}, nil
}
