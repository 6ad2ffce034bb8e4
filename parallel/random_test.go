package parallel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/refute"
	"github.com/taso-go/taso/verify/sums"
)

// lawsOf are the laws of a file in testdata that speak of layouts.
func lawsOf(t testing.TB, name string) []*law.Law {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	all, err := law.Parse(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(l *law.Law) bool {
		laid := false
		l.EachTerm(func(u *law.Term) {
			if u.Op != nil {
				o, _, _ := memberOf(u.Op, u.Attrs)
				laid = laid || layoutOp(o) != actLocal
			}
		})
		return !laid
	})
}

// usable are directions for networks: of laws that leave degrees open, instances.
func usable(t testing.TB) *search.Rules {
	t.Helper()
	rules := &search.Rules{}
	for _, l := range append(lawsOf(t, "mlp3.rules"), lawsOf(t, "layers.rules")...) {
		c, err := rewrite.Compile(l)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Directions {
			_ = rules.Add(d) // one that is bare has no place
		}
		if len(c.Unusable) == 0 || len(Degrees(l)) > 1 {
			continue
		}
		for _, m := range AtDegrees(l, 2, 3, 4, 8) {
			c, err := rewrite.Compile(m)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range c.Directions {
				_ = rules.Add(d)
			}
		}
	}
	return rules
}

