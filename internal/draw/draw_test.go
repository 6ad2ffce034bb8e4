package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// laidOut is the layout of a graph whose boxes all measure 60 by 30.
func laidOut(t interface{ Fatal(...any) }, g Graph) (*dag, *picture) {
	d, err := g.check()
	if err != nil {
		t.Fatal(err)
	}
	p := d.arrange()
	for i := range p.verts {
		if !p.verts[i].dummy() {
			p.verts[i].w, p.verts[i].h = 60, 30
		}
	}
	p.order()
	p.place(false)
	return d, p
}

// edges makes a graph of "a>b" pairs; nodes come in order of first mention.
func edges(text string) Graph {
	var g Graph
	seen := map[string]bool{}
	for _, pair := range strings.Fields(text) {
		names := strings.Split(pair, ">")
		for _, n := range names {
			n, _, _ = strings.Cut(n, ".")
			if !seen[n] {
				seen[n] = true
				g.Nodes = append(g.Nodes, Node{ID: n, Label: n})
			}
		}
		if len(names) == 2 {
			from, port, _ := strings.Cut(names[0], ".")
			g.Edges = append(g.Edges, Edge{From: from, To: names[1], Port: port})
		}
	}
	return g
}

func randomGraph(r *rand.Rand, nodes, reach int) Graph {
	var g Graph
	for i := 0; i < nodes; i++ {
		g.Nodes = append(g.Nodes, Node{ID: strconv.Itoa(i), Label: fmt.Sprint("op", i%7), Sub: "[1, 64, 56, 56]", Class: Kind(i % 7)})
		for k := r.Intn(3); k > 0 && i > 0; k-- {
			g.Edges = append(g.Edges, Edge{From: strconv.Itoa(i - 1 - r.Intn(min(i, reach))), To: strconv.Itoa(i)})
		}
	}
	return g
}

func draw(t *testing.T, g Graph, opt Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := SVG(&b, g, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wellFormed reads a document to its end and returns its texts and titles.
func wellFormed(t interface{ Fatalf(string, ...any) }, doc string) []string {
	dec := xml.NewDecoder(strings.NewReader(doc))
	var texts []string
	in := ""
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, doc)
		}
		switch x := tok.(type) {
		case xml.StartElement:
			in = x.Name.Local
		case xml.EndElement:
			in = ""
		case xml.CharData:
			if in == "text" || in == "title" {
				texts = append(texts, string(x))
			}
		}
	}
}

