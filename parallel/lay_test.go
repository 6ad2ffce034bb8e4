package parallel

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/check"
)

// layOut lays a network out along mesh axes of the given degrees, each operator by any
// of its strategies, or left as it is.
func layOut(t testing.TB, g *graph.Graph, s *Strategies, rng *rand.Rand, degrees ...int) *Laying {
	t.Helper()
	l := NewLaying(g, s)
	for _, degree := range degrees {
		err := l.Along(ctx, degree, Choice{Of: func(id graph.NodeID) (of []*Strategy) {
			all, err := l.Strategies(ctx, id, degree)
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + rng.IntN(10)/9 { // some in two ways
				if k := rng.IntN(len(all) + 1); k < len(all) {
					of = append(of, all[k])
				}
			}
			return of
		}, Resident: func(graph.Tensor) (Role, bool) {
			return []Role{{}, {Kind: Copy}, {Kind: First}}[rng.IntN(3)], rng.IntN(2) == 0
		}, Final: func(graph.Tensor) (Role, bool) {
			return []Role{{}, {Kind: Copy}, {Kind: Sum}}[rng.IntN(3)], rng.IntN(2) == 0
		}})
		if err != nil {
			t.Fatalf("%v\n%s", err, g)
		}
	}
	return l
}

// accepted asks the checker about a layout, and about each law that it uses.
func accepted(l *Laying) error {
	for _, name := range slices.Sorted(maps.Keys(l.Laws())) {
		if _, err := check.Rule(l.Laws()[name], l.of.Proof(name), nil); err != nil {
			return fmt.Errorf("law %s: %w", name, err)
		}
	}
	_, err := check.Rule(l.Equation(), l.Proof(), check.Laws(l.Laws()))
	return err
}

// Random networks and training steps, laid out by random strategies of their operators,
// compute what they computed: so say the checker, by the laws alone, and numbers, also
// where devices compute them.
func TestLayRandom(t *testing.T) {
	count := sweep.Size(25, 100)
	if s := os.Getenv("TASO_RANDOM_PCGS"); s != "" {
		count, _ = strconv.Atoi(s)
	}
	s := NewStrategies()
	roles, trained, ran, as, not := map[string]int{}, 0, 0, 0, 0
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := randomModel(rng)
		if seed%2 == 0 {
			if step, err := grad.Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.5}); err == nil {
				g = step.Graph
				trained++
			}
		}
		degrees := [][]int{{2}, {3}, {2, 2}, {2, 3}, {4, 2}, {4}}[rng.IntN(6)]
		l := layOut(t, g, s, rng, degrees...)
		if err := accepted(l); err != nil {
			t.Fatalf("seed %d: %v\n%s\nof\n%s", seed, err, l.Graph(), g)
		}
		in := residues(g, 3)
		want, err := interp.EvalGraph(ctx, ring, g, in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := interp.EvalGraph(ctx, ring, l.Graph(), in)
		if err != nil || !equal(got, want) {
			t.Fatalf("seed %d: other numbers (%v)\n%s\nof\n%s", seed, err, l.Graph(), g)
		}
		if p, err := New(ctx, l.Graph()); err == nil && p.Devices() <= 64 {
			ran++
			if err := differs(p, g); err != nil {
				t.Fatalf("seed %d: %v\n%s\nof\n%s", seed, err, l.Graph(), g)
			}
			same, other := sameRoles(t, l, p)
			as, not = as+same, not+other
		}
	}
	for _, all := range s.known.All() {
		for _, st := range all {
			for _, r := range st.Out {
				roles[strings.Fields(r.String())[0]]++
			}
		}
	}
	t.Logf("%d training steps, %d run on devices, results of strategies: %v", trained, ran, roles)
	t.Logf("roles as they are found in the graph alone: %d, others: %d", as, not)
	if as < 40*not {
		t.Errorf("layouts have %d roles that are found in the graph alone, and %d others", as, not)
	}
	if ran < count/2 || trained < count/3 || roles["shard"] == 0 || roles["sum"] == 0 || roles["copy"] == 0 {
		t.Errorf("%d training steps, %d run on devices, %v", trained, ran, roles)
	}
}

// sameRoles compares the layouts of tensors with those that are found in the graph alone.
func sameRoles(t *testing.T, l *Laying, p *PCG) (same, other int) {
	t.Helper()
	for id := range l.g.Nodes() {
		for k := range l.g.NumOut(id) {
			x := id.Out(k)
			for i, s := range p.Layout(x) {
				mine := l.Layout(x)[i].Role
				s.Role.Level = 0
				switch {
				case mine.Kind == Unknown || s.Role.Kind == Unknown:
				case mine == s.Role, mine.Kind == Sum && s.Role.Kind == First: // the first one and zeros add up to it
					same++
				default:
					other++ // where members are all alike, or zeros, several are true
				}
			}
		}
	}
	return same, other
}

