package parallelize

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/pad"
	"github.com/taso-go/taso/parallel/plan"
	"github.com/taso-go/taso/verify/check"
)

// layers are two of them, with a bias.
func layers(samples, in, hidden, out int) string {
	return fmt.Sprintf(`
x : float32[%[1]d, %[2]d]
v : weight float32[%[2]d, %[3]d]
c : weight float32[%[3]d]
w : weight float32[%[3]d, %[4]d]
h = matmul(x, v)
k = broadcast[shape=[%[1]d, %[3]d]](c)
s = ewadd(h, k)
r = exp(s)
y = matmul(r, w)
return y`, samples, in, hidden, out)
}

// attention is a layer of three heads of two.
const attention = `
x : float32[4, 5, 6]
q : weight float32[6, 6]
k : weight float32[6, 6]
v : weight float32[6, 6]
o : weight float32[6, 6]
f = reshape[shape=[20, 6]](x)
fq = matmul(f, q)
fk = matmul(f, k)
fv = matmul(f, v)
rq = reshape[shape=[4, 5, 3, 2]](fq)
rk = reshape[shape=[4, 5, 3, 2]](fk)
rv = reshape[shape=[4, 5, 3, 2]](fv)
hq = transpose[perm=(0, 2, 1, 3)](rq)
hk = transpose[perm=(0, 2, 3, 1)](rk)
hv = transpose[perm=(0, 2, 1, 3)](rv)
s = matmul(hq, hk)
p = softmax[axis=3](s)
a = matmul(p, hv)
t = transpose[perm=(0, 2, 1, 3)](a)
u = reshape[shape=[20, 6]](t)
y = matmul(u, o)
return y`

