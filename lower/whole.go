package lower

import (
	"math"

	"github.com/taso-go/taso/graph"
)

// Whole numbers in float32. Of numbers that are whole and within an integer type's range a
// cast to the type changes none, and where they are cast back, nobody sees that they were
// not held as integers: quantizing and dequantizing are steps of one chain then. And of such
// numbers sums of products are exact in any order, if float32 holds all of them.

// Exact is up to which all integers are float32 numbers.
const Exact = 1 << 24

// Range is between which numbers whole ones lie; infinite where nothing is known but that
// they are whole, or infinite. What is not a number counts as no number: no integer is.
type Range struct {
	Lo, Hi float64
	Minus  bool // 0 may have a sign, which no integer has
}

// bounded reports whether float32 holds the numbers and all between.
func (r Range) bounded() bool { return r.Lo >= -Exact && r.Hi <= Exact }

// Most is the largest magnitude.
func (r Range) Most() float64 { return math.Max(-r.Lo, r.Hi) }

var anyWhole = Range{math.Inf(-1), math.Inf(1), true}

// ranges finds what is whole in a graph.
type ranges struct {
	g     *graph.Graph
	known map[graph.Tensor]*Range // nil: it may be no whole number
}

// of is the range of a tensor of float32 or integers, nil if its numbers may be no whole
// ones or, of integers, if nothing is known but their type and that is wider than 16 bits.
func (w *ranges) of(t graph.Tensor) *Range {
	if r, ok := w.known[t]; ok {
		return r
	}
	var r *Range
	switch d := w.g.DType(t); {
	case d.IsInt() && d.Bits() <= 16:
		lo, hi := d.IntRange()
		r = &Range{float64(lo), float64(hi), false}
	case d == graph.Float32 || d == graph.Int32:
		r = w.made(t)
	}
	if r != nil && w.g.DType(t) == graph.Int32 && !r.bounded() {
		r = nil
	}
	w.known[t] = r
	return r
}

// made is the range by the operator that makes a tensor.
func (w *ranges) made(t graph.Tensor) *Range {
	op := w.g.Op(t.Node)
	if op == nil {
		return nil
	}
	in := w.g.Operands(t.Node)
	a := Attrs{op, w.g.Attrs(t.Node)}
	switch op.Name {
	case "round", "floor", "ceil":
		if w.g.DType(t) != graph.Float32 {
			return nil
		}
		r := anyWhole
		if o := w.g.Op(in[0].Node); o != nil && o.Name == "clip" {
			if lo, hi, ok := clipped(Attrs{o, w.g.Attrs(in[0].Node)}); ok {
				r = Range{lo, hi, true}
			}
		}
		return &r
	case "cast":
		if from := w.g.DType(in[0]); from == graph.Float32 || from.IsInt() {
			return w.of(in[0])
		}
	case "reshape", "broadcast", "slice", "split", "transpose", "neg", "relu", "clip":
		x := w.of(in[0])
		if x == nil {
			return nil
		}
		r := *x
		switch op.Name {
		case "neg":
			r = Range{-r.Hi, -r.Lo, true}
		case "relu":
			r = Range{math.Max(r.Lo, 0), math.Max(r.Hi, 0), true}
		case "clip":
			lo, hi, ok := clipped(a)
			if !ok {
				return nil
			}
			r = Range{math.Min(math.Max(r.Lo, lo), hi), math.Max(math.Min(r.Hi, hi), lo), r.Minus || math.Signbit(lo) && lo == 0 || math.Signbit(hi) && hi == 0}
		}
		return &r
	case "ewadd", "ewsub":
		x, y := w.of(in[0]), w.of(in[1])
		if x == nil || y == nil {
			return nil
		}
		r := Range{x.Lo + y.Lo, x.Hi + y.Hi, x.Minus && y.Minus}
		if op.Name == "ewsub" {
			r = Range{x.Lo - y.Hi, x.Hi - y.Lo, x.Minus}
		}
		// A sum beyond Exact is rounded, to a whole number. Two infinite ones may be none.
		if !x.bounded() && !y.bounded() || math.IsNaN(r.Lo) || math.IsNaN(r.Hi) {
			return nil
		}
		if !r.bounded() {
			r.Lo, r.Hi = anyWhole.Lo, anyWhole.Hi
		}
		return &r
	case "matmul":
		return w.product(in, w.g.Sizes(in[0])[len(w.g.Sizes(in[0]))-1])
	case "conv2d":
		if act := a.Word("act"); act == "none" || act == "" {
			return w.product(in, graph.NumElements(w.g.Sizes(in[1])[1:]))
		}
	}
	return nil
}

