package verifymodels

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/verify/network"
)

// between are the bounds of the elements of a tensor, whatever is fed. They are true of
// what exact arithmetic computes; where it has no number, nothing is said.
type between struct{ lo, hi float64 }

// anything has no bounds.
var anything = between{math.Inf(-1), math.Inf(1)}

// ofType are the numbers that an element type holds.
func ofType(t graph.DType) between {
	switch {
	case t == graph.Bool:
		return between{0, 1}
	case t.IsInt():
		lo, hi := t.IntRange()
		return between{float64(lo), float64(hi)}
	}
	return anything
}

// within reports whether a type holds all that is between.
func (b between) within(t graph.DType) bool {
	r := ofType(t)
	if t.Bytes() == 8 { // the largest one is rounded up
		return r.lo <= b.lo && b.hi < r.hi
	}
	return r.lo <= b.lo && b.hi <= r.hi
}

// wider has room for what rounding takes from an operation in float64: a few units in the
// last place.
func (b between) wider() between {
	lo, hi := b.lo-math.Abs(b.lo)/(1<<50)-math.SmallestNonzeroFloat64, b.hi+math.Abs(b.hi)/(1<<50)+math.SmallestNonzeroFloat64
	if math.IsNaN(lo) {
		lo = math.Inf(-1)
	}
	if math.IsNaN(hi) {
		hi = math.Inf(1)
	}
	return between{lo, hi}
}

// hull is what is in one or the other.
func (b between) hull(c between) between { return between{min(b.lo, c.lo), max(b.hi, c.hi)} }

func (b between) add(c between) between { return between{b.lo + c.lo, b.hi + c.hi}.wider() }

// tiny stands below what is more than 0, however little: the numbers are real.
const tiny = 1e-300

func (b between) mul(c between) between {
	out := between{math.Inf(1), math.Inf(-1)}
	for _, x := range []float64{b.lo, b.hi} {
		for _, y := range []float64{c.lo, c.hi} {
			p := x * y
			if x == 0 || y == 0 {
				p = 0 // no element is infinite
			}
			out = out.hull(between{p, p})
		}
	}
	out = out.wider()
	if b.lo > 0 && c.lo > 0 {
		out.lo = max(out.lo, tiny)
	}
	return out
}

// inverse is 1/x.
func (b between) inverse() between {
	switch {
	case b.lo > 0:
		out := between{1 / b.hi, 1 / b.lo}.wider()
		return between{max(out.lo, tiny), out.hi}
	case b.hi < 0:
		return between{1 / b.hi, 1 / b.lo}.wider()
	}
	return anything
}

// times is a sum of n terms, or of up to n if some may be left out.
func (b between) times(n float64, some bool) between {
	out := b.mul(between{n, n})
	if some {
		out = out.hull(between{0, 0})
	}
	return out
}

// ranges are the bounds of what a graph computes.
type ranges struct {
	g  *graph.Graph
	of map[graph.Tensor]between
	// sure are the tensors that are finite numbers, whatever finite numbers are fed.
	sure map[graph.Tensor]bool
	// leaves are the tensors of integers of which the numbers that their operators are
	// about may not be held by their type.
	leaves map[graph.Tensor]bool
}

// maxRead is the largest weight of integers that is read for its bounds.
const maxRead = 1 << 20

// maxReal is the largest weight of other types that is.
const maxReal = 1 << 12

// rangesOf bounds the tensors of a model, whose inputs are within the bounds that are given
// and whose weights are finite but for some.
func rangesOf(m *model.Model, given map[graph.NodeID]between, infinite map[graph.NodeID]bool) (*ranges, error) {
	r := &ranges{m.Graph, map[graph.Tensor]between{}, map[graph.Tensor]bool{}, map[graph.Tensor]bool{}}
	uses := interp.Readers(m.Graph)
	for id := range m.Graph.Nodes() {
		if uses[id] == 0 {
			continue
		}
		op := m.Graph.Op(id)
		for k := range m.Graph.NumOut(id) {
			out := id.Out(k)
			t := m.Graph.DType(out)
			switch {
			case op == nil:
				b, known := given[id]
				if !known {
					var err error
					if b, err = leaf(m, id); err != nil {
						return nil, err
					}
				}
				r.of[out], r.sure[out] = b, true
				if w := m.Weights[id]; w != nil && w.DType.IsFloat() {
					r.sure[out] = !infinite[id]
				}
				continue
			case isOpaque(m.Graph, id):
				r.of[out] = ofType(t)
				continue
			}
			r.sure[out] = r.defined(id)
			b := r.computed(id, k)
			if t.IsInt() {
				b.lo, b.hi = math.Ceil(b.lo), math.Floor(b.hi)
				if r.leaves[out] = !b.within(t) && b != ofType(t); r.leaves[out] {
					b = ofType(t)
				}
			}
			r.of[out] = b
		}
	}
	return r, nil
}

