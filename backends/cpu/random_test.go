package cpu_test

import (
	"context"
	"slices"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// grower adds random nodes to a graph: what a compiler may fuse, view, compute
// in place or when compiling, in all orders.
type grower struct {
	t    *rapid.T
	b    graph.Builder
	pool []graph.Tensor
}

func (g *grower) pick(what string, ok func(sizes []int) bool) (graph.Tensor, bool) {
	var fit []graph.Tensor
	for _, x := range g.pool {
		if ok(g.b.Sizes(x)) {
			fit = append(fit, x)
		}
	}
	if len(fit) == 0 {
		return graph.Tensor{}, false
	}
	return rapid.SampledFrom(fit).Draw(g.t, what), true
}

func (g *grower) apply(o *graph.Op, named map[string]graph.Value, in ...graph.Tensor) graph.NodeID {
	id, err := g.b.Apply("", o, o.MustAttr(named), in...)
	if err != nil {
		g.t.Fatalf("%s: %v", o.Name, err)
	}
	for i := range max(1, o.Out) {
		g.pool = append(g.pool, id.Out(i))
	}
	return id
}

// bounded keeps numbers small, so that rounding stays below the tolerance.
func (g *grower) bounded(id graph.NodeID) {
	g.pool = g.pool[:len(g.pool)-1]
	g.apply(op.Clip, map[string]graph.Value{"lo": graph.NumberValue(-1), "hi": graph.NumberValue(1)}, id.Out(0))
}

func (g *grower) step() {
	any := func([]int) bool { return true }
	x, _ := g.pick("x", any)
	sizes := g.b.Sizes(x)
	same := func(s []int) bool { return slices.Equal(s, sizes) }
	switch rapid.IntRange(0, 11).Draw(g.t, "kind") {
	case 0, 1:
		g.apply(rapid.SampledFrom([]*graph.Op{op.Relu, op.Tanh, op.Sigmoid, op.Neg, op.Gelu}).Draw(g.t, "f"), nil, x)
	case 2, 3:
		y, _ := g.pick("y", same)
		o := rapid.SampledFrom([]*graph.Op{op.EWAdd, op.EWSub, op.EWMax, op.EWMin, op.EWMul}).Draw(g.t, "f")
		g.bounded(g.apply(o, nil, x, y))
	case 4:
		// A smaller tensor repeated to the size of x.
		small := slices.Clone(sizes)
		for i := range small {
			if rapid.Bool().Draw(g.t, "one") {
				small[i] = 1
			}
		}
		y, ok := g.pick("small", func(s []int) bool { return slices.Equal(s, small) })
		if !ok {
			y = g.apply(op.One, map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(small...))}).Out(0)
		}
		b := g.apply(op.Broadcast, map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(sizes...))}, y)
		g.bounded(g.apply(rapid.SampledFrom([]*graph.Op{op.EWAdd, op.EWMul, op.EWSub}).Draw(g.t, "f"), nil, x, b.Out(0)))
	case 5:
		perm := rapid.Permutation([]int64{0, 1, 2, 3}[:len(sizes)]).Draw(g.t, "perm")
		g.apply(op.Transpose, map[string]graph.Value{"perm": graph.TupleValue(perm...)}, x)
	case 6:
		axis := rapid.IntRange(0, len(sizes)-1).Draw(g.t, "axis")
		if sizes[axis] < 2 {
			return
		}
		at := rapid.IntRange(1, sizes[axis]-1).Draw(g.t, "at")
		g.apply(op.Split, map[string]graph.Value{"axis": graph.IntValue(int64(axis)), "at": graph.IntValue(int64(at))}, x)
	case 7:
		y, _ := g.pick("y", same)
		axis := rapid.IntRange(0, len(sizes)-1).Draw(g.t, "axis")
		if graph.NumElements(sizes) < 2000 {
			g.apply(op.Concat, map[string]graph.Value{"axis": graph.IntValue(int64(axis))}, x, y)
		}
	case 8:
		to := []int{graph.NumElements(sizes), 1}
		for _, k := range []int{2, 3, 5} {
			if to[0]%k == 0 && rapid.Bool().Draw(g.t, "factor") {
				to[0], to[1] = to[0]/k, to[1]*k
			}
		}
		g.apply(op.Reshape, map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(to...))}, x)
	case 9:
		n := len(sizes)
		if n < 2 || n > 3 {
			return
		}
		y, ok := g.pick("factor", func(s []int) bool {
			return len(s) == n && s[n-2] == sizes[n-1] && slices.Equal(s[:n-2], sizes[:n-2])
		})
		if ok {
			g.bounded(g.apply(op.MatMul, nil, x, y))
		}
	case 10:
		if len(sizes) != 4 {
			return
		}
		w, ok := g.pick("kernel", func(s []int) bool {
			return len(s) == 4 && s[1] == sizes[1] && s[2] <= sizes[2] && s[3] <= sizes[3]
		})
		if ok {
			pad := rapid.SampledFrom([]string{graph.SameUpper, graph.SameLower, graph.Valid}).Draw(g.t, "pad")
			stride := rapid.Int64Range(1, 2).Draw(g.t, "stride")
			fits := func(i int) int64 { // the largest dilation, to 3, with which the kernel fits without padding
				k := g.b.Sizes(w)[2+i]
				return min(3, int64((sizes[2+i]-1)/max(k-1, 1)))
			}
			g.bounded(g.apply(op.Conv2D, map[string]graph.Value{"pad": graph.NameValue(pad), "stride": graph.TupleValue(stride, 1),
				"dilation": graph.TupleValue(rapid.Int64Range(1, max(1, fits(0))).Draw(g.t, "dh"), rapid.Int64Range(1, max(1, fits(1))).Draw(g.t, "dw"))}, x, w))
		}
	case 11:
		axis := int64(rapid.IntRange(0, len(sizes)-1).Draw(g.t, "axis"))
		if rapid.Bool().Draw(g.t, "softmax") {
			g.apply(op.Softmax, map[string]graph.Value{"axis": graph.IntValue(axis)}, x)
		} else {
			g.apply(op.ReduceMean, map[string]graph.Value{"axes": graph.TupleValue(axis), "keep": graph.IntValue(1)}, x)
		}
	}
}

// TestRandomGraphs: whatever the compiler does, the results are the
// interpreter's.
func TestRandomGraphs(t *testing.T) {
	b, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := &grower{t: t}
		inputs := [][]int{{2, 3, 6, 6}, {4, 3, 3, 3}, {2, 3, 6, 6}, {4, 6}, {6, 4}, {4, 6}, {1, 3, 1, 1}}
		for i, sizes := range inputs {
			add := g.b.AddInput
			if rapid.Bool().Draw(t, "weight") {
				add = g.b.AddWeight
			}
			x, err := add("in"+string(rune('a'+i)), graph.Float32, sizes...)
			if err != nil {
				t.Fatal(err)
			}
			g.pool = append(g.pool, x)
		}
		for range rapid.IntRange(1, 14).Draw(t, "nodes") {
			g.step()
		}
		outs := []graph.Tensor{g.pool[len(g.pool)-1]}
		for range rapid.IntRange(0, 2).Draw(t, "outputs") {
			outs = append(outs, rapid.SampledFrom(g.pool).Draw(t, "output"))
		}
		dag, err := g.b.Finish(outs...)
		if err != nil {
			t.Fatal(err)
		}
		opt := backends.CompileOptions{NoFuse: rapid.Bool().Draw(t, "no fusion")}
		if err := backendtest.Agree(context.Background(), b, dag, opt); err != nil {
			t.Fatalf("%v in:\n%s", err, dag)
		}
	})
}
