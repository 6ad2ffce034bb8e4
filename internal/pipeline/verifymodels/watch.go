package verifymodels

import (
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
)

// A function of elements changes its course at *points*: a rectifier at 0, a clip at its
// bounds, a comparison where its operands are equal, a quotient where its divisor is 0. Runs
// show something of models only on the sides of a point that they have reached. So the nodes
// that only one of the models has are watched.

// side is where a number is, compared with a point.
type where uint8

const (
	below where = iota
	at
	above
	sides
)

func (w where) String() string { return [...]string{"below", "at", "above"}[w] }

// course is how a function changes at a point.
type course uint8

const (
	smooth  course = iota
	bends          // it is continuous
	jumpsAt        // it has other values beside the point
	pole           // it has no value at the point, or on one side of it
)

// point is where a node changes its course: its operand x compared with a number or with
// another operand y.
type point struct {
	node   graph.NodeID
	x, y   int // operands; y < 0: there is none
	value  float64
	course course
	choice bool // below and above are the same
	need   [sides]bool
	seen   [sides]bool
	// room is how far the next points of the node are below and above, if it bends there: what
	// is beyond them shows nothing of a side. 0: there is none.
	room [sides]float64
	// shown: an output depends on what the node does on the side. in are runs that reached
	// the side and were not tried for it. plain: what is seen counts as shown.
	shown     [sides]bool
	in        [sides][]int
	reachedIn [sides][]int // the first runs that reached a side
	plain     bool
	// next, if not 0, is how far the next element of x along an axis is, with which one is
	// compared; line is the length of that axis.
	next, line int
	// signs tell the operand's values in each run from others.
	signs map[int][]float64
	// twin: the other model has this point, of the same numbers in all runs. shared: the other
	// model has the node, and one of them reads it in another way.
	twin, shared bool
}

// sign notes what the operands of a point are in a run.
func (p *point) sign(run int, in []interp.Tensor[float64]) {
	const most, first = 64, 8
	if p.signs == nil {
		p.signs = map[int][]float64{}
	}
	if len(p.signs) >= most {
		return
	}
	var s []float64
	for _, k := range []int{p.x, p.y} {
		if k < 0 {
			continue
		}
		sum, size := 0.0, 0.0
		for i, x := range in[k].Data {
			sum += x * (1 + float64(i%7))
			size += math.Abs(x)
		}
		s = append(append(s, float64(len(in[k].Data)), sum, size), in[k].Data[:min(first, len(in[k].Data))]...)
	}
	p.signs[run] = s
}

// twins finds the points that both models have: the same function of the same numbers in all
// runs. Whatever it does where no run was, it does in both.
func twins(a, b *watch) {
	for _, w := range []*watch{a, b} {
		for _, p := range w.points {
			p.twin = false
		}
	}
	for _, p := range a.points {
		for _, q := range b.points {
			if !p.shared && !q.shared && p.twinOf(q, a.m.Graph, b.m.Graph) {
				p.twin, q.twin = true, true
			}
		}
	}
}

func (p *point) twinOf(q *point, g, h *graph.Graph) bool {
	if p.x != q.x || p.y != q.y || p.value != q.value || len(p.signs) == 0 || len(p.signs) != len(q.signs) || !sameOperator(g, p.node, h, q.node) {
		return false
	}
	for run, s := range p.signs {
		t, ok := q.signs[run]
		if !ok || len(s) != len(t) {
			return false
		}
		size := 0.0
		for i := range s {
			size = max(size, math.Abs(s[i]))
		}
		for i := range s {
			if !same64(s[i], t[i]) && !(math.Abs(s[i]-t[i]) <= 1e-6*size) {
				return false
			}
		}
	}
	return true
}

// rows are the places at which a node of one model alone reads a table.
type rows struct {
	node     graph.NodeID
	operand  int // that holds the places
	n        int64
	from, to int64 // places that it may hold
	each     bool  // every one has to be read: the table is made of weights
	seen     map[int64]bool
	low, top bool // a place from the end was read, and one from the front
}

