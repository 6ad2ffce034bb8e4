package lower

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
)

// lowering makes the kernels of an application and returns its results.
type lowering func(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error)

// lowerings are the operators of which more is to be said than that a kernel
// reads dense operands. An operator that is not here, nor a view, nor
// elementwise, is one such kernel.
var lowerings map[string]lowering

func init() {
	lowerings = map[string]lowering{
		"conv2d": lowerConv, "poolmax": lowerPool, "poolavg": lowerPool, "matmul": lowerMatMul,
		"reducesum": lowerReduce, "reducemean": lowerReduce, "reducemax": lowerReduce,
		"softmax": lowerAlong, "layernorm": lowerAlong, "gather": lowerAlong, "topk": lowerAlong,
		"scatteradd": lowerScatter, "pick": lowerPick, "cast": lowerCast, "resize": lowerResize,
	}
}

func (l *lowerer) results(a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	op := a.Op
	switch fn := StepFn(op); {
	case op.In == 0 && op.Name != graph.OpaqueName:
		return l.add(Kernel{Kind: Constant, As: op.Name}, out[0]), nil
	case IsView(op):
		views, err := Views(a, &l.Values[in[0]], out)
		if err != nil && op.Name == "reshape" {
			views, err = Views(a, &l.Values[l.dense(in[0])], out)
		} else {
			// Who reads the results reads the operand; the view itself does not.
			l.readers[l.Values[in[0]].Buffer]--
		}
		var vs []ValueID
		for _, v := range views {
			vs = append(vs, l.value(v))
		}
		return vs, err
	case op.In > 0 && fn != "" && l.t.step(fn, out[0].DType):
		return []ValueID{l.stepOf(a, fn, in, out[0])}, nil
	}
	if f := lowerings[op.Name]; f != nil {
		return f(l, a, in, out)
	}
	return l.kernel(Kernel{As: op.Name}, in, out...), nil
}

// kernel adds a kernel that computes, on operands in the form that it reads.
func (l *lowerer) kernel(k Kernel, in []ValueID, out ...graph.TensorType) []ValueID {
	k.In = l.read(k.As, in)
	if !l.t.tails(k.As, out[0].DType) {
		k.Tail = nil
	} else if k.Tail == nil {
		k.Tail = &Tail{}
	}
	return l.add(k, out...)
}

// prepared makes a kernel whose operands the target may want prepared.
func (l *lowerer) prepared(k Kernel, a Attrs, in []ValueID, out graph.TensorType) (ValueID, error) {
	in = l.read(k.As, in)
	if l.t.Packed != nil {
		app := App{As: k.As, Attrs: a, Out: []graph.TensorType{out}, Spread: k.Spread}
		for _, v := range in {
			app.In, app.Constant = append(app.In, l.Values[v]), append(app.Constant, l.constant(v))
		}
		packs, err := l.t.Packed(&app)
		if err != nil {
			return None, err
		}
		for i, f := range packs {
			p := ValueID(None)
			if f.Elements > 0 {
				t := graph.TensorType{DType: app.In[i].Type, Sizes: []int{f.Elements}}
				p = l.packs(Kernel{Kind: Prepare, As: k.As, Part: i, Span: f.Span, Spread: k.Spread, In: []ValueID{in[i]}}, t)
			}
			k.Prepared = append(k.Prepared, p)
		}
	}
	return l.kernel(k, in, out)[0], nil
}

// packs prepares an operand. A constant that several nodes read alike, such as the weights
// of a recurrent layer, is prepared once: it is read from the same memory then, which is
// in the cache.
func (l *lowerer) packs(k Kernel, t graph.TensorType) ValueID {
	if !l.constant(k.In[0]) {
		return l.add(k, t)[0]
	}
	v := &l.Values[k.In[0]]
	key := fmt.Sprint(k.As, k.Part, k.Span, k.Spread, t.Sizes, v.Buffer, v.Offset, v.Sizes, v.Strides, v.DType, v.Type)
	p, ok := l.packed[key]
	if !ok {
		p = l.add(k, t)[0]
		if l.packed == nil {
			l.packed = map[string]ValueID{}
		}
		l.packed[key] = p
	}
	return p
}

