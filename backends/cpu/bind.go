package cpu

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// step is a kernel of the plan as a call.
type step struct {
	node    graph.NodeID
	run     func(scratch ptr) error
	scratch int // elements that it needs
	reads   []*buffer
	writes  []*buffer
	tail    *fusion // nil for kernels that take none
	// calls, if it is there, are the calls that run makes, the same in every run, once the
	// tail is settled.
	calls func() []call
}

// made is a step that makes some calls and nothing else.
func (s *step) made(t table, calls func() []call) {
	s.calls = calls
	s.run = func(ptr) error {
		for _, c := range calls() {
			c.make(t)
		}
		return nil
	}
}

// binder makes the kernels of a plan calls.
type binder struct {
	t    table
	plan *lower.Plan
	bufs []*buffer
}

// binding makes the call of one kind of kernel: run and scratch of a step.
type binding func(b *binder, k *lower.Kernel, s *step) error

// kernels are the operators that have kernels of their own, by [lower.Kernel.As], for
// elements of all types; floats those for elements that are held as float32 (see typed
// for others); preparations those whose operands are prepared. All others are run by
// their definitions.
var kernels, floats, preparations map[string]binding

func init() {
	floats = map[string]binding{
		"conv2d": bindConv, "spread": bindSpread, "depthwise": bindWindows, "dots": bindDots, "poolmax": bindWindows, "poolavg": bindWindows, "matmul": bindMatMul, lower.Integers: bindIntegers,
		"reducesum": bindReduce, "reducemean": bindReduce, "reducemax": bindReduce,
		"softmax": bindSoftmax, "layernorm": bindLayerNorm, "resize": bindResize, "chain": bindChain, "affine": prepareAffine,
	}
	kernels = map[string]binding{
		"gather": bindGather, "cast": bindCast, "ewwhere": bindWhere, "ewpow": bindSeveral, "ewint": bindSeveral,
		"ewless": bindCompare, "ewlessequal": bindCompare, "ewequal": bindCompare,
		"scatteradd": bindScatterAdd, "pick": bindPick, "reverse": bindReverse, "topk": bindTopK,
		"concat": bindPlaced, "enlarge": bindPlaced, "pad": bindPlaced,
	}
	preparations = map[string]binding{
		"conv2d": packConv, "spread": packSpread, "matmul": packMatMul, lower.Integers: packIntegers, "resize": prepareResize,
	}
}

// Target is what the kernels can do, with the forms that they want weights in.
func (b *Backend) Target() *lower.Target {
	t := lower.CPU()
	t.Steps = func(fn string, held graph.DType) bool {
		if held != graph.Float32 {
			return typedStep(fn, held)
		}
		_, _, _, ok := stepCode(fn, false)
		return ok
	}
	t.Packed = func(a *lower.App) ([]lower.Packed, error) {
		if a.In[0].DType != graph.Float32 {
			return nil, nil
		}
		switch a.As {
		case "conv2d":
			return packedConv(b.t, a)
		case "spread":
			return packedSpread(b.t, a)
		case "matmul":
			return packedMatMul(b.t, a), nil
		case lower.Integers:
			return packedIntegers(b.t, a), nil
		}
		return nil, nil
	}
	return t
}

func (b *binder) attrs(id graph.NodeID) lower.Attrs {
	return lower.Attrs{Op: b.plan.Graph.Op(id), Values: b.plan.Graph.Attrs(id)}
}

// value is a value with its memory, nil for None.
func (b *binder) value(id lower.ValueID) *value {
	if id == lower.None {
		return nil
	}
	v := &b.plan.Values[id]
	return &value{v, b.bufs[v.Buffer], v.Offset * v.DType.Bytes()}
}

func (b *binder) values(ids []lower.ValueID) []*value {
	out := make([]*value, len(ids))
	for i, id := range ids {
		out[i] = b.value(id)
	}
	return out
}

// prepared is operand i in the form that the kernel wants, nil if it reads it as
// it is.
func (b *binder) prepared(k *lower.Kernel, i int) *value {
	if i >= len(k.Prepared) {
		return nil
	}
	return b.value(k.Prepared[i])
}

// bind makes the call of a kernel.
func (b *binder) bind(k *lower.Kernel) (*step, error) {
	s := &step{node: k.Node}
	for _, v := range b.values(k.Out) {
		s.writes = append(s.writes, v.buf)
	}
	k.Reads(func(v lower.ValueID) { s.reads = append(s.reads, b.value(v).buf) })
	var make binding
	switch k.Kind {
	case lower.Copy:
		make = bindCopy
	case lower.Constant:
		make = bindMeaning
	case lower.Prepare:
		make = preparations[k.As]
	default:
		make = kernels[k.As]
	}
	if make == nil && len(k.In) > 0 && len(k.Out) > 0 {
		switch x, y := b.value(k.In[0]), b.value(k.Out[0]); {
		case y.DType != graph.Float32 && x.DType == y.DType:
			make = typed(k.As, y.DType, y.Type)
		case x.DType == y.DType:
			make = floats[k.As]
			var err error
			if s.tail, err = b.bindTail(k); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case make != nil:
		return s, make(b, k, s)
	case k.Kind == lower.Compute && k.As == b.plan.Graph.Op(k.Node).Name:
		return s, bindMeaning(b, k, s)
	}
	return nil, fmt.Errorf("there is no kernel for %s", k.As)
}

func bindChain(b *binder, k *lower.Kernel, s *step) error {
	x, y, f := b.value(k.In[0]), b.value(k.Out[0]), s.tail
	all := y.Elements()
	n, rowMod := f.n, max(f.rowMod, 1)
	if n == 0 {
		n = all
	}
	s.made(b.t, func() []call {
		from := x.ptr()
		if !x.Dense() {
			from = y.ptr() // the first operation takes it from where it lies
		}
		return []call{{y: y.ptr(), x: from, rows: all / n, n: n, rowMod: rowMod, ops: f.tail.ops, nops: f.tail.nops}}
	})
	return nil
}
