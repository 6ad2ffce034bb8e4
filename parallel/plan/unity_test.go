package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/search"
)

// beside puts two layers beside each other, of an odd number of samples: products with columns
// dealt out give parts that must be sent before they lie beside each other.
func beside(samples, width int) string {
	return fmt.Sprintf(`
x : float32[%d, %d]
a : weight float32[%[2]d, %[2]d]
b : weight float32[%[2]d, %[2]d]
w : weight float32[%[3]d, 31]
p = matmul(x, a)
q = matmul(x, b)
r = relu(p)
s = tanh(q)
c = concat[axis=1](r, s)
y = matmul(c, w)
return y`, samples, width, 2*width)
}

// toUnite is a network to run on 4 devices.
func toUnite(t testing.TB, text string) *Job {
	t.Helper()
	g, err := graph.ParseText("test", text)
	if err != nil {
		t.Fatal(err)
	}
	j, err := (&Job{Strategies: strategies, Training: &Training{Graph: g, Next: map[int]int{}}, Cluster: meshOf(t, "summit", 1).Cluster, Devices: 4}).fill()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// On one device (x y) z takes a little less work than x (y z). On four the first takes more: no
// size of x y but the inner one is a multiple of four. Only who looks at algebra and layouts
// together finds that.
func TestUnity(t *testing.T) {
	j := toUnite(t, `
x : float32[2047, 2048]
y : float32[2048, 2047]
z : float32[2047, 2048]
p = matmul(x, y)
q = matmul(p, z)
return q`)
	all, err := j.together(ctx)
	if err != nil {
		t.Fatal(err)
	}
	as, err := all[0].space.realize(all[0].layouts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Find(ctx, "unity", j)
	if err != nil {
		t.Fatal(err)
	}
	certified(t, p)
	if p.Rewritten == nil || p.Time() >= as.Time() {
		t.Errorf("%v, rewritten %v; layouts alone %v", p.Time(), p.Rewritten, as.Time())
	}
	// Algebra first keeps (x y) z, or comes to it from x (y z), of which both together are as fast.
	for _, from := range []*Job{j, toUnite(t, `
x : float32[2047, 2048]
y : float32[2048, 2047]
z : float32[2047, 2048]
p = matmul(y, z)
q = matmul(x, p)
return q`)} {
		together, err := Find(ctx, "unity", from)
		if err != nil {
			t.Fatal(err)
		}
		from.Sequential = true
		one, err := Find(ctx, "unity", from)
		if err != nil {
			t.Fatal(err)
		}
		certified(t, one)
		if (one.Rewritten != nil) != (from != j) || one.Time() != as.Time() || together.Time() != p.Time() {
			t.Errorf("algebra first: %v, rewritten %v; both together: %v; want %v and %v", one.Time(), one.Rewritten != nil, together.Time(), as.Time(), p.Time())
		}
	}
}

// unitedOn begins on the mesh that is best for the network as it comes.
func unitedOn(t testing.TB, j *Job, whole int) *united {
	t.Helper()
	all, err := j.together(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRewriter(j.Training, j.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	u, err := newUnited(all[0], r, whole)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A plan of a rewritten network is told, written and read as others.
func TestRewrittenPlan(t *testing.T) {
	p, err := Find(ctx, "unity", toUnite(t, beside(1023, 4096)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.File().Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.Bytes()
	f, err := ReadFile(bytes.NewReader(text), "plan")
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.Plan(p.Mesh.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	was, err := p.Simulate(ctx, SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now, err := again.Simulate(ctx, SimulateOptions{})
	if err != nil || now.Makespan != was.Makespan {
		t.Errorf("%v, read again %v (%v)", was.Makespan, now, err)
	}
	for _, p := range []*Plan{p, again} {
		if _, err := p.Memory(); err != nil {
			t.Error(err)
		}
		told, err := p.Explain(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range told {
			if _, ok := p.Rewritten.Find(e.Node); !ok {
				t.Errorf("node %s is explained, which is not in the rewritten graph", e.Node)
			}
		}
	}
	same, err := json.Marshal(again.File())
	if err != nil {
		t.Fatal(err)
	}
	if have, err := json.Marshal(p.File()); err != nil || !bytes.Equal(have, same) {
		t.Errorf("a plan that was read is written otherwise (%v)\n%s\n%s", err, have, same)
	}
	f.Rewritten = "x : float32[63, 64]\nreturn x"
	if _, err := f.Plan(p.Mesh.Cluster); err == nil {
		t.Error("a rewritten graph with other inputs was read")
	}
}

// What any one move leads to computes the same: by the certificate, and in numbers from
// devices. Weights that are trained take the place that they had.
func TestRewritingsVerified(t *testing.T) {
	const twice = `
x : float32[8, 4]
v : weight float32[4, 4]
w : weight float32[4, 8]
p = matmul(x, v)
q = matmul(x, w)
s = ewadd(p, x)
c = concat[axis=1](s, q)
return c`
	j := toUnite(t, beside(5, 4))
	for _, tr := range []*Training{j.Training, training(t, beside(4, 4)), training(t, twice)} {
		j.Training = tr
		u := unitedOn(t, j, wholeWays)
		made := map[string]bool{}
		u.trail.Net.Nodes(func(n bank.Node) bool {
			one, many := u.trail.Moves.At(n)
			for _, m := range slices.Concat(one, many) {
				name := m.Direction.Law.Law.Name
				if made[name] || !u.trail.Do(&m) {
					continue
				}
				u.trail.Back(0)
				made[name] = true
				p, err := u.plan([]search.Move{m})
				if err != nil {
					t.Fatalf("law %s: %v", name, err)
				}
				verified(t, p)
			}
			return true
		})
		t.Log(slices.Sorted(maps.Keys(made)))
		if len(made) == 0 {
			t.Error("no law was used")
		}
	}
}

// In a network of layers that is priced region by region, what pays in one layer is done in
// others.
func TestUnityLarge(t *testing.T) {
	text := "x0 : float32[1023, 2048]\n"
	const layers = 4
	for i := range layers {
		text += fmt.Sprintf(`a%[1]d : weight float32[2048, 4096]
b%[1]d : weight float32[2048, 4096]
w%[1]d : weight float32[8192, 2048]
p%[1]d = matmul(x%[1]d, a%[1]d)
q%[1]d = matmul(x%[1]d, b%[1]d)
r%[1]d = relu(p%[1]d)
s%[1]d = tanh(q%[1]d)
c%[1]d = concat[axis=1](r%[1]d, s%[1]d)
x%[2]d = matmul(c%[1]d, w%[1]d)
`, i, i+1)
	}
	u := unitedOn(t, toUnite(t, text+fmt.Sprintf("return x%d\n", layers)), 200)
	before := u.price()
	path := u.search(ctx)
	if u.err != nil {
		t.Fatal(u.err)
	}
	of := map[string]int{}
	for _, m := range path {
		of[m.Direction.Law.Law.Name]++
	}
	if of["cut_inner_product"] < 2 {
		t.Errorf("moves by %v, want cut_inner_product in several layers", of)
	}
	p, err := u.plan(path)
	if err != nil {
		t.Fatal(err)
	}
	certified(t, p)
	if int64(p.Time()) >= before {
		t.Errorf("laid out %v, as it came %v region by region", p.Time(), machine.Time(before))
	}
	t.Logf("by regions %v, laid out %v", machine.Time(before), p.Time())
	for i := range path { // each region that was not touched is known
		u.trail.Do(&path[i])
	}
	known := len(u.known)
	if u.left = 1; u.price() == search.Never || len(u.known) != known {
		t.Errorf("a network that was priced has %d regions that are not known", len(u.known)-known)
	}
}
