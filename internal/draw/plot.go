package draw

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Plot shows curves over one quantity, such as cost over time. Every curve has a point,
// every number is finite and at most 1e30, and all numbers of a logarithmic axis are above
// 1e-30.
type Plot struct {
	Title  string
	X, Y   Axis
	Curves []Curve
}

// Axis is a quantity of a plot.
type Axis struct {
	Name, Unit string
	// Log: equal factors are equally long. All values must be above 0.
	Log bool
	// Zero: the axis begins at 0, or ends there.
	Zero bool
}

// Curve is a line through points, in their order.
type Curve struct {
	Name   string // for the legend, in which a curve without a name is not
	Points [][2]float64
	// Steps: y stays as it is until the next point, as the best cost so far does.
	Steps bool
}

// PlotOptions change the picture of a plot. The zero value draws a document of its own.
type PlotOptions struct {
	// Inline draws for use within an HTML page: without name spaces and without
	// colours, which the page takes from [PlotStyle].
	Inline bool
	// Narrow draws for a small screen, 320 pixels wide instead of 720.
	Narrow bool
}

// curveColours are those of curves, for white and for dark paper: dark enough for
// one and light enough for the other.
var curveColours = [...]string{"#2f6fde", "#d9480f", "#2b8a3e", "#9c36b5", "#b08900", "#0b7285", "#c2255c", "#6b7280", "#8d5524", "#7048e8"}

// MaxCurves is how many curves have colours of their own; further ones repeat them.
const MaxCurves = len(curveColours)

// Sizes of a plot, in pixels.
const (
	plotWidth  = 720.0
	plotNarrow = 320.0
	plotField  = 294.0 // the height of the field
	plotLeft   = 86.0  // of the field, room for numbers
	plotRight  = 20.0
	plotTop    = 34.0
	plotBottom = 52.0
	plotLine   = 18.0 // a line of text
	plotText   = 12.0
	plotTitle  = 14.0
)

// PlotStyle is the style sheet that plots drawn with [PlotOptions].Inline expect.
const PlotStyle = `.plot{--plot-text:#1b1f24;--plot-grid:#d0d7de;--plot-paper:#fff}
@media screen and (prefers-color-scheme:dark){.plot{--plot-text:#e9edf2;--plot-grid:#3b434d;--plot-paper:#15191e}}
.plot text{font:12px Helvetica,Arial,sans-serif;fill:#1b1f24;fill:var(--plot-text)}
.plot .t{font-size:14px}
.plot .g{stroke:#d0d7de;stroke:var(--plot-grid);stroke-width:1;fill:none}
.plot .c{fill:none;stroke-width:2;stroke-linejoin:round}
`

// field is a plot that is being drawn: where things are, in pixels.
type field struct {
	*printer
	x, y                            *scale
	xTitle, yTitle                  string
	width, left, right, top, bottom float64
	title, above, below             []string // lines; above the field stands the name of y
	indent                          float64  // of the title
}

// layout gives every text its room.
func (p *Plot) layout(narrow bool) *field {
	f := &field{width: plotWidth, left: plotLeft, right: plotRight, xTitle: p.X.title(), yTitle: p.Y.title()}
	ticks, height, beside := mostTicks, plotField, 30.0 // beside: width left for the name of y
	if narrow {
		f.width, f.left, ticks, height, beside = plotNarrow, 0, 4, 220, 10
	}
	lo, hi := p.bounds(0)
	f.x = scaleOf(p.X, lo, hi, ticks)
	lo, hi = p.bounds(1)
	f.y = scaleOf(p.Y, lo, hi, ticks)
	for _, v := range f.y.ticks {
		f.left = max(f.left, beside+math.Ceil(TextWidth(tick(v), plotText)))
	}
	half := func(v float64) float64 { return math.Floor(TextWidth(tick(v), plotText) / 2) } // the estimate has room
	f.left = max(f.left, half(f.x.ticks[0]))
	f.right = f.width - max(f.right, half(f.x.ticks[len(f.x.ticks)-1]))
	f.top, f.indent = plotTop, f.left
	if narrow {
		f.indent = 4
	}
	if p.Title == "" {
		f.top -= 20
	} else {
		f.title = fold(p.Title, f.width-f.indent-4, plotTitle)
		f.top += plotLine * float64(len(f.title)-1)
	}
	if narrow || TextWidth(f.yTitle, plotText) > height {
		f.above = fold("↑ "+f.yTitle, f.width-f.indent-4, plotText)
		f.top += plotLine * float64(len(f.above))
	}
	f.bottom = f.top + height
	f.below = fold(f.xTitle, f.width-8, plotText)
	return f
}

