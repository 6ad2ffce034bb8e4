package verifymodels

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// pointsOf finds the points of a node by trying its function where it may change its course:
// at its parameters and at small numbers, and, of two operands, where these are equal and
// where one is 0.
func pointsOf(g *graph.Graph, id graph.NodeID) []*point {
	op, in := g.Op(id), g.Operands(id)
	all := [sides]bool{true, true, true}
	switch {
	case op.Name == "cast":
		return castPoints(g, id)
	case op.Name == "ewwhere":
		return []*point{{node: id, y: -1, course: jumpsAt, choice: true, need: all}}
	case op.Pointwise:
		return functionPoints(id, graph.FuncText(op.Name, g.Attrs(id)...))
	case op.Elementwise && op.In == 2 && op.Name != "smul":
		return pairPoints(id, op, g.Attrs(id), !g.DType(in[1]).IsFloat())
	}
	return nil
}

// castPoints are those of a cast: it cuts numbers off towards 0, or tells 0 from others.
func castPoints(g *graph.Graph, id graph.NodeID) (list []*point) {
	from, to := g.DType(g.Operands(id)[0]), g.DType(id.Out(0))
	all := [sides]bool{true, true, true}
	switch {
	case to == graph.Bool && from != graph.Bool:
		list = append(list, &point{node: id, y: -1, course: jumpsAt, choice: true, need: all})
	case from.IsFloat() && to.IsInt():
		for _, v := range []float64{-1, 1} {
			list = append(list, &point{node: id, y: -1, value: v, course: jumpsAt, need: all})
		}
	}
	return list
}

