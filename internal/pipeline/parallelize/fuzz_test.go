package parallelize

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// FuzzPlan: whatever is read as a plan is refused, or shown, simulated and checked, without
// a panic; what is accepted computes the same (TestCorrupt asks that of changed plans).
func FuzzPlan(f *testing.F) {
	c, err := machine.Find("dgx-a100", machine.Options{Nodes: []int{1}})
	if err != nil {
		f.Fatal(err)
	}
	g, err := graph.ParseText("layer", "x : float32[4, 2]\nw : weight float32[2, 2]\ny = matmul(x, w)\nreturn y")
	if err != nil {
		f.Fatal(err)
	}
	for _, planner := range []string{"data", "megatron"} {
		r, err := Make(ctx, Options{strategies: strategies, Name: "layer", Graph: g, Machine: "dgx-a100:1", Cluster: c, Planner: planner, Devices: 2})
		if err != nil {
			f.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.File.Write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(`{"format":"taso plan 1","machine":{},"mesh":[{"degree":2,"time":true}],"sequential":"x : float32[2]\nreturn x","graph":"x : float32[2]\nreturn x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := plan.ReadFile(bytes.NewReader(text), "plan.json")
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, _ = Check(ctx, file, "plan.json", c, nil, false)
		p, err := file.Plan(c)
		if err != nil {
			return
		}
		if p.Laying.Graph().Work().FLOPs > 1<<30 {
			return
		}
		_, _ = Describe(ctx, file, p)
		_, _ = p.Explain(ctx)
	})
}
