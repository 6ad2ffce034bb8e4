package optimize_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/fold"
	"github.com/taso-go/taso/search"
)

// never are rewrites that other optimizers have made, or nearly: what stands on the left
// is a network, from which none of what stands in false may be reached. claim is the
// law that would be needed.
var never = []struct {
	name, graph string
	false       []string
	claim       string
}{
	{
		// NasNet-A's pairs of depthwise convolutions match in TASO and Tensat.
		name: "depthwise convolutions by kernels side by side",
		graph: `x : float32[1, 4, 4, 4]
v : weight float32[4, 1, 3, 3]
w : weight float32[4, 1, 3, 3]
a = conv2d[pad=same_upper, groups=4](x, v)
b = conv2d[pad=same_upper, groups=4](x, w)
return a, b`,
		false: []string{`x : float32[1, 4, 4, 4]
v : weight float32[4, 1, 3, 3]
w : weight float32[4, 1, 3, 3]
k = concat[axis=0](v, w)
c = conv2d[pad=same_upper, groups=4](x, k)
s = split[axis=1, at=4](c)
return s.0, s.1`},
		claim: `axiom claim
  given s : stride, p : padding, X : [b, g*c, h, w], V : [g*m, c, kh, kw], W : [g*n, c, kh, kw]
  let   conv(X, W) = conv2d[stride=s, pad=p, groups=g](X, W)
  then  (conv(X, V), conv(X, W)) == split[axis=1, at=g*m](conv(X, concat[axis=0](V, W)))`,
	},
	{
		name: "convolutions in two groups by kernels side by side",
		graph: `x : float32[1, 4, 4, 4]
v : weight float32[4, 2, 1, 1]
w : weight float32[2, 2, 1, 1]
a = conv2d[pad=valid, groups=2](x, v)
b = conv2d[pad=valid, groups=2](x, w)
return a, b`,
		false: []string{`x : float32[1, 4, 4, 4]
v : weight float32[4, 2, 1, 1]
w : weight float32[2, 2, 1, 1]
k = concat[axis=0](v, w)
c = conv2d[pad=valid, groups=2](x, k)
s = split[axis=1, at=4](c)
return s.0, s.1`},
		claim: `axiom claim
  given p : padding, X : [b, 2*c, h, w], V : [2*m, c, kh, kw], W : [2*n, c, kh, kw]
  let   conv(X, W) = conv2d[pad=p, groups=2](X, W)
  then  (conv(X, V), conv(X, W)) == split[axis=1, at=2*m](conv(X, concat[axis=0](V, W)))`,
	},
	{
		name: "a sum of convolutions in groups",
		graph: `x : float32[1, 4, 4, 4]
y : float32[1, 4, 4, 4]
v : weight float32[2, 2, 1, 1]
w : weight float32[2, 2, 1, 1]
a = conv2d[pad=valid, groups=2](x, v)
b = conv2d[pad=valid, groups=2](y, w)
z = ewadd(a, b)
return z`,
		false: []string{`x : float32[1, 4, 4, 4]
y : float32[1, 4, 4, 4]
v : weight float32[2, 2, 1, 1]
w : weight float32[2, 2, 1, 1]
i = concat[axis=1](x, y)
k = concat[axis=1](v, w)
z = conv2d[pad=valid, groups=2](i, k)
return z`},
		claim: `axiom claim
  given s : stride, p : padding, X : [b, g*c, h, w], Y : [b, g*d, h, w], V : [o, c, kh, kw], W : [o, d, kh, kw]
  let   conv(X, W) = conv2d[stride=s, pad=p, groups=g](X, W)
  then  ewadd(conv(X, V), conv(Y, W)) == conv(concat[axis=1](X, Y), concat[axis=1](V, W))`,
	},
	{
		name: "a convolution in groups before another one",
		graph: `x : float32[1, 4, 4, 4]
v : weight float32[4, 2, 1, 1]
w : weight float32[4, 4, 3, 3]
a = conv2d[pad=valid, groups=2](x, v)
z = conv2d[pad=same_upper](a, w)
return z`,
		false: []string{`x : float32[1, 4, 4, 4]
v : weight float32[4, 2, 1, 1]
w : weight float32[4, 4, 3, 3]
t = transpose[perm=(1, 0, 2, 3)](v)
k = conv2d[pad=valid](w, t)
z = conv2d[pad=same_upper, groups=2](x, k)
return z`},
		claim: `axiom claim
  given s : stride, p : padding, X : [b, 2*c, h, w], V : [2*m, c, 1, 1], W : [2*o, 2*m, kh, kw]
  then  conv2d[stride=s, pad=p](conv2d[pad=valid, groups=2](X, V), W)
     == conv2d[stride=s, pad=p, groups=2](X, conv2d[pad=valid](W, transpose[perm=(1, 0, 2, 3)](V)))`,
	},
	{
		name: "groups with different numbers of channels",
		graph: `x : float32[1, 2, 4, 4]
y : float32[1, 2, 4, 4]
v : weight float32[2, 2, 1, 1]
w : weight float32[4, 2, 1, 1]
a = conv2d[pad=valid](x, v)
b = conv2d[pad=valid](y, w)
z = concat[axis=1](a, b)
return z`,
		false: []string{`x : float32[1, 2, 4, 4]
y : float32[1, 2, 4, 4]
v : weight float32[2, 2, 1, 1]
w : weight float32[4, 2, 1, 1]
i = concat[axis=1](x, y)
k = concat[axis=0](v, w)
z = conv2d[pad=valid, groups=2](i, k)
return z`},
		claim: `axiom claim
  given p : padding, X : [b, c, h, w], Y : [b, c, h, w], V : [m, c, kh, kw], W : [m+2, c, kh, kw]
  then  conv2d[pad=p, groups=2](concat[axis=1](X, Y), concat[axis=0](V, W))
     == concat[axis=1](conv2d[pad=p](X, V), conv2d[pad=p](Y, W))`,
	},
	{
		// After concat(x, concat(y, z)) has become concat(concat(x, y), z), the seam of the
		// cut is not that of the last concatenation.
		name: "a cut at the other seam",
		graph: `x : float32[2]
y : float32[2]
z : float32[2]
c = concat[axis=0](y, z)
d = concat[axis=0](x, c)
s = split[axis=0, at=2](d)
p = reducesum[axes=(0)](s.0)
q = reducesum[axes=(0)](s.1)
return p, q`,
		false: []string{`x : float32[2]
y : float32[2]
z : float32[2]
c = concat[axis=0](x, y)
d = concat[axis=0](c, z)
s = split[axis=0, at=4](d)
p = reducesum[axes=(0)](s.0)
q = reducesum[axes=(0)](s.1)
return p, q`, `x : float32[2]
y : float32[2]
z : float32[2]
c = concat[axis=0](x, y)
p = reducesum[axes=(0)](c)
q = reducesum[axes=(0)](z)
return p, q`},
		claim: `axiom claim
  given X : [a], Y : [a], Z : [a]
  then  reducesum[axes=(0)](slice[axis=0, lo=0, hi=a](concat[axis=0](X, concat[axis=0](Y, Z))))
     == reducesum[axes=(0)](slice[axis=0, lo=0, hi=2*a](concat[axis=0](concat[axis=0](X, Y), Z)))`,
	},
	{
		// Where operands broadcast, a sum of concatenations is not that of the parts.
		name: "sums with rows that are repeated, one below the other",
		graph: `x : float32[2, 3]
y : float32[2, 3]
k : weight float32[1, 3]
l : weight float32[1, 3]
b = broadcast[shape=[2, 3]](k)
c = broadcast[shape=[2, 3]](l)
p = ewadd(x, b)
q = ewadd(y, c)
z = concat[axis=0](p, q)
return z`,
		false: []string{`x : float32[2, 3]
y : float32[2, 3]
k : weight float32[1, 3]
l : weight float32[1, 3]
i = concat[axis=0](x, y)
b = concat[axis=0](k, l)
c = concat[axis=0](b, b)
z = ewadd(i, c)
return z`, `x : float32[2, 3]
y : float32[2, 3]
k : weight float32[1, 3]
l : weight float32[1, 3]
i = concat[axis=0](x, y)
c = broadcast[shape=[4, 3]](k)
z = ewadd(i, c)
return z`},
		claim: `axiom claim
  given X : [m, n], Y : [m, n], K : [1, n], L : [1, n]
  then  concat[axis=0](ewadd(X, broadcast[shape=[m, n]](K)), ewadd(Y, broadcast[shape=[m, n]](L)))
     == ewadd(concat[axis=0](X, Y), broadcast[shape=[2*m, n]](K))`,
	},
	{
		name: "an even kernel made odd",
		graph: `x : float32[1, 2, 4, 4]
w : weight float32[2, 2, 2, 2]
z = conv2d[pad=same_upper](x, w)
return z`,
		false: []string{`x : float32[1, 2, 4, 4]
w : weight float32[2, 2, 2, 2]
k = enlarge[kh=3, kw=3](w)
z = conv2d[pad=same_upper](x, k)
return z`},
		claim: `axiom claim
  given X : [b, c, h, w], W : [o, c, 2, 2]
  then  conv2d[pad=same_upper](X, W) == conv2d[pad=same_upper](X, enlarge[kh=3, kw=3](W))`,
	},
	{
		name: "an odd kernel made even",
		graph: `x : float32[1, 2, 4, 4]
w : weight float32[2, 2, 1, 1]
z = conv2d[pad=same_lower](x, w)
return z`,
		false: []string{`x : float32[1, 2, 4, 4]
w : weight float32[2, 2, 1, 1]
k = enlarge[kh=2, kw=2](w)
z = conv2d[pad=same_lower](x, k)
return z`},
		claim: `axiom claim
  given X : [b, c, h, w], W : [o, c, 1, 1]
  then  conv2d[pad=same_lower](X, W) == conv2d[pad=same_lower](X, enlarge[kh=2, kw=2](W))`,
	},
	{
		name: "a kernel made larger under stride 2 and the other SAME",
		graph: `x : float32[1, 2, 4, 4]
w : weight float32[2, 2, 1, 1]
z = conv2d[stride=(2, 2), pad=same_upper](x, w)
return z`,
		false: []string{`x : float32[1, 2, 4, 4]
w : weight float32[2, 2, 1, 1]
k = enlarge[kh=3, kw=3](w)
z = conv2d[stride=(2, 2), pad=same_upper](x, k)
return z`},
		claim: `axiom claim
  given X : [b, c, h, w], W : [o, c, 1, 1]
  then  conv2d[stride=(2, 2), pad=same_upper](X, W) == conv2d[stride=(2, 2), pad=same_upper](X, enlarge[kh=3, kw=3](W))`,
	},
	{
		// What the weight is computed with depends on an input here, though it is 0.
		name: "weights and what looks like one",
		graph: `x : float32[2, 2]
v : weight float32[2, 2]
w : weight float32[2, 2]
d = ewsub(x, x)
a = ewadd(v, d)
b = ewmul(v, w)
p = matmul(x, a)
q = matmul(x, b)
z = ewadd(p, q)
return z`,
		false: []string{`x : float32[2, 2]
v : weight float32[2, 2]
w : weight float32[2, 2]
p = matmul(x, v)
q = matmul(x, w)
z = ewadd(p, q)
return z`},
		claim: `axiom claim
  given X : [m, k], V : [k, n], W : [k, n]
  then  matmul(X, ewmul(V, W)) == matmul(X, W)`,
	},
}

