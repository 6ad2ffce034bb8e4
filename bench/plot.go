package bench

import (
	"errors"
	"fmt"
	"math"
	"strings"
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
const maxCurves = len(curveColours)

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

// scaleOf fits an axis to values from lo to hi, which are ordered.
func scaleOf(a Axis, lo, hi float64) *scale {
	if a.Log {
		s := &scale{log: true, lo: math.Floor(math.Log10(lo) + 1e-9), hi: math.Ceil(math.Log10(hi) - 1e-9)}
		if s.hi <= s.lo {
			s.hi = s.lo + 1
		}
		step := math.Ceil((s.hi - s.lo) / (mostTicks - 1))
		for e := s.lo; e <= s.hi+1e-9; e += step {
			s.ticks = append(s.ticks, math.Pow(10, e))
		}
		return s
	}
	if a.Zero {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if hi-lo <= 1e-9*max(math.Abs(lo), math.Abs(hi)) || hi-lo < 1/largest {
		// One value, as far as ticks can tell.
		d := max(math.Abs(lo)/2, 0.5)
		lo, hi = lo-d, hi+d
	}
	// The finest of 1, 2 and 5 times a power of ten that gives few enough ticks.
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/(mostTicks-1))))
	for _, f := range []float64{1, 2, 5, 10} {
		if n := math.Ceil(hi/(step*f)-1e-9) - math.Floor(lo/(step*f)+1e-9); n <= mostTicks-1 || f == 10 {
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
