package kernel

import (
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// binding adds the calls of one kernel.
type binding func(b *binder, k *lower.Kernel) error

// kernels are the operators that have kernels of their own, by [lower.Kernel.As];
// preparations those whose operands are prepared. All others are run by their
// meaning.
var kernels, preparations map[string]binding

func init() {
	kernels = map[string]binding{
		"concat": bindConcat, "pad": bindPad, "enlarge": bindEnlarge,
		"reverse": bindReverse, "cast": bindCast, "resize": bindResize,
		"matmul": bindMatmul, "conv2d": bindConv, "depthwise": bindDepthwise, "poolmax": bindPool, "poolavg": bindPool,
		"reducesum": bindReduce, "reducemean": bindReduce, "reducemax": bindReduce, "dots": bindDots,
		"softmax": bindSoftmax, "layernorm": bindLayerNorm,
		"gather": bindGather, "scatteradd": bindScatterAdd, "pick": bindPick, "topk": bindTopK,
	}
	preparations = map[string]binding{"affine": prepareAffine, "resize": prepareResize}
}

// binder makes the calls of one kernel of a plan.
type binder struct {
	plan    *lower.Plan
	lib     Libraries
	node    graph.NodeID
	calls   []Call
	scratch int64
}

// Calls are the calls of kernel k of plan p, which was lowered for [lower.CUDA], and
// the bytes of scratch memory that they need. An error is a *[backends.Unsupported]
// where the kernel needs what there is no code for.
func Calls(p *lower.Plan, k *lower.Kernel, lib Libraries) (calls []Call, scratch int64, err error) {
	b := &binder{plan: p, lib: lib, node: k.Node}
	if err := b.bind(k); err != nil {
		return nil, 0, fmt.Errorf("node %s (%s): %w", p.Graph.Name(k.Node), p.Graph.Op(k.Node).Name, err)
	}
	return b.calls, b.scratch, nil
}

func (b *binder) bind(k *lower.Kernel) error {
	var f binding
	switch k.Kind {
	case lower.Compute:
		if f = kernels[k.As]; f == nil {
			f = bindMeaning
		}
	case lower.Prepare:
		f = preparations[k.As]
	case lower.Chain:
		f = bindChain
	case lower.Copy:
		f = bindCopy
	case lower.Constant:
		f = bindMeaning
	}
	if f == nil {
		return b.unsupported("there is no kernel for %s", k.As)
	}
	return f(b, k)
}

// unsupported is the error for what there is no code for.
func (b *binder) unsupported(format string, args ...any) error {
	g := b.plan.Graph
	return &backends.Unsupported{Backend: "cuda", Node: g.Name(b.node), Op: g.Op(b.node).Name, Why: fmt.Sprintf(format, args...)}
}

func (b *binder) attrs(id graph.NodeID) lower.Attrs {
	return lower.Attrs{Op: b.plan.Graph.Op(id), Values: b.plan.Graph.Attrs(id)}
}

func (b *binder) value(id lower.ValueID) *lower.Value { return &b.plan.Values[id] }

// launch adds the launch of a source.
func (b *binder) launch(s *source, grid, block [3]int) {
	b.calls = append(b.calls, Call{Node: b.node, Launch: s.launch(grid, block)})
}
