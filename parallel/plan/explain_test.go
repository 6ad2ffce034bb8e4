package plan

import "testing"

// What a plan has is among the ways of each operator, and
// costs nothing more.
func TestExplain(t *testing.T) {
	tr := training(t, perceptron)
	for _, c := range []struct {
		planner string
		devices int
	}{{"data", 4}, {"fsdp", 4}, {"megatron", 4}, {"soap", 4}} {
		t.Run(c.planner, func(t *testing.T) {
			p, err := Find(ctx, c.planner, &Job{Strategies: strategies, Training: tr, Cluster: meshOf(t, "dgx-a100", 1).Cluster, Devices: c.devices, Steps: 1 << 16})
			if err != nil {
				t.Fatal(err)
			}
			all, err := p.Explain(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(all) < 10 {
				t.Fatalf("%d operators", len(all))
			}
			for _, e := range all {
				chosen := 0
				for _, w := range e.Ways {
					if w.Chosen {
						chosen++
						if w.More != 0 {
							t.Errorf("%s: what the plan has costs %v more", e.Node, w.More)
						}
					}
				}
				if chosen != 1 {
					t.Errorf("%s: %d ways are the plan's", e.Node, chosen)
				}
			}
			one, err := p.Explain(ctx, "h")
			if err != nil || len(one) != 1 || one[0].Op != "matmul" || one[0].Second() == nil || one[0].Second().Chosen {
				t.Errorf("%+v, %v", one, err)
			}
			if _, err := p.Explain(ctx, "nobody"); err == nil {
				t.Error("nobody is explained")
			}
		})
	}
}
