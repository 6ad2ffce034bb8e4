package bench

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
)

// curveColours are those of curves, for white and for dark paper: dark enough for
// one and light enough for the other.
var curveColours = [...]string{"#2f6fde", "#d9480f", "#2b8a3e", "#9c36b5", "#b08900", "#0b7285", "#c2255c", "#6b7280", "#5c940d", "#7048e8"}

// Sizes of a plot, in pixels.
const (
	plotWidth  = 720.0
	plotHeight = 380.0
	plotLeft   = 86.0 // of the field, room for numbers
	plotRight  = 20.0
	plotTop    = 34.0
	plotBottom = 52.0
	plotLegend = 18.0 // a line of the legend
)

const plotStyle = `.plot{--plot-text:#1b1f24;--plot-grid:#d0d7de;--plot-paper:#fff}
@media screen and (prefers-color-scheme:dark){.plot{--plot-text:#e9edf2;--plot-grid:#3b434d;--plot-paper:#15191e}}
.plot text{font:12px Helvetica,Arial,sans-serif;fill:#1b1f24;fill:var(--plot-text)}
.plot .t{font-size:14px}
.plot .g{stroke:#d0d7de;stroke:var(--plot-grid);stroke-width:1;fill:none}
.plot .c{fill:none;stroke-width:2;stroke-linejoin:round}
`

// svg writes text and numbers of a picture; the writer keeps the first error.
type svg struct{ w *bufio.Writer }

func (s svg) raw(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

func (s svg) text(x, y float64, anchor, class, extra, text string) {
	s.raw(`<text x="%s" y="%s" text-anchor="%s"`, px(x), px(y), anchor)
	if class != "" {
		s.raw(` class="%s"`, class)
	}
	s.raw("%s>", extra)
	_ = xml.EscapeText(s.w, []byte(text))
	s.raw("</text>\n")
}

// px is a length in pixels with one digit behind the point.
func px(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }

// SVG draws the plot as a picture of its own; inline is for a page with
// its style sheet, as WritePage makes. The same plot gives the same bytes. A plot that [Record.Check] would
// not take is an error.
func (p *Plot) SVG(w io.Writer, inline bool) error {
	if err := p.check(); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	s := svg{bufio.NewWriter(w)}
	height := plotHeight + plotLegend*float64(len(p.Curves))
	s.raw("<svg")
	if !inline {
		s.raw(` xmlns="http://www.w3.org/2000/svg"`)
	}
	s.raw(` class="plot" role="img" width="%s" height="%s" viewBox="0 0 %s %s">`+"\n", px(plotWidth), px(height), px(plotWidth), px(height))
	s.raw("<title>")
	_ = xml.EscapeText(s.w, []byte(p.Title))
	s.raw("</title>\n")
	if !inline {
		s.raw("<style>\n%s</style>\n", plotStyle)
	}
	s.raw(`<rect width="100%%" height="100%%" style="fill:#fff;fill:var(--plot-paper)"/>` + "\n")
	s.text(plotLeft, 20, "start", "t", "", p.Title)
	xs, ys := p.axes(s)
	for i, c := range p.Curves {
		p.curve(s, c, curveColours[i], xs, ys)
		y := plotHeight + plotLegend*(float64(i)+0.4)
		s.raw(`<path class="c" stroke="%s" d="M%s %sh24"/>`+"\n", curveColours[i], px(plotLeft), px(y))
		s.text(plotLeft+32, y+4, "start", "", "", fmt.Sprintf("%s (%s)", c.Name, c.Source))
	}
	s.raw("</svg>\n")
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return nil
}

// axes draws the grid with its numbers and returns where values lie.
func (p *Plot) axes(s svg) (xs, ys func(float64) float64) {
	lo, hi := p.bounds(0)
	x := scaleOf(p.X, lo, hi)
	lo, hi = p.bounds(1)
	y := scaleOf(p.Y, lo, hi)
	right, bottom := plotWidth-plotRight, plotHeight-plotBottom
	xs = func(v float64) float64 { return plotLeft + x.at(v)*(right-plotLeft) }
	ys = func(v float64) float64 { return bottom - y.at(v)*(bottom-plotTop) }
	for _, v := range x.ticks {
		s.raw(`<path class="g" d="M%s %sV%s"/>`+"\n", px(xs(v)), px(plotTop), px(bottom))
		s.text(xs(v), bottom+18, "middle", "", "", tick(v))
	}
	for _, v := range y.ticks {
		s.raw(`<path class="g" d="M%s %sH%s"/>`+"\n", px(plotLeft), px(ys(v)), px(right))
		s.text(plotLeft-8, ys(v)+4, "end", "", "", tick(v))
	}
	s.text((plotLeft+right)/2, bottom+38, "middle", "", "", p.X.title())
	mid := (plotTop + bottom) / 2
	s.text(16, mid, "middle", "", fmt.Sprintf(` transform="rotate(-90 16 %s)"`, px(mid)), p.Y.title())
	return xs, ys
}

// tick is a number at an axis: at most six digits, 1e+06 beyond a million.
func tick(v float64) string {
	if a := math.Abs(v); a >= 1e6 || a > 0 && a < 1e-4 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	// Ticks are multiples of a step, so that digits beyond nine are rounding.
	return thousands(strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', -1, 64))
}

func (a Axis) title() string {
	if a.Unit != "" {
		return a.Name + ", " + a.Unit
	}
	return a.Name
}

// mostDots is how many points are marked with a dot.
const mostDots = 60

func (p *Plot) curve(s svg, c *Curve, colour string, xs, ys func(float64) float64) {
	s.raw(`<path class="c" stroke="%s" d="`, colour)
	for i, q := range c.Points {
		switch {
		case i == 0:
			s.raw("M%s %s", px(xs(q[0])), px(ys(q[1])))
		case c.Steps:
			s.raw("H%sV%s", px(xs(q[0])), px(ys(q[1])))
		default:
			s.raw("L%s %s", px(xs(q[0])), px(ys(q[1])))
		}
	}
	s.raw(`"/>` + "\n")
	if len(c.Points) > mostDots {
		return
	}
	for _, q := range c.Points {
		s.raw(`<circle r="3" fill="%s" cx="%s" cy="%s"/>`+"\n", colour, px(xs(q[0])), px(ys(q[1])))
	}
}