// functionPoints are those of a function of one element.
func functionPoints(id graph.NodeID, text string) (list []*point) {
	f := floats{}.FnOf(text)
	tried := []float64{0, 0.5, 1, 1.5, 2, 3}
	_, params, err := graph.ParseFunc(text)
	if err != nil {
		return nil
	}
	for _, v := range params {
		if math.Abs(v) < 3.4e38 { // float32 has no numbers beyond, to speak of
			tried = append(tried, v)
		}
	}
	if len(params) == 2 && params[0] != 0 && finite(params[1]/params[0]) { // alpha*x + beta is 0, or 1
		tried = append(tried, -params[1]/params[0], (1-params[1])/params[0])
	}
	for _, v := range slices.Clone(tried) {
		tried = append(tried, -v)
	}
	slices.Sort(tried)
	for _, v := range slices.Compact(tried) {
		if v == 0 {
			v = 0 // not -0
		}
		p := &point{node: id, y: -1, value: v}
		switch p.course = courseOf(f, v); p.course {
		case smooth:
			continue
		case bends:
			p.need = [sides]bool{below: true, above: true}
		default:
			p.need = [sides]bool{true, true, true}
		}
		if len(list) > 0 && list[len(list)-1].value == v {
			continue
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		list = flattens(id, f)
	}
	return list
}

// flattens is a point at 0 of a smooth function that is nearly constant on both sides far from
// it, such as tanh: what it is given there hides what was computed before. Each side has to be
// seen nearer to 0, where its slope is at least a twentieth of that at 0.
func flattens(id graph.NodeID, f func(float64) float64) []*point {
	slope := func(x float64) float64 { return math.Abs(f(x+1e-4)-f(x-1e-4)) / 2e-4 }
	const far, little = 64, 1. / 20
	steep := slope(0)
	if !(steep > 1e-3) || !(slope(far) < steep*1e-9) || !(slope(-far) < steep*1e-9) {
		return nil
	}
	room := 1. / 4
	for room < far && slope(room) >= little*steep && slope(-room) >= little*steep {
		room *= 1.25
	}
	return []*point{{node: id, y: -1, course: bends, need: [sides]bool{below: true, above: true}, room: [sides]float64{below: room, above: room}}}
}

// courseOf is how a function changes at v.
func courseOf(f func(float64) float64, v float64) course {
	h := 1e-6 * max(1, math.Abs(v))
	left, mid, right := f(v-h), f(v), f(v+h)
	switch low, high := (mid-left)/h, (right-mid)/h; {
	case !finite(left) || !finite(mid) || !finite(right):
		if math.IsNaN(left) && math.IsNaN(mid) && math.IsNaN(right) {
			return smooth
		}
		return pole
	case math.Abs(mid-left) > 1e-3 || math.Abs(right-mid) > 1e-3:
		return jumpsAt
	case math.Abs(low-high) > 1e-3*(math.Abs(low)+math.Abs(high)+1e-3):
		return bends
	}
	// The second derivatives on both sides, as of elu at 0.
	h = 1e-3 * max(1, math.Abs(v))
	low, high := (mid-2*f(v-h)+f(v-2*h))/(h*h), (f(v+2*h)-2*f(v+h)+mid)/(h*h)
	if math.Abs(low-high) > 0.02+0.05*(math.Abs(low)+math.Abs(high)) {
		return bends
	}
	return smooth
}

// pairPoints are those of a function of two elements.
func pairPoints(id graph.NodeID, op *graph.Op, a graph.Attrs, integers bool) (list []*point) {
	f := func(x, y float64) float64 {
		scalar := func(x float64) interp.Tensor[float64] {
			return interp.Tensor[float64]{Sizes: []int{}, Data: []float64{x}}
		}
		out, err := interp.Apply(interp.Float{}, op, a, []interp.Tensor[float64]{scalar(x), scalar(y)})
		if err != nil {
			return math.NaN()
		}
		return out[0].Data[0]
	}
	all := [sides]bool{true, true, true}
	if !integers {
		worst := smooth
		for _, y := range []float64{0.3, 1, 2} {
			if c := courseOf(func(x float64) float64 { return f(x, y) }, y); c != pole {
				worst = max(worst, c)
			}
		}
		if worst == bends {
			list = append(list, &point{node: id, x: 0, y: 1, course: bends, need: [sides]bool{below: true, above: true}})
		} else if worst != smooth {
			list = append(list, &point{node: id, x: 0, y: 1, course: worst, need: all})
		}
		for k, at0 := range []func(float64) float64{
			func(x float64) float64 { return f(x, 0.5) }, func(y float64) float64 { return f(1, y) }} {
			if courseOf(at0, 0) == pole {
				list = append(list, &point{node: id, x: k, y: -1, course: pole, need: all})
			}
		}
		return list
	}
	// Of integers: whether they are equal, and their signs.
	if equal, more, less := f(2, 2), f(3, 2), f(1, 2); equal != (more+less)/2 || more-equal > 2 {
		list = append(list, &point{node: id, x: 0, y: 1, course: jumpsAt, need: all})
	}
	if !finite(f(1, 0)) {
		for k := range 2 {
			list = append(list, &point{node: id, x: k, y: -1, course: bends, need: [sides]bool{below: true, above: true}})
		}
	}
	return list
}

// rowsOf is the table that a node reads at places that are computed, or fed.
func rowsOf(g *graph.Graph, id graph.NodeID, bounds *ranges, fed []bool) *rows {
	op, in := g.Op(id), g.Operands(id)
	if op.Places == nil {
		return nil
	}
	shapes := make([]graph.Shape, len(in))
	for i, t := range in {
		shapes[i] = graph.Sizes(g.Sizes(t)...)
	}
	operand, size, err := op.Places(g.Attrs(id), shapes)
	n, known := size.Const()
	if err != nil || !known || !fed[in[operand].Node] {
		return nil
	}
	b := bounds.of[in[operand]]
	r := &rows{node: id, operand: operand, n: n, seen: map[int64]bool{}}
	r.from, r.to = int64(max(b.lo, -float64(n))), int64(min(b.hi, float64(n-1)))
	r.each = operand != 0 && !fed[in[0].Node]
	return r
}
