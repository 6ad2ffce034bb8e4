package draw

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// colour is a CSS variable with its value on a light and on a dark page.
type colour struct{ name, light, dark string }

// The text on every fill has a contrast of at least 7 to 1 in both themes; a
// test computes it.
var colours = []colour{
	{"text", "#1b1f24", "#e9edf2"},
	{"edge", "#57606a", "#9aa5b1"},
	{"line", "#6e7781", "#8b96a3"},
	{"paper", "#ffffff", "#15191e"},
	{"fill", "#f3f4f6", "#2a3038"},
	{"input", "#ffffff", "#15191e"},
	{"mark", "#a15c00", "#f0b429"},
	{"added", "#1b7a34", "#5fd07a"},
	{"removed", "#c11a25", "#ff7b72"},
	{"kind1", "#dbeafe", "#1b3a5e"},
	{"kind2", "#dcf5e1", "#1c4528"},
	{"kind3", "#fdecc8", "#553c0d"},
	{"kind4", "#f9dfe9", "#5a2138"},
	{"kind5", "#e7e0fb", "#3c2d66"},
	{"kind6", "#d3f3f3", "#0f474b"},
	{"kind7", "#f6e3d3", "#593219"},
	{"kind8", "#e8edc9", "#3f4713"},
	{"line1", "#c11a25", "#ff7b72"},
	{"line2", "#1a5fb4", "#6cb0ff"},
	{"line3", "#8a5a00", "#f0b429"},
	{"line4", "#1b7a34", "#5fd07a"},
	{"line5", "#7b2fbf", "#c79bff"},
	{"line6", "#0b7285", "#4fd0e0"},
	{"line7", "#5b6b7c", "#a3b4c6"},
	{"line8", "#8f4a1f", "#d9a07a"},
	{"line9", "#b5179e", "#ff8ad8"},
	{"line10", "#656b00", "#c6cc4d"},
}

// Style is the style sheet that pictures drawn with [Options].Inline expect: the
// colours as CSS variables, for light and dark screens and for paper.
func Style() string {
	var b strings.Builder
	vars := func(dark bool) {
		b.WriteString(".draw{")
		for _, c := range colours {
			v := c.light
			if dark {
				v = c.dark
			}
			fmt.Fprintf(&b, "--draw-%s:%s;", c.name, v)
		}
		b.WriteString("}")
	}
	vars(false)
	b.WriteString("\n@media screen and (prefers-color-scheme:dark){")
	vars(true)
	b.WriteString("}\n")
	// A viewer that knows no variables takes the first of two values.
	set := func(selector, property, name string) {
		light := ""
		for _, c := range colours {
			if c.name == name {
				light = c.light
			}
		}
		fmt.Fprintf(&b, "%s{%s:%s;%s:var(--draw-%s)}\n", selector, property, light, property, name)
	}
	b.WriteString(".draw text{font:13px Helvetica,Arial,sans-serif;text-anchor:middle}\n")
	b.WriteString(".draw .s{font-size:11px}\n.draw .p{font-size:10px;text-anchor:start}\n")
	b.WriteString(".draw .e{fill:none;stroke-width:1.2}\n.draw rect{stroke-width:1}\n")
	b.WriteString(".draw .l{font-size:10px;paint-order:stroke;stroke-width:3px;stroke-linejoin:round}\n")
	set(".draw text", "fill", "text")
	set(".draw .e", "stroke", "edge")
	set(".draw .a", "fill", "edge")
	set(".draw .l", "stroke", "paper")
	set(".draw rect", "fill", "fill")
	set(".draw rect", "stroke", "line")
	for i := 0; i < Kinds; i++ {
		set(".draw ."+Kind(i)+" rect", "fill", Kind(i))
	}
	for i := 0; i < Lines; i++ {
		set(".draw .e."+Line(i), "stroke", Line(i))
		set(".draw .a."+Line(i)+",.draw .b."+Line(i), "fill", Line(i))
	}
	b.WriteString(".draw .e[class*=line]{stroke-width:2.4}\n.draw .b{stroke-width:.4}\n")
	set(".draw .b", "stroke", "paper")
	set(".draw .b", "fill", "line")
	set(".draw .input rect,.draw .const rect", "fill", "input")
	b.WriteString(".draw .const rect,.draw .ref rect{stroke-dasharray:3 2}\n")
	b.WriteString(".draw .output rect{stroke-width:2.5}\n")
	set(".draw .output rect", "stroke", "text")
	b.WriteString(".draw .mark rect,.draw .added rect,.draw .removed rect{stroke-width:3}\n")
	set(".draw .mark rect", "stroke", "mark")
	set(".draw .added rect", "stroke", "added")
	set(".draw .removed rect", "stroke", "removed")
	return b.String()
}

// LineColour is the colour of a class of lines on light paper, "" of another class.
func LineColour(class string) string {
	for _, c := range colours {
		if c.name == lineClass(class) && class != "" {
			return c.light
		}
	}
	return ""
}

// refClass is that of a box which stands for the source of a cut edge.
const refClass = "ref"

// classes maps the words of Node.Class to the classes of the style sheet.
func classes(s string) string {
	var out []string
	for _, w := range strings.Fields(s) {
		switch {
		case w == Input || w == Const || w == Output || w == Mark || w == Added || w == Removed:
		case len(w) == 5 && w[:4] == "kind" && w[4] >= '1' && w[4] < '1'+Kinds:
		default:
			h := fnv.New32a()
			h.Write([]byte(w))
			w = Kind(int(h.Sum32() % Kinds))
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
