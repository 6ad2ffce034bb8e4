package graph_test

import (
	"math"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"pgregory.net/rapid"
)

// sample is relu of a product, with an operator of two outputs and a dead one.
const sample = `x : float32[2, 3]
w : float32[3, 4]
y = matmul(x, w)
z = split[axis=1, at=3](y)
dead = ewadd(y, y)
r = relu(z.1)
return r, y
`

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	return must(graph.ParseText("test", text))(t)
}

func TestBuilder(t *testing.T) {
	var b graph.Builder
	x := must(b.AddInput("x", graph.Float64, 2, 3))(t)
	w := must(b.AddInput("w", graph.Float64, 3, 4))(t)
	y := must(b.Apply("", lookup(t, "matmul"), nil, x, w))(t)
	i := must(b.Constant("t3_", graph.Float64, lookup(t, "imatmul"), graph.Attrs{graph.IntValue(4)}))(t)
	z := must(b.Apply("t5", lookup(t, "matmul"), nil, y.Out(0), i.Out(0)))(t)
	if got := b.Sizes(z.Out(0)); len(got) != 2 || got[1] != 4 || b.Sizes(z.Out(1)) != nil {
		t.Errorf("sizes %v", got)
	}
	g := must(b.Finish(z.Out(0)))(t)
	if g.Len() != 5 || len(g.Inputs()) != 2 || g.Name(y) != "t3" || g.Op(x.Node) != nil || g.Op(y).Name != "matmul" {
		t.Errorf("got\n%s", g)
	}
	if g.DType(z.Out(0)) != graph.Float64 || g.NumOut(z) != 1 {
		t.Errorf("type %s, %d outputs", g.DType(z.Out(0)), g.NumOut(z))
	}
	if id, ok := g.Find("t5"); !ok || id != z {
		t.Errorf("t5 is node %d", id)
	}
	if _, ok := g.Find(""); ok {
		t.Error("a node without a name is found")
	}
	var order []graph.NodeID
	for id := range g.Nodes() {
		for _, o := range g.Operands(id) {
			if o.Node >= id {
				t.Errorf("node %d uses node %d", id, o.Node)
			}
		}
		order = append(order, id)
		if id == 4 {
			break
		}
	}
	if len(order) != 4 {
		t.Errorf("order %v", order)
	}
}

func TestBuilderGeneratedNamesAreFree(t *testing.T) {
	var b graph.Builder
	x := must(b.AddInput("x", graph.Float32, 2))(t)
	relu := lookup(t, "relu")
	y := must(b.Apply("", relu, nil, x))(t)
	must(b.Apply("t2", relu, nil, x))(t)
	must(b.Apply("t2_", relu, nil, x))(t)
	g := must(b.Finish(y.Out(0)))(t)
	if g.Name(y) != "t2__" {
		t.Errorf("got %s", g.Name(y))
	}
}