// SVG draws the plot. The same plot gives the same bytes. The error is that of w.
func (p *Plot) SVG(w io.Writer, opt PlotOptions) error {
	f := p.layout(opt.Narrow)
	f.printer = &printer{w: bufio.NewWriter(w)}
	end := f.bottom + plotBottom + plotLine*float64(len(f.below)-1)
	names := make([][]string, len(p.Curves))
	height := end
	for i, c := range p.Curves {
		if c.Name != "" {
			names[i] = fold(c.Name, f.width-f.left-36, plotText)
			height += plotLine * float64(len(names[i]))
		}
	}
	f.raw("<svg")
	if !opt.Inline {
		f.raw(` xmlns="http://www.w3.org/2000/svg"`)
	}
	f.raw(` class="plot" role="img" width="`).num(f.width).raw(`" height="`).num(height).raw(`" viewBox="0 0 `).num(f.width).raw(" ").num(height).raw("\">\n")
	f.raw("<title>").text(p.Title).raw("</title>\n")
	if !opt.Inline {
		f.raw("<style>\n" + PlotStyle + "</style>\n")
	}
	f.raw(`<rect width="100%" height="100%" style="fill:#fff;fill:var(--plot-paper)"/>` + "\n")
	for i, line := range f.title {
		f.label(f.indent, 20+plotLine*float64(i), "start", "t", "", line)
	}
	f.axes()
	y := end + 0.4*plotLine
	for i, c := range p.Curves {
		colour := curveColours[i%MaxCurves]
		f.curve(c, colour)
		if c.Name != "" {
			f.raw(`<path class="c" stroke="`).raw(colour).raw(`" d="M`).num(f.left).raw(" ").num(y).raw(`h24"/>` + "\n")
		}
		for _, line := range names[i] {
			f.label(f.left+32, y+4, "start", "", "", line)
			y += plotLine
		}
	}
	f.raw("</svg>\n")
	if err := f.w.Flush(); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return nil
}

func (f *field) label(x, y float64, anchor, class, extra, text string) {
	f.raw(`<text x="`).num(x).raw(`" y="`).num(y).raw(`" text-anchor="`).raw(anchor).raw(`"`)
	if class != "" {
		f.raw(` class="`).raw(class).raw(`"`)
	}
	f.raw(extra).raw(">").text(text).raw("</text>\n")
}

// at is where a point stands.
func (f *field) at(q [2]float64) (x, y float64) {
	return f.left + f.x.at(q[0])*(f.right-f.left), f.bottom - f.y.at(q[1])*(f.bottom-f.top)
}

// axes draws the grid with its numbers.
func (f *field) axes() {
	for i, line := range f.above {
		f.label(f.indent, f.top-plotLine*float64(len(f.above)-i)+8, "start", "", "", line)
	}
	for _, v := range f.x.ticks {
		x := f.left + f.x.at(v)*(f.right-f.left)
		f.raw(`<path class="g" d="M`).num(x).raw(" ").num(f.top).raw("V").num(f.bottom).raw("\"/>\n")
		f.label(x, f.bottom+18, "middle", "", "", tick(v))
	}
	for _, v := range f.y.ticks {
		y := f.bottom - f.y.at(v)*(f.bottom-f.top)
		f.raw(`<path class="g" d="M`).num(f.left).raw(" ").num(y).raw("H").num(f.right).raw("\"/>\n")
		f.label(f.left-8, y+4, "end", "", "", tick(v))
	}
	for i, line := range f.below {
		x := (f.left + f.right) / 2
		if half := TextWidth(line, plotText) / 2; x+half > f.width-4 || x-half < 4 {
			x = f.width / 2
		}
		f.label(x, f.bottom+38+plotLine*float64(i), "middle", "", "", line)
	}
	if f.above == nil {
		mid := (f.top + f.bottom) / 2
		f.label(16, mid, "middle", "", ` transform="rotate(-90 16 `+strconv.FormatFloat(math.Round(mid*10)/10, 'f', -1, 64)+`)"`, f.yTitle)
	}
}

