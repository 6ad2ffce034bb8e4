package bench

import (
	"context"
	"errors"
	"testing"

	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/export"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// The networks that JAX runs have training steps, and plans have names of their own.
func TestJAXPlans(t *testing.T) {
	for _, n := range jaxNetworks {
		tr, err := n.training()
		if err != nil {
			t.Fatal(err)
		}
		if len(tr.Next) < 5 {
			t.Errorf("%s: %d weights", n.name, len(tr.Next))
		}
	}
	seen := map[string]bool{}
	for _, w := range jaxWays() {
		if seen[w.name] {
			t.Errorf("%s is there twice", w.name)
		}
		seen[w.name] = true
	}
	tr, err := jaxNetworks[0].training()
	if err != nil {
		t.Fatal(err)
	}
	c, err := machine.Find(jaxCluster, machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two := jaxMeans("", 2, plan.Data, plan.Megatron)
	j := &plan.Job{Training: tr, Cluster: c, Devices: 2, Strategies: parallel.NewStrategies()}
	if _, err := two.make(context.Background(), j); !errors.Is(err, errJaxSame) {
		t.Error(err)
	}
	j.Devices = 4
	p, err := two.make(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	if p.Mesh.Devices() != 4 || p.Mesh.MicroBatches() != 2 {
		t.Errorf("%v", p.Mesh.Axes)
	}
}

func TestJAXForm(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"XLA has combined 2 all-reduce into one: send1, send0", jaxCombined},
		{"send4: loss_whole_b (reduce of 4 bytes) puts an output together, for which a plan is not charged", jaxAssembles},
		{"send0: x is said as all-gather of 8 bytes: the plan has the result on one device, the program on all", "run as all-gather: the result is on all devices, not on one"},
		{"2 scatter of 8 bytes (x) is charged and not sent: in a program of each device all have it", "in the plan's cost, not sent: all devices have it"},
		{"output w: differs by 5.4e-05 of its largest element by rounding: in float64 by 4.3e-13", jaxRounding},
		{"output w: differs by 5.4e-05 of its largest element", "output w: differs by 5.4e-05 of its largest element"},
		{"something else", "something else"},
	} {
		if got := jaxForm(c.said); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	got := jaxKinds(&export.Comparison{Lines: []export.Line{{Kind: "all-reduce", Charged: 2}, {Kind: "all-gather", Charged: 1}, {Kind: "all-reduce", Charged: 1}, {Kind: "all-to-all"}}})
	if got != "all-gather 1, all-reduce 3" {
		t.Error(got)
	}
}
