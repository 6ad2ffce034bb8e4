package draw

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// Timeline shows what goes on over time, from 0 to End, in lanes one below the other.
type Timeline struct {
	Title string
	End   float64
	// Format writes a time with its unit.
	Format func(float64) string
	Lanes  []Lane
}

// Lane has two rows of bars: Bars, and Below those that are drawn lower and thinner.
type Lane struct {
	Name        string
	Bars, Below []Bar
}

// Bar is a span of time, drawn in the colour of a class of lines ([Line], [Activity]). The
// bars of a row are given in the order of their starts.
type Bar struct {
	From, To   float64
	Name, Line string
}

// Sizes of a timeline, in pixels.
const (
	timelineWide   = 1200.0
	timelineNarrow = 320.0
	timelineRow    = 18.0
	timelineBelow  = 8.0
	timelineGap    = 6.0
	timelineTop    = 24.0
	timelineNames  = 200.0 // for the names of lanes, which are cut
)

// SVG draws the timeline inline, for a page with the colours of [Style]; narrow for a small
// screen. Bars that would be thinner than half a pixel are joined with those behind them.
// The error is that of w.
func (t *Timeline) SVG(w io.Writer, narrow bool) error {
	s := &printer{w: bufio.NewWriter(w)}
	width, left, name, ticks := timelineWide, 0.0, 0.0, 10
	if narrow {
		width, name, ticks = timelineNarrow, 16, 3 // names stand above their lanes
	}
	for _, l := range t.Lanes {
		if !narrow {
			left = max(left, min(timelineNames, math.Ceil(TextWidth(l.Name, subSize)))+16)
		}
	}
	half := 0.0
	for i := range ticks + 1 {
		half = max(half, math.Ceil(TextWidth(t.tick(i, ticks), subSize)/2)+2)
	}
	left = max(left, half)
	scale := 0.0
	if t.End > 0 {
		scale = (width - left - half) / t.End
	}
	lane := name + timelineRow + timelineBelow + timelineGap
	height := timelineTop + lane*float64(len(t.Lanes)) + timelineGap
	s.raw(`<svg class="draw" role="img" width="`).num(width).raw(`" height="`).num(height).raw(`" viewBox="0 0 `).num(width).raw(" ").num(height).raw(`" aria-label="`).text(t.Title).raw("\">\n")
	for i := range ticks + 1 {
		x := left + (width-left-half)*float64(i)/float64(ticks)
		s.raw(`<path class="e" opacity=".3" d="M`).num(x).raw(" 20V").num(height).raw(`"/><text class="s" x="`).num(x).raw(`" y="14">`).text(t.tick(i, ticks)).raw("</text>\n")
	}
	for i, l := range t.Lanes {
		y := timelineTop + lane*float64(i) + name
		if narrow {
			s.raw(`<text class="s" style="text-anchor:start" x="2" y="`).num(y - 4).raw(`">`)
		} else {
			s.raw(`<text class="s" style="text-anchor:end" x="`).num(left - 8).raw(`" y="`).num(y + timelineRow - 5).raw(`">`)
		}
		most := timelineNames
		if narrow {
			most = width - 4
		}
		s.text(fitted(l.Name, most, subSize)).raw("<title>").text(l.Name).raw("</title></text>\n")
		t.bars(s, l.Bars, left, scale, y, timelineRow)
		t.bars(s, l.Below, left, scale, y+timelineRow, timelineBelow)
	}
	s.raw("</svg>\n")
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	return nil
}

func (t *Timeline) tick(i, of int) string { return t.Format(t.End * float64(i) / float64(of)) }

func (t *Timeline) bars(s *printer, bars []Bar, left, scale, y, height float64) {
	for i := 0; i < len(bars); {
		b, more := bars[i], 0
		for i++; i < len(bars) && scale*(b.To-b.From) < 0.5 && scale*(bars[i].To-b.From) < 0.5; i++ {
			b.To = max(b.To, bars[i].To)
			more++
		}
		if b.From == b.To {
			continue
		}
		s.raw(`<rect class="b ` + lineClass(b.Line) + `" x="`).num(left + scale*b.From).raw(`" y="`).num(y).raw(`" width="`).num(max(0.5, scale*(b.To-b.From))).raw(`" height="`).num(height).raw(`"><title>`).text(b.Name)
		if more > 0 {
			s.raw(fmt.Sprintf(" and %d more", more))
		}
		s.raw(": ").text(t.Format(b.From)).raw(" to ").text(t.Format(b.To)).raw("</title></rect>\n")
	}
}
