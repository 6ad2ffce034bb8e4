package bench

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/taso-go/taso/internal/draw"
)

// Plot shows curves over one quantity, such as cost over time.
type Plot struct {
	Title  string   `json:"title"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Curves []*Curve `json:"curves"`
}

// Axis is a quantity of a plot.
type Axis struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	// Log: equal factors are equally long. All values must be above 0.
	Log bool `json:"log,omitempty"`
	// Zero: the axis begins at 0, or ends there.
	Zero bool `json:"zero,omitempty"`
}

// Curve is a line through points, in their order. Its figures have one source.
type Curve struct {
	Name   string       `json:"name"`
	Source Source       `json:"source"`
	Points [][2]float64 `json:"points"`
	// Steps: y stays as it is until the next point, as the best cost so far does.
	Steps bool `json:"steps,omitempty"`
}

// largest is the largest number that is drawn, and one by it the smallest on a
// logarithmic axis.
const largest = 1e30

// maxCurves is how many curves have colours of their own.
const maxCurves = draw.MaxCurves

func (p *Plot) check() error {
	if p.Title == "" {
		return errors.New("it has no title")
	}
	if strings.Contains(p.Title, "\n") {
		return fmt.Errorf("title %q is more than a line", p.Title)
	}
	if len(p.Curves) == 0 || len(p.Curves) > maxCurves {
		return fmt.Errorf("%d curves: want 1 to %d", len(p.Curves), maxCurves)
	}
	for _, s := range []string{p.Title, p.X.Name, p.X.Unit, p.Y.Name, p.Y.Unit} {
		if err := checkText(s); err != nil {
			return err
		}
	}
	for _, c := range p.Curves {
		if c == nil {
			return errors.New("a curve is missing")
		}
		if err := checkText(c.Name); err != nil {
			return err
		}
		if err := c.Source.check(false); err != nil {
			return fmt.Errorf("curve %q: %w", c.Name, err)
		}
		if len(c.Points) == 0 || len(c.Points) > maxRows {
			return fmt.Errorf("curve %q: %d points: want 1 to %d", c.Name, len(c.Points), maxRows)
		}
		for i, q := range c.Points {
			for j, a := range []Axis{p.X, p.Y} {
				if !(math.Abs(q[j]) <= largest) {
					return fmt.Errorf("curve %q, point %d: %v is no number that is drawn", c.Name, i+1, q[j])
				}
				if a.Log && q[j] < 1/largest {
					return fmt.Errorf("curve %q, point %d: %v is not above 0, and the axis %q is logarithmic", c.Name, i+1, q[j], a.Name)
				}
			}
		}
	}
	return nil
}

// SVG draws the plot as a picture of its own; inline, for a page with the style sheet
// [draw.PlotStyle]. The same plot gives the same bytes. A plot that [Record.Check] would not
// take is an error.
func (p *Plot) SVG(w io.Writer, inline bool) error {
	if err := p.check(); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return p.drawn().SVG(w, draw.PlotOptions{Inline: inline})
}

// drawn is what package draw draws.
func (p *Plot) drawn() *draw.Plot {
	out := &draw.Plot{Title: p.Title, X: draw.Axis(p.X), Y: draw.Axis(p.Y)}
	for _, c := range p.Curves {
		out.Curves = append(out.Curves, draw.Curve{Name: fmt.Sprintf("%s (%s)", c.Name, c.Source), Points: c.Points, Steps: c.Steps})
	}
	return out
}