// watch is what runs reach of a model.
type watch struct {
	m       *model.Model
	points  []*point
	rows    []*rows
	at      map[graph.NodeID][]*point
	places  map[graph.NodeID]*rows
	tiesAt  []*ties
	ties    map[graph.NodeID]*ties
	holds   map[graph.Tensor]bool              // operands of nodes that are watched
	once    map[graph.Tensor]bool              // operands of nodes whose function is positive: kept until one has read them
	notes   bool                               // results are kept
	noted   int                                // their elements
	results map[graph.NodeID]map[int][]float64 // by node and run
	alike   bool                               // the other model's functions jump in the same ways
	run     int
	fresh   []earlier // what this run added to points that are plain
	// In this run something became infinite, and something too large for float64 did.
	infinite, overflow bool
	constants          bool                  // some weights are infinite
	positive           map[graph.NodeID]bool // nodes whose function is more than 0 everywhere
	poles              map[graph.NodeID]bool // nodes whose results may be infinite where operands are not
}

// newWatch finds the points of the nodes of a model which an output depends on and which are
// not among those of the other model.
func newWatch(m *model.Model, own, other []bank.Node, bounds *ranges) *watch {
	w := &watch{m: m, results: map[graph.NodeID]map[int][]float64{}, poles: map[graph.NodeID]bool{}, positive: map[graph.NodeID]bool{}, holds: map[graph.Tensor]bool{}, once: map[graph.Tensor]bool{}, at: map[graph.NodeID][]*point{}, places: map[graph.NodeID]*rows{}, ties: map[graph.NodeID]*ties{}}
	has := map[bank.Node]bool{}
	for _, n := range other {
		has[n] = true
	}
	uses, fed := interp.Readers(m.Graph), dependent(m.Graph)
	for id := range m.Graph.Nodes() {
		op := m.Graph.Op(id)
		if op == nil || uses[id] == 0 || !fed[id] || isOpaque(m.Graph, id) {
			continue
		}
		points := pointsOf(m.Graph, id)
		w.positive[id] = op.Pointwise && isPositive(op, floats{}.FnOf(graph.FuncText(op.Name, m.Graph.Attrs(id)...)))
		w.poles[id] = slices.ContainsFunc(points, func(p *point) bool {
			if p.course != pole {
				return false
			}
			whole := *p
			whole.limit(m.Graph, bounds)
			return whole.need != [sides]bool{}
		})
		if axis, ok := extremes(m.Graph, id); ok {
			w.tie(&ties{node: id, axis: axis, marks: true, common: has[own[id]]})
		}
		if w.positive[id] {
			w.once[m.Graph.Operands(id)[0]] = true
		}
		// What both models compute may be read in other ways.
		if has[own[id]] && !readApart(m.Graph, id, func(id graph.NodeID) bool { return !has[own[id]] }) {
			continue
		}
		for _, p := range points {
			p.shared = has[own[id]]
			if p.limit(m.Graph, bounds); p.need != [sides]bool{} {
				w.points = append(w.points, p)
				w.at[id] = append(w.at[id], p)
			}
		}
		neighbours(w.at[id])
		if w.at[id] != nil {
			w.hold(id)
		}
		if has[own[id]] {
			continue
		}
		if r := rowsOf(m.Graph, id, bounds, fed); r != nil {
			w.rows = append(w.rows, r)
			w.places[id] = r
			w.hold(id)
		}
		if op.Counts && op.In == 1 {
			if axis, ok := m.Graph.Attrs(id)[op.ParamIndex("axis")].Dim(); ok {
				n, _ := axis.Const()
				w.tie(&ties{node: id, axis: int(n)})
			}
		}
	}
	w.tiesAt = slices.DeleteFunc(w.tiesAt, func(t *ties) bool {
		drop := t.common && !readApart(m.Graph, t.node, func(id graph.NodeID) bool { return !has[own[id]] })
		if drop {
			delete(w.ties, t.node)
		}
		return drop
	})
	return w
}