func TestLayers(t *testing.T) {
	for _, c := range []struct{ graph, want string }{
		{"x>r", "x0 r1"},
		{"x>a a>b x>b", "x0 a1 b2"},
		// A constant stands above its use, and so does what is made of it.
		{"x>a a>b b>c w>c", "x0 a1 b2 c3 w2"},
		{"x>a a>b b>c w>u u>c", "x0 a1 b2 c3 w1 u2"},
		// Used twice: above the first use.
		{"x>a a>b b>c w>c w>b", "x0 a1 b2 c3 w1"},
		{"x y", "x0 y0"},
	} {
		g := edges(c.graph)
		d, err := g.check()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, l := range d.layers() {
			got = append(got, g.Nodes[i].ID+strconv.Itoa(l))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: layers %s, want %s", c.graph, strings.Join(got, " "), c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		g    Graph
		want string
	}{
		{Graph{Nodes: []Node{{ID: "x"}, {ID: "x"}}}, `nodes 0 and 1 are both called "x"`},
		{Graph{Nodes: []Node{{ID: "x"}}, Edges: []Edge{{From: "x", To: "y"}}}, `edge 0 goes to "y", which is no node`},
		{Graph{Nodes: []Node{{ID: "x"}}, Edges: []Edge{{From: "y", To: "x"}}}, `edge 0 comes from "y", which is no node`},
		{edges("x>x"), `node "x" is on a cycle`},
		{edges("w>x x>y y>z z>x"), `node "x" is on a cycle`},
	} {
		err := SVG(io.Discard, c.g, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	full := errors.New("disk full")
	if err := SVG(failing{full}, edges("x>y"), Options{}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestPlanar: graphs that can be drawn without crossings are.
func TestPlanar(t *testing.T) {
	for _, text := range []string{
		"x>a x>b a>c b>c",
		"y>a x>a x>b z>b a>c b>c",
		"r>a r>b a>a1 a>a2 b>b1 b>b2 b2>c a1>d",
		"a>b b>c c>d a>d",
		"a>p b>q c>r p>s q>s q>t r>t", // a ladder
	} {
		if _, p := laidOut(t, edges(text)); p.crossings() != 0 {
			t.Errorf("%s: %d crossings", text, p.crossings())
		}
	}
}

// TestOperandsInOrder: the left operand stands left, even where it is given last
// among the nodes.
func TestOperandsInOrder(t *testing.T) {
	g := edges("b a a>m b>m")
	_, p := laidOut(t, g)
	if a, b := p.verts[1], p.verts[0]; a.x >= b.x {
		t.Errorf("a at %v, b at %v; a is the left operand", a.x, b.x)
	}
	// Ports in order, whatever the edges' order: 2 before 10.
	g = edges("s.10>u s.2>v")
	d, p := laidOut(t, g)
	if got := strings.Join(d.ports[0], " "); got != "2 10" {
		t.Errorf("ports %s", got)
	}
	if u, v := p.verts[1], p.verts[2]; v.x >= u.x {
		t.Errorf("v at %v, u at %v; v uses the left port", v.x, u.x)
	}
}

// TestCrossingsBySweep compares the Fenwick tree with a count of all pairs.
func TestCrossingsBySweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))), rapid.IntRange(2, 30).Draw(t, "nodes"), 6)
		d, err := g.check()
		if err != nil {
			t.Fatal(err)
		}
		p := d.arrange()
		p.firstOrder()
		want := 0
		for i, s := range p.segs {
			for _, r := range p.segs[:i] {
				if p.verts[s.a].layer != p.verts[r.a].layer {
					continue
				}
				up, down := p.end(s, true)-p.end(r, true), p.end(s, false)-p.end(r, false)
				if up*down < 0 {
					want++
				}
			}
		}
		if got := p.crossings(); got != want {
			t.Fatalf("%d crossings, want %d", got, want)
		}
		_, p = laidOut(t, g)
		if after := p.crossings(); after > want {
			t.Fatalf("%d crossings before, %d after ordering", want, after)
		}
	})
}

// TestSpreadIsOptimal: moving any run of neighbours a little, within what the
// distances allow, makes the sum of squares no smaller.
func TestSpreadIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		want, weight, gaps := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range want {
			want[i] = float64(rapid.IntRange(-20, 20).Draw(t, "want"))
			weight[i] = float64(rapid.IntRange(1, 5).Draw(t, "weight"))
			gaps[i] = float64(rapid.IntRange(0, 5).Draw(t, "gap"))
		}
		x := spread(want, weight, gaps)
		cost := func(x []float64) float64 {
			sum := 0.0
			for i := range x {
				sum += weight[i] * (x[i] - want[i]) * (x[i] - want[i])
			}
			return sum
		}
		const eps = 1e-3
		for i := range x {
			if i > 0 && x[i] < x[i-1]+gaps[i]-1e-9 {
				t.Fatalf("%v: %d and %d are nearer than %v", x, i-1, i, gaps[i])
			}
			for j := i + 1; j <= n; j++ {
				for _, step := range []float64{-eps, eps} {
					y := append([]float64(nil), x...)
					for k := i; k < j; k++ {
						y[k] += step
					}
					legal := (i == 0 || y[i] >= y[i-1]+gaps[i]) && (j == n || y[j] >= y[j-1]+gaps[j])
					if legal && cost(y) < cost(x)-1e-9 {
						t.Fatalf("want %v weight %v gaps %v: %v costs %v, %v costs %v", want, weight, gaps, x, cost(x), y, cost(y))
					}
				}
			}
		}
	})
}