func TestBuilderErrors(t *testing.T) {
	relu, mm, conv, split := lookup(t, "relu"), lookup(t, "matmul"), lookup(t, "conv2d"), lookup(t, "split")
	var bare graph.Tensor
	for _, c := range []struct {
		name string
		do   func(b *graph.Builder, x graph.Tensor) error
		want string
	}{
		{"no name", func(b *graph.Builder, _ graph.Tensor) error { _, err := b.AddInput("", 0, 1); return err }, "input without a name"},
		{"taken", func(b *graph.Builder, _ graph.Tensor) error { _, err := b.AddInput("x", 0, 1); return err }, "node x: the name is taken"},
		{"type", func(b *graph.Builder, _ graph.Tensor) error { _, err := b.AddInput("a", 99, 1); return err }, "input a: element type dtype(99) is not known"},
		{"negative", func(b *graph.Builder, _ graph.Tensor) error { _, err := b.AddInput("a", 0, 2, -1); return err }, "input a: shape [2, -1]: size -1 is not in 0 to 2147483647"},
		{"many", func(b *graph.Builder, _ graph.Tensor) error {
			_, err := b.AddInput("a", 0, 1<<30, 1<<30, 1<<30)
			return err
		}, "more than 1099511627776 elements"},
		{"axes", func(b *graph.Builder, _ graph.Tensor) error {
			_, err := b.AddInput("a", 0, make([]int, 33)...)
			return err
		}, "input a: 33 axes, more than 32"},
		{"no operator", func(b *graph.Builder, x graph.Tensor) error { _, err := b.Apply("y", nil, nil, x); return err }, "node y: no operator"},
		{"none", func(b *graph.Builder, _ graph.Tensor) error { _, err := b.Apply("y", relu, nil, bare); return err }, "node y: operator relu: operand 0: there is no node 0"},
		{"later", func(b *graph.Builder, _ graph.Tensor) error {
			_, err := b.Apply("y", relu, nil, graph.NodeID(7).Out(0))
			return err
		}, "node y: operator relu: operand 0: there is no node 7"},
		{"output", func(b *graph.Builder, x graph.Tensor) error {
			_, err := b.Apply("", relu, nil, x.Node.Out(1))
			return err
		}, "node t2: operator relu: operand 0: node x has no output 1"},
		{"arity", func(b *graph.Builder, x graph.Tensor) error { _, err := b.Apply("y", mm, nil, x); return err }, "node y: operator matmul: 1 inputs, want 2"},
		{"shape", func(b *graph.Builder, x graph.Tensor) error { _, err := b.Apply("y", mm, nil, x, x); return err },
			"node y: operator matmul: shapes [2, 3] and [2, 3]: inner sizes differ: size 3 is not 2"},
		{"attributes", func(b *graph.Builder, x graph.Tensor) error { _, err := b.Apply("y", conv, nil, x, x); return err },
			"node y: operator conv2d: 0 attributes, want 5"},
		{"variable", func(b *graph.Builder, x graph.Tensor) error {
			_, err := b.Apply("y", split, graph.Attrs{graph.IntValue(1), graph.DimValue(graph.Var("n"))}, x)
			return err
		}, "node y: operator split: attribute at: n is not a number"},
		{"kind", func(b *graph.Builder, x graph.Tensor) error {
			_, err := b.Apply("y", split, graph.Attrs{graph.IntValue(1), graph.NameValue("n")}, x)
			return err
		}, "node y: operator split: attribute at: n is not a value of sort int"},
		{"sort variable", func(b *graph.Builder, x graph.Tensor) error {
			_, err := b.Apply("y", conv, graph.Attrs{graph.VarValue("s", "stride"), graph.NameValue("valid"), graph.IntValue(1), graph.NameValue("none"), graph.TupleValue(1, 1)}, x, x)
			return err
		}, "node y: operator conv2d: attribute stride: s is a variable"},
		{"absurd number", func(b *graph.Builder, _ graph.Tensor) error {
			_, err := b.Apply("y", lookup(t, "imatmul"), graph.Attrs{graph.IntValue(math.MaxInt64)})
			return err
		}, "node y: operator imatmul: attribute n: 9223372036854775807 is not in -2147483647 to 2147483647"},
		{"absurd output", func(b *graph.Builder, _ graph.Tensor) error {
			_, err := b.Apply("y", lookup(t, "imatmul"), graph.Attrs{graph.IntValue(1 << 30)})
			return err
		}, "node y: operator imatmul: output 0: shape [1073741824, 1073741824]: more than 1099511627776 elements"},
		{"types", func(b *graph.Builder, x graph.Tensor) error {
			h := must(b.AddInput("h", graph.Float16, 2, 3))(t)
			_, err := b.Apply("y", lookup(t, "ewadd"), nil, x, h)
			return err
		}, "node y: operator ewadd: operands x float32[2, 3] and h float16[2, 3] have different element types"},
		{"no outputs", func(b *graph.Builder, _ graph.Tensor) error { _, err := b.Finish(); return err }, "graph without outputs"},
		{"no such output", func(b *graph.Builder, _ graph.Tensor) error {
			_, err := b.Finish(graph.NodeID(9).Out(0))
			return err
		}, "output 0: there is no node 9"},
	} {
		var b graph.Builder
		x := must(b.AddInput("x", graph.Float32, 2, 3))(t)
		err := c.do(&b, x)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
			continue
		}
		if strings.Contains(c.name, "output") && !strings.Contains(c.want, "node") || c.want == "output 0: there is no node 9" {
			continue
		}
		// The first error is kept.
		if _, again := b.Finish(x); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: Finish says %v", c.name, again)
		}
		if _, err := b.AddInput("x", graph.Float32, 1); err != nil {
			t.Errorf("%s: the builder is not empty after Finish: %v", c.name, err)
		}
	}
}