// The laws of layers, which are written here, have proofs; what has none yet has no
// counterexample.
func TestLayers(t *testing.T) {
	for _, l := range lawsOf(t, "layers.rules") {
		proof, err := sums.Certify(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		if proof != nil {
			continue
		}
		t.Logf("%s has no proof yet", l.Name)
		if w, err := refute.Find(context.Background(), l, refute.Options{}); w != nil || err != nil {
			t.Errorf("%s: %v, %v", l.Name, w, err)
		}
	}
}

// randomModel is a network of a few layers, of matrices or of images.
func randomModel(rng *rand.Rand) *graph.Graph {
	var b graph.Builder
	pick := func(ts []graph.Tensor) graph.Tensor { return ts[rng.IntN(len(ts))] }
	var have []graph.Tensor
	apply := func(o *graph.Op, attrs map[string]graph.Value, in ...graph.Tensor) {
		if id, err := b.Apply("", o, o.MustAttr(attrs), in...); err == nil {
			have = append(have, id.Out(0))
		} else {
			panic(err)
		}
	}
	functions := []*graph.Op{op.Relu, op.Tanh, op.Sigmoid}
	weights := 0
	weight := func(sizes ...int) graph.Tensor {
		weights++
		w, err := b.AddWeight("w"+strconv.Itoa(weights), graph.Float32, sizes...)
		if err != nil {
			panic(err)
		}
		return w
	}
	if rng.IntN(4) == 0 {
		h := []int{4, 6, 8}[rng.IntN(3)]
		x, _ := b.AddInput("x", graph.Float32, []int{2, 4}[rng.IntN(2)], []int{2, 4}[rng.IntN(2)], h, 4)
		have = append(have, x)
		for range 1 + rng.IntN(3) {
			x := have[len(have)-1]
			switch rng.IntN(3) {
			case 0:
				apply(functions[rng.IntN(3)], nil, x)
			default:
				k, pad := 3, graph.TupleValue(1, 1, 1, 1)
				if rng.IntN(3) == 0 {
					k, pad = 1, graph.TupleValue(0, 0, 0, 0)
				}
				apply(op.Conv2D, map[string]graph.Value{"pad": pad}, x, weight([]int{2, 3, 4}[rng.IntN(3)], b.Sizes(x)[1], k, k))
			}
		}
	} else {
		sizes := []int{4, 6, 8, 12}
		x, _ := b.AddInput("x", graph.Float32, sizes[rng.IntN(4)], sizes[rng.IntN(4)])
		have = append(have, x)
		for range 2 + rng.IntN(4) {
			x := pick(have)
			if rng.IntN(2) == 0 {
				x = have[len(have)-1]
			}
			n := b.Sizes(x)
			switch rng.IntN(9) {
			case 0, 1, 2:
				apply(op.MatMul, nil, x, weight(n[1], sizes[rng.IntN(4)]))
			case 3:
				apply(op.EWAdd, nil, x, weight(n...))
			case 4:
				like := slices.DeleteFunc(slices.Clone(have), func(y graph.Tensor) bool { return !slices.Equal(b.Sizes(y), n) })
				apply(op.EWAdd, nil, x, pick(like))
			case 5, 6:
				apply(functions[rng.IntN(3)], nil, x)
			case 7:
				apply(op.Transpose, map[string]graph.Value{"perm": graph.TupleValue(1, 0)}, x)
			case 8:
				apply(op.Softmax, map[string]graph.Value{"axis": graph.IntValue(1)}, x)
			}
		}
	}
	outs := have[len(have)-1:]
	if len(have) > 3 && rng.IntN(3) == 0 {
		outs = have[len(have)-2:]
	}
	g, err := b.Finish(outs...)
	if err != nil {
		panic(err)
	}
	return g.WithoutDead()
}

// detour puts a layout operator and the one that undoes it behind a random tensor.
func detour(g *graph.Graph, rng *rand.Rand) *graph.Graph {
	in := &inference{g: g, acts: make([]act, g.Len()+1), of: make([][][]int, g.Len()+1)}
	if err := in.run(); err != nil {
		panic(err)
	}
	var all []graph.Tensor
	for id := range g.Nodes() {
		if len(in.of[id]) > 0 && g.DType(id.Out(0)).IsFloat() {
			all = append(all, id.Out(0))
		}
	}
	if rng.IntN(2) == 0 { // what was just put together
		if ended := slices.DeleteFunc(slices.Clone(all), func(t graph.Tensor) bool { return in.acts[t.Node].kind != actEnd }); len(ended) > 0 {
			all = ended
		}
	}
	t := all[rng.IntN(len(all))]
	sizes, m := g.Sizes(t), len(in.axesOf(t))
	at := rng.IntN(m + 1)
	pairs := [][2]*graph.Op{{op.Partition, op.Combine}, {op.Partition, op.Combine}, {op.Replicate, op.Drop}, {op.Lift, op.Reduce}}
	pair := pairs[rng.IntN(len(pairs))]
	axis := 0
	n := []int{1, 2, 3, 4, 6, 8}[rng.IntN(6)]
	if pair[0] == op.Partition {
		if at == len(sizes) {
			return nil
		}
		axis = rng.IntN(len(sizes) - at)
		if m > at && rng.IntN(3) == 0 {
			axis = rng.IntN(m - at) // divide an axis of the mesh
		}
		if sizes[at+axis]%n != 0 {
			return nil
		}
	}
	var b graph.Builder
	to := make([][]graph.Tensor, g.Len()+1)
	layout := func(o *graph.Op, x graph.Tensor) graph.Tensor {
		named := map[string]graph.Value{}
		if o.ParamIndex("on") >= 0 {
			named["on"] = graph.IntValue(int64(n))
		}
		if o.ParamIndex("axis") >= 0 {
			named["axis"] = graph.IntValue(int64(axis))
		}
		if at > 0 {
			o = o.Each()
			named["over"] = graph.ShapeValue(graph.Sizes(sizes[:at]...))
		}
		id, err := b.Apply("", o, o.MustAttr(named), x)
		if err != nil {
			panic(err)
		}
		return id.Out(0)
	}
	for id := range g.Nodes() {
		var ins []graph.Tensor
		for _, x := range g.Operands(id) {
			ins = append(ins, to[x.Node][x.Out])
		}
		switch ty := g.Type(id.Out(0)); {
		case g.Op(id) != nil:
			n, err := b.Apply("", g.Op(id), g.Attrs(id), ins...)
			if err != nil {
				panic(err)
			}
			for k := range g.NumOut(id) {
				to[id] = append(to[id], n.Out(k))
			}
		case g.IsWeight(id):
			w, _ := b.AddWeight(g.Name(id), ty.DType, ty.Sizes...)
			to[id] = []graph.Tensor{w}
		default:
			x, _ := b.AddInput(g.Name(id), ty.DType, ty.Sizes...)
			to[id] = []graph.Tensor{x}
		}
		if id == t.Node {
			to[id][0] = layout(pair[1], layout(pair[0], to[id][0]))
		}
	}
	var outs []graph.Tensor
	for _, x := range g.Outputs() {
		outs = append(outs, to[x.Node][x.Out])
	}
	h, err := b.Finish(outs...)
	if err != nil {
		panic(err)
	}
	return h
}

// wellLaid reports whether a graph can run on at most 16 devices.
func wellLaid(g *graph.Graph) bool {
	in := &inference{g: g, acts: make([]act, g.Len()+1), of: make([][][]int, g.Len()+1)}
	if in.run() != nil {
		return false
	}
	p := &PCG{Graph: g}
	in.place(p)
	return p.Devices() <= 16
}

// walk lays a network out by random detours and random uses of rules.
func walk(g *graph.Graph, rules *search.Rules, rng *rand.Rand, used map[string]int) *graph.Graph {
	for range 2 + rng.IntN(4) {
		for range rng.IntN(4) {
			if h := detour(g, rng); h != nil && h.Len() < 60 && wellLaid(h) {
				g = h
			}
		}
		net, _, err := bank.From(g, nil)
		if err != nil {
			panic(err)
		}
		r := search.NewRewriter(net, rules)
		for range 1 + rng.IntN(8) {
			var moves []search.Move
			all := search.NewMoves(r)
			for n := bank.Node(1); int(n) <= net.Len(); n++ {
				one, many := all.At(n)
				moves = append(append(moves, one...), many...)
			}
			if len(moves) == 0 {
				break
			}
			// A law that can be used in many places is as likely as one that can in one.
			name := func(m search.Move) string { return m.Direction.Law.Law.Name }
			var laws []string
			for _, m := range moves {
				if !slices.Contains(laws, name(m)) {
					laws = append(laws, name(m))
				}
			}
			chosen := laws[rng.IntN(len(laws))]
			moves = slices.DeleteFunc(moves, func(m search.Move) bool { return name(m) != chosen })
			m := &moves[rng.IntN(len(moves))]
			mark := net.Mark()
			var failed error
			r.Find(m, func(x *search.Match) { failed = r.Apply(x) })
			h, _, err := net.Graph()
			if h != nil && h.Len() < g.Len() && rng.IntN(4) > 0 {
				failed = fmt.Errorf("it only undoes another one")
			}
			if failed != nil || err != nil || h.Len() > 60 || !wellLaid(h) {
				net.Undo(mark)
				continue
			}
			net.Keep(mark)
			used[m.Direction.Law.Law.Name]++
			g = h
		}
	}
	return g
}

// Random networks, laid out by random rules, compute on devices what they compute without.
// TASO_RANDOM_PCGS is how many, TASO_RANDOM_SEED where they begin.
func TestRandom(t *testing.T) {
	count, first := sweep.Size(500, 2000), uint64(1)
	if testing.Short() {
		count = 200
	}
	if s := os.Getenv("TASO_RANDOM_PCGS"); s != "" {
		count, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("TASO_RANDOM_SEED"); s != "" {
		first, _ = strconv.ParseUint(s, 10, 64)
	}
	rules := usable(t)
	used, kinds, devices := map[string]int{}, map[Kind]int{}, map[int]int{}
	distinct := map[graph.Hash]bool{}
	findings, back, steps := 0, 0, 0
	for i := range uint64(count) {
		rng := rand.New(rand.NewPCG(first+i, 1))
		model := randomModel(rng)
		derived := false
		if i%4 == 3 { // rules lay the backward pass out too
			if h, err := grad.Pullback(model, floatInputs(model)); err == nil && h.Len() < 40 {
				model, derived = h, true
				steps++
			}
		}
		g := walk(model, rules, rng, used)
		p := pcgOf(t, g)
		if err := differs(p, model); err != nil {
			t.Fatalf("seed %d: %v\n%s\nof\n%s", first+i, err, g, model)
		}
		if !derived {
			q, err := backDiffers(p, model)
			if err != nil {
				t.Fatalf("seed %d: %v\nfrom\n%s\nof\n%s", first+i, err, g, model)
			}
			if q != nil {
				back++
				for _, c := range q.Collectives {
					kinds[c.Kind]++
				}
			}
		}
		distinct[g.Hash()] = true
		devices[p.Devices()]++
		findings += min(len(p.Findings), 1)
		for _, c := range p.Collectives {
			kinds[c.Kind]++
		}
	}
	t.Logf("%d different ones, %d also taken backward, %d of forward and backward passes, %d rules used, devices %v, %d with findings", len(distinct), back, steps, len(used), devices, findings)
	if back < count/2 || steps < count/8 {
		t.Errorf("%d of %d have derivatives", back, count)
	}
	for _, k := range Kinds() {
		t.Logf("%s: %d", k, kinds[k])
		if kinds[k] == 0 && k != Permute && count >= 200 {
			t.Errorf("no %s", k)
		}
	}
	if len(distinct) < count*8/10 || devices[1] > count/4 {
		t.Errorf("%d of %d are different, %d on one device", len(distinct), count, devices[1])
	}
}