// TestLayout: whatever the graph, edges go down, boxes lie in the picture, and
// no box touches its neighbour or a long edge that passes.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))), rapid.IntRange(1, 60).Draw(t, "nodes"), rapid.IntRange(1, 40).Draw(t, "reach"))
		d, p := laidOut(t, g)
		seen := 0
		for l, row := range p.layers {
			for i, v := range row {
				u := &p.verts[v]
				seen++
				if u.layer != l || u.pos != i {
					t.Fatalf("vertex %d is at layer %d position %d, says %d and %d", v, l, i, u.layer, u.pos)
				}
				if u.x-u.w/2 < 0 || u.x+u.w/2 > p.width || p.top[l]+u.h > p.bottom {
					t.Fatalf("vertex %d at %v lies outside of %v", v, u.x, p.width)
				}
				if i == 0 {
					continue
				}
				w := &p.verts[row[i-1]]
				if w.x+w.w/2 > u.x-u.w/2-lineGap/2 {
					t.Fatalf("layer %d: vertices %d and %d overlap", l, i-1, i)
				}
			}
		}
		if seen != len(p.verts) {
			t.Fatalf("%d vertices in layers, %d in all", seen, len(p.verts))
		}
		for _, r := range p.routes {
			if e := d.edges[r.edge]; r.via[0] != e.from || r.via[len(r.via)-1] != e.to {
				t.Fatalf("edge %d goes from %d to %d", r.edge, r.via[0], r.via[len(r.via)-1])
			}
			for i := 1; i < len(r.via); i++ {
				if p.verts[r.via[i]].layer != p.verts[r.via[i-1]].layer+1 {
					t.Fatalf("edge %d skips a layer", r.edge)
				}
			}
		}
	})
}

// TestLongEdgeIsStraight: an edge past ten nodes is one vertical line.
func TestLongEdgeIsStraight(t *testing.T) {
	text := "x>n0 "
	for i := 0; i < 10; i++ {
		text += fmt.Sprintf("n%d>n%d ", i, i+1)
	}
	_, p := laidOut(t, edges(text+"x>n10"))
	r := p.routes[len(p.routes)-1]
	if len(r.via) != 12 {
		t.Fatalf("the edge passes %d vertices, want 12", len(r.via))
	}
	for _, v := range r.via[2:11] {
		if p.verts[v].x != p.verts[r.via[1]].x {
			t.Errorf("dummy at %v, the first at %v", p.verts[v].x, p.verts[r.via[1]].x)
		}
	}
	if p.crossings() != 0 {
		t.Errorf("%d crossings", p.crossings())
	}
}

// TestCutEdges: a source used along a deep graph does not pull a line through
// all of it; a box above each far user names it.
func TestCutEdges(t *testing.T) {
	var g Graph
	const depth = 600
	for i := 0; i < depth; i++ {
		g.Nodes = append(g.Nodes, Node{ID: strconv.Itoa(i), Label: "step"})
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: strconv.Itoa(i - 1), To: strconv.Itoa(i)}, Edge{From: "table", To: strconv.Itoa(i), Port: "1"})
		}
	}
	g.Nodes = append(g.Nodes, Node{ID: "table", Label: "table"})
	d, p := laidOut(t, g)
	if n, most := len(p.verts), dummyBudget*(len(g.Nodes)+len(g.Edges))+dummyFloor; n > most {
		t.Errorf("%d vertices, at most %d expected", n, most)
	}
	refs := 0
	for _, v := range p.verts {
		if v.node < -1 {
			refs++
			if g.Nodes[-2-v.node].ID != "table" || d.ports[-2-v.node][v.from] != "1" {
				t.Fatalf("a box stands for node %d port %d", -2-v.node, v.from)
			}
		}
	}
	if refs < depth/2 {
		t.Errorf("%d edges are cut, expected most of %d", refs, depth)
	}
	if svg := draw(t, g, Options{}); strings.Count(svg, ">↑ table 1</text>") != refs {
		t.Errorf("%d boxes name their source, want %d", strings.Count(svg, ">↑ table 1</text>"), refs)
	}
}

// TestTextIsEscaped: no text of the graph becomes markup, and none is lost.
func TestTextIsEscaped(t *testing.T) {
	evil := `<script>alert("1")</script>&'` + "\x00\xff"
	g := Graph{
		Nodes: []Node{{ID: evil, Label: evil, Sub: evil, Class: evil, Tooltip: evil}, {ID: "y", Label: "y"}},
		Edges: []Edge{{From: evil, To: "y", Label: evil, Port: evil}},
	}
	for _, opt := range []Options{{Title: evil, MaxText: 100}, {Title: evil, MaxText: 100, Inline: true}} {
		svg := draw(t, g, opt)
		if strings.Contains(svg, "<script") || strings.Contains(svg, `"1"`) {
			t.Errorf("text became markup:\n%s", svg)
		}
		want := `<script>alert("1")</script>&'` + "��"
		count := 0
		for _, s := range wellFormed(t, svg) {
			if s == want {
				count++
			}
		}
		// The title of the document, and tooltip, label, line, port, label of the edge.
		if n := 5 + map[bool]int{false: 1, true: 0}[opt.Inline]; count != n {
			t.Errorf("inline %v: %d texts, want %d", opt.Inline, count, n)
		}
	}
}