func TestEqual(t *testing.T) {
	g := parse(t, sample)
	if !g.Equal(parse(t, sample)) {
		t.Error("a graph is not equal to its copy")
	}
	for _, c := range [][2]string{
		{"x : float32[2, 3]", "x : float64[2, 3]"},
		{"w : float32[3, 4]", "w : float32[3, 5]"},
		{"at=3", "at=2"},
		{"dead = ewadd", "dead = ewmul"},
		{"dead =", "other ="},
		{"return r, y", "return y, r"},
		{"z.1", "z.0"},
		{"return r, y", "return r"},
	} {
		text := strings.Replace(sample, c[0], c[1], 1)
		text = strings.Replace(text, "w : float32", "w : float32", 1)
		if c[1] == "x : float64[2, 3]" {
			text = strings.Replace(text, "w : float32", "w : float64", 1)
		}
		if h := parse(t, text); g.Equal(h) || h.Equal(g) {
			t.Errorf("equal in spite of %s", c[1])
		}
	}
}

func TestWithoutDead(t *testing.T) {
	g := parse(t, "unused : int64[5]\n"+sample)
	h := g.WithoutDead()
	want := "unused : int64[5]\n" + strings.Replace(sample, "dead = ewadd(y, y)\n", "", 1)
	if h.String() != want {
		t.Errorf("got\n%swant\n%s", h, want)
	}
	if h.WithoutDead() != h || g.Len() != 7 {
		t.Error("removing again changes something, or the graph itself has changed")
	}
	if !h.Equal(parse(t, want)) {
		t.Error("the graph differs from its text")
	}
	if g.Hash() != h.Hash() {
		t.Error("dead operators change the hash")
	}
}

func TestWork(t *testing.T) {
	g := parse(t, sample)
	y, _ := g.Find("y")
	if got, want := g.WorkOf(y), (graph.Work{FLOPs: 2 * 2 * 3 * 4, BytesRead: 4 * (6 + 12), BytesWrite: 4 * 8}); got != want {
		t.Errorf("matmul: %+v, want %+v", got, want)
	}
	if got := g.WorkOf(g.Inputs()[0]); got != (graph.Work{}) {
		t.Errorf("input: %+v", got)
	}
	var sum graph.Work
	for id := range g.Nodes() {
		w := g.WorkOf(id)
		sum = graph.Work{FLOPs: sum.FLOPs + w.FLOPs, BytesRead: sum.BytesRead + w.BytesRead, BytesWrite: sum.BytesWrite + w.BytesWrite}
	}
	if g.Work() != sum {
		t.Errorf("got %+v, want %+v", g.Work(), sum)
	}
	h := parse(t, strings.NewReplacer("float32", "float64").Replace(sample))
	if w := h.Work(); w.BytesRead != 2*sum.BytesRead || w.BytesWrite != 2*sum.BytesWrite || w.FLOPs != sum.FLOPs {
		t.Errorf("float64: %+v", w)
	}
	huge := parse(t, `a : float32[1048576, 1048576]
b : float32[1048576, 1048576]
c = matmul(a, b)
d = matmul(c, c)
return d
`)
	if w := huge.Work(); w.FLOPs != 2*(1<<61) && w.FLOPs != math.MaxInt64 || w.FLOPs < 0 || w.BytesRead != 16<<40 {
		t.Errorf("huge: %+v", w)
	}
}

func TestProduct(t *testing.T) {
	for _, c := range []struct {
		ns   []int
		want int64
	}{
		{nil, 1}, {[]int{2, 3, 4}, 24}, {[]int{1 << 40, 1 << 40, 0}, 0}, {[]int{1 << 40, 1 << 40}, math.MaxInt64},
		{[]int{1 << 31, 1 << 31}, 1 << 62}, {[]int{math.MaxInt64, 1}, math.MaxInt64},
	} {
		if got := graph.Product(c.ns...); got != c.want {
			t.Errorf("%v: got %d, want %d", c.ns, got, c.want)
		}
	}
}