// clipped are whole bounds of a clip that float32 holds.
func clipped(a Attrs) (lo, hi float64, ok bool) {
	lo, err := a.Real("lo")
	hi, err2 := a.Real("hi")
	return lo, hi, err == nil && err2 == nil && lo == math.Trunc(lo) && hi == math.Trunc(hi) && lo <= hi && lo >= -Exact && hi <= Exact
}

// product is the range of sums of so many products, nil if float32 does not hold them all.
func (w *ranges) product(in []graph.Tensor, terms int) *Range {
	x, y := w.of(in[0]), w.of(in[1])
	if x == nil || y == nil || !x.bounded() || !y.bounded() {
		return nil
	}
	most := float64(terms) * x.Most() * y.Most()
	if r := (Range{-most, most, false}); r.bounded() { // sums begin with 0
		return &r
	}
	return nil
}

// Integers is the kernel of a product of matrices whose elements are whole numbers below
// 2^15 that are held as float32, with sums below 2^31; the second is one matrix, and constant.
const Integers = "integers"

// manyProducts is how many products a sum must have for it to be worth it.
const manyProducts = 16

// integers reports whether the product of matrices that is being lowered is one.
func (l *lowerer) integers(in []ValueID) bool {
	x, w := &l.Values[in[0]], &l.Values[in[1]]
	if !l.t.Whole || !l.constant(in[1]) || l.constant(in[0]) || x.Type != graph.Float32 || w.Type != graph.Float32 {
		return false
	}
	terms := x.Sizes[len(x.Sizes)-1]
	for i := range len(w.Sizes) - 2 {
		if w.Sizes[i] != 1 && w.Strides[i] != 0 {
			return false
		}
	}
	ts := l.Graph.Operands(l.node)
	a, b := l.ranges.of(ts[0]), l.ranges.of(ts[1])
	return terms >= manyProducts && a != nil && b != nil && a.Most() < 1<<15 && b.Most() < 1<<15 && float64(terms)*a.Most()*b.Most() < 1<<31
}

// leaves reports whether a tensor of integers is only cast to float32, behind views.
func (l *lowerer) leaves(t graph.Tensor) bool {
	if l.users == nil {
		l.users = map[graph.Tensor][]graph.NodeID{}
		for id := range l.Graph.Nodes() {
			for _, x := range l.Graph.Operands(id) {
				l.users[x] = append(l.users[x], id)
			}
		}
	}
	for _, x := range l.Graph.Outputs() {
		if x == t {
			return false
		}
	}
	for _, id := range l.users[t] {
		op := l.Graph.Op(id)
		if op.Name == "cast" && l.Graph.DType(id.Out(0)) == graph.Float32 {
			continue
		}
		if !IsView(op) || l.t.Copies[op.Name] {
			return false
		}
		for k := range l.Graph.NumOut(id) {
			if !l.leaves(id.Out(k)) {
				return false
			}
		}
	}
	return true
}

// StepWhole is the step that takes its sign from a 0, so that the numbers are those of
// integers.
const StepWhole = "whole"

// stays is the range of numbers that are held as float32 if a cast to integers changes
// none of them, and nobody asks for them as integers; else nil.
func (l *lowerer) stays(x *Value, to graph.DType) *Range {
	if !l.t.Whole || x.Type != graph.Float32 || x.DType != graph.Float32 || !to.IsInt() || l.opt.NoFuse || l.opt.KeepAll {
		return nil
	}
	r := l.ranges.of(l.Graph.Operands(l.node)[0])
	if r == nil || !r.bounded() {
		return nil
	}
	if lo, hi := to.IntRange(); r.Lo < float64(lo) || r.Hi > float64(hi) || !l.leaves(l.node.Out(0)) {
		return nil
	}
	return r
}
