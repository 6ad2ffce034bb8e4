package plan

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// What data parallelism sends: the gradients of both weights, once a step.
func TestSent(t *testing.T) {
	tr := training(t, perceptron)
	for _, micro := range []int{2, 4} {
		p, err := timed(t, tr, "summit", micro, []Means{Data}, 4)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Sent()
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 {
			t.Errorf("%d micro-batches: %d are sent, want 2", micro, len(got))
		}
		for _, s := range got {
			if s.Kind != parallel.AllReduce || s.Axis != 1 || s.Bytes != 4*128*256 && s.Bytes != 4*256*64 {
				t.Errorf("%d micro-batches: %+v", micro, s)
			}
		}
	}
}

// Groups of four of nodes of six lie over nodes in several ways.
func TestGroupsOverNodes(t *testing.T) {
	p, err := Make(ctx, training(t, perceptron), meshOf(t, "summit", 2, 4), Options{Strategies: strategies, Means: []Means{Data, All}})
	if err != nil {
		t.Fatal(err)
	}
	verified(t, p)
}

// How an axis ended before counts no longer once it was made again: copies of which each
// keeps its part send nothing.
func TestSentEndedTwice(t *testing.T) {
	g, err := graph.ParseText("test", `
x : float32[8, 4]
p = partition[axis=0, on=2](x)
q = relu(p)
w = combine[axis=0](q)
c = replicate[on=2](w)
d = drop(c)
s = partition[axis=0, on=2](d)
r = relu(s)
y = combine[axis=0](r)
return y`)
	if err != nil {
		t.Fatal(err)
	}
	shard, same := parallel.Layout{{Role: parallel.Role{Kind: parallel.Shard}}}, parallel.Layout{{Role: parallel.Role{Kind: parallel.Copy}}}
	lies := map[string]parallel.Layout{"p": shard, "q": shard, "c": same, "s": shard, "r": shard}
	layouts, origins := make([][]parallel.Layout, g.Len()+1), make([]parallel.Origin, g.Len()+1)
	for id := range g.Nodes() {
		layouts[id] = []parallel.Layout{lies[g.Name(id)]}
		origins[id] = parallel.Origin{Tensor: id.Out(0)}
	}
	l, err := parallel.Laid(g, []int{2}, layouts, origins)
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Training: &Training{Graph: g, Next: map[int]int{}}, Mesh: meshOf(t, "summit", 2), Laying: l}
	got, err := p.Sent()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Kind != parallel.AllGather || got[0].Bytes != 4*4*4 {
		t.Errorf("%+v", got)
	}
}