func lowerConv(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	x, y := l.Values[in[0]].Sizes, out[0].Sizes
	k := Kernel{As: As(a, x, y), Tail: &Tail{N: y[2] * y[3], Mod: y[1]}}
	if w := l.Values[in[1]].Sizes; k.As == "depthwise" && OneWindow(a, x, y, w[2], w[3]) {
		k.As, k.Span = "dots", [3]int{x[1], x[2] * x[3], 1}
	}
	if s, ok := l.spread[l.node]; ok {
		k.As, k.Spread = "spread", s.Spread
	}
	v, err := l.prepared(k, a, in, out[0])
	if err != nil {
		return nil, err
	}
	if act := a.Word("act"); act != "none" && act != "" {
		v = l.elementwise(act, v, None, None, out[0])
	}
	return []ValueID{v}, nil
}

// lowerPool: an average or a maximum of a whole image is a reduction.
func lowerPool(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	x, y := l.Values[in[0]].Sizes, out[0].Sizes
	as := As(a, x, y)
	if as != a.Op.Name {
		return l.kernel(Kernel{As: as, Span: [3]int{x[0] * x[1], x[2] * x[3], 1}}, in, out[0]), nil
	}
	return l.kernel(Kernel{As: as, Tail: &Tail{N: y[2] * y[3], Mod: y[1]}}, in, out[0]), nil
}

// Pads are the rows above and the columns left of images of sizes x that a window
// of kh by kw cells sees as padding.
func Pads(a Attrs, x []int, kh, kw int) (top, left int, err error) {
	stride, _ := a.Get("stride")
	pad, _ := a.Get("pad")
	dh, dw, err := Dilation(a)
	if err != nil {
		return 0, 0, err
	}
	if top, _, err = graph.WindowPads(x[2], (kh-1)*dh+1, stride, pad, 0); err != nil {
		return 0, 0, err
	}
	left, _, err = graph.WindowPads(x[3], (kw-1)*dw+1, stride, pad, 1)
	return top, left, err
}

// Dilation is how far apart the rows and columns of a window are; 1 of operators that
// have no such attribute.
func Dilation(a Attrs) (dh, dw int, err error) {
	v, ok := a.Get("dilation")
	if !ok {
		return 1, 1, nil
	}
	d, ok := v.Tuple()
	if !ok || len(d) != 2 || d[0] < 1 || d[1] < 1 {
		return 0, 0, fmt.Errorf("dilation %s is not a pair", v)
	}
	return int(d[0]), int(d[1]), nil
}

// OneProduct reports whether a batch of products is one product, because its
// second operand is one matrix for all of the batch and the first is dense: the
// rows of the batch are the rows of one matrix.
func OneProduct(a, b *Value) bool {
	batch := len(b.Sizes) - 2
	for i := range batch {
		if b.Sizes[i] != 1 && b.Strides[i] != 0 {
			return false
		}
	}
	return graph.NumElements(a.Sizes[:batch]) > 1 && a.Dense()
}

func lowerMatMul(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	in = l.read("matmul", in)
	x, y := &l.Values[in[0]], out[0].Sizes
	m, n := y[len(y)-2], y[len(y)-1]
	if OneProduct(x, &l.Values[in[1]]) {
		m = x.Elements() / x.Sizes[len(x.Sizes)-1]
	}
	as := "matmul"
	if l.integers(in) {
		as = Integers
	}
	v, err := l.prepared(Kernel{As: as, Tail: &Tail{N: n, Mod: m}}, a, in, out[0])
	return []ValueID{v}, err
}

// lowerReduce: reduced axes that are no neighbours are moved to the end first.
func lowerReduce(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	axes, err := a.Ints("axes")
	if err != nil {
		return nil, err
	}
	x := l.Values[in[0]]
	span, perm := ReducedSpan(x.Sizes, axes)
	if perm != nil {
		sizes, strides := make([]int, len(perm)), make([]int, len(perm))
		for i, k := range perm {
			sizes[i], strides[i] = x.Sizes[k], x.Strides[k]
		}
		in = []ValueID{l.value(x.View(0, sizes, strides))}
	}
	return l.kernel(Kernel{As: a.Op.Name, Span: span}, in, out[0]), nil
}

// lowerAlong: softmax, gather and topk along an axis, layernorm along all from one on.
func lowerAlong(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	axis, err := a.Int("axis")
	if err != nil {
		return nil, err
	}
	x := l.Values[in[0]].Sizes
	last := axis + 1
	if a.Op.Name == "layernorm" {
		last = len(x)
	}
	return l.kernel(Kernel{As: a.Op.Name, Span: spanOf(x, axis, last)}, in, out[0]), nil
}