// TestWrapped: lines below the label are broken at blanks; none is lost but in the last.
func TestWrapped(t *testing.T) {
	got := strings.Join(wrapped("stride=s, pad=p, groups=g\nshort", 12), "|")
	if got != "stride=s,|pad=p,|groups=g|short" {
		t.Errorf("got %s", got)
	}
	if lines := wrapped(strings.Repeat("word ", 100), 12); len(lines) != 6 || len(lines[5]) < 300 {
		t.Errorf("got %q", lines)
	}
}

func TestLongTextIsCut(t *testing.T) {
	g := Graph{Nodes: []Node{{ID: "x", Label: strings.Repeat("é", 50), Sub: "short"}}}
	texts := wellFormed(t, draw(t, g, Options{MaxText: 10, Inline: true}))
	if len(texts) < 3 || texts[1] != strings.Repeat("é", 9)+"…" || !strings.HasPrefix(texts[0], strings.Repeat("é", 50)) {
		t.Errorf("texts %q: want the tooltip whole and the label cut", texts)
	}
}

// TestLabelsFit: long names of ports and edges have room, at the border of the picture too.
func TestLabelsFit(t *testing.T) {
	long := strings.Repeat("wide name ", 4)
	g := Graph{Nodes: []Node{{ID: "a", Label: "a"}, {ID: "b", Label: "b"}, {ID: "c", Label: "c"}},
		Edges: []Edge{{From: "a", To: "b", Label: long, Port: long}, {From: "a", To: "c", Port: "x", Label: "short"}}}
	svg := draw(t, g, Options{Inline: true})
	size := regexp.MustCompile(`viewBox="0 0 ([\d.]+) `).FindStringSubmatch(svg)
	width, err := strconv.ParseFloat(size[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	texts := regexp.MustCompile(`<text class="([pl])" x="([-\d.]+)" y="[\d.]+">([^<]*)<`).FindAllStringSubmatch(svg, -1)
	if len(texts) != 4 {
		t.Fatalf("%d ports and labels in %s", len(texts), svg)
	}
	for _, m := range texts {
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		left, w := x, TextWidth(m[3], edgeSize)
		if m[1] == "l" {
			left -= w / 2
		}
		if left < 0 || left+w > width {
			t.Errorf("%q is at %v to %v of %v", m[3], left, left+w, width)
		}
	}
}

func TestClasses(t *testing.T) {
	if got := classes("kind3 output"); got != "kind3 output" {
		t.Errorf("classes %q", got)
	}
	if got := classes("matmul"); !regexp.MustCompile(`^kind[1-8]$`).MatchString(got) || got != classes("matmul") {
		t.Errorf("class %q", got)
	}
	if got := classes("kind9 kind0"); strings.Contains(got, "9") || strings.Contains(got, "0") {
		t.Errorf("classes %q are in no style sheet", got)
	}
}

// TestSameBytes: drawing twice gives the same, and every number is finite.
func TestSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))), rapid.IntRange(0, 50).Draw(t, "nodes"), 20)
		var a, b bytes.Buffer
		if err := SVG(&a, g, Options{}); err != nil {
			t.Fatal(err)
		}
		if err := SVG(&b, g, Options{}); err != nil {
			t.Fatal(err)
		}
		if a.String() != b.String() {
			t.Fatal("two drawings differ")
		}
		if strings.Contains(a.String(), "NaN") || strings.Contains(a.String(), "Inf") {
			t.Fatal("a coordinate is no number")
		}
		if n := strings.Count(a.String(), "<rect x="); n != len(g.Nodes) {
			t.Fatalf("%d boxes for %d nodes", n, len(g.Nodes))
		}
		wellFormed(t, a.String())
	})
}