// hold keeps the operands of a node in each run until it has seen them.
func (w *watch) hold(id graph.NodeID) {
	for _, t := range w.m.Graph.Operands(id) {
		w.holds[t] = true
	}
}

// limit leaves out the sides that the operands of a node do not have, whatever is fed.
func (p *point) limit(g *graph.Graph, r *ranges) {
	in := g.Operands(p.node)
	b, v := r.of[in[p.x]], p.value
	if b.lo == tiny && !r.sure[in[p.x]] {
		b.lo = 0 // exp(-Inf)
	}
	size := math.Abs(v)
	if p.y >= 0 {
		if in[p.x] == in[p.y] {
			p.need = [sides]bool{}
			return
		}
		c := r.of[in[p.y]]
		for _, x := range []float64{b.lo, b.hi, c.lo, c.hi} {
			if finite(x) {
				size = max(size, math.Abs(x))
			}
		}
		b = between{b.lo - c.hi, b.hi - c.lo}
	}
	slack := max(size*1e-9, 1e-305)
	can := [sides]bool{b.lo < v-slack, b.lo <= v+slack && b.hi >= v-slack, b.hi > v+slack}
	if p.y >= 0 {
		can[below] = can[below] && !largestOf(g, in[p.x], in[p.y])
		can[above] = can[above] && !largestOf(g, in[p.y], in[p.x])
	}
	if p.choice {
		can[below] = can[below] || can[above]
		can[above] = can[below]
	}
	if !can[at] && (!can[below] || !can[above] || p.choice) || can == [sides]bool{at: true} {
		can = [sides]bool{} // it is on one side
	}
	for s := range sides {
		p.need[s] = p.need[s] && can[s]
	}
}

// largestOf reports whether the elements of x are the largest ones among some of y.
func largestOf(g *graph.Graph, x, y graph.Tensor) bool {
	for {
		op := g.Op(x.Node)
		switch {
		case op == nil:
			return false
		case op.Name == "reducemax":
			return g.Operands(x.Node)[0] == y
		case !op.Rearranges || op.In != 1:
			return false
		}
		x = g.Operands(x.Node)[0]
	}
}

// see takes note of the operands of a node, and of its results.
func (w *watch) see(id graph.NodeID, in, out []interp.Tensor[float64]) {
	for _, p := range w.at[id] {
		p.sign(w.run, in)
		if p.reached() {
			continue
		}
		for j := range max(len(in[p.x].Data), 1) {
			d, ok := p.apart(in, j)
			if !ok {
				break
			}
			if math.IsInf(d, 0) {
				continue // behind a pole, which shows nothing of the function
			}
			for s := range sides {
				if p.on(s, d) {
					if p.plain && !p.shown[s] {
						w.fresh = append(w.fresh, earlier{p, p.seen, p.shown})
					}
					p.see(s, w.run)
				}
			}
		}
	}
	if r := w.places[id]; r != nil {
		for _, x := range in[r.operand].Data {
			if x == math.Trunc(x) && x >= float64(r.from) && x <= float64(r.to) {
				r.low, r.top = r.low || x < 0, r.top || x >= 0
				if r.each {
					r.seen[int64(x)] = true
				}
			}
		}
	}
	if t := w.ties[id]; t != nil {
		t.see(in[0], out[0], w.run)
	}
}

// result takes note of the first result of a run that is infinite: of a function that has no
// pole, it is too large. A function that is never 0 and gives 0 gives what is too small, but
// for that of an infinite operand, as in exp(log(0)). The operand is empty where it is not known.
func (w *watch) result(id graph.NodeID, operand interp.Tensor[float64], out []interp.Tensor[float64]) {
	const normal = 0x1p-1022
	if w.positive[id] {
		for i, x := range out[0].Data {
			if x < normal && (i >= len(operand.Data) || !math.IsInf(operand.Data[i], 0)) {
				w.infinite, w.overflow = true, true
				break
			}
		}
	}
	if !w.infinite && anyInfinite(out) {
		w.infinite, w.overflow = true, !w.poles[id]
	}
}

