package randnet

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// grower makes random networks: images, matrices and vectors that pass through
// most of the operators, with tensors that many nodes read, weights, constants,
// integers, nodes of several outputs and opaque ones.
type grower struct {
	rnd  *rand.Rand
	b    graph.Builder
	pool []graph.Tensor
	size map[graph.Tensor]float64 // about how large elements are
	uses map[graph.Tensor]int
	ints []graph.Tensor // integers from 0 to 1
	n    int            // weights
}

// Model is the random network of a seed, of 5 to 40 operators, with weights. Sizes are small. The
// same seed gives the same network.
func Model(seed uint64) (m *model.Model, err error) {
	defer must.Catch(&err)
	g := &grower{rnd: rand.New(rand.NewPCG(seed, 11)), size: map[graph.Tensor]float64{}, uses: map[graph.Tensor]int{}}
	for range 1 + g.rnd.IntN(2) {
		g.input([]int{1 + g.rnd.IntN(2), 2 * (1 + g.rnd.IntN(3)), 4 + g.rnd.IntN(3), 4 + g.rnd.IntN(3)})
	}
	for range g.rnd.IntN(3) {
		g.input([]int{2 + g.rnd.IntN(3), 2 + 2*g.rnd.IntN(3)})
	}
	if g.rnd.IntN(3) == 0 {
		g.ints = append(g.ints, must.Get(g.b.AddInput("places", graph.Int64, 1+g.rnd.IntN(3))))
	}
	for n := 5 + g.rnd.IntN(36); len(slices.Collect(operators(g.b.Graph()))) < n; {
		g.step()
	}
	var outs []graph.Tensor
	for _, x := range slices.Backward(g.pool) {
		if g.uses[x] == 0 && g.b.Graph().Op(x.Node) != nil && len(outs) < 4 {
			outs = append(outs, x)
		}
	}
	if g.rnd.IntN(4) == 0 {
		outs = append(outs, outs[0]) // one tensor twice
	}
	f := must.Get(g.b.Finish(outs...)).WithoutDead()
	r := &model.Model{Name: fmt.Sprint("random-", seed), Graph: f, Weights: map[graph.NodeID]*model.Weight{}}
	for _, id := range f.Inputs() {
		switch typ := f.Type(id.Out(0)); {
		case !f.IsWeight(id):
		case typ.DType == graph.Float32:
			lo := -1.0
			if f.Name(id)[0] == 'v' { // a variance
				lo = 0.5
			}
			r.Weights[id] = model.Uniform(model.Seed(seed, f.Name(id)), typ.Sizes, lo, 1)
		default:
			raw := make([]int64, graph.NumElements(typ.Sizes))
			for i := range raw {
				raw[i] = int64(i % 2)
			}
			r.Weights[id] = model.FromInt64(typ.Sizes, raw)
		}
	}
	return r, r.Validate()
}

// operators yields the nodes that are no inputs.
func operators(g *graph.Graph) func(func(graph.NodeID) bool) {
	return func(yield func(graph.NodeID) bool) {
		for id := range g.Nodes() {
			if g.Op(id) != nil && !yield(id) {
				return
			}
		}
	}
}

func (g *grower) input(sizes []int) {
	x := must.Get(g.b.AddInput(fmt.Sprint("x", len(g.pool)), graph.Float32, sizes...))
	g.pool, g.size[x] = append(g.pool, x), 1
}

// weight is a new weight; names that begin with v are variances.
func (g *grower) weight(kind string, sizes ...int) graph.Tensor {
	g.n++
	x := must.Get(g.b.AddWeight(fmt.Sprint(kind, g.n), graph.Float32, sizes...))
	g.size[x] = 1
	return x
}

// pick is one of the tensors that are such, mostly a young one; not ok if there is none.
func (g *grower) pick(ok func(s []int) bool) (x graph.Tensor, found bool) {
	var fit []graph.Tensor
	for _, x := range g.pool {
		if ok == nil || ok(g.b.Sizes(x)) {
			fit = append(fit, x)
		}
	}
	if len(fit) == 0 {
		return x, false
	}
	young := max(0, len(fit)-4)
	if g.rnd.IntN(3) == 0 {
		young = 0
	}
	return fit[young+g.rnd.IntN(len(fit)-young)], true
}

// add applies an operator and keeps numbers from growing without bound; grow is by how
// much they do.
func (g *grower) add(o *graph.Op, named map[string]graph.Value, grow float64, in ...graph.Tensor) graph.Tensor {
	a := must.Get(o.Attr(named))
	most := 1.0
	for _, x := range in {
		most = max(most, g.size[x])
		g.uses[x]++
	}
	id := must.Get(g.b.Apply("", o, a, in...))
	for k := range g.b.Graph().NumOut(id) {
		x := id.Out(k)
		if g.b.DType(x).IsFloat() {
			g.pool, g.size[x] = append(g.pool, x), most*grow
		}
	}
	x := id.Out(0)
	if o == op.EWMul || o == op.SMul {
		g.size[x] = g.size[in[0]] * g.size[in[1]]
	}
	if g.size[x] > 1e4 {
		g.drop(x)
		return g.bounded(op.Tanh, x)
	}
	return x
}