// defined reports whether the results of a node are finite numbers: its operands are, and
// are not where its function has no value.
func (r *ranges) defined(id graph.NodeID) bool {
	for _, t := range r.g.Operands(id) {
		if !r.sure[t] {
			return false
		}
	}
	for _, p := range pointsOf(r.g, id) {
		if p.limit(r.g, r); p.course == pole && p.need != [sides]bool{} {
			return false
		}
	}
	return r.g.Op(id).Places == nil && r.g.Op(id).Name != "ewint"
}

// leaf bounds an input or a weight.
func leaf(m *model.Model, id graph.NodeID) (between, error) {
	t, w := m.Graph.DType(id.Out(0)), m.Weights[id]
	if w == nil || t.IsInt() && w.Elements() > maxRead || t.IsFloat() && w.Elements() > maxReal || t.IsInt() && t.Bytes() > 4 && w.Elements() > maxReal {
		return ofType(t), nil
	}
	raw, err := w.Read()
	if err != nil {
		return anything, err
	}
	out := between{math.Inf(1), math.Inf(-1)}
	for i := range int(w.Elements()) {
		x := decode(t, raw[i*t.Bytes():])
		if !finite(x) {
			return anything, nil
		}
		if math.Abs(x) > 1<<53 && t.IsInt() { // rounded
			return ofType(t), nil
		}
		out = out.hull(between{x, x})
	}
	return out, nil
}

// computed bounds a result by what its operator says of its entries.
func (r *ranges) computed(id graph.NodeID, k int) between {
	in := r.g.Operands(id)
	op := r.g.Op(id)
	if least, most := op.Name == "ewmin", op.Name == "ewmax"; least || most {
		b, c := r.of[in[0]], r.of[in[1]]
		if least {
			return between{min(b.lo, c.lo), min(b.hi, c.hi)}
		}
		return between{max(b.lo, c.lo), max(b.hi, c.hi)}
	}
	switch {
	case (op.Name == "isnan" || op.Name == "isinf") && r.sure[in[0]]:
		return between{0, 0}
	case op.Name == "ewless" || op.Name == "ewlessequal" || op.Name == "ewequal":
		switch b, c := r.of[in[0]], r.of[in[1]]; {
		case b.hi < c.lo && op.Name != "ewequal":
			return between{1, 1}
		case b.hi < c.lo, b.lo > c.hi:
			return between{}
		}
		return between{0, 1}
	case op.Counts && len(in) == 1:
		return between{0, float64(graph.NumElements(r.g.Sizes(in[0])))}
	}
	if op.Name == "ewwhere" {
		return r.choice(in[0], in[1], in[2])
	}
	if op.Name == "ewmul" && in[0] == in[1] {
		b := r.of[in[0]].mul(r.of[in[0]])
		return between{max(b.lo, 0), b.hi}
	}
	if op.Name == "reducemean" {
		if b := r.of[in[0]]; b.lo == 0 {
			return between{0, b.wider().hi}
		}
	}
	if op.Name == "ewsub" && variance(r.g, in[0], in[1]) {
		return between{0, math.Inf(1)}
	}
	if op.Name == "ewpow" {
		if e := r.of[in[1]]; e.lo == e.hi && math.Mod(e.lo, 2) == 0 {
			return between{0, math.Inf(1)}
		}
		return anything
	}
	if op.Rearranges && len(in) > 0 { // also where entries are hard to say
		b := r.of[in[0]]
		for _, t := range in[1:] {
			b = b.hull(r.of[t])
		}
		return b
	}
	e, ok := entryOf(r.g, id, k)
	if !ok {
		return anything
	}
	return (&walk{r, in, r.g.DType(id.Out(k)), map[*graph.Expr]between{}}).bounds(e)
}

