package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel"
)

// timed plans with micro-batches and axes of devices.
func timed(t testing.TB, tr *Training, cluster string, micro int, means []Means, degrees ...int) (*Plan, error) {
	t.Helper()
	axes := []Axis{{Degree: micro, Time: true}}
	for _, d := range degrees {
		axes = append(axes, Axis{Degree: d})
	}
	m, err := NewMeshOf(meshOf(t, cluster, 1).Cluster, nil, axes...)
	if err != nil {
		t.Fatal(err)
	}
	return Make(ctx, tr, m, Options{Strategies: strategies, Means: means})
}

// Micro-batches compute the same: gradients are added up over time, weights are updated
// once.
func TestMicroBatches(t *testing.T) {
	tr := training(t, deep)
	p, err := timed(t, tr, "summit", 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	verified(t, p)
	g := p.Laying.Graph()
	for id := range g.Nodes() {
		o := p.Laying.Origin(id)
		name := tr.Graph.Name(o.Tensor.Node)
		alone := len(p.Laying.Mesh(id.Out(0))) == 0
		if strings.HasSuffix(name, "_next") && !o.Converts && !alone {
			t.Errorf("update %s in each micro-batch", g.Name(id))
		}
		if slices.Contains([]string{"h", "r", "k", "y"}, name) && !o.Converts && alone {
			t.Errorf("%s of all micro-batches", g.Name(id))
		}
	}
}

// Along axes of devices the gradients of all micro-batches are added up first, and sent
// once.
func TestMicroBatchesOnDevices(t *testing.T) {
	tr := training(t, perceptron)
	for _, c := range []struct {
		means   Means
		degrees []int
		sends   string
	}{
		{Data, []int{4}, "all-reduce 2"},
		{FSDP, []int{4}, "all-gather 2, reduce-scatter 2"},
		{Megatron, []int{4}, ""},
		{All, []int{2, 2}, ""},
	} {
		t.Run(fmt.Sprint(c.means, c.degrees), func(t *testing.T) {
			p, err := timed(t, tr, "summit", 4, []Means{c.means}, c.degrees...)
			if err != nil {
				t.Fatal(err)
			}
			verified(t, p)
			q, err := parallel.New(ctx, p.Laying.Graph())
			if err != nil {
				t.Fatal(err)
			}
			if len(q.Findings) > 0 {
				t.Errorf("%v", q.Findings)
			}
			// What a device sends, and not what is added up in time.
			count := map[string]int{}
			g := p.Laying.Graph()
			for id := range g.Nodes() {
				if layout(g, id) != graph.LayoutMakes || layout(g, g.Operands(id)[0].Node) != graph.LayoutEnds {
					continue
				}
				if k := collectiveOf(member(g, g.Operands(id)[0].Node), member(g, id)); !p.Mesh.Axes[ended(p.Laying, g.Operands(id)[0].Node)].Time {
					count[k.String()]++
				}
			}
			var got []string
			for _, k := range []string{"all-gather", "all-reduce", "reduce-scatter"} {
				if count[k] > 0 {
					got = append(got, fmt.Sprintf("%s %d", k, count[k]))
				}
			}
			if s := strings.Join(got, ", "); c.means != All && s != c.sends {
				t.Errorf("sends %s, want %s\n%s", s, c.sends, g)
			}
		})
	}
}

// Where one micro-batch would need all of them, or there are not so many samples, there is
// no plan.
func TestNoMicroBatches(t *testing.T) {
	tr := training(t, perceptron)
	if _, err := timed(t, tr, "summit", 3, nil); !errors.Is(err, ErrMeans) {
		t.Errorf("64 samples in 3: %v", err)
	}
	g, err := graph.ParseText("test", `
x : float32[8, 4, 2, 2]
a : weight float32[4]
b : weight float32[4]
m : weight float32[4]
v : weight float32[4]
y = batchnorm[eps=0.01](x, a, b, m, v)
return y`)
	if err != nil {
		t.Fatal(err)
	}
	tr, err = Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := timed(t, tr, "summit", 2, nil); !errors.Is(err, ErrMeans) {
		t.Errorf("statistics of a batch: %v\n%s", err, p.Laying.Graph())
	}
}