// bounded applies a function whose values are about 1.
func (g *grower) bounded(o *graph.Op, x graph.Tensor) graph.Tensor {
	y := g.add(o, nil, 0, x)
	g.size[y] = 1
	return y
}

// drop takes a tensor that may be too large, or is there to be read once, out of the
// pool.
func (g *grower) drop(x graph.Tensor) {
	g.pool = slices.DeleteFunc(g.pool, func(y graph.Tensor) bool { return x == y })
}

func one[T any](g *grower, xs ...T) T { return xs[g.rnd.IntN(len(xs))] }

func number(n int) graph.Value      { return graph.IntValue(int64(n)) }
func shape(s ...int) graph.Value    { return graph.ShapeValue(graph.Sizes(s...)) }
func isImage(s []int) bool          { return len(s) == 4 && s[2] > 1 && s[3] > 1 }
func isMatrix(s []int) bool         { return len(s) == 2 }
func like(s []int) func([]int) bool { return func(u []int) bool { return slices.Equal(s, u) } }

// window is a stride and a padding for kernels of kh x kw cells on an image.
func (g *grower) window(sizes []int, kh, kw int) map[string]graph.Value {
	a := map[string]graph.Value{"pad": graph.NameValue(one(g, graph.SameUpper, graph.SameUpper, graph.SameLower, graph.Valid))}
	if g.rnd.IntN(4) == 0 {
		a["pad"] = graph.TupleValue(g.rnd.IntN(kh), g.rnd.IntN(kw), g.rnd.IntN(kh), g.rnd.IntN(kw))
	}
	if g.rnd.IntN(3) == 0 {
		a["stride"] = graph.TupleValue(1+g.rnd.IntN(2), 1+g.rnd.IntN(2))
	}
	return a
}

// conv adds a convolution, sometimes two of the same image.
func (g *grower) conv(x graph.Tensor) {
	s := g.b.Sizes(x)
	kh, kw := one(g, 1, 1, 3, 3, 2), one(g, 1, 3, 3, 2)
	kh, kw = min(kh, s[2]), min(kw, s[3])
	a := g.window(s, kh, kw)
	groups := 1
	if g.rnd.IntN(3) == 0 {
		groups = one(g, 2, s[1])
		if s[1]%groups != 0 {
			groups = s[1]
		}
		a["groups"] = number(groups)
	}
	if g.rnd.IntN(4) == 0 {
		a["act"] = graph.NameValue("relu")
	}
	for range 1 + g.rnd.IntN(2) {
		o := groups * (1 + g.rnd.IntN(2))
		if groups == 1 {
			o = 2 * (1 + g.rnd.IntN(3))
		}
		y := g.add(op.Conv2D, a, float64(kh*kw*s[1]/groups)/2, x, g.weight("w", o, s[1]/groups, kh, kw))
		if g.rnd.IntN(5) == 0 && g.b.Sizes(y)[2] > 0 {
			c := g.b.Sizes(y)[1]
			g.add(op.BatchNorm, map[string]graph.Value{"eps": graph.NumberValue(1e-3)}, 2, y,
				g.weight("k", c), g.weight("k", c), g.weight("k", c), g.weight("v", c))
		}
	}
}