func parsed(t testing.TB, s string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("test", s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// padded is the file of a plan of a training step with more cells along an axis of an input.
func padded(t *testing.T, text, input string, cells []int, r plan.Recipe, planner string, devices int) (*plan.File, *plan.Plan, *graph.Graph) {
	t.Helper()
	g := parsed(t, text)
	tr, err := Training(g, &r)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := tr.Graph.Find(input)
	long, err := tr.Pad(ctx, pad.Cells{slices.Index(tr.Graph.Inputs(), id): cells})
	if err != nil {
		t.Fatal(err)
	}
	var p *plan.Plan
	if planner == "" { // weights in parts, whatever it takes
		var m *plan.Mesh
		if m, err = plan.NewMesh(cluster(t), devices); err == nil {
			p, err = plan.Make(ctx, long, m, plan.Options{Strategies: strategies, Means: []plan.Means{plan.Tensor}, Steps: 1 << 14})
		}
	} else {
		p, err = plan.Find(ctx, planner, &plan.Job{Strategies: strategies, Training: long, Cluster: cluster(t), Devices: devices, Steps: 1 << 14})
	}
	if err != nil {
		t.Fatal(err)
	}
	cert, err := Certificate(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	f := file(t, p, string(cert))
	f.Training, f.Model.Hash = &r, g.Hash().String()
	return f, p, g
}

// dealt reports whether a result of a size is dealt out along such an axis.
func dealt(p *plan.Plan, size int) bool {
	g := p.Source().Graph
	for id := range p.Laying.Graph().Nodes() {
		o := p.Laying.Origin(id)
		if o.Converts || g.Op(o.Tensor.Node) == nil {
			continue
		}
		for _, s := range p.Laying.Layout(id.Out(0)) {
			if s.Role.Kind == parallel.Shard && g.Sizes(o.Tensor)[s.Role.Axis] == size {
				return true
			}
		}
	}
	return false
}

// What no number of devices divides is dealt out: samples, a vocabulary, heads, hidden units. The
// checker accepts the plan, and devices compute what the sequential step does, new weights
// and state too.
func TestPadded(t *testing.T) {
	sgd, adam := plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.01}, plan.Recipe{Loss: "classes", Axis: 1, Optimizer: "adam", Rate: 0.01}
	for _, c := range []struct {
		name, text, input string
		cells             []int
		recipe            plan.Recipe
		planner           string
		devices, size     int
	}{
		{"100 samples on 8", layers(100, 5, 7, 3), "x", []int{4, 0}, sgd, "data", 8, 104},
		{"100 samples on 8, parts of weights", layers(100, 8, 16, 3), "x", []int{4, 0}, adam, "fsdp", 8, 104},
		{"13 words on 4", layers(9, 8, 7, 13), "w", []int{0, 3}, adam, "", 4, 16},
		{"7 hidden units on 4", layers(9, 5, 7, 3), "v", []int{0, 1}, adam, "", 4, 8},
		{"3 heads on 4", attention, "q", []int{0, 2}, sgd, "", 4, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, p, g := padded(t, c.text, c.input, c.cells, c.recipe, c.planner, c.devices)
			if !dealt(p, c.size) {
				t.Errorf("no axis of %d is dealt out\n%s", c.size, f.Graph)
			}
			if _, err := Check(ctx, copied(t, f), "plan", cluster(t), g, false); err != nil {
				t.Fatal(err)
			}
			ran, err := Run(ctx, f, cluster(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !ran.Equal {
				t.Errorf("devices compute something else: %+v", ran)
			}
			t.Logf("%v, %d inputs longer", p.PaddedAxes()[0], len(f.Padded[0]))
		})
	}
}

// What a file says of padding, and what a padded network does, is not believed.
func TestPaddedLies(t *testing.T) {
	recipe := plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.01}
	f, _, _ := padded(t, layers(10, 5, 8, 3), "x", []int{2, 0}, recipe, "data", 4)
	swap := func(old, new string) func(*testing.T, *plan.File) {
		return func(t *testing.T, f *plan.File) {
			if !strings.Contains(f.Graph, old) {
				t.Fatalf("no %s in\n%s", old, f.Graph)
			}
			f.Graph = strings.ReplaceAll(f.Graph, old, new)
		}
	}
	for _, c := range []struct {
		what string
		tell func(*testing.T, *plan.File)
		runs bool // it can be run, and is something else
	}{
		{"no mask", func(t *testing.T, f *plan.File) { // ones wherever it is zero
			swap("before=(0), after=(2)](", "before=(0), after=(2), value=1.0](")(t, f)
		}, true},
		{"a mask that is too long", func(t *testing.T, f *plan.File) {
			swap("shape=[10]]", "shape=[11]]")(t, f)
			swap("before=(0), after=(2)](", "before=(0), after=(1)](")(t, f)
		}, true},
		{"a mask that is too short", func(t *testing.T, f *plan.File) {
			swap("shape=[10]]", "shape=[9]]")(t, f)
			swap("before=(0), after=(2)](", "before=(0), after=(3)](")(t, f)
		}, true},
		{"a mask at the other end", func(t *testing.T, f *plan.File) {
			swap("before=(0), after=(2)](", "before=(2), after=(0)](")(t, f)
		}, true},
		{"an average over what was added", func(t *testing.T, f *plan.File) { swap("den=30", "den=36")(t, f) }, true},
		{"another size", func(_ *testing.T, f *plan.File) { f.Padded[0][0].Cells[0] = 1 }, false},
		{"another axis", func(_ *testing.T, f *plan.File) { f.Padded[0][0].Cells = []int{0, 2} }, false},
		{"an input less", func(_ *testing.T, f *plan.File) { f.Padded[0] = f.Padded[0][:1] }, false},
		{"another input", func(_ *testing.T, f *plan.File) { f.Padded[0][0].Input = 1 }, false},
		{"no input of that number", func(_ *testing.T, f *plan.File) { f.Padded[0][0].Input = 77 }, false},
		{"less than none", func(_ *testing.T, f *plan.File) {
			f.Padded = append(f.Padded, []plan.PaddedInput{{Input: 0, Cells: []int{-1, 0}}})
		}, false},
		{"a step of nothing", func(_ *testing.T, f *plan.File) { f.Padded = append(f.Padded, nil) }, false},
		{"nothing of it", func(_ *testing.T, f *plan.File) { f.Padded = nil }, false},
		{"no padded network", func(_ *testing.T, f *plan.File) { f.Rewritten = "" }, false},
		{"another padded network", func(_ *testing.T, f *plan.File) { f.Rewritten = f.Sequential }, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			told := copied(t, f)
			c.tell(t, told)
			_, err := Check(ctx, told, "plan.json", cluster(t), nil, false)
			var rejected *optimize.Rejected
			if !errors.As(err, &rejected) {
				t.Fatalf("the checker says %v", err)
			}
			t.Log(err)
			if ran, err := Run(ctx, told, cluster(t), nil); c.runs && (err != nil || ran.Why != "" || ran.Equal) {
				t.Errorf("virtual devices say %+v, %v", ran, err)
			}
		})
	}
}

// An instance less, and nothing follows.
func TestPaddedShort(t *testing.T) {
	recipe := plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.01}
	_, p, _ := padded(t, layers(10, 5, 8, 3), "x", []int{2, 0}, recipe, "data", 4)
	s := p.Shown()
	all := s.Proof.Instances
	needless := 0
	for i := range all {
		if l := s.Laws[all[i].Law]; !strings.HasPrefix(l.Name, "pad_") {
			continue
		}
		less := p.Shown()
		less.Proof.Instances = slices.Delete(slices.Clone(all), i, i+1)
		if follows(less) {
			needless++
		}
	}
	if needless > 0 {
		t.Errorf("%d of %d instances are not needed", needless, len(all))
	}
}

// follows asks the checker whether an equation follows from the instances.
func follows(s *pad.Shown) bool {
	_, err := check.Rule(s.Equation, s.Proof, check.Laws(s.Laws))
	return err == nil
}
