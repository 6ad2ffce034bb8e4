package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/verify/check"
)

var ctx = context.Background()

// strategies are the strategies of all tests but TestWorkers: what they find does not depend on
// what was asked before.
var strategies = parallel.NewStrategies()

// perceptron has two layers.
const perceptron = `
x : float32[64, 128]
v : weight float32[128, 256]
w : weight float32[256, 64]
h = matmul(x, v)
r = relu(h)
y = matmul(r, w)
return y`

func training(t testing.TB, text string) *Training {
	t.Helper()
	g, err := graph.ParseText("test", text)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func meshOf(t testing.TB, name string, degrees ...int) *Mesh {
	t.Helper()
	c, err := machine.Find(name, machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMesh(c, degrees...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sent counts the collectives of a plan by kind, but for those that deal inputs out and
// put outputs together.
func sent(t testing.TB, p *Plan) string {
	t.Helper()
	q, err := parallel.New(ctx, p.Laying.Graph())
	if err != nil {
		t.Fatal(err)
	}
	outputs := map[graph.NodeID]bool{}
	for _, x := range p.Laying.Graph().Outputs() {
		outputs[x.Node] = true
	}
	count := map[string]int{}
	for _, c := range q.Collectives {
		dealt := c.Input && (c.Kind == parallel.Scatter || c.Kind == parallel.Broadcast)
		if c.Kind != parallel.None && !dealt && !outputs[c.Nodes[len(c.Nodes)-1]] {
			count[c.Kind.String()]++
		}
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("%s %d", k, count[k]))
	}
	return strings.Join(out, ", ")
}

// certified asks the checker whether a plan computes what the training step does, and about
// the laws by which it does.
func certified(t testing.TB, p *Plan) {
	t.Helper()
	for name, l := range p.Laying.Laws() {
		if _, err := check.Rule(l, p.Laying.Evidence(name), nil); err != nil {
			t.Errorf("law %s: %v", name, err)
		}
	}
	if _, err := check.Rule(p.Laying.Equation(), p.Laying.Proof(), check.Laws(p.Laying.Laws())); err != nil {
		t.Errorf("%v\n%s", err, p.Laying.Graph())
	}
}

// verified asks the checker whether a plan computes what the training step does, and
// compares numbers, from devices too.
func verified(t testing.TB, p *Plan) {
	t.Helper()
	certified(t, p)
	r := fingerprint.Zp{Key: 7}
	var in []interp.Tensor[uint64]
	for i, id := range p.Training.Graph.Inputs() {
		sizes := p.Training.Graph.Sizes(id.Out(0))
		in = append(in, interp.Tensor[uint64]{Sizes: sizes, Data: fingerprint.Random(uint64(i), "in", graph.NumElements(sizes))})
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
			t.Errorf("output %d: devices compute other numbers\n%s", i, p.Laying.Graph())
		}
	}
}

// Each of the means finds the layout that it is named after.
func TestAxis(t *testing.T) {
	tr := training(t, perceptron)
	s := strategies
	for _, c := range []struct {
		means   Means
		degrees []int
		sends   string
	}{
		// Gradients of both weights are added up; the loss is a number.
		{Data, []int{4}, "all-reduce 2"},
		{FSDP, []int{4}, "all-gather 2, reduce-scatter 2"},
		// Partial sums of the second layer.
		{Megatron, []int{4}, ""},
		{Data, []int{2, 2}, "all-reduce 4, reduce 1"},
	} {
		t.Run(fmt.Sprintf("%s %v", c.means, c.degrees), func(t *testing.T) {
			p, err := Make(ctx, tr, meshOf(t, "summit", c.degrees...), Options{Means: []Means{c.means}, Strategies: s})
			if err != nil {
				t.Fatal(err)
			}
			if got := sent(t, p); got != c.sends {
				t.Errorf("sends %s, want %s\n%s", got, c.sends, p.Laying.Graph())
			}
			verified(t, p)
		})
	}
}

// All means are never worse than others along one axis.
func TestAll(t *testing.T) {
	tr := training(t, perceptron)
	s := strategies
	mesh := meshOf(t, "summit", 4)
	auto, err := Make(ctx, tr, mesh, Options{Strategies: s})
	if err != nil {
		t.Fatal(err)
	}
	verified(t, auto)
	for _, pl := range AllMeans() {
		p, err := Make(ctx, tr, mesh, Options{Means: []Means{pl}, Strategies: s})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v, %s", pl, p.Time(), sent(t, p))
		if p.Time() < auto.Time() {
			t.Errorf("%s: %v, auto %v", pl, p.Time(), auto.Time())
		}
	}
}