// evaluated are the outputs of a graph in float64, for inputs drawn by their names.
func evaluated(g *graph.Graph) ([]interp.Tensor[float64], error) {
	e := interp.Evaluator[float64]{Ring: interp.Float{}, Input: func(id graph.NodeID) (x interp.Tensor[float64], err error) {
		x.Sizes = g.Sizes(id.Out(0))
		numbers, err := model.Random(model.Seed(5, g.Name(id)), x.Sizes, 1).Float32s()
		for _, v := range numbers {
			x.Data = append(x.Data, float64(v))
		}
		return x, err
	}}
	return e.Run(context.Background(), g)
}

// apart is how far outputs are from each other.
func apart(a, b []interp.Tensor[float64]) (most float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		if !slices.Equal(a[i].Sizes, b[i].Sizes) {
			return math.Inf(1)
		}
		for j, x := range a[i].Data {
			d := math.Abs(x - b[i].Data[j])
			if math.IsNaN(d) {
				return math.Inf(1)
			}
			most = max(most, d)
		}
	}
	return most
}

// hashOf is the hash that a network has in a bank, where derived operators are what they
// stand for.
func hashOf(t *testing.T, g *graph.Graph) bank.Hash {
	t.Helper()
	net, _, err := bank.From(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return net.Hash()
}

// No false rewrite is reached by three moves of any laws, all that is reached computes the
// same, and of it exactly what depends on weights only is free. A made-up proof of the
// false rewrite is rejected.
func TestNever(t *testing.T) {
	rules := rulesOf(t)
	on := machine(t)
	for _, c := range never {
		t.Run(c.name, func(t *testing.T) {
			a := written(t, c.graph)
			want, err := evaluated(a.Graph)
			if err != nil {
				t.Fatal(err)
			}
			forbidden := map[bank.Hash]string{}
			for _, text := range c.false {
				b := written(t, text)
				got, err := evaluated(b.Graph)
				if err != nil {
					t.Fatal(err)
				}
				if apart(want, got) < 1e-6 {
					t.Fatalf("it is true:\n%s", text)
				}
				forbidden[hashOf(t, b.Graph)] = text
				for _, cert := range made(t, a, b, c.claim) {
					if !refusedAnyhow(cert, a, b) {
						t.Errorf("a made-up proof is accepted:\n%s\nfor\n%s", cert, text)
					}
				}
			}
			l, err := law.ParseLaw(c.claim)
			if err != nil {
				t.Fatal(err)
			}
			if optimize.Believed(context.Background(), l) == nil {
				t.Errorf("believed:\n%s", c.claim)
			}
			reached := reach(t, a, rules, on, 3, func(g *graph.Graph, hash bank.Hash, path []string) {
				if text, ok := forbidden[hash]; ok {
					t.Errorf("%v lead to\n%s", path, text)
				}
				got, err := evaluated(g)
				if err != nil {
					t.Fatal(err)
				}
				if d := apart(want, got); d > 1e-9 {
					t.Errorf("%v lead to what differs by %g:\n%s", path, d, g)
				}
			})
			if reached == 0 {
				t.Error("no move is made: nothing is told")
			}
			t.Logf("%d networks", reached)
		})
	}
}

// made are certificates of the equation of two networks: without a proof, from the claim
// as an axiom, and from the equation itself as an axiom.
func made(t *testing.T, a, b *model.Model, claim string) [][]byte {
	t.Helper()
	var eq law.Law
	for i, m := range []*model.Model{a, b} {
		n, err := search.NewNetwork(m.Graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		if eq.LHS == nil {
			eq = law.Law{Kind: law.Rule, Name: "network", Given: n.Given()}
		}
		if eq.RHS = n.Left(); i == 0 {
			eq.LHS = eq.RHS
		}
	}
	text := law.Format(&eq)
	all := eq
	all.Kind, all.Name = law.Axiom, "all"
	instance := law.Instance{Law: "all", Tensors: map[string]*law.Term{}}
	for _, g := range eq.Given {
		instance.Tensors[g.Name] = law.V(g.Name)
	}
	return [][]byte{
		forged(t, text, nil, ""),
		forged(t, text, nil, claim),
		forged(t, text, []law.InstanceText{instance.Text()}, law.Format(&all)),
	}
}

// femtoseconds are the prices of a cost model.
type femtoseconds struct{ m cost.Model }

func (p femtoseconds) Alone(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (alone, view int64, err error) {
	x, err := cost.PricesOf(p.m, cost.Application{Op: op, Attrs: a, In: in, Out: out})
	return int64(x.Alone * 1e15), int64(x.View * 1e15), err
}

func (p femtoseconds) Fused(op *graph.Op, a graph.Attrs, others []graph.TensorType, t graph.TensorType) (int64, error) {
	s, _, err := p.m.Fused(cost.Fused{Op: op, Attrs: a, Others: others}, t)
	return int64(s * 1e15), err
}

// reach calls f with every network that is at most so many moves away, each once, and
// checks what is free in it. It returns their number.
func reach(t *testing.T, m *model.Model, rules *search.Rules, on cost.Model, depth int, f func(*graph.Graph, bank.Hash, []string)) int {
	t.Helper()
	net, _, err := bank.From(m.Graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	trail := search.NewTrail(search.NewRewriter(net, rules), search.NewPricer(net, lower.CPU(), femtoseconds{on}))
	least := map[bank.Hash]int{net.Hash(): 0} // moves to it
	seen := 0
	var path []string
	var visit func(left int)
	visit = func(left int) {
		var all []search.Move
		net.Nodes(func(n bank.Node) bool {
			one, many := trail.Moves.At(n)
			all = append(append(all, one...), many...)
			return true
		})
		for i := range all {
			if !trail.Do(&all[i]) {
				continue
			}
			hash := net.Hash()
			moves := trail.Len()
			old, known := least[hash]
			if !known || moves < old {
				least[hash] = moves
				l := all[i].Direction
				path = append(path, fmt.Sprint(l.Law.Law.Name, " backward ", l.Backward))
				if !known {
					seen++
					g, _, err := net.Graph()
					if err != nil {
						t.Fatal(err)
					}
					f(g, hash, path)
					free(t, net, trail.Price, path)
				}
				if left > 1 {
					visit(left - 1)
				}
				path = path[:len(path)-1]
			}
			trail.Back(moves - 1)
		}
	}
	visit(depth)
	return seen
}

// free checks that what costs nothing depends on weights only, and the other way round; but
// for concatenations that are copied with the one that reads them, which pays for both.
func free(t *testing.T, net *bank.Bank, p *search.Pricer, path []string) {
	t.Helper()
	weights := map[bank.Node]bool{}
	for _, n := range net.Inputs() {
		weights[n] = net.Fixed(n)
	}
	var only func(n bank.Node) bool
	only = func(n bank.Node) bool {
		is, ok := weights[n]
		if !ok {
			is = true
			for _, x := range net.Operands(n) {
				m, _ := net.NodeOf(x)
				is = only(m) && is
			}
			weights[n] = is
		}
		return is
	}
	var paidByReader func(n bank.Node) bool
	paidByReader = func(n bank.Node) bool {
		is := net.Op(n).Name == "concat" && net.UseCount(net.Out(n, 0)) == 1
		net.Users(net.Out(n, 0), func(u bank.Node, _ int) bool {
			is = is && net.Op(u) == net.Op(n) && net.Attrs(u)[0] == net.Attrs(n)[0] && (p.Of(u) > 0 || paidByReader(u))
			return true
		})
		return is
	}
	net.Nodes(func(n bank.Node) bool {
		// A view may cost nothing, too.
		if paid := p.Of(n) > 0; paid && only(n) || !paid && !only(n) && !lower.IsView(net.Op(n)) && !paidByReader(n) {
			t.Errorf("%v: %s costs %d, that it depends on weights only is %v", path, net.Op(n).Name, p.Of(n), only(n))
		}
		return true
	})
}

// A class has a node that depends on weights only, and one that reads an input: what is
// free is the chosen node, not the class.
func TestNeverFreeByClass(t *testing.T) {
	var p extract.Problem
	x, w, sum, product := p.AddClass(), p.AddClass(), p.AddClass(), p.AddClass()
	p.AddNode(extract.Node{Class: x})
	p.AddNode(extract.Node{Class: w, Kind: extract.Fixed, Bytes: 8})
	weights := p.AddNode(extract.Node{Class: sum, Children: []extract.ClassID{w, w}, Cost: 70, Bytes: 8})
	input := p.AddNode(extract.Node{Class: sum, Children: []extract.ClassID{x, w}, Cost: 30})
	p.AddNode(extract.Node{Class: product, Children: []extract.ClassID{x, sum}, Cost: 100})
	p.Roots = []extract.ClassID{product}
	for _, c := range []struct {
		node extract.NodeID
		cost int64
	}{{weights, 100}, {input, 130}} {
		got, err := p.Evaluate([]extract.NodeID{0, 1, c.node, 4})
		if err != nil || got.Cost != c.cost {
			t.Errorf("node %d: cost %+v, %v, want %d", c.node, got, err, c.cost)
		}
	}
	if r, err := extract.Solve(context.Background(), &p, extract.Options{}); err != nil || r.Cost != 100 || r.Choice[sum] != weights {
		t.Errorf("%+v, %v", r, err)
	}
	// Without room for the weight the other one is paid for.
	p.MaxBytes = 8
	p.Nodes[weights].Bytes = 16
	if r, err := extract.Solve(context.Background(), &p, extract.Options{}); err != nil || r.Cost != 130 || r.Choice[sum] != input {
		t.Errorf("%+v, %v", r, err)
	}
}

// What is computed ahead reads no input, whatever its value.
func TestNeverFolded(t *testing.T) {
	m := written(t, "x : float32[2, 2]\nw : weight float32[2, 2]\nd = ewsub(x, x)\na = ewadd(w, d)\nb = ewmul(w, w)\nc = ewadd(a, b)\nz = matmul(x, c)\nreturn z")
	worth := fold.Worth(m.Graph, fold.Limits{})
	for id := range worth {
		if m.Graph.Name(id) != "b" {
			t.Errorf("%s is computed ahead", m.Graph.Name(id))
		}
	}
	if len(worth) != 1 {
		t.Errorf("%d nodes are computed ahead, want one", len(worth))
	}
	a, _ := m.Graph.Find("a")
	out, err := fold.Model(m, func(id graph.NodeID) bool { return id == a })
	if err == nil {
		for _, w := range out.Weights {
			if _, e := w.Read(); e != nil {
				err = e
			}
		}
	}
	if err == nil {
		t.Error("what reads an input is made a weight")
	}
}
