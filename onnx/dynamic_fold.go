package onnx

import (
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Arithmetic on shapes with dynamic sizes: tensors of integers whose elements
// are polynomials. They have fixed sizes themselves.

// wholes is a value of integers. Some may depend on variables.
func wholes(t graph.DType, sizes []int, xs ...graph.Dim) *value {
	k := &constant{dtype: t, sizes: sizes, ints: make([]int64, len(xs))}
	for i, x := range xs {
		n, ok := x.Const()
		if !ok {
			return &value{dtype: t, sized: sizes, ints: xs}
		}
		k.ints[i] = n
	}
	return valueOf(k)
}

// knownElements are the elements of integers that are known, nil of others.
func knownElements(v *value) []graph.Dim {
	if v == nil || v.ints != nil {
		return v.ints
	}
	if !v.dtype.IsInt() && v.dtype != graph.Bool {
		return nil
	}
	k := must.Get(v.constant())
	if k == nil || k.len() > maxShapes {
		return nil
	}
	xs := make([]graph.Dim, k.len())
	for i, n := range k.ints {
		xs[i] = graph.Int(n)
	}
	return xs
}

// maxShapes is how many integers arithmetic on shapes is done with.
const maxShapes = 1 << 10

// foldOpen computes a node on integers that depend on variables, and reports whether it can.
func (c *call) foldOpen() bool {
	ranged := c.node.GetOpType() == "Range"
	if !slices.ContainsFunc(c.in, func(v *value) bool { return v != nil && (v.ints != nil || ranged && v.from != nil) }) {
		return false
	}
	f := openFolds[c.node.GetOpType()]
	if f == nil {
		return false
	}
	if c.node.GetOpType() == "Split" {
		return c.splitOpen()
	}
	v := f(c)
	if v == nil || !c.im.open.inRange(v) {
		return false
	}
	c.set(v)
	return true
}

// inRange reports whether integers of 32 bits stay so at all values of the variables.
func (d *dynamic) inRange(v *value) bool {
	for _, x := range v.ints {
		if lo, hi := d.Bounds(x); v.dtype == graph.Int32 && (lo < math.MinInt32 || hi > math.MaxInt32) {
			return false
		}
	}
	return true
}

// over is x/y without what remains, if it is a polynomial, or x is a size and y a number that is
// not above it.
func (d *dynamic) over(x, y graph.Dim) (graph.Dim, bool) {
	if !d.sizing().NonNegative(y.Neg().Sub(graph.Int(1))) && !d.require(y, graph.Int(1)) {
		return graph.Dim{}, false // by 0, or it depends
	}
	if q, ok := x.Quo(y); ok {
		return q, true
	}
	by, ok := y.Const()
	if !ok || by < 1 || !d.sizing().NonNegative(x.Sub(y)) {
		return graph.Dim{}, false
	}
	return d.quotient(x, by), true
}

// openFolds compute nodes on such integers; nil where they cannot.
var openFolds map[string]func(c *call) *value

func init() {
	two := func(f func(d *dynamic, x, y graph.Dim) (graph.Dim, bool)) func(c *call) *value {
		return func(c *call) *value {
			return c.eachOf(2, func(xs []graph.Dim) (graph.Dim, bool) { return f(c.im.open, xs[0], xs[1]) })
		}
	}
	truthOf := func(yes bool) graph.Dim { return graph.Int(int64(truth(yes))) }
	order := func(turned, not bool) func(c *call) *value {
		return two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) {
			if turned {
				x, y = y, x
			}
			yes, known := d.decided(x, y)
			return truthOf(yes != not), known
		})
	}
	openFolds = map[string]func(c *call) *value{
		"Add": two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) { return x.Add(y), true }),
		"Sub": two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) { return x.Sub(y), true }),
		"Mul": two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) { return x.Mul(y), true }),
		"Div": two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) {
			return d.over(x, y)
		}),
		"Mod": two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) {
			q, ok := d.over(x, y)
			return x.Sub(q.Mul(y)), ok
		}),
		// What is not decided is computed when the model runs.
		"Max": two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) {
			yes, known := d.decided(x, y)
			if yes {
				return x, known
			}
			return y, known
		}),
		"Min": two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) {
			yes, known := d.decided(x, y)
			if yes {
				return y, known
			}
			return x, known
		}),
		"Equal":          two(func(d *dynamic, x, y graph.Dim) (graph.Dim, bool) { return truthOf(x == y), x == y || d.differ(x, y) }),
		"GreaterOrEqual": order(false, false),
		"LessOrEqual":    order(true, false),
		"Less":           order(false, true),
		"Greater":        order(true, true),
		"Neg": func(c *call) *value {
			return c.eachOf(1, func(xs []graph.Dim) (graph.Dim, bool) { return xs[0].Neg(), true })
		},
		"Identity": func(c *call) *value { return c.need(1, 1)[0] },
		"Where": func(c *call) *value {
			return c.eachOf(3, func(xs []graph.Dim) (graph.Dim, bool) {
				n, ok := xs[0].Const()
				if ok && n != 0 {
					return xs[1], true
				}
				return xs[2], ok
			})
		},
		"Cast":       (*call).castOpen,
		"Concat":     (*call).concatOpen,
		"Gather":     (*call).gatherOpen,
		"Slice":      (*call).sliceOpen,
		"Unsqueeze":  movedOpen((*call).unsqueezeSizes),
		"Squeeze":    movedOpen((*call).squeezeSizes),
		"Reshape":    movedOpen((*call).reshapeSizes),
		"Flatten":    movedOpen((*call).flattenSizes),
		"ReduceProd": func(c *call) *value { return c.reducedOpen(product) },
		"ReduceSum": func(c *call) *value {
			return c.reducedOpen(func(xs ...graph.Dim) graph.Dim {
				n := graph.Int(0)
				for _, x := range xs {
					n = n.Add(x)
				}
				return n
			})
		},
		"Range": (*call).rangeOpen,
		"Split": func(*call) *value { return nil },
	}
}

