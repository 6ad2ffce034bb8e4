package draw

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// SVG draws a graph. It is an error if two nodes have one ID, if an edge names
// a node that is not there, if there is a cycle, or if w fails.
func SVG(w io.Writer, g Graph, opt Options) error {
	opt = opt.withDefaults()
	d, err := g.check()
	if err != nil {
		return err
	}
	p := d.arrange()
	boxes := make([]box, len(p.verts))
	labels := false
	for _, e := range d.edges {
		labels = labels || e.label != ""
	}
	for i := range p.verts {
		v := &p.verts[i]
		switch {
		case v.node >= 0:
			boxes[i] = g.Nodes[v.node].box(opt.MaxText, v.slots, d.ports[v.node])
			if opt.IDs {
				boxes[i].attr, boxes[i].id = "data-id", g.Nodes[v.node].ID
			}
		case !v.dummy():
			n := g.Nodes[-2-v.node]
			name := n.Label
			if port := d.ports[-2-v.node][v.from]; port != "" {
				name += " " + port
			}
			boxes[i] = Node{Label: "↑ " + name, Tooltip: "from " + name}.box(opt.MaxText, 0, []string{""})
			boxes[i].class = refClass
			if opt.IDs {
				boxes[i].attr, boxes[i].id = "data-ref", n.ID
			}
		}
		v.w, v.h = boxes[i].w, boxes[i].h
	}
	p.order()
	p.place(labels)
	texts := p.edgeTexts(g.Edges, d, opt.MaxText)
	p.widen(texts)

	s := &printer{w: bufio.NewWriter(w)}
	s.raw("<svg")
	if !opt.Inline {
		s.raw(` xmlns="http://www.w3.org/2000/svg"`)
	}
	s.raw(` class="draw" role="img" width="`).num(p.width).raw(`" height="`).num(p.bottom)
	s.raw(`" viewBox="0 0 `).num(p.width).raw(" ").num(p.bottom).raw(`" aria-label="`).text(opt.Title).raw(`">`)
	if !opt.Inline {
		s.raw("\n<title>").text(opt.Title).raw("</title>\n<style>\n").raw(Style()).raw("</style>\n")
		s.raw(`<rect width="100%" height="100%" style="stroke:none;fill:#fff;fill:var(--draw-paper)"/>` + "\n")
	}
	p.lines(s, g.Nodes)
	for i := range p.verts {
		if !p.verts[i].dummy() {
			p.node(s, &p.verts[i], &boxes[i])
		}
	}
	for _, t := range texts {
		s.raw(`<text class="`).raw(t.class).raw(`" x="`).num(t.x).raw(`" y="`).num(t.y).raw(`">`).text(t.text).raw("</text>\n")
	}
	s.raw("</svg>\n")
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}

// node draws a box with its text.
func (p *picture) node(s *printer, v *vertex, b *box) {
	s.raw("<g")
	if b.class != "" {
		s.raw(` class="`).raw(b.class).raw(`"`)
	}
	if b.attr != "" {
		s.raw(" ").raw(b.attr).raw(`="`).text(b.id).raw(`"`)
	}
	s.raw(">")
	if b.tooltip != "" {
		s.raw("<title>").text(b.tooltip).raw("</title>")
	}
	y := p.boxTop(v)
	rx := 4.0
	if !operator(b.class) {
		rx = math.Floor(math.Min(b.h/2, 16))
	}
	s.raw(`<rect x="`).num(v.x - b.w/2).raw(`" y="`).num(y).raw(`" width="`).num(b.w)
	s.raw(`" height="`).num(b.h).raw(`" rx="`).num(rx).raw(`"/>`)
	y += padY + labelLine - 4
	s.raw(`<text x="`).num(v.x).raw(`" y="`).num(y).raw(`">`).text(b.label).raw("</text>")
	for _, line := range b.subs {
		y += subLine
		s.raw(`<text class="s" x="`).num(v.x).raw(`" y="`).num(y).raw(`">`).text(line).raw("</text>")
	}
	s.raw("</g>\n")
}

// operator reports whether a box of that class has corners.
func operator(class string) bool {
	return !slices.ContainsFunc(strings.Fields(class), func(c string) bool {
		return c == Input || c == Const || c == refClass
	})
}

// boxTop is the y of a vertex's upper border: boxes are centred in their layer.
func (p *picture) boxTop(v *vertex) float64 {
	return p.top[v.layer] + math.Floor((p.height[v.layer]-v.h)/2)
}

// lines draws all lines as one path and all arrow heads as another, and so those of each
// class. What is shared by edges from one port is drawn once.
func (p *picture) lines(s *printer, nodes []Node) {
	if len(p.segs) == 0 {
		return
	}
	by := map[string][]segment{"": nil}
	for _, g := range p.segs {
		class := lineClass(nodes[p.source(g.a)].Line)
		by[class] = append(by[class], g)
	}
	for _, class := range slices.Sorted(maps.Keys(by)) {
		p.path(s, class, by[class])
	}
}