// begin begins a run.
func (w *watch) begin(run int) {
	w.infinite, w.overflow, w.run, w.fresh = w.constants, false, run, w.fresh[:0]
}

// earlier is what was known of a point.
type earlier struct {
	p           *point
	seen, shown [sides]bool
}

// forget takes back what this run added to points that are plain.
func (w *watch) forget() {
	for _, e := range slices.Backward(w.fresh) {
		e.p.seen, e.p.shown = e.seen, e.shown
	}
	w.fresh = w.fresh[:0]
}

// partial reports whether a function of the model has no value somewhere.
func (w *watch) partial() bool {
	for _, has := range w.poles {
		if has {
			return true
		}
	}
	return false
}

// only is a watch of one point that takes no notes.
func (w *watch) only(p *point) *watch {
	own := &watch{m: w.m, at: map[graph.NodeID][]*point{p.node: {{node: p.node, x: p.x, y: p.y}}}, holds: map[graph.Tensor]bool{}, infinite: true}
	own.hold(p.node)
	return own
}

// relate leaves out what two models do alike at their points. Where both jump in the same
// ways, only rounding decides what they do at a jump itself. If they are equal modulo a
// prime, they can differ at poles alone.
func (w *watch) relate(other *watch, polesOnly, mutable bool) {
	alike := slices.Equal(w.kinds(), other.kinds())
	for _, v := range []*watch{w, other} {
		v.alike = alike
		for _, p := range v.points {
			if p.course == jumpsAt && alike && !p.choice {
				p.need[at] = false
			}
		}
		v.tiesAt = slices.DeleteFunc(v.tiesAt, func(t *ties) bool {
			drop := polesOnly || alike && !t.common && !(t.marks && mutable)
			if drop {
				delete(v.ties, t.node)
			}
			return drop
		})
		if polesOnly {
			v.rows, v.places = nil, nil
			v.points = slices.DeleteFunc(v.points, func(p *point) bool { return p.course != pole })
			for id, ps := range v.at {
				if v.at[id] = slices.DeleteFunc(ps, func(p *point) bool { return p.course != pole }); len(v.at[id]) == 0 {
					delete(v.at, id)
				}
			}
		}
	}
}

// kinds are the functions of a model that jump, sorted.
func (w *watch) kinds() (list []string) {
	for _, p := range w.points {
		if p.course == jumpsAt {
			list = append(list, fmt.Sprint(graph.FuncText(w.m.Graph.Op(p.node).Name, w.m.Graph.Attrs(p.node)...), p.value))
		}
	}
	for _, t := range w.tiesAt {
		if t.marks {
			continue // a comparison, which is listed
		}
		list = append(list, graph.FuncText(w.m.Graph.Op(t.node).Name, w.m.Graph.Attrs(t.node)...))
	}
	slices.Sort(list)
	return list
}

func anyInfinite(ts []interp.Tensor[float64]) bool {
	return slices.ContainsFunc(ts, func(t interp.Tensor[float64]) bool {
		return slices.ContainsFunc(t.Data, func(x float64) bool { return math.IsInf(x, 0) })
	})
}

// apart is by how much element j of the operand is above the point.
func (p *point) apart(in []interp.Tensor[float64], j int) (float64, bool) {
	if j >= len(in[p.x].Data) {
		return 0, false
	}
	x := in[p.x].Data[j]
	if p.next > 0 {
		if j/p.next%p.line == p.line-1 {
			return math.NaN(), true
		}
		return x - in[p.x].Data[j+p.next], true
	}
	if p.y < 0 {
		return x - p.value, true
	}
	switch y := in[p.y].Data; {
	case j < len(y):
		return x - y[j], true
	case len(y) == 1:
		return x - y[0], true
	}
	return 0, false
}