// step adds an operator, or a few.
func (g *grower) step() {
	x, _ := g.pick(nil)
	s := g.b.Sizes(x)
	axis := 0
	if len(s) > 0 {
		axis = g.rnd.IntN(len(s))
	}
	switch g.rnd.IntN(20) {
	case 0, 1, 2:
		if x, ok := g.pick(isImage); ok {
			g.conv(x)
		}
	case 3, 4:
		if x, ok := g.pick(isMatrix); ok {
			k := g.b.Sizes(x)[1]
			for range 1 + g.rnd.IntN(3) {
				g.add(op.MatMul, nil, float64(k), x, g.weight("w", k, 2*(1+g.rnd.IntN(3))))
			}
		}
	case 5, 6:
		if y, ok := g.pick(like(s)); ok {
			g.add(one(g, op.EWAdd, op.EWAdd, op.EWSub, op.EWMul, op.EWMax, op.EWMin), nil, 2, x, y)
		}
	case 7, 8:
		g.add(one(g, op.Relu, op.Relu, op.Neg, op.Abs, op.HardSwish), nil, 1, x)
	case 9:
		g.bounded(one(g, op.Tanh, op.Sigmoid, op.Erf), x)
	case 10:
		// Functions that are not defined everywhere, where they are.
		y := g.bounded(op.Sigmoid, x)
		g.add(one(g, op.Exp, op.Log, op.Sqrt, op.Reciprocal, op.Gelu), nil, 10, y)
	case 11:
		name := map[string]graph.Value{}
		o := one(g, op.LeakyRelu, op.Clip, op.Elu, op.HardSigmoid)
		switch o {
		case op.Clip:
			name["lo"], name["hi"] = graph.NumberValue(one(g, 0, -1.0)), graph.NumberValue(one(g, 1, 6.0))
		case op.HardSigmoid:
			name["alpha"], name["beta"] = graph.NumberValue(0.2), graph.NumberValue(0.5)
		default:
			name["alpha"] = graph.NumberValue(0.25)
		}
		g.add(o, name, 1, x)
	case 12:
		if x, ok := g.pick(isImage); ok {
			g.pool2d(x)
		}
	case 13:
		if y, ok := g.pick(func(u []int) bool {
			return len(u) == len(s) && len(s) > 0 && slices.Equal(slices.Delete(slices.Clone(u), axis, axis+1), slices.Delete(slices.Clone(s), axis, axis+1))
		}); ok && g.elements(x)+g.elements(y) < 2000 {
			g.add(op.Concat, map[string]graph.Value{"axis": number(axis)}, 1, x, y)
		}
	case 14:
		if len(s) > 0 && s[axis] > 1 {
			at := 1 + g.rnd.IntN(s[axis]-1)
			if g.rnd.IntN(3) == 0 {
				g.add(op.Slice, map[string]graph.Value{"axis": number(axis), "lo": number(at - 1), "hi": number(s[axis] - g.rnd.IntN(s[axis]-at+1))}, 1, x)
			} else {
				g.add(op.Split, map[string]graph.Value{"axis": number(axis), "at": number(at)}, 1, x)
			}
		}
	case 15:
		g.move(x, s, axis)
	case 16:
		if len(s) > 0 {
			switch g.rnd.IntN(4) {
			case 0:
				y := g.add(op.Softmax, map[string]graph.Value{"axis": number(axis)}, 0, x)
				g.size[y] = 1
			case 1:
				g.add(op.LayerNorm, map[string]graph.Value{"axis": number(axis), "eps": graph.NumberValue(1e-2)}, 2, x, g.weight("k", s[axis:]...), g.weight("k", s[axis:]...))
			default:
				g.add(one(g, op.ReduceSum, op.ReduceMean, op.ReduceMax), map[string]graph.Value{"axes": graph.TupleValue(axis), "keep": number(g.rnd.IntN(2))}, float64(s[axis]), x)
			}
		}
	case 17:
		// A bias, or a factor, along an axis.
		small := make([]int, len(s))
		for i := range s {
			if small[i] = 1; i == axis {
				small[i] = s[i]
			}
		}
		y := g.add(op.Broadcast, map[string]graph.Value{"shape": shape(s...)}, 1, g.weight("b", small...))
		g.drop(y)
		g.add(one(g, op.EWAdd, op.EWMul, op.EWSub), nil, 2, x, y)
	case 18:
		g.constants(x, s)
	case 19:
		g.unknown(x, s, axis)
	}
}

func (g *grower) elements(x graph.Tensor) int { return graph.NumElements(g.b.Sizes(x)) }

// pool2d adds a pooling, an enlargement or a larger image.
func (g *grower) pool2d(x graph.Tensor) {
	s := g.b.Sizes(x)
	switch g.rnd.IntN(6) {
	case 0:
		if g.elements(x) < 1000 {
			g.add(op.Pad, map[string]graph.Value{"before": graph.TupleValue(0, 0, 1, g.rnd.IntN(2)), "after": graph.TupleValue(0, 0, g.rnd.IntN(2), 1)}, 1, x)
		}
	case 1:
		if g.elements(x) < 1000 {
			g.add(op.Resize, map[string]graph.Value{"sizes": graph.TupleValue(s[0], s[1], 2*s[2], 2*s[3]), "mode": graph.NameValue("nearest_floor_asymmetric")}, 1, x)
		}
	default:
		k := min(one(g, 2, 3), s[2], s[3])
		a := g.window(s, k, k)
		a["kh"], a["kw"] = number(k), number(k)
		if g.rnd.IntN(2) == 0 {
			g.add(op.PoolMax, a, 1, x)
			return
		}
		a["border"] = graph.NameValue(one(g, "counted", "excluded"))
		g.add(op.PoolAvg, a, 1, x)
	}
}