// choice bounds what is yes where a condition holds and no elsewhere. Of a comparison of the
// two with each other, that is their maximum or minimum.
func (r *ranges) choice(condition, yes, no graph.Tensor) between {
	y, n := r.of[yes], r.of[no]
	op := r.g.Op(condition.Node)
	if op == nil || op.Name != "ewless" && op.Name != "ewlessequal" {
		return y.hull(n)
	}
	small, large := r.g.Operands(condition.Node)[0], r.g.Operands(condition.Node)[1]
	if r.alike(yes, small) {
		y.hi = min(y.hi, r.of[large].hi)
	}
	if r.alike(yes, large) {
		y.lo = max(y.lo, r.of[small].lo)
	}
	if r.alike(no, small) {
		n.lo = max(n.lo, r.of[large].lo)
	}
	if r.alike(no, large) {
		n.hi = min(n.hi, r.of[small].hi)
	}
	if y.lo > y.hi { // never
		return n
	}
	if n.lo > n.hi {
		return y
	}
	return y.hull(n)
}

// alike reports whether two tensors have the same elements: they are one, or are the same
// one in more axes.
func (r *ranges) alike(t, u graph.Tensor) bool {
	op, other := r.g.Op(t.Node), r.g.Op(u.Node)
	return t == u || op != nil && other != nil && op.Name == "broadcast" && other.Name == "broadcast" &&
		slices.Equal(r.g.Sizes(t), r.g.Sizes(u)) && slices.Equal(r.g.Operands(t.Node), r.g.Operands(u.Node)) &&
		slices.EqualFunc(r.g.Attrs(t.Node), r.g.Attrs(u.Node), func(a, b graph.Value) bool { return a.Key() == b.Key() })
}

// entryOf is the entry of result k of a node; false if its operator does not say.
func entryOf(g *graph.Graph, id graph.NodeID, k int) (*graph.Expr, bool) {
	in := g.Operands(id)
	shapes, at := make([]graph.Shape, len(in)), make([]graph.Index, len(g.Sizes(id.Out(k))))
	for i, t := range in {
		shapes[i] = graph.Sizes(g.Sizes(t)...)
	}
	var s graph.Space
	for i := range at {
		at[i] = s.Var("i").Index()
	}
	p, out, err := g.Op(id).Primitive(g.Attrs(id), shapes, k)
	if err != nil || out != 0 || p.Op.Entry == nil {
		return nil, false
	}
	e, err := entry(p, &s, shapes, at)
	return e, err == nil
}

func entry(p graph.Prim, s *graph.Space, in []graph.Shape, at []graph.Index) (e *graph.Expr, err error) {
	defer graph.CatchTooLarge(&err)
	return p.Op.Entry(s, p.Attrs, in, at)
}

// walk bounds the expressions of an entry.
type walk struct {
	r    *ranges
	in   []graph.Tensor
	to   graph.DType // of the result
	seen map[*graph.Expr]between
}

func (w *walk) bounds(e *graph.Expr) between {
	b, ok := w.seen[e]
	if !ok {
		b = w.find(e)
		if math.IsNaN(b.lo) || math.IsNaN(b.hi) {
			b = anything
		}
		w.seen[e] = b
	}
	return b
}

func (w *walk) find(e *graph.Expr) between {
	if e.Direct != nil && e.Direct.Fn.Chooses {
		return w.bounds(e.Direct.Args[1]).hull(w.bounds(e.Direct.Args[2]))
	}
	if e.Direct != nil && tells(len(e.Direct.Args), e.Direct.Fn.Float) {
		return between{0, 1}
	}
	if e.Direct != nil && e.Kind == graph.ExprFn && e.Direct.Fn.Int != nil && !e.Direct.Fn.Grows && w.to.IsUnsigned() {
		return ofType(w.to) // bits, quotients and remainders
	}
	switch e.Kind {
	case graph.ExprNumber:
		if n, ok := e.Size.Const(); ok {
			return between{float64(n), float64(n)}.wider()
		}
	case graph.ExprRead:
		return w.r.of[w.in[e.In]]
	case graph.ExprAdd:
		sum := between{}
		for _, x := range e.Args {
			sum = sum.add(w.bounds(x))
		}
		return sum
	case graph.ExprMul:
		p := between{1, 1}
		for _, x := range e.Args {
			p = p.mul(w.bounds(x))
		}
		if len(e.Args) == 2 && e.Args[0] == e.Args[1] {
			p.lo = max(p.lo, 0)
		}
		return p
	case graph.ExprInv:
		return between{0, 1}
	case graph.ExprSum:
		if e.Pick != nil {
			return w.bounds(e.Pick.Of).hull(between{0, 0})
		}
		n := 1.0
		for _, o := range e.Over {
			k, ok := o.N.Const()
			if !ok {
				return anything
			}
			n *= float64(k)
		}
		return w.bounds(e.Args[0]).times(n, len(e.If) > 0)
	case graph.ExprMax:
		return w.bounds(e.Args[0])
	case graph.ExprFn:
		return w.function(e)
	}
	return anything
}

