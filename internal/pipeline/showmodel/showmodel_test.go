package showmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/page/pagetest"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/verify/explain"
)

func small(t testing.TB) []*model.Model {
	t.Helper()
	var out []*model.Model
	for _, name := range models.Names() {
		m, err := models.Build(name+"-tiny", 1)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// The table by operator, the nodes and the model say the same, each counted in
// its own way.
func TestSums(t *testing.T) {
	for _, m := range small(t) {
		c := Describe(m, nil)
		var nodes int
		var params, flops int64
		for _, o := range c.Operators {
			nodes, params, flops = nodes+o.Nodes, params+o.Params, flops+o.FLOPs
			if o.Results < 1 || len(o.Largest) == 0 && o.Op != "one" {
				t.Errorf("%s: %s has %d results, the largest %v", m.Name, o.Op, o.Results, o.Largest)
			}
		}
		if params != m.Params() || flops != m.FLOPs() || nodes != models.Describe(m).Operators {
			t.Errorf("%s: %d nodes, %d parameters, %d FLOPs; the model has %d, %d, %d", m.Name,
				nodes, params, flops, models.Describe(m).Operators, m.Params(), m.FLOPs())
		}
	}
}

// A weight counts with the node that runs and reads it, through nodes that are
// computed before; a second reader gets nothing.
func TestParams(t *testing.T) {
	m := parse(t, `x : float32[2, 3]
w : weight float32[4, 3]
b : weight float32[4]
v = transpose[perm=(1, 0)](w)
y = matmul(x, v)
a = broadcast[shape=[2, 4]](b)
z = ewadd(y, a)
u = ewmul(z, a)
return u`)
	c := Describe(m, nil)
	got := map[string]int64{}
	fixed := []string{}
	for _, n := range c.Nodes {
		got[n.Op] = n.Params
		if n.Fixed {
			fixed = append(fixed, n.Op)
		}
	}
	want := map[string]int64{"transpose": 0, "matmul": 12, "broadcast": 0, "ewadd": 4, "ewmul": 0}
	for op, n := range want {
		if got[op] != n {
			t.Errorf("%s has %d parameters, want %d", op, got[op], n)
		}
	}
	if !slices.Equal(fixed, []string{"transpose", "broadcast"}) {
		t.Errorf("fixed: %v", fixed)
	}
}

func parse(t testing.TB, text string) *model.Model {
	t.Helper()
	g, err := graph.ParseText("model", text)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range g.Inputs() {
		if g.IsWeight(id) {
			m.Weights[id] = model.Random(1, g.Sizes(id.Out(0)), 1)
		}
	}
	return m
}

// The picture has what runs, and an edge for each operand that runs; every
// output is in it, also one that depends on weights only.
func TestPicture(t *testing.T) {
	const text = "x : float32[2]\nw : weight float32[2]\nv : weight float32[2]\ns = ewadd(w, v)\ny = relu(x)\nreturn y, "
	for _, m := range append(small(t), parse(t, text+"s"), parse(t, text+"v")) {
		c := Describe(m, nil)
		g, pic := m.Graph, c.Picture()
		runs := map[string]bool{} // computed from the inputs, by another way than OnceNodes
		edges := 0
		for id := range g.Nodes() {
			r := g.Op(id) == nil && !g.IsWeight(id)
			n := 0
			for _, o := range g.Operands(id) {
				if runs[NodeID(o.Node)] {
					r = true
					n++
				}
			}
			if runs[NodeID(id)] = r; r {
				edges += n
			}
		}
		want := 0
		for _, r := range runs {
			if r {
				want++
			}
		}
		drawn := map[string]string{}
		for _, n := range pic.Nodes {
			drawn[n.ID] = n.Class
			if !runs[n.ID] {
				want++
				if !strings.Contains(n.Class, draw.Output) {
					t.Errorf("%s: %s is drawn, but does not run", m.Name, n.Label)
				}
			}
		}
		for _, o := range g.Outputs() {
			if !strings.Contains(drawn[NodeID(o.Node)], draw.Output) {
				t.Errorf("%s: output %s is not drawn as one", m.Name, g.Name(o.Node))
			}
		}
		if len(pic.Nodes) != want || len(pic.Edges) != edges {
			t.Errorf("%s: %d nodes and %d edges are drawn, want %d and %d", m.Name, len(pic.Nodes), len(pic.Edges), want, edges)
		}
	}
}

// Every operator that is drawn has a colour, the same in all models and in drawings of rules;
// operators that do different work have different ones.
func TestColours(t *testing.T) {
	colours := map[string]string{} // by operator
	for _, m := range small(t) {
		c := Describe(m, nil)
		for _, n := range c.Picture().Nodes {
			class, _, _ := strings.Cut(n.Class, " ")
			if class == draw.Input {
				continue
			}
			op, ok := graph.Lookup(n.Label)
			if !ok || class != explain.Colour(op) || !strings.HasPrefix(class, "kind") {
				t.Errorf("%s: %s has the colour %q", m.Name, n.Label, class)
			}
			colours[n.Label] = class
		}
	}
	seen := map[string]string{}
	for _, op := range []string{"matmul", "relu", "concat", "transpose", "poolmax", "softmax"} {
		c := colours[op]
		if c == "" || seen[c] != "" {
			t.Errorf("%s has the colour %q, as %s has", op, c, seen[c])
		}
		seen[c] = op
	}
	if colours["matmul"] != colours["conv2d"] || colours["relu"] != colours["ewadd"] {
		t.Error("operators of one kind have different colours")
	}
}

// hostile is a model whose names are markup, with a node that is not modelled.
func hostile(t testing.TB) (*model.Model, *onnx.Report, []string) {
	t.Helper()
	names := []string{`<script>alert(1)</script>`, `"'</title>&amp;`, `--></script><img src=x onerror=alert(2)>`, "größe→日本\u2028", `]]>{{.Title}}`}
	var b graph.Builder
	x, err := b.AddInput(names[0], graph.Float32, 2)
	if err != nil {
		t.Fatal(err)
	}
	id, err := b.Opaque(names[1], "Weird<b>Op", nil, []graph.Tensor{x}, []graph.TensorType{{DType: graph.Float32, Sizes: []int{2}}, {DType: graph.Float32, Sizes: []int{2}}})
	if err != nil {
		t.Fatal(err)
	}
	relu, _ := graph.Lookup("relu")
	last := id.Out(1)
	for _, n := range names[2:] {
		r, err := b.Apply(n, relu, nil, last)
		if err != nil {
			t.Fatal(err)
		}
		last = r.Out(0)
	}
	g, err := b.Finish(last)
	if err != nil {
		t.Fatal(err)
	}
	rep := &onnx.Report{Opset: 17, Opaque: []onnx.OpaqueNode{{Name: "node", Output: names[1], Op: "Weird<b>Op", Reason: "why </script> not"}},
		Open: []onnx.OpenSize{{Input: names[0], Axis: 0, Dim: "<i>", Size: 2}}}
	return &model.Model{Name: `<h1>"m"`, Doc: "</p><script>", Graph: g}, rep, names
}

// Nothing of a model is markup on its page: the page has the script and the data
// block and no other, the data say what the names are, and the policy lets only
// this script run.
func TestPageIsSafe(t *testing.T) {
	m, rep, names := hostile(t)
	c := Describe(m, rep)
	var b bytes.Buffer
	if err := c.WriteHTML(&b, "by <hand>"); err != nil {
		t.Fatal(err)
	}
	doc := b.String()
	pagetest.Check(t, doc)
	if n := strings.Count(doc, "<script"); n != 2 {
		t.Errorf("%d scripts, want the data and the page's own", n)
	}
	for _, bad := range []string{"<img", "<b>", "<i>", "<h1>\"", "http:", "https:", "url(", "@import", "onerror=alert(2)>"} {
		if strings.Contains(doc, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	data := between(t, doc, `<script type="application/json" id="data">`, "</script>")
	var nodes []page.Node
	if err := json.Unmarshal([]byte(data), &nodes); err != nil {
		t.Fatalf("data: %v", err)
	}
	got := make([]string, len(nodes))
	for i, n := range nodes {
		got[i] = n.Name
	}
	if !slices.Equal(got, names) {
		t.Errorf("names %q, want %q", got, names)
	}
	if nodes[1].Op != "opaque Weird<b>Op" || nodes[1].Facts[0] != (page.NodeFact{Name: "kept as is", Value: "why </script> not"}) {
		t.Errorf("opaque node: %+v", nodes[1])
	}
	if f := nodes[2].Facts; f[0] != (page.NodeFact{Name: "operand", Value: names[1] + ".1: float32 2", From: nodes[1].ID}) || f[1].Name == "operand" {
		t.Errorf("operand of an operator with two results: %+v", f)
	}
	svg := "<svg" + between(t, doc, "<svg", "</svg>") + "</svg>"
	d := xml.NewDecoder(strings.NewReader(svg))
	marks := 0
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("picture: %v", err)
		}
		if s, ok := tok.(xml.StartElement); ok {
			for _, a := range s.Attr {
				if a.Name.Local == "class" && slices.Contains(strings.Fields(a.Value), draw.Mark) {
					marks++
				}
			}
		}
	}
	if marks != 1 {
		t.Errorf("%d nodes are marked, want the opaque one", marks)
	}
}

func between(t testing.TB, s, from, to string) string {
	t.Helper()
	i := strings.Index(s, from)
	if i < 0 {
		t.Fatalf("no %q", from)
	}
	s = s[i+len(from):]
	j := strings.Index(s, to)
	if j < 0 {
		t.Fatalf("no %q after %q", to, from)
	}
	return s[:j]
}

// Every box of the picture can be clicked: its node is in the data, and the
// other way round.
func TestPageNodes(t *testing.T) {
	for _, m := range small(t) {
		c := Describe(m, nil)
		var b bytes.Buffer
		if err := c.WriteHTML(&b, ""); err != nil {
			t.Fatal(err)
		}
		var nodes []page.Node
		if err := json.Unmarshal([]byte(between(t, b.String(), `id="data">`, "</script>")), &nodes); err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for _, n := range nodes {
			known[n.ID] = true
			if !strings.Contains(b.String(), ` data-id="`+n.ID+`"`) {
				t.Errorf("%s: %s has no box", m.Name, n.Name)
			}
			for _, f := range n.Facts {
				if f.From != "" && !known[f.From] {
					t.Errorf("%s: %s reads %s, which is not before it", m.Name, n.Name, f.From)
				}
				if f.From == "" && f.Name == "operand" {
					t.Errorf("%s: %s: nothing computes %s", m.Name, n.Name, f.Value)
				}
			}
		}
		if n := strings.Count(b.String(), " data-id="); n != len(nodes) {
			t.Errorf("%s: %d boxes for %d nodes", m.Name, n, len(nodes))
		}
	}
}

// only knows the time of one operator.
type only struct{ op string }

func (o only) Fused(cost.Fused, graph.TensorType) (cost.Seconds, cost.Source, error) {
	return 0, 0, &cost.MissingError{}
}

func (o only) Cost(a cost.Application) (cost.Seconds, cost.Source, error) {
	if a.Op != nil && a.Op.Name == o.op {
		return 0.25, cost.Recorded, nil
	}
	return 0, 0, &cost.MissingError{}
}

// Times are shown with their source, and what has none is not counted as free.
func TestTimes(t *testing.T) {
	c := Describe(parse(t, "x : float32[2, 2]\ny = matmul(x, x)\nz = matmul(y, x)\nr = relu(z)\nreturn r"), nil)
	if missing := c.AddTimes(only{"matmul"}); missing != 1 {
		t.Errorf("%d nodes without a time, want 1", missing)
	}
	if o := c.Operators[0]; o.Op != "matmul" || o.Timed != 2 || o.Seconds != 0.5 {
		t.Errorf("got %+v", o)
	}
	var b bytes.Buffer
	if err := c.WriteHTML(&b, "recorded elsewhere"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"≥ 500 ms", "Times: recorded elsewhere.", `"name":"time","value":"250 ms, recorded"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if m, _, _ := hostile(t); Describe(m, nil).AddTimes(only{"none"}) != 4 {
		t.Error("an opaque node has a time")
	}
}

// The largest models give pages that a browser opens at once, the same ones each
// time.
func TestLargePage(t *testing.T) {
	for _, name := range []string{"bert-large-128", "nasneta"} {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		var pages [2]bytes.Buffer
		for i := range pages {
			if err := Describe(m, nil).WriteHTML(&pages[i], ""); err != nil {
				t.Fatal(err)
			}
		}
		if n := pages[0].Len(); n > 1<<20 {
			t.Errorf("%s: the page has %d bytes", name, n)
		}
		if !bytes.Equal(pages[0].Bytes(), pages[1].Bytes()) {
			t.Errorf("%s: two pages differ", name)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	m, err := models.Build("bert-large-128", 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := Describe(m, nil).WriteHTML(io.Discard, ""); err != nil {
			b.Fatal(err)
		}
	}
}

// Pictures of a graph that is laid out say how results lie on the mesh and what is sent.
func TestLayouts(t *testing.T) {
	m := parse(t, `x : float32[4, 4]
y : float32[4, 6]
px = partition[axis=1, on=2](x)
py = partition[axis=0, on=2](y)
p = matmul(px, py)
s = reduce(p)
c = replicate[on=2](s)
r = relu(c)
z = drop(r)
q = reduce(px)
return z, q`)
	laid, err := parallel.New(context.Background(), m.Graph)
	if err != nil {
		t.Fatal(err)
	}
	c := Describe(m, nil)
	plain := c.Picture()
	c.AddLayouts(laid)
	lines := map[string]string{}
	for i, n := range c.Picture().Nodes {
		lines[n.Tooltip] = n.Sub + "|" + n.Line
		if old := plain.Nodes[i]; old.Line != "" || strings.Contains(old.Sub, "a=2") {
			t.Errorf("without layouts %+v", old)
		}
	}
	for tip, want := range map[string]string{
		"p":                               "2×4×6\na=2 sum|",
		"r":                               "2×4×6\na=2 copy|",
		"c [on=2]\nall-reduce, 192 bytes": "2×4×6\na=2 copy\nall-reduce, 192 bytes|line1",
		"z":                               "4×6|",
	} {
		if lines[tip] != want {
			t.Errorf("%s: %q, want %q in %q", tip, lines[tip], want, lines)
		}
	}
	if len(c.Findings) != 1 || c.Devices != 2 {
		t.Errorf("%d devices, findings %v", c.Devices, c.Findings)
	}
	var doc, svg strings.Builder
	if err := c.WriteHTML(&doc, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Inconsistent shardings", "node q: operator reduce: mesh axis a of px is: shard 1", `"name":"sharding","value":"a=2 sum"`} {
		if !strings.Contains(doc.String(), want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	if err := draw.SVG(&svg, c.Picture(), draw.Options{}); err != nil || !strings.Contains(svg.String(), `class="e line1"`) {
		t.Errorf("%v: no line of an all-reduce", err)
	}
	if dot := c.DOT(); !strings.Contains(dot, `[label="[2, 4, 6]\na=2 sum"]`) || !strings.Contains(dot, `a=2 copy", penwidth=2, color="`) {
		t.Errorf("got %s", dot)
	}
}