// What a proof lacks or has of another layout is noticed.
func TestLayRejected(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	g := parse(t, `
x : float32[4, 6]
w : weight float32[6, 8]
v : weight float32[8, 6]
h = matmul(x, w)
r = relu(h)
y = matmul(r, v)
return y`)
	s := NewStrategies()
	rejected := 0
	for i := range 20 {
		l := layOut(t, g, s, rng, 2, 2)
		if err := accepted(l); err != nil {
			t.Fatal(err)
		}
		e, all := l.Equation(), l.insts
		if _, err := check.Rule(e, &law.Proof{}, check.Laws(l.Laws())); err == nil && len(all) > 0 {
			t.Errorf("%d: accepted without instances", i)
		}
		for k := range all {
			without := append(slices.Clone(all[:k]), all[k+1:]...)
			if _, err := check.Rule(e, &law.Proof{Instances: without}, check.Laws(l.Laws())); err != nil {
				rejected++
			}
		}
		// A reduce more or less, an axis that is another one: the equation is another one.
		for _, wrong := range []func(*law.Term) *law.Term{
			func(u *law.Term) *law.Term { return swapOp(u, "reduce", "drop") },
			func(u *law.Term) *law.Term { return swapOp(u, "replicate", "lift") },
			func(u *law.Term) *law.Term { return swapOp(u, "drop", "reduce") },
		} {
			m := *e
			m.RHS = []*law.Term{e.RHS[0].Rewrite(wrong)}
			known := map[*law.Term]interp.Tensor[uint64]{}
			x, err := evaluate(&m, m.LHS[0], known)
			if err != nil {
				t.Fatal(err)
			}
			if y, err := evaluate(&m, m.RHS[0], known); err == nil && slices.Equal(x.Data, y.Data) {
				continue // it does not matter there
			}
			if _, err := check.Rule(&m, l.Proof(), check.Laws(l.Laws())); err == nil {
				t.Errorf("%d: accepted: %s", i, law.Format(&m))
			}
			rejected++
		}
	}
	if rejected < 100 {
		t.Errorf("%d rejected", rejected)
	}
}

// swapOp is the term with another layout operator at its root.
func swapOp(u *law.Term, from, to string) *law.Term {
	if u.Op == nil || u.Op.Name != from {
		return u
	}
	o, ok := graph.Lookup(to)
	if !ok {
		return u
	}
	v := *u
	v.Op = o
	return &v
}

// All operators of training steps of networks can be spread: by samples, by channels or
// columns, and by what they sum over.
func TestStrategiesOfNetworks(t *testing.T) {
	s := NewStrategies()
	for _, name := range []string{"bert-base-layer-128", "squeezenet-tiny"} {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		step, err := grad.Train(m.Graph, grad.Options{Loss: grad.MeanSquare, Rate: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		l := NewLaying(step.Graph, s)
		without := map[string]int{}
		nodes := 0
		for id := range step.Graph.Nodes() {
			if step.Graph.Op(id) == nil || len(step.Graph.Operands(id)) == 0 {
				continue
			}
			nodes++
			all, err := l.Strategies(ctx, id, 2)
			if err != nil {
				t.Fatal(err)
			}
			even := slices.ContainsFunc(step.Graph.Operands(id), func(x graph.Tensor) bool {
				return slices.ContainsFunc(step.Graph.Sizes(x), func(n int) bool { return n%2 == 0 })
			})
			if len(all) < 2 && even {
				without[step.Graph.Op(id).Name]++
			}
		}
		t.Logf("%s: %d nodes, only copies: %v", name, nodes, without)
		if nodes < 100 || len(without) > 0 {
			t.Errorf("%s: %d nodes, only copies: %v", name, nodes, without)
		}
	}
}

// A look-up is dealt out by its positions: the law is about all of them, since where they
// are within the table is said of all.
func TestLayLookUp(t *testing.T) {
	g := parse(t, `
i : int64[8]
t : weight float32[16, 4]
e = gather[axis=0](t, i)
return e`)
	l := NewLaying(g, NewStrategies())
	dealt := Role{Kind: Shard}
	err := l.Along(ctx, 2, Choice{Of: func(id graph.NodeID) []*Strategy {
		all, err := l.Strategies(ctx, id, 2)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(st *Strategy) bool { return st.In[1] == dealt && st.Out[0] == dealt })
		if i < 0 {
			t.Fatal("no strategy deals positions out")
		}
		return all[i : i+1]
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := accepted(l); err != nil {
		t.Errorf("%v\n%s", err, l.Graph())
	}
}