// lowerScatter: the axis is one of the result.
func lowerScatter(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	axis, err := a.Int("axis")
	if err != nil {
		return nil, err
	}
	return l.kernel(Kernel{As: a.Op.Name, Span: spanOf(out[0].Sizes, axis, axis+1)}, in, out[0]), nil
}

// lowerPick: the keys are along the first axis.
func lowerPick(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	return l.kernel(Kernel{As: a.Op.Name, Span: spanOf(l.Values[in[0]].Sizes, 0, 1)}, in, out[0]), nil
}

// lowerCast: a type that stays needs no kernel, nor does one that is held as the other
// is, if no number changes, nor integers that nobody asks for as such.
func lowerCast(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	x, to := l.Values[in[0]], out[0].DType
	if x.Type == to && (x.DType == to || !to.IsFloat()) { // what is held as a wider type is not rounded yet
		return l.read("cast", in), nil
	}
	whole := to == graph.Float32 && x.Type.IsInt() && x.DType == to
	r := l.stays(&x, to)
	switch {
	case r != nil && r.Minus:
		x, whole = l.Values[l.elementwise(StepWhole, l.dense(in[0]), None, None, graph.TensorType{DType: x.Type, Sizes: x.Sizes})], true
	case r != nil || whole:
		l.readers[x.Buffer]-- // who reads the result reads the operand
		whole = true
	}
	if whole || x.Type != to && x.DType == l.t.held(to) && Keeps(x.Type, to) {
		v := x.View(0, x.Sizes, x.Strides)
		v.Type = to
		return []ValueID{l.value(v)}, nil
	}
	return l.kernel(Kernel{As: "cast"}, in, out[0]), nil
}

// lowerResize interpolates along one axis after the other. Where the cells of
// the result lie between those of the source is prepared: two positions and a
// weight each.
func lowerResize(l *lowerer, a Attrs, in []ValueID, out []graph.TensorType) ([]ValueID, error) {
	if l.t.held(out[0].DType) != graph.Float32 { // tables are of float32
		return l.kernel(Kernel{As: a.Op.Name}, in, out[0]), nil
	}
	x := l.dense(in[0])
	resized := false
	for k, m := range out[0].Sizes {
		from := l.Values[x].Sizes
		if from[k] == m {
			continue
		}
		resized = true
		to := slices.Clone(from)
		to[k] = m
		t := graph.TensorType{DType: graph.Float32, Sizes: []int{3 * m}}
		table := l.add(Kernel{Kind: Prepare, As: "resize", Part: k, Span: spanOf(from, k, k+1)}, t)[0]
		x = l.add(Kernel{As: "resize", Part: k, Span: spanOf(from, k, k+1), In: []ValueID{x, table}},
			graph.TensorType{DType: l.Values[x].Type, Sizes: to})[0]
	}
	if !resized {
		v := l.Values[x]
		x = l.value(v.View(0, v.Sizes, v.Strides))
	}
	return []ValueID{x}, nil
}

// stepOf is an application of an elementwise operator.
func (l *lowerer) stepOf(a Attrs, fn string, in []ValueID, t graph.TensorType) ValueID {
	switch {
	case fn == "affine":
		return l.affine(in, t)
	case a.Op.Name == "smul":
		s := l.Values[in[1]].View(0, t.Sizes, make([]int, len(t.Sizes)))
		x := l.dense(in[0])
		return l.elementwise(fn, x, l.value(s), None, t)
	case len(in) == 2:
		return l.elementwise(fn, in[0], in[1], None, t)
	}
	return l.elementwise(fn, in[0], None, None, t)
}

// affine is a batch norm: x*s + t for each channel, with s = scale/sqrt(var+eps)
// and t = bias - mean*s, which are prepared, side by side.
func (l *lowerer) affine(in []ValueID, t graph.TensorType) ValueID {
	params := l.read("affine", in[1:])
	channels := t.Sizes[1]
	st := l.add(Kernel{Kind: Prepare, As: "affine", In: params}, graph.TensorType{DType: t.DType, Sizes: []int{2 * channels}})[0]
	strides := make([]int, len(t.Sizes))
	strides[1] = 1
	v := l.Values[st]
	p, q := l.value(v.View(0, t.Sizes, strides)), l.value(v.View(channels, t.Sizes, strides))
	return l.elementwise("affine", in[0], p, q, t)
}