// neighbours enters the room between the points of a function of one element that bends.
func neighbours(points []*point) {
	for _, p := range points {
		for _, q := range points {
			if p.course != bends || q.course != bends || p.y >= 0 || q.y >= 0 {
				continue
			}
			if d := q.value - p.value; d > 0 && (p.room[above] == 0 || d < p.room[above]) {
				p.room[above] = d
			} else if d < 0 && (p.room[below] == 0 || -d < p.room[below]) {
				p.room[below] = -d
			}
		}
	}
}

// on reports whether what is d above the point is on a side, and no other point between.
func (p *point) on(s where, d float64) bool {
	switch s {
	case below:
		return d < 0 && (p.room[s] == 0 || d > -p.room[s])
	case above:
		return d > 0 && (p.room[s] == 0 || d < p.room[s])
	}
	return d == 0
}

// see notes that a run reached a side.
func (p *point) see(s where, run int) {
	if p.choice && s == below {
		s = above
	}
	p.seen[s] = true
	if p.plain {
		p.show(s)
	} else if n := len(p.reachedIn[s]); n < shownRuns && (n == 0 || p.reachedIn[s][n-1] != run) {
		p.in[s], p.reachedIn[s] = append(p.in[s], run), append(p.reachedIn[s], run)
	}
	if p.choice && s == above {
		p.seen[below] = true
	}
}

// show notes that a side is shown in an output.
func (p *point) show(s where) {
	p.seen[s], p.shown[s] = true, true
	if p.choice && s != at {
		p.seen[below], p.seen[above] = true, true
		p.shown[below], p.shown[above] = true, true
	}
}

// missing are the sides that no run reached.
func (p *point) missing() (list []where) {
	for s := range sides {
		if p.need[s] && !p.shown[s] && !p.twin {
			list = append(list, s)
		}
	}
	if p.choice && len(list) > 0 && list[len(list)-1] == above && slices.Contains(list, below) {
		list = list[:len(list)-1]
	}
	return list
}

func (p *point) reached() bool { return len(p.missing()) == 0 }

// String says what a point is.
func (p *point) text(g *graph.Graph, s where) string {
	in := g.Operands(p.node)
	what := fmt.Sprintf("%.9g", p.value)
	if p.y >= 0 {
		what = g.Name(in[p.y].Node)
	}
	side := map[where]string{below: "less than", at: "equal to", above: "more than"}[s]
	if p.choice && s != at {
		side = "different from"
	}
	no := "no run with"
	if p.seen[s] {
		no = "no output shows"
	}
	return fmt.Sprintf("node %s (%s): "+no+" operand %s %s %s", g.Name(p.node), graph.FuncText(g.Op(p.node).Name, g.Attrs(p.node)...), g.Name(in[p.x].Node), side, what)
}

// unreached lists what no run reached.
func (w *watch) unreached() (list []string) {
	for _, p := range w.points {
		for _, s := range p.missing() {
			list = append(list, fmt.Sprintf("%s: %s", w.m.Name, p.text(w.m.Graph, s)))
		}
	}
	for _, r := range w.rows {
		name := w.m.Name + ": node " + w.m.Graph.Name(r.node)
		switch n := r.to - r.from + 1 - int64(len(r.seen)); {
		case r.each && n > 0:
			list = append(list, fmt.Sprintf("%s: %d of the %d positions that it may read", name, n, r.to-r.from+1))
		case r.from < 0 && !r.low:
			list = append(list, name+": no run with positions that count from the end")
		}
	}
	for _, t := range w.tiesAt {
		if !t.shown {
			list = append(list, fmt.Sprintf("%s: node %s: its result for equal elements changes no output", w.m.Name, w.m.Graph.Name(t.node)))
		}
	}
	return list
}

// done reports whether nothing is left to be reached.
func (w *watch) done() bool { return len(w.unreached()) == 0 }