func TestDType(t *testing.T) {
	for typ, bytes := range map[graph.DType]int{graph.Float32: 4, graph.Float16: 2, graph.Float64: 8, graph.Int64: 8, graph.Int4: 1, graph.Uint2: 1, graph.BFloat16: 2} {
		back, err := graph.ParseDType(typ.String())
		if err != nil || back != typ || typ.Bytes() != bytes {
			t.Errorf("%s: %v, %v, %d bytes", typ, back, err, typ.Bytes())
		}
	}
	if _, err := graph.ParseDType("float"); err == nil || graph.DType(50).Bytes() != 0 {
		t.Error("an unknown type is known")
	}
}

// drawGraph draws a graph of square matrices, and returns its operators as
// (name, operator, operand names) so that it can be written in other orders.
func drawGraph(t *rapid.T) []string {
	var lines []string
	names := []string{"x", "y"}
	lines = append(lines, "x : float32[2, 2]", "y : float32[2, 2]")
	for i, n := 0, rapid.IntRange(1, 8).Draw(t, "operators"); i < n; i++ {
		pick := func(l string) string { return rapid.SampledFrom(names).Draw(t, l) }
		name := "node_" + string(rune('a'+i))
		switch rapid.IntRange(0, 4).Draw(t, "operator") {
		case 0:
			lines = append(lines, name+" = matmul("+pick("l")+", "+pick("r")+")")
		case 1:
			lines = append(lines, name+" = ewadd("+pick("l")+", "+pick("r")+")")
		case 2:
			lines = append(lines, name+" = relu("+pick("l")+")")
		case 3:
			lines = append(lines, name+" = imatmul[n=2]()")
		case 4:
			lines = append(lines, name+"s = split[axis=0, at=1]("+pick("l")+")", name+" = concat[axis=1]("+name+"s.0, "+name+"s.1)",
				name+"q = concat[axis=0]("+name+", "+name+")", name+"r = slice[axis=1, lo=1, hi=3]("+name+"q)")
			name += "r"
		}
		names = append(names, name)
	}
	return append(lines, "return "+names[len(names)-1]+", "+rapid.SampledFrom(names).Draw(t, "output"))
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(drawGraph(t), "\n") + "\n"
		g, err := graph.ParseText("drawn", text)
		if err != nil {
			t.Fatal(err)
		}
		if g.String() != text {
			t.Fatalf("got\n%swant\n%s", g, text)
		}
		h, err := graph.ParseText("again", g.String())
		if err != nil || !g.Equal(h) || g.Hash() != h.Hash() {
			t.Fatalf("the graph read back differs (%v)", err)
		}
	})
}

// The hash does not see the order of independent nodes, names of operators,
// and the order of operands where that does not matter.
func TestHashIgnoresOrderAndNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := drawGraph(t)
		g, err := graph.ParseText("drawn", strings.Join(lines, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		// Move lines up as far as the nodes they use allow, at random.
		last := len(lines) - 1
		perm := append([]string{}, lines...)
		for i := 1; i < last; i++ {
			for j := i; j > 0 && rapid.Bool().Draw(t, "up"); j-- {
				above, _, _ := strings.Cut(perm[j-1], " ")
				_, args, _ := strings.Cut(perm[j], "=")
				if strings.Contains(args, "("+above+")") || strings.Contains(args, "("+above+",") || strings.Contains(args, " "+above+")") ||
					strings.Contains(args, above+".") {
					break
				}
				perm[j-1], perm[j] = perm[j], perm[j-1]
			}
		}
		text := strings.Join(perm, "\n")
		for i := range perm {
			if strings.Contains(perm[i], "ewadd(") {
				head, args, _ := strings.Cut(strings.TrimSuffix(perm[i], ")"), "(")
				l, r, _ := strings.Cut(args, ", ")
				text = strings.Replace(text, perm[i], head+"("+r+", "+l+")", 1)
			}
		}
		h, err := graph.ParseText("moved", strings.ReplaceAll(text, "node_", "other_"))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if g.Hash() != h.Hash() {
			t.Fatalf("the hash changed from\n%sto\n%s", g, h)
		}
	})
}

