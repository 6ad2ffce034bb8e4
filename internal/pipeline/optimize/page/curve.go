package page

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
)

// The size of the curve, in pixels.
const (
	curveWidth  = 640
	curveHeight = 120
)

// curve draws the cost after each step: a line from the left, before the first one, to
// the right. Steps of a saturation have no costs of their own and are one straight
// piece. Less than two costs are no curve.
func curve(steps []optimize.Step) template.HTML {
	type point struct {
		n int // steps made
		c cost.Seconds
	}
	var ps []point
	for i, s := range steps {
		if i == 0 {
			ps = append(ps, point{0, s.Before})
		}
		if !s.Together || i+1 == len(steps) || !steps[i+1].Together {
			ps = append(ps, point{i + 1, s.After})
		}
	}
	if len(ps) < 2 {
		return ""
	}
	lo, hi := ps[0].c, ps[0].c
	for _, p := range ps {
		lo, hi = min(lo, p.c), max(hi, p.c)
	}
	if hi == lo {
		hi = lo + 1
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="curve" role="img" aria-label="cost after each step, from %s to %s" viewBox="0 0 %d %d" width="%d" height="%d"><polyline points="`,
		ps[0].c, ps[len(ps)-1].c, curveWidth, curveHeight, curveWidth, curveHeight)
	for _, p := range ps {
		x := 4 + (curveWidth-8)*float64(p.n)/float64(len(steps))
		y := 4 + (curveHeight-8)*float64((hi-p.c)/(hi-lo))
		fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
	}
	b.WriteString(`"/></svg>`)
	return template.HTML(b.String())
}
