package plan

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
)

// deep has three layers with a way around the second.
const deep = `
x : float32[64, 32]
u : weight float32[32, 32]
v : weight float32[32, 32]
w : weight float32[32, 16]
h = matmul(x, u)
r = relu(h)
k = matmul(r, v)
s = relu(k)
b = ewadd(s, r)
y = matmul(b, w)
return y`

// cutAt gives activations stages by the names of those with which stages begin.
func cutAt(t testing.TB, tr *Training, begins ...string) []int {
	t.Helper()
	of := make([]int, tr.Graph.Len()+1)
	stage := 1
	for _, id := range tr.Activations() {
		for _, b := range begins {
			if tr.Graph.Name(id) == b {
				stage++
			}
		}
		of[id] = stage
	}
	out, err := tr.Stages(of)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Weights, derivatives and updates are of the stage of the layer; data flows forward in the
// forward part only and backward in the other.
func TestStages(t *testing.T) {
	tr := training(t, deep)
	of := cutAt(t, tr, "k", "y")
	g, forward := tr.Graph, tr.Forward()
	for name, want := range map[string]int{"x": 1, "u": 1, "v": 2, "w": 3, "label": 3, "loss": 3,
		"h": 1, "k": 2, "b": 2, "y": 3, "u_next": 1, "v_next": 2, "w_next": 3} {
		id, ok := g.Find(name)
		if !ok || of[id] != want {
			t.Errorf("%s: stage %d, want %d", name, of[id], want)
		}
	}
	count := map[int]int{}
	for id := range g.Nodes() {
		count[of[id]]++
		for _, x := range g.Operands(id) {
			switch a, b := of[x.Node], of[id]; {
			case g.Op(x.Node) == nil, tr.constants()[x.Node]:
			case forward[id] && a > b:
				t.Errorf("%s of stage %d reads %s of stage %d", g.Name(id), b, g.Name(x.Node), a)
			case !forward[id] && !forward[x.Node] && a < b:
				t.Errorf("derivative %s of stage %d reads %s of stage %d", g.Name(id), b, g.Name(x.Node), a)
			}
		}
	}
	if len(count) != 3 || count[1] < 6 || count[2] < 6 || count[3] < 6 {
		t.Errorf("nodes by stage: %v\n%s", count, g)
	}
}

// What an optimizer keeps of a weight is of the stage of the weight, with what is made of it.
func TestStagesOfState(t *testing.T) {
	g, err := graph.ParseText("test", deep)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.5, Optimizer: grad.Adam})
	if err != nil {
		t.Fatal(err)
	}
	of := cutAt(t, tr, "k", "y")
	for i, name := range []string{"u", "v", "w"} {
		for _, what := range []string{"_m", "_v", "_m_next", "_v_next", "_next"} {
			id, ok := tr.Graph.Find(name + what)
			if !ok || of[id] != i+1 {
				t.Errorf("%s%s is of stage %d", name, what, of[id])
			}
			for _, c := range tr.readers(id, of) {
				if c != i+1 {
					t.Errorf("%s%s is read in stage %d", name, what, c)
				}
			}
		}
	}
}

// Axes of stages count devices from the first one of each, axes in time count none.
func TestMeshOfStages(t *testing.T) {
	c := meshOf(t, "dgx-a100", 1).Cluster
	m, err := NewMeshOf(c, []Submesh{{0, 2}, {2, 4}}, Axis{Degree: 8, Time: true}, Axis{Degree: 2, Stage: 1}, Axis{Degree: 2, Stage: 2}, Axis{Degree: 2, Stage: 2})
	if err != nil {
		t.Fatal(err)
	}
	if m.Devices() != 6 || m.MicroBatches() != 8 {
		t.Errorf("%d devices, %d micro-batches", m.Devices(), m.MicroBatches())
	}
	for axis, want := range [][][]int{nil, {{0, 1}}, {{2, 4}, {3, 5}}, {{2, 3}, {4, 5}}} {
		if got := m.all(axis); len(want) > 0 && !equalGroups(got, want) {
			t.Errorf("axis %d: groups %v, want %v", axis, got, want)
		}
	}
	for _, bad := range [][]Submesh{{{0, 2}, {1, 4}}, {{0, 3}, {4, 4}}, {{0, 2}, {1 << 12, 4}}, {{-1, 2}, {2, 4}}} {
		if _, err := NewMeshOf(c, bad, m.Axes...); err == nil {
			t.Errorf("a mesh of stages %v", bad)
		}
	}
}

func equalGroups(a, b [][]int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		for k := range a[i] {
			if len(a[i]) != len(b[i]) || a[i][k] != b[i][k] {
				return false
			}
		}
	}
	return true
}

// Nodes of a graph that is laid out come from nodes of the training graph.
func TestOrigin(t *testing.T) {
	tr := training(t, perceptron)
	p, err := Make(ctx, tr, meshOf(t, "summit", 2, 2), Options{Strategies: strategies, Means: []Means{Data}})
	if err != nil {
		t.Fatal(err)
	}
	g := p.Laying.Graph()
	seen := map[graph.NodeID]bool{}
	for id := range g.Nodes() {
		o := p.Laying.Origin(id)
		if o.Converts != (layout(g, id) != graph.LayoutNone) {
			t.Errorf("%s converts: %v", g.Name(id), o.Converts)
		}
		if !o.Converts {
			seen[o.Tensor.Node] = true
			a, b := member(g, id), tr.Graph.Op(o.Tensor.Node)
			if a != b {
				t.Errorf("%s comes from %s", g.Name(id), tr.Graph.Name(o.Tensor.Node))
			}
		} else if o.Tensor.Node == 0 {
			t.Errorf("%s converts nothing", g.Name(id))
		}
	}
	if len(seen) != tr.Graph.Len() {
		t.Errorf("%d of %d nodes", len(seen), tr.Graph.Len())
	}
}