func TestHashSeesDifferences(t *testing.T) {
	texts := []string{
		sample,
		strings.Replace(sample, "at=3", "at=2", 1),
		strings.Replace(sample, "z.1", "z.0", 1),
		strings.Replace(sample, "return r, y", "return y, r", 1),
		strings.Replace(sample, "return r, y", "return r", 1),
		strings.ReplaceAll(sample, "float32", "float64"),
		"u : float32[1]\n" + sample,
		strings.NewReplacer("x :", "v :", "(x,", "(v,").Replace(sample),
		// The same values, computed once and twice.
		"x : float32[2]\na = relu(x)\nb = ewadd(a, a)\nreturn b\n",
		"x : float32[2]\na = relu(x)\nc = relu(x)\nb = ewadd(a, c)\nreturn b\n",
		// Operands of operators that do not commute.
		"x : float32[2, 2]\ny : float32[2, 2]\nz = matmul(x, y)\nreturn z\n",
		"x : float32[2, 2]\ny : float32[2, 2]\nz = matmul(y, x)\nreturn z\n",
	}
	seen := map[graph.Hash]string{}
	for _, text := range texts {
		h := parse(t, text).Hash()
		if len(h.String()) != 32 {
			t.Errorf("hash %s", h)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("one hash for\n%sand\n%s", other, text)
		}
		seen[h] = text
	}
}

// TestHashOfLateParameters: a convolution has the hash that it had before it could be
// dilated, and another one if it is.
func TestHashOfLateParameters(t *testing.T) {
	conv := func(attrs string) string {
		return parse(t, "x : float32[1, 2, 5, 5]\nw : weight float32[3, 2, 3, 3]\ny = conv2d["+attrs+"](x, w)\nreturn y\n").Hash().String()
	}
	const once = "b1d15f5a1d1cd116b92d2edc4352b8d0"
	if got := conv("pad=valid"); got != once {
		t.Errorf("hash %s, was %s", got, once)
	}
	if conv("pad=valid, dilation=(1, 1)") != once {
		t.Error("a default that is written counts")
	}
	if a, b := conv("pad=valid, dilation=(2, 1)"), conv("pad=valid, dilation=(1, 2)"); a == once || b == once || a == b {
		t.Errorf("dilations do not count: %s and %s", a, b)
	}
}

func TestHashOfOrders(t *testing.T) {
	a, b := "x : float32[2]\ny : float32[2]\n", "y : float32[2]\nx : float32[2]\n"
	rest := "z = relu(x)\nreturn z\n"
	if parse(t, a+rest).Hash() != parse(t, b+rest).Hash() {
		t.Error("the position of inputs counts")
	}
}

func TestDOT(t *testing.T) {
	g := parse(t, "\"a\\\"b\\n\" : float32[4]\ny = split[axis=0, at=1](\"a\\\"b\\n\")\nreturn y.1\n")
	want := `digraph {
  rankdir=TB;
  node [shape=box, fontname="monospace"];
  edge [fontname="monospace"];
  n1 [shape=ellipse, label="a\"b\n\nfloat32[4]"];
  n2 [label="y\nsplit[axis=0, at=1]"];
  n1 -> n2 [label="[4]"];
  out0 [shape=doublecircle, label="0"];
  n2 -> out0 [label=".1 [3]"];
}
`
	if got := g.DOT(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// More is said of the edges of the tensors for which there is more to say.
func TestDOTWith(t *testing.T) {
	g, err := graph.ParseText("g", "x : float32[2]\nreturn x")
	if err != nil {
		t.Fatal(err)
	}
	if got := g.DOTWith(func(graph.Tensor) (string, string) { return `a "b"`, "#fff" }); !strings.Contains(got, `n1 -> out0 [label="[2]\na \"b\"", penwidth=2, color="#fff"];`) {
		t.Errorf("got %s", got)
	}
	if got := g.DOTWith(func(graph.Tensor) (string, string) { return "", "" }); got != g.DOT() {
		t.Errorf("got %s", got)
	}
}