// eachOf computes with elements of n integers that broadcast.
func (c *call) eachOf(n int, f func(xs []graph.Dim) (graph.Dim, bool)) *value {
	if len(c.in) != n {
		return nil
	}
	in := c.need(n, n)
	sizes := []int{}
	for _, v := range in {
		if v.open != nil {
			return nil
		}
		sizes = joint(sizes, v.sizes())
	}
	if graph.Product(sizes...) > maxShapes {
		return nil
	}
	all := make([][]graph.Dim, n)
	for i, v := range in {
		if all[i] = knownElements(v); all[i] == nil {
			return nil
		}
	}
	t := in[n-1].dtype
	switch c.node.GetOpType() {
	case "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual":
		t = graph.Bool
	}
	out, ok := make([]graph.Dim, graph.NumElements(sizes)), true
	graph.Each(sizes, func(flat int, idx []int) {
		xs := make([]graph.Dim, n)
		for i, v := range in {
			p, own := 0, v.sizes()
			for a, m := range own {
				at := idx[len(idx)-len(own)+a]
				if m == 1 {
					at = 0
				}
				p = p*m + at
			}
			xs[i] = all[i][p]
		}
		var fits bool
		if ok {
			out[flat], fits = f(xs)
			ok = fits
		}
	})
	if !ok {
		return nil
	}
	return wholes(t, sizes, out...)
}

// castOpen: to another type of integers, which holds sizes.
func (c *call) castOpen() *value {
	x := c.need(1, 1)[0]
	t := c.castTo()
	if t == graph.Float32 || t == graph.Float64 {
		return c.floated(x, t)
	}
	if t != graph.Int64 && t != graph.Int32 {
		return nil
	}
	return wholes(t, x.sizes(), x.ints...)
}

// floated are integers as floats.
func (c *call) floated(x *value, t graph.DType) *value {
	if x.ints == nil {
		return nil
	}
	v := c.im.cast(x, t)
	v.from = x.ints
	return v
}

// exactly requires that a type holds all integers between 0 and x, at all values of the variables.
func (d *dynamic) exactly(x graph.Dim, t graph.DType) {
	most := map[graph.DType]int64{graph.Float32: 1 << 24, graph.Float64: 1 << 53}[t]
	if lo, hi := d.Bounds(x); t.IsFloat() && (lo < -most || hi > most) {
		must.Do(unsupported("%s does not hold all numbers up to %s, which may be above %d; a --range with smaller sizes helps", t, x, most))
	}
}

func (c *call) concatOpen() *value {
	parts := c.need(len(c.in), len(c.in))
	if c.axisAttr(1, parts[0].rank()) != 0 {
		return nil
	}
	var xs []graph.Dim
	sizes := slices.Clone(parts[0].sizes())
	sizes[0] = 0
	for _, v := range parts {
		own := knownElements(v)
		if own == nil && !v.empty() || v.open != nil || v.rank() != len(sizes) || !slices.Equal(v.sizes()[1:], sizes[1:]) {
			return nil
		}
		xs = append(xs, own...)
		sizes[0] += v.sizes()[0]
	}
	return wholes(parts[0].dtype, sizes, xs...)
}

// gatherOpen picks elements of a list.
func (c *call) gatherOpen() *value {
	in := c.need(2, 2)
	x, at := in[0], in[1]
	k := must.Get(at.constant())
	if k == nil || x.ints == nil || x.rank() != 1 || c.axisAttr(0, 1) != 0 {
		return nil
	}
	xs := make([]graph.Dim, k.len())
	for i, p := range k.positions(len(x.ints)) {
		xs[i] = x.ints[p]
	}
	return wholes(x.dtype, slices.Clone(k.sizes), xs...)
}

// sliceOpen slices a list at places that are numbers.
func (c *call) sliceOpen() *value {
	x := c.need(1, 5)[0]
	if x.ints == nil || x.rank() != 1 {
		return nil
	}
	r := c.runs()[0]
	first, n := numberOf(r.start), numberOf(r.count)
	xs := make([]graph.Dim, n)
	for i := range xs {
		xs[i] = x.ints[first+i*r.step]
	}
	return wholes(x.dtype, []int{n}, xs...)
}

