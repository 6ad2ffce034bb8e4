package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/search"
)

func init() {
	Register(&Benchmark{Name: "moves", What: "rewrite moves in the models: number and speed",
		Takes: "10 s", Packages: []string{"search", "axioms", "bench/models"}, Models: true, Default: append(slices.Clone(papers), "bert-large-64"),
		Repeat: true, Run: moves})
}

func moves(ctx context.Context, env *Env) (*Record, error) {
	rules, _, err := search.NewRules(append(axioms.ByKind(law.Axiom), axioms.ByKind(law.Lemma)...))
	if err != nil {
		return nil, err
	}
	repeat := env.Repeat
	if repeat == 0 {
		repeat = 20
	}
	t := NewTable("", Label("model"), Counted("operators"), Counted("moves"), Counted("moves that change the network"),
		Measured("find all moves", "ms").Digits(2), Measured("apply, hash and undo one", "µs").Digits(2))
	stage := env.Progress.Stage("moves", int64(len(env.Models)))
	for _, name := range env.Models {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := env.model(name)
		if err != nil {
			return nil, err
		}
		net, _, err := bank.From(m.Graph, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r := search.NewRewriter(net, rules)
		operators, all := 0, 0
		net.Nodes(func(bank.Node) bool { operators++; return true })
		var finding, making []cost.Seconds
		for range repeat {
			start := time.Now()
			all = 0
			r.All(func(*search.Match) bool { all++; return true })
			finding = append(finding, cost.FromDuration(time.Since(start)))
		}
		before := net.Hash()
		r.All(func(m *search.Match) bool {
			start := time.Now()
			mark := net.Mark()
			err := r.Apply(m)
			hash := net.Hash()
			net.Undo(mark)
			if err == nil && hash != before {
				making = append(making, cost.FromDuration(time.Since(start)))
			}
			return true
		})
		var made any
		if len(making) > 0 {
			made = 1e6 * float64(cost.Median(making))
		}
		t.Add(shown(name), operators, all, len(making), 1e3*float64(slices.Min(finding)), made)
		stage.Add(1)
	}
	return &Record{Tables: []*Table{t}, Notes: []string{fmt.Sprintf("The fastest of %d times all are found, the median over the moves that change the network.", repeat)}}, nil
}