// source is the node from which the lines at a vertex come.
func (p *picture) source(v int) int {
	for p.verts[v].dummy() {
		v = p.segs[p.verts[v].above[0]].a
	}
	if n := p.verts[v].node; n < 0 {
		return -2 - n
	}
	return p.verts[v].node
}

// lineClass is a class of lines that the style sheet has, or none.
func lineClass(s string) string {
	for i := range Lines {
		if s == Line(i) {
			return s
		}
	}
	return ""
}

// path draws lines of one class.
func (p *picture) path(s *printer, class string, segs []segment) {
	if class != "" {
		class = " " + class
	}
	var heads []float64
	s.raw(`<path class="e`).raw(class).raw(`" d="`)
	for _, g := range segs {
		a, b := &p.verts[g.a], &p.verts[g.b]
		x1, x2 := math.Round(a.x+p.upperEnd(g)), math.Round(b.x+p.lowerEnd(g))
		y1, end1 := p.top[a.layer]+p.height[a.layer], p.boxTop(a)+a.h
		y2, end2 := p.top[b.layer], p.boxTop(b)
		if a.dummy() {
			end1 = y1 // drawn with the segment above
		}
		if b.dummy() {
			end2 = y2 + p.height[b.layer] // through the layer
		} else {
			heads = append(heads, x2, end2)
		}
		s.raw("M").num(x1).raw(" ").num(end1)
		if x1 == x2 {
			s.raw("V").num(end2)
			continue
		}
		if end1 != y1 {
			s.raw("V").num(y1)
		}
		mid := math.Round((y1 + y2) / 2)
		s.raw("C").num(x1).raw(" ").num(mid).raw(" ").num(x2).raw(" ").num(mid).raw(" ").num(x2).raw(" ").num(y2)
		if end2 != y2 {
			s.raw("V").num(end2)
		}
	}
	s.raw(`"/>`)
	s.raw(`<path class="a`).raw(class).raw(`" d="`)
	for i := 0; i < len(heads); i += 2 {
		s.raw("M").num(heads[i]).raw(" ").num(heads[i+1]).raw("l-3-7h6z")
	}
	s.raw("\"/>\n")
}

// edgeText is a text at an edge: a port, which begins at x, or a label, whose middle is there.
type edgeText struct {
	class, text string // class p or l
	x, y        float64
}

// edgeTexts are the ports where edges leave, each once, and the labels before
// edges arrive.
func (p *picture) edgeTexts(edges []Edge, d *dag, maxText int) (out []edgeText) {
	type end struct{ node, port int }
	named := map[end]bool{}
	for _, r := range p.routes {
		e, a := edges[r.edge], d.edges[r.edge]
		at := end{a.from, a.port}
		if e.Port != "" && !named[at] {
			named[at] = true
			v := &p.verts[a.from]
			x := v.x + p.upperEnd(segment{a: a.from, port: a.port})
			port, _ := cut(e.Port, maxText)
			out = append(out, edgeText{"p", port, math.Round(x) + 3, p.boxTop(v) + v.h + 10})
		}
		if e.Label == "" {
			continue
		}
		g := p.segs[r.last]
		u, v := &p.verts[g.a], &p.verts[g.b]
		x := (u.x + p.upperEnd(g) + v.x + p.lowerEnd(g)) / 2
		y := (p.top[u.layer] + p.height[u.layer] + p.top[v.layer]) / 2
		label, _ := cut(e.Label, maxText)
		out = append(out, edgeText{"l", label, math.Round(x), math.Round(y) + 3})
	}
	return out
}

// widen makes room for texts that would be outside of the picture.
func (p *picture) widen(texts []edgeText) {
	left, right := 0.0, p.width
	for _, t := range texts {
		w := TextWidth(t.text, edgeSize)
		if t.class == "p" {
			right = max(right, t.x+w+margin)
		} else {
			left, right = min(left, t.x-w/2-margin), max(right, t.x+w/2+margin)
		}
	}
	left = math.Floor(left)
	p.width = math.Ceil(right - left)
	for i := range p.verts {
		p.verts[i].x -= left
	}
	for i := range texts {
		texts[i].x -= left
	}
}

// printer writes pieces of SVG; the writer keeps the first error.
type printer struct {
	w   *bufio.Writer
	buf []byte
}

func (s *printer) raw(t string) *printer {
	_, _ = s.w.WriteString(t)
	return s
}

// text writes t escaped; what XML cannot hold becomes U+FFFD.
func (s *printer) text(t string) *printer {
	_ = xml.EscapeText(s.w, []byte(t))
	return s
}

// num writes a whole number, or one digit after the point.
func (s *printer) num(x float64) *printer {
	s.buf = strconv.AppendFloat(s.buf[:0], math.Round(x*10)/10, 'f', -1, 64)
	_, _ = s.w.Write(s.buf)
	return s
}