// splitOpen splits a list, and reports whether it can.
func (c *call) splitOpen() bool {
	x := c.in[0]
	if x == nil || x.ints == nil || x.rank() != 1 {
		return false
	}
	_, dims := c.splitSizes()
	sizes, ok := fixed(dims)
	at := 0
	for i, n := range sizes {
		c.outs[i] = wholes(x.dtype, []int{n}, x.ints[at:at+n]...)
		at += n
	}
	return ok
}

// movedOpen gives integers other sizes.
func movedOpen(sizes func(c *call) []graph.Dim) func(c *call) *value {
	return func(c *call) *value {
		if c.in[0] == nil || c.in[0].ints == nil {
			return nil
		}
		to, ok := fixed(sizes(c))
		if !ok {
			return nil
		}
		return wholes(c.in[0].dtype, to, c.in[0].ints...)
	}
}

// reducedOpen combines all elements.
func (c *call) reducedOpen(f func(xs ...graph.Dim) graph.Dim) *value {
	x, axes, keep := c.reduction()
	if x.ints == nil || x.rank() != 1 || len(axes) != 1 {
		return nil
	}
	sizes := []int{}
	if keep {
		sizes = []int{1}
	}
	return wholes(x.dtype, sizes, f(x.ints...))
}

// rangeOpen: as many numbers as a variable says.
func (c *call) rangeOpen() *value {
	in := c.need(3, 3)
	var xs [3]graph.Dim
	for i, v := range in {
		own := wholeElements(v)
		if len(own) != 1 || v.dtype != in[0].dtype {
			return nil
		}
		xs[i] = own[0]
	}
	by, ok := xs[2].Const()
	if !ok || by < 1 || by > graph.MaxSize {
		return nil
	}
	n := xs[1].Sub(xs[0])
	for _, x := range []graph.Dim{xs[0], xs[1], n} {
		c.im.open.exactly(x, in[0].dtype)
	}
	if !c.im.open.atLeast(n, graph.Int(1)) {
		return nil // it has no elements
	}
	number := func(i int) *value {
		if in[i].dtype.IsFloat() {
			return c.im.reshape(in[i])
		}
		return wholes(in[i].dtype, []int{}, xs[i])
	}
	n = c.im.open.stepsOf(n, int(by))
	v := c.im.placesFrom(n, in[0].dtype)
	if by != 1 {
		v = c.im.do("ewmul", v, c.im.broadcastTo(number(2), v.dims()))
	}
	if xs[0] == graph.Int(0) {
		return v
	}
	return c.im.do("ewadd", v, c.im.broadcastTo(number(0), v.dims()))
}

// wholeElements are the elements that are known, of floats too if they are whole numbers, or casts
// of such.
func wholeElements(v *value) (xs []graph.Dim) {
	if v.from != nil {
		return v.from
	}
	if !v.dtype.IsFloat() {
		return knownElements(v)
	}
	k := must.Get(v.constant())
	if k == nil || k.len() > maxShapes {
		return nil
	}
	for _, x := range k.floats {
		if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return nil
		}
		xs = append(xs, graph.Int(int64(x)))
	}
	return xs
}

// placesFrom are the numbers 0, 1, … of a type, n of them.
func (im *importer) placesFrom(n graph.Dim, t graph.DType) *value {
	o, _ := graph.Lookup("iota")
	return im.constantOf(o, must.Get(o.Attr(attrs{"n": graph.DimValue(n)})), t)
}

// constantOf is an operator without operands whose elements are of a type.
func (im *importer) constantOf(o *graph.Op, a graph.Attrs, t graph.DType) *value {
	return im.entered(must.Get(im.made.Constant("", t, o, a)))[0]
}

// halves are two sizes whose difference is x.
func halves(x graph.Dim) (plus, minus graph.Dim) {
	terms, c := x.Terms()
	plus, minus = graph.Int(max(c, 0)), graph.Int(max(-c, 0))
	for _, t := range terms {
		if t.Coef > 0 {
			plus = plus.Add(t.Dim())
		} else {
			minus = minus.Sub(t.Dim())
		}
	}
	return plus, minus
}

// spelledOut are integers that depend on variables as a tensor: the last of as many numbers.
func (im *importer) spelledOut(v *value) *value {
	var all *value
	for _, x := range v.ints {
		var part *value
		switch n, number := x.Const(); {
		case number:
			part = valueOf(&constant{dtype: v.dtype, sizes: []int{1}, ints: []int64{n}})
		case im.open.sizing().NonNegative(x):
			part = im.sliceTo(im.placesFrom(x.Add(graph.Int(1)), v.dtype), 0, x, x.Add(graph.Int(1)))
		default:
			half := func(x graph.Dim) *value {
				w := wholes(v.dtype, []int{1}, x)
				if w.ints == nil {
					return w
				}
				return im.spelledOut(w)
			}
			plus, minus := halves(x)
			part = im.do("ewsub", half(plus), half(minus))
		}
		if all == nil {
			all = part
		} else {
			all = im.apply("concat", attrs{"axis": graph.IntValue(0)}, all, part)
		}
	}
	return im.reshape(all, v.sized...)
}
