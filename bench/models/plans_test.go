package models_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
	"github.com/taso-go/taso/verify/check"
)

// Training steps of networks, those with tables above all, have plans by all means that
// people use, which compute the same: by proof, and by numbers of virtual devices.
func TestPlans(t *testing.T) {
	ctx := context.Background()
	c, err := machine.Find("summit", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := parallel.NewStrategies()
	for i, name := range []string{"dlrm-tiny", "gpt-350m-tiny", "moe-380m-tiny", "rnnlm-tiny", "alexnet-tiny"} {
		n, err := models.BuildNetwork(name, models.Options{Batch: 4})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := plan.Train(n.Graph, grad.Options{Loss: grad.Classes, Axis: -1, Rate: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		for k, by := range []string{"data", "fsdp", "megatron"} {
			if sweep.Size((i+1)%3, k) != k { // a sample has each network, and each planner
				continue
			}
			t.Run(fmt.Sprintf("%s %s", name, by), func(t *testing.T) {
				p, err := plan.Find(ctx, by, &plan.Job{Training: tr, Cluster: c, Devices: 2, Strategies: s, Steps: 1 << 14})
				if err != nil {
					t.Fatal(err)
				}
				l := p.Laying
				if _, err := check.Rule(l.Equation(), l.Proof(), check.Laws(l.Laws())); err != nil {
					t.Error(err)
				}
				sameNumbers(t, p)
			})
		}
	}
}

// sameNumbers compares what devices compute with the training step.
func sameNumbers(t *testing.T, p *plan.Plan) {
	t.Helper()
	ctx, r := context.Background(), fingerprint.Zp{Key: 7}
	var in []interp.Tensor[uint64]
	for i, id := range p.Training.Graph.Inputs() {
		x := p.Training.Graph.Type(id.Out(0))
		data := fingerprint.Random(uint64(i), "in", graph.NumElements(x.Sizes))
		if !x.DType.IsFloat() { // places
			for k := range data {
				data[k] %= 2
			}
		}
		in = append(in, interp.Tensor[uint64]{Sizes: x.Sizes, Data: data})
	}
	want, err := interp.EvalGraph(ctx, r, p.Training.Graph, in)
	if err != nil {
		t.Fatal(err)
	}
	q, err := parallel.New(ctx, p.Laying.Graph())
	if err != nil {
		t.Fatal(err)
	}
	got, err := parallel.Run(ctx, q, r, in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !slices.Equal(want[i].Data, got.Outputs[i].Data) {
			t.Errorf("output %d: devices compute other numbers", i)
		}
	}
}