// TestContrast: text on every fill can be read, in both themes.
func TestContrast(t *testing.T) {
	luminance := func(hex string) float64 {
		var rgb [3]float64
		for i := range rgb {
			n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			if rgb[i] = float64(n) / 255; rgb[i] <= 0.04045 {
				rgb[i] /= 12.92
			} else {
				rgb[i] = math.Pow((rgb[i]+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
	}
	contrast := func(a, b string) float64 {
		x, y := luminance(a), luminance(b)
		return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
	}
	by := map[string]colour{}
	for _, c := range colours {
		by[c.name] = c
	}
	for _, c := range colours {
		least, on := 7.0, by["text"]
		switch c.name {
		case "text":
			continue
		case "edge", "line", "mark", "added", "removed", "line1", "line2", "line3", "line4", "line5", "line6", "line7", "line8", "line9", "line10":
			least, on = 3, by["paper"]
		}
		if r := contrast(c.light, on.light); r < least {
			t.Errorf("light: %s against %s has contrast %.1f, want %v", c.name, on.name, r, least)
		}
		if r := contrast(c.dark, on.dark); r < least {
			t.Errorf("dark: %s against %s has contrast %.1f, want %v", c.name, on.name, r, least)
		}
	}
}

func BenchmarkSVG(b *testing.B) {
	for _, n := range []int{10, 100, 500, 2000, 8000} {
		g := randomGraph(rand.New(rand.NewSource(1)), n, 12)
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := SVG(io.Discard, g, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// IDs name the node of each box, and the node for which a small box stands; all
// of it is escaped.
func TestIDs(t *testing.T) {
	g := Graph{Nodes: []Node{{ID: `a"<`, Label: "a"}}}
	for i := range 600 { // a chain beside an edge that is so long that it is cut
		id, from := fmt.Sprint("n", i), fmt.Sprint("n", i-1)
		g.Nodes = append(g.Nodes, Node{ID: id, Label: id})
		if i == 0 {
			from = `a"<`
		} else {
			g.Edges = append(g.Edges, Edge{From: `a"<`, To: id})
		}
		g.Edges = append(g.Edges, Edge{From: from, To: id})
	}
	var with, without bytes.Buffer
	if err := errors.Join(SVG(&with, g, Options{IDs: true}), SVG(&without, g, Options{})); err != nil {
		t.Fatal(err)
	}
	s := with.String()
	if n := strings.Count(s, ` data-id="`); n != len(g.Nodes) {
		t.Errorf("%d boxes have an ID, want %d", n, len(g.Nodes))
	}
	refs := strings.Count(s, "<title>from a</title>")
	if n := strings.Count(s, ` data-ref="a&#34;&lt;"`); n != refs || n == 0 {
		t.Errorf("%d small boxes name their node, of %d", n, refs)
	}
	s = regexp.MustCompile(` data-(id|ref)="[^"]*"`).ReplaceAllString(s, "")
	if s != without.String() {
		t.Error("the option changes more than the attributes")
	}
}

// Blocks whose shortcut is on one side stay one below the other.
func TestUpright(t *testing.T) {
	var g Graph
	last := "in"
	g.Nodes = append(g.Nodes, Node{ID: last, Label: "in"})
	for i := range 150 {
		a, b, c := fmt.Sprint("a", i), fmt.Sprint("b", i), fmt.Sprint("c", i)
		g.Nodes = append(g.Nodes, Node{ID: a, Label: "conv2d"}, Node{ID: b, Label: "conv2d"}, Node{ID: c, Label: "ewadd"})
		g.Edges = append(g.Edges, Edge{From: last, To: a}, Edge{From: a, To: b}, Edge{From: last, To: c}, Edge{From: b, To: c})
		last = c
	}
	_, p := laidOut(t, g)
	p.order()
	p.place(false)
	if p.width > 800 {
		t.Errorf("150 blocks are %.0f pixels wide", p.width)
	}
}

// Lines that leave a node have its colour, to the end, and others none.
func TestLineClasses(t *testing.T) {
	g := Graph{
		Nodes: []Node{{ID: "a", Label: "a", Line: Line(1)}, {ID: "b", Label: "b"}, {ID: "c", Label: "c", Line: "nosuch"}, {ID: "d", Label: "d"}},
		Edges: []Edge{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "c", To: "d"}, {From: "a", To: "d"}},
	}
	var b strings.Builder
	if err := SVG(&b, g, Options{}); err != nil {
		t.Fatal(err)
	}
	paths := map[string]int{} // moves, by class
	for _, line := range strings.Split(b.String(), "<path ")[1:] {
		class, d, _ := strings.Cut(strings.TrimPrefix(line, `class="`), `"`)
		d, _, _ = strings.Cut(strings.TrimPrefix(d, ` d="`), `"`)
		paths[class] = strings.Count(d, "M")
	}
	// The edge from a to d passes two layers: three segments.
	if paths["e"] != 2 || paths["a"] != 2 || paths["e line2"] != 4 || paths["a line2"] != 2 || len(paths) != 4 {
		t.Errorf("%v\n%s", paths, b.String())
	}
}
