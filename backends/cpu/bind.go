package cpu

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/lower"
)

// step is a kernel of the plan as a call.
type step struct {
	node    graph.NodeID
	run     func(scratch ptr) error
	scratch int // elements that it needs
	reads   []*buffer
	writes  *buffer
	tail    *fusion // nil for kernels that take none
}

// binder makes the kernels of a plan calls.
type binder struct {
	t    table
	plan *lower.Plan
	bufs []*buffer
}

// binding makes the call of one kind of kernel: run and scratch of a step.
type binding func(b *binder, k *lower.Kernel, s *step) error

// kernels are the operators that have kernels, by [lower.Kernel.As];
// preparations those whose operands are prepared.
var kernels, preparations map[string]binding

func init() {
	kernels = map[string]binding{
		"conv2d": bindConv, "depthwise": bindWindows, "poolmax": bindWindows, "poolavg": bindWindows, "matmul": bindMatMul,
		"reducesum": bindReduce, "reducemean": bindReduce, "reducemax": bindReduce,
		"softmax": bindSoftmax, "layernorm": bindLayerNorm, "resize": bindResize, "gather": bindGather, "cast": bindCast,
		"concat": bindPlaced, "enlarge": bindPlaced, "pad": bindPlaced,
	}
	preparations = map[string]binding{
		"conv2d": packConv, "matmul": packMatMul, "affine": prepareAffine, "resize": prepareResize,
	}
}

// runs reports whether there is a kernel for an operator with operands.
func runs(op *graph.Op) bool {
	if _, _, _, ok := stepCode(lower.StepFn(op), false); ok || lower.IsView(op) {
		return true
	}
	return kernels[op.Name] != nil
}

// Target is what the kernels can do, with the forms that they want weights in.
func (b *Backend) Target() *lower.Target {
	t := lower.CPU()
	t.Packed = func(a *lower.App) ([]lower.Packed, error) {
		switch a.As {
		case "conv2d":
			return packedConv(b.t, a)
		case "matmul":
			return packedMatMul(b.t, a), nil
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
	s := &step{node: k.Node, writes: b.value(k.Out[0]).buf}
	k.Reads(func(v lower.ValueID) { s.reads = append(s.reads, b.value(v).buf) })
	var err error
	if s.tail, err = b.bindTail(k); err != nil {
		return nil, err
	}
	make := map[lower.Kind]binding{
		lower.Compute: kernels[k.As], lower.Prepare: preparations[k.As],
		lower.Chain: bindChain, lower.Copy: bindCopy, lower.Constant: bindConstant,
	}[k.Kind]
	if make == nil {
		return nil, fmt.Errorf("there is no kernel for %s", k.As)
	}
	return s, make(b, k, s)
}

func bindChain(b *binder, k *lower.Kernel, s *step) error {
	kern, x, y, f := b.t, b.value(k.In[0]), b.value(k.Out[0]), s.tail
	all := y.Elements()
	n, rowMod := f.n, max(f.rowMod, 1)
	if n == 0 {
		n = all
	}
	s.run = func(ptr) error {
		kern.chain(y.ptr(), x.ptr(), all/n, n, rowMod, f.tail.ops, f.tail.nops)
		return nil
	}
	return nil
}

// bindConstant evaluates an operator without operands by its meaning.
func bindConstant(b *binder, k *lower.Kernel, s *step) error {
	a, y := b.attrs(k.Node), b.value(k.Out[0])
	res, err := interp.Apply(interp.Float{}, a.Op, a.Values, nil)
	if err != nil {
		return err
	}
	data := res[0].Data
	switch y.DType {
	case graph.Float32:
		s.run = func(ptr) error {
			for i, x := range data {
				f32(y.ptr(), len(data))[i] = float32(x)
			}
			return nil
		}
	case graph.Int64:
		s.run = func(ptr) error {
			for i, x := range data {
				i64(y.ptr(), len(data))[i] = int64(x)
			}
			return nil
		}
	default:
		return fmt.Errorf("elements of type %s", y.DType)
	}
	return nil
}
