package bench

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/taso-go/taso/egraph/extract"
)

// publishedEGraphs are those of Tensat with costs that TASO measured, in
// milliseconds, as extraction-gym publishes them.
var publishedEGraphs = []string{"egraphs/resnet50.json", "egraphs/vgg.json", "egraphs/vgg_acyclic.json"}

func init() {
	Register(&Benchmark{Name: "extract", What: "extraction from Tensat's e-graphs by every method",
		Takes: "1 s", Packages: []string{"egraph/extract"}, Needs: publishedEGraphs, Run: extraction})
}

func extraction(ctx context.Context, env *Env) (*Record, error) {
	t := NewTable("", Label("e-graph"), Counted("classes"), Counted("nodes"), Label("method"), Recorded("cost", "ms").Decimals(5),
		Recorded("bound", "ms").Decimals(5), Recorded("gap", "%").Decimals(2), Measured("time", "s").Digits(2), Label("status"))
	stage := env.Progress.Stage("extract", int64(len(publishedEGraphs)*len(extract.Methods())))
	for _, file := range publishedEGraphs {
		p, err := readEGraph(filepath.Join(env.Data, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		for _, method := range extract.Methods() {
			start := time.Now()
			res, err := extract.Solve(ctx, &p.Problem, extract.Options{Method: method})
			if err == nil {
				err = ctx.Err() // a search that was interrupted has a result, too
			}
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", file, method, err)
			}
			name := string(method)
			if method == extract.Auto {
				name = "auto"
			}
			t.Add("`"+strings.TrimSuffix(path.Base(file), ".json")+"`", p.Classes, len(p.Nodes), name, float64(res.Cost)/p.Scale,
				float64(res.Bound)/p.Scale, 100*res.Gap(), time.Since(start).Seconds(), string(res.Stop))
			stage.Add(1)
		}
	}
	stage.Done()
	return &Record{Tables: []*Table{t}, Notes: []string{"Costs are sums of times that TASO measured."}}, nil
}

func readEGraph(path string) (*extract.Gym, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g, err := extract.ReadGym(f, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}