// tick is a number at an axis: at most six digits, or 1e+09 and beyond.
func tick(v float64) string {
	if a := math.Abs(v); a >= 1e9 || a > 0 && a < 1e-4 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	// Ticks are multiples of a step, so that digits beyond nine are rounding.
	s := strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', -1, 64)
	whole, _, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	for at := strings.Index(s, whole) + len(whole) - 3; len(whole) > 3; at -= 3 {
		s, whole = s[:at]+","+s[at:], whole[:len(whole)-3]
	}
	return s
}

func (a Axis) title() string {
	if a.Unit != "" {
		return a.Name + ", " + a.Unit
	}
	return a.Name
}

// mostDots is how many points are marked with a dot.
const mostDots = 60

func (f *field) curve(c Curve, colour string) {
	f.raw(`<path class="c" stroke="`).raw(colour).raw(`" d="`)
	for i, q := range c.Points {
		x, y := f.at(q)
		switch {
		case i == 0:
			f.raw("M").num(x).raw(" ").num(y)
		case c.Steps:
			f.raw("H").num(x).raw("V").num(y)
		default:
			f.raw("L").num(x).raw(" ").num(y)
		}
	}
	f.raw("\"/>\n")
	if len(c.Points) > mostDots {
		return
	}
	for _, q := range c.Points {
		x, y := f.at(q)
		f.raw(`<circle r="3" fill="`).raw(colour).raw(`" cx="`).num(x).raw(`" cy="`).num(y).raw("\"/>\n")
	}
}

// scale maps the values of an axis to 0..1.
type scale struct {
	log    bool
	lo, hi float64 // in units of at
	ticks  []float64
}

func (s *scale) at(x float64) float64 {
	if s.log {
		x = math.Log10(x)
	}
	return (x - s.lo) / (s.hi - s.lo)
}

// mostTicks is how many numbers stand at an axis at most.
const mostTicks = 7

// tiny is the least extent of an axis.
const tiny = 1e-30

// scaleOf fits an axis with at most so many ticks to values from lo to hi, which are ordered.
func scaleOf(a Axis, lo, hi float64, most int) *scale {
	if a.Log {
		s := &scale{log: true, lo: math.Floor(math.Log10(lo) + 1e-9), hi: math.Ceil(math.Log10(hi) - 1e-9)}
		if s.hi <= s.lo {
			s.hi = s.lo + 1
		}
		step := math.Ceil((s.hi - s.lo) / float64(most-1))
		for e := s.lo; e <= s.hi+1e-9; e += step {
			s.ticks = append(s.ticks, math.Pow(10, e))
		}
		return s
	}
	if a.Zero {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if hi-lo <= 1e-9*max(math.Abs(lo), math.Abs(hi)) || hi-lo < tiny {
		// One value, as far as ticks can tell.
		d := max(math.Abs(lo)/2, 0.5)
		lo, hi = lo-d, hi+d
	}
	// The finest of 1, 2 and 5 times a power of ten that gives few enough ticks.
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(most-1))))
	for _, f := range []float64{1, 2, 5, 10} {
		if n := math.Ceil(hi/(step*f)-1e-9) - math.Floor(lo/(step*f)+1e-9); n <= float64(most-1) || f == 10 {
			step *= f
			break
		}
	}
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	s := &scale{lo: first * step, hi: last * step}
	for i := range int(last-first) + 1 {
		s.ticks = append(s.ticks, (first+float64(i))*step)
	}
	return s
}

// bounds are the least and the largest value of the curves in direction j.
func (p *Plot) bounds(j int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, c := range p.Curves {
		for _, q := range c.Points {
			lo, hi = min(lo, q[j]), max(hi, q[j])
		}
	}
	return lo, hi
}