// move adds what moves entries only.
func (g *grower) move(x graph.Tensor, s []int, axis int) {
	switch g.rnd.IntN(3) {
	case 0:
		g.add(op.Transpose, map[string]graph.Value{"perm": graph.TupleValue(g.rnd.Perm(len(s))...)}, 1, x)
	case 1:
		n := g.elements(x)
		for _, k := range []int{2, 3, 4, 5} {
			if n%k == 0 && g.rnd.IntN(2) == 0 {
				g.add(op.Reshape, map[string]graph.Value{"shape": shape(n/k, k)}, 1, x)
				return
			}
		}
	case 2:
		if len(s) > 0 && s[axis] > 1 {
			if len(g.ints) == 0 || g.rnd.IntN(3) == 0 {
				g.n++
				g.ints = append(g.ints, must.Get(g.b.AddWeight(fmt.Sprint("i", g.n), graph.Int64, 1+g.rnd.IntN(3))))
			}
			g.add(op.Gather, map[string]graph.Value{"axis": number(axis)}, 1, x, one(g, g.ints...))
		}
	}
}

// constants adds operators without operands, a scalar factor, or a difference that is 0.
func (g *grower) constants(x graph.Tensor, s []int) {
	switch g.rnd.IntN(6) {
	case 4, 5:
		g.kernels()
	case 0:
		y := g.add(op.One, map[string]graph.Value{"shape": shape(s...)}, 1)
		g.drop(y)
		g.add(one(g, op.EWAdd, op.EWMul), nil, 2, x, y)
	case 1:
		g.add(op.SMul, nil, 1, x, g.weight("s"))
	case 2:
		if len(s) == 2 {
			y := g.add(op.IMatMul, map[string]graph.Value{"n": number(s[1])}, 1)
			g.drop(y)
			g.add(op.MatMul, nil, 1, x, y)
		}
	case 3:
		y := g.add(op.EWSub, nil, 2, x, x)
		g.drop(y)
		if z, ok := g.pick(like(s)); ok {
			g.add(op.EWAdd, nil, 1, z, y)
		}
	}
}

// kernels adds a convolution whose kernel is a constant or is computed.
func (g *grower) kernels() {
	x, ok := g.pick(isImage)
	if !ok {
		return
	}
	s := g.b.Sizes(x)
	k := one(g, 1, 3, 2)
	a := g.window(s, k, k)
	sizes := map[string]graph.Value{"c": number(s[1]), "kh": number(k), "kw": number(k)}
	var w graph.Tensor
	switch g.rnd.IntN(4) {
	case 0:
		w = g.add(op.IConv, sizes, 1)
	case 1:
		w = g.add(op.CPool, sizes, 1)
		a["groups"] = number(s[1])
	case 2:
		w = g.add(op.Enlarge, map[string]graph.Value{"kh": number(k), "kw": number(k)}, 1, g.weight("w", 2, s[1], 1, 1))
	default:
		y := g.add(op.Concat, map[string]graph.Value{"axis": number(0)}, 1, g.weight("w", 2, s[1], k, k), g.weight("w", 2, s[1], k, k))
		g.drop(y)
		w = g.add(one(g, op.Relu, op.Neg), nil, 1, y)
	}
	g.drop(w)
	if k <= s[2] && k <= s[3] {
		g.add(op.Conv2D, a, float64(k*k*s[1]), x, w)
	}
}

// unknown adds what laws do not speak of: an opaque node of one or two outputs, or
// integers.
func (g *grower) unknown(x graph.Tensor, s []int, axis int) {
	typ := graph.TensorType{DType: graph.Float32, Sizes: s}
	switch g.rnd.IntN(4) {
	case 0:
		g.uses[x]++
		id := must.Get(g.b.Opaque("", one(g, "K", "L"), "", []graph.Tensor{x}, []graph.TensorType{typ, typ}[:1+g.rnd.IntN(2)]))
		for k := range g.b.Graph().NumOut(id) {
			g.pool, g.size[id.Out(k)] = append(g.pool, id.Out(k)), 1
		}
	case 1:
		if len(g.ints) > 0 {
			i := one(g, g.ints...)
			j := g.add(one(g, op.EWAdd, op.EWMul), nil, 1, i, i)
			g.add(op.Cast, map[string]graph.Value{"to": graph.NameValue("float32")}, 1, j)
		}
	case 2:
		// What is truncated leaves the real numbers: a rectified one, so that rounding
		// does not matter, is 0 or 1.
		y := g.bounded(op.Sigmoid, x)
		z := g.add(op.Cast, map[string]graph.Value{"to": graph.NameValue("bool")}, 1, y)
		g.add(op.Cast, map[string]graph.Value{"to": graph.NameValue("float32")}, 1, z)
	case 3:
		y := g.add(op.Cast, map[string]graph.Value{"to": graph.NameValue("float64")}, 1, x)
		g.drop(y)
		g.add(op.Cast, map[string]graph.Value{"to": graph.NameValue("float32")}, 1, y)
	}
}
