package cost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
)

// block is a convolution with its bias, a residual and activations, a product
// whose operands are views, and a part that has to be copied.
const block = `
x : float32[1, 4, 8, 8]
w : weight float32[4, 4, 3, 3]
b : weight float32[1, 4, 1, 1]
s : weight float32[4]
z : float32[]
bb = broadcast[shape=[1, 4, 8, 8]](b)
c = conv2d[pad=same_upper](x, w)
n = batchnorm[eps=0.001](c, s, s, s, s)
d = ewadd(n, bb)
e = ewsub(x, d)
f = smul(e, z)
g = tanh(f)
h = clip[lo=0.0, hi=6.0](g)
i = reshape[shape=[16, 16]](h)
j = slice[axis=1, lo=0, hi=8](i)
k = transpose(j)
l = matmul(j, k)
m = softmax[axis=1](j)
return l, m`

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("case", text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGroups(t *testing.T) {
	p := lowered(t, parse(t, block))
	var got []string
	for _, g := range cost.Groups(p) {
		line := p.Graph.Name(g.ID) + ": " + cost.KeyOf(here, g.Application).Application()
		if g.View {
			line += ", a view"
		}
		if g.Once {
			line += ", once"
		}
		got = append(got, line)
	}
	const image = "float32[1, 4, 8, 8]"
	want := []string{
		"bb: broadcast[shape=[1, 4, 8, 8]](float32[1, 4, 1, 1]) -> " + image + ", a view, once",
		"c: conv2d[stride=(1, 1), pad=same_upper, groups=1, act=none](" + image + ", float32[4, 4, 3, 3]) -> " + image +
			" then batchnorm[eps=0.001](_, float32[4], float32[4], float32[4], float32[4]) then ewadd(_, float32[1, 4, 1, 1])" +
			" then ewsub(" + image + ", _) then smul(_, float32[]) then tanh(_) then clip[lo=0.0, hi=6.0](_)",
		"i: reshape[shape=[16, 16]](" + image + ") -> float32[16, 16], a view",
		"j: slice[axis=1, lo=0, hi=8](float32[16, 16]) -> float32[16, 8]",
		"k: transpose[perm=(1, 0)](float32[16, 8]) -> float32[8, 16], a view",
		"l: matmul(float32[16, 8], float32[8, 16]) -> float32[16, 16]",
		"m: softmax[axis=1](float32[16, 8]) -> float32[16, 8]",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// TestBuild: a group is built as it was.
func TestBuild(t *testing.T) {
	for _, g := range cost.Groups(lowered(t, parse(t, block))) {
		var b graph.Builder
		id, err := g.Build(&b, func(i int, t graph.TensorType) (graph.Tensor, error) {
			if i < len(g.In) {
				return b.AddInput(fmt.Sprint("x", i), t.DType, t.Sizes...)
			}
			return b.AddWeight(fmt.Sprint("x", i), t.DType, t.Sizes...)
		})
		if err != nil {
			t.Fatal(err)
		}
		built, err := b.Finish(id.Out(0))
		if err != nil {
			t.Fatal(err)
		}
		groups := cost.Groups(lowered(t, built))
		var again []string
		for _, h := range groups {
			if h.Op.Name != "broadcast" {
				again = append(again, cost.KeyOf(here, h.Application).Application())
			}
		}
		if want := cost.KeyOf(here, g.Application).Application(); g.Op.Name != "broadcast" && strings.Join(again, "; ") != want {
			t.Errorf("%s: built again as %s", want, strings.Join(again, "; "))
		}
	}
	var b graph.Builder
	if _, err := (&cost.Application{}).Build(&b, nil); err == nil {
		t.Error("an opaque operator was built")
	}
}

// TestGroupPrices: a group costs more than its root and less than its parts, and
// its own time where it was taken.
func TestGroupPrices(t *testing.T) {
	add := func(text string) cost.Application {
		g := parse(t, "x : float32[1, 4, 8, 8]\ny : float32[1, 4, 8, 8]\nw : float32[4, 4, 3, 3]\nc = conv2d[pad=same_upper](x, w)\n"+text+"\nreturn d")
		groups := cost.Groups(lowered(t, g))
		if len(groups) != 1 || len(groups[0].Tail) != 1 {
			t.Fatalf("%s: %+v", text, groups)
		}
		return groups[0].Application
	}
	sum, relu, tanh := add("d = ewadd(c, y)"), add("d = relu(c)"), add("d = tanh(c)")
	root := sum
	root.Tail = nil
	m := machine(t, "laptop")
	price := func(m cost.Model, a cost.Application) cost.Seconds {
		s, _, err := m.Cost(a)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, g := range []cost.Application{sum, relu, tanh} {
		alone := price(m, cost.Application{Op: g.Tail[0].Op, In: root.Out, Out: root.Out})
		if s := price(m, g); s <= price(m, root) || s >= price(m, root)+alone {
			t.Errorf("%s costs %v, the root %v, what is fused %v", cost.KeyOf(here, g).Application(), s, price(m, root), alone)
		}
	}
	// In a table: start 1, so that ewadd keeps a third of 6, relu nothing, tanh 7.
	var tab cost.Table
	put := func(k cost.Key, s cost.Seconds) {
		if _, err := tab.Put(cost.Entry{Key: k, Sample: measured(s, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	image := f32(1, 4, 8, 8)
	put(cost.KeyOf(here, root), 20)
	put(keyOf(applied(t, "ewadd", nil, image, image)), 7)
	put(keyOf(applied(t, "relu", nil, image)), 4)
	put(keyOf(applied(t, "tanh", nil, image)), 8)
	put(keyOf(applied(t, "relu", nil, f32(1))), 1)
	put(keyOf(applied(t, "reshape", map[string]graph.Value{"shape": graph.ShapeValue(graph.Sizes(1))}, f32(1, 1))), 0.25)
	for _, c := range []struct {
		a      cost.Application
		want   cost.Seconds
		source cost.Source
	}{
		{root, 20, cost.Measured}, {sum, 22, cost.Modelled}, {relu, 20, cost.Modelled}, {tanh, 27, cost.Modelled},
		{cost.Application{Op: root.Op, Attrs: root.Attrs, In: root.In, Out: root.Out, View: true}, 0.25, cost.Measured},
	} {
		if s, source, err := tab.Model(here).Cost(c.a); err != nil || !near(float64(s), float64(c.want)) || source != c.source {
			t.Errorf("%s: %v %v %v, want %v %v", cost.KeyOf(here, c.a).Application(), s, source, err, c.want, c.source)
		}
	}
	put(cost.KeyOf(here, sum), 21)
	if s, source, err := tab.Model(here).Cost(sum); s != 21 || source != cost.Measured || err != nil {
		t.Errorf("timed as a group: %v %v %v", s, source, err)
	}
}