// function bounds a function of one element.
func (w *walk) function(e *graph.Expr) between {
	text, ok := e.Fn.Name()
	if !ok {
		return anything
	}
	f, x := floats{}.FnOf(text), w.bounds(e.Args[0])
	name, args, err := graph.ParseFunc(text)
	if err != nil {
		return anything
	}
	op, known := graph.Lookup(name)
	switch {
	case name == "number" && len(args) == 1:
		return between{args[0], args[0]}
	case known && isPositive(op, f):
		return between{max(f(x.lo), tiny), f(x.hi)}.wider()
	case name == "reciprocal":
		return x.inverse()
	case known && op.Image != nil:
		i := op.Image(graph.Interval{Lo: x.lo, Hi: x.hi})
		return between{i.Lo, i.Hi}
	case tells(1, func(args []float64) float64 { return f(args[0]) }):
		return between{0, 1}
	case known && op.Rises && !slices.ContainsFunc(args, math.IsNaN):
		return between{f(x.lo), f(x.hi)}.wider()
	case known && op.NonNegative:
		return between{0, math.Inf(1)}
	}
	switch {
	case text == graph.Truncate(w.to):
		if w.r.g.DType(w.in[0]).IsFloat() {
			x = x.wider32()
		}
		return between{math.Trunc(x.lo), math.Trunc(x.hi)}
	case text == graph.WrapFn(w.to) && x.within(w.to):
		return x
	case text == graph.RoundFn(w.to, "default") && (w.to == graph.Float32 || w.to == graph.Float64):
		return between{f(x.lo), f(x.hi)}.wider32()
	}
	return anything
}

// isPositive reports whether a function of one element is more than 0 everywhere.
func isPositive(op *graph.Op, f func(float64) float64) bool {
	return op.Rises && op.NonNegative && f(-700) > 0
}

// wider32 has room for the rounding of float32: what is just below an integer may be the
// integer.
func (b between) wider32() between {
	return between{b.lo - math.Abs(b.lo)/(1<<20), b.hi + math.Abs(b.hi)/(1<<20)}.wider()
}

// infinite are the weights of A or B that are not finite. They are read once.
func (c *comparison) infinite(side int) (map[graph.NodeID]bool, error) {
	var err error
	if c.notFinite[side] == nil {
		c.notFinite[side], err = network.Infinite([]*model.Model{c.a, c.b}[side])
		if c.notFinite[side] == nil {
			c.notFinite[side] = map[graph.NodeID]bool{}
		}
	}
	return c.notFinite[side], err
}

// ranges bounds the tensors of both models, whose positions are such as tables have.
func (c *comparison) ranges() (a, b *ranges, err error) {
	if c.bounds[0] != nil {
		return c.bounds[0], c.bounds[1], nil
	}
	for side, m := range []*model.Model{c.a, c.b} {
		given, inputs := map[graph.NodeID]between{}, m.Inputs()
		for _, in := range c.ins {
			id := inputs[in.number]
			if side == 1 {
				id = inputs[in.place]
			}
			if lo, n, ok := in.finite(); ok {
				given[id] = between{float64(lo), float64(lo + n - 1)}
			}
		}
		infinite, err := c.infinite(side)
		if err != nil {
			return nil, nil, err
		}
		if c.bounds[side], err = rangesOf(m, given, infinite); err != nil {
			return nil, nil, err
		}
	}
	return c.bounds[0], c.bounds[1], nil
}
