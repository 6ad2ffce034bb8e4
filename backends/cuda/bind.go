package cuda

import (
	"context"
	"errors"
	"fmt"

	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/lower"
)

// Bases of a plan's table, see the package's words. Constants are behind them.
const (
	arenaBase = iota
	scratchBase
	faultBase
	firstConstant
)

// binder makes dl's calls of kernel's.
type binder struct {
	b         *Backend
	plan      *lower.Plan
	base      []int // by buffer, the base of a constant
	bases     int
	functions map[string]dl.Function // by source
	modules   []*dl.Module
}

func newBinder(b *Backend, p *lower.Plan) *binder {
	n := &binder{b: b, plan: p, base: make([]int, len(p.Buffers)), bases: firstConstant, functions: map[string]dl.Function{}}
	for i := range p.Buffers {
		if p.Buffers[i].Constant() {
			n.base[i] = n.bases
			n.bases++
		}
	}
	return n
}

// close unloads the modules. No plan of theirs may run after that.
func (n *binder) close() error {
	var errs []error
	for _, m := range n.modules {
		errs = append(errs, m.Close())
	}
	n.modules, n.functions = nil, nil
	return first(errs...)
}

// load compiles the sources of calls, those that are not loaded yet, and loads
// them.
func (n *binder) load(ctx context.Context, calls []kernel.Call) error {
	var sources []string
	var nodes []graph.NodeID // of the first call of each
	seen := map[string]bool{}
	for i := range calls {
		l := calls[i].Launch
		if l == nil || seen[l.Source] {
			continue
		}
		seen[l.Source] = true
		if _, have := n.functions[l.Source]; !have {
			sources, nodes = append(sources, l.Source), append(nodes, calls[i].Node)
		}
	}
	cubins := make([][]byte, len(sources))
	err := parallel.Each(ctx, 0, len(sources), func(_, i int) (err error) {
		if cubins[i], err = n.b.compiler.Compile(sources[i]); err != nil {
			return n.named(nodes[i], err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, cubin := range cubins {
		m, err := n.b.dev.Module(cubin)
		if err != nil {
			return n.named(nodes[i], fmt.Errorf("load its kernel: %w", err))
		}
		n.modules = append(n.modules, m)
		f, err := m.Function("k", shared(calls, sources[i]))
		if err != nil {
			return n.named(nodes[i], err)
		}
		n.functions[sources[i]] = f
	}
	return nil
}

// shared is the most dynamic shared memory in bytes with which a source is launched.
func shared(calls []kernel.Call, source string) int {
	most := 0
	for i := range calls {
		if l := calls[i].Launch; l != nil && l.Source == source {
			most = max(most, l.Shared)
		}
	}
	return most
}

func (n *binder) named(node graph.NodeID, err error) error {
	g := n.plan.Graph
	return fmt.Errorf("node %s (%s): %w", g.Name(node), g.Op(node).Name, err)
}

// ref is a pointer in terms of bases; word is the number of the call's fault word.
func (n *binder) ref(r kernel.Ref, word int) dl.Ref {
	switch r.Value {
	case lower.None:
		return dl.None
	case kernel.Scratch:
		return dl.At(scratchBase, r.Offset)
	case kernel.Fault:
		return dl.At(faultBase, int64(word)*kernel.FaultBytes+r.Offset)
	}
	at := n.place(r.Value)
	at.Offset += r.Offset
	return at
}

// place is where the first element of a value lies.
func (n *binder) place(id lower.ValueID) dl.Ref {
	v := &n.plan.Values[id]
	at := int64(v.Offset) * int64(v.DType.Bytes())
	if n.plan.Buffers[v.Buffer].Constant() {
		return dl.At(n.base[v.Buffer], at)
	}
	return dl.At(arenaBase, int64(n.plan.Place(v.Buffer))+at)
}

// A fault is what a fault word means.
type fault struct {
	node    graph.NodeID
	message string // a format of one int64
}

// A program is a dl.Plan with what its calls are about.
type program struct {
	*dl.Plan
	nodes  []graph.NodeID // by call; 0: of no node
	shapes []string       // by call, the shape that choices are kept by; "": there is no choice
	words  int            // there may be of fault words
	faults []fault        // by fault word
}

// program makes a plan of calls. What a library refuses is done by the launches that
// do the same. bound is the workspace in bytes.
func (n *binder) program(ctx context.Context, calls []kernel.Call, bound int64) (*program, error) {
	p := &program{words: faultWords(calls)}
	plan, err := n.b.dev.NewPlan(bound)
	if err != nil {
		return nil, err
	}
	p.Plan = plan
	if p.words > 0 {
		err = plan.Fill(dl.At(faultBase, 0), 0, int64(p.words)*kernel.FaultBytes)
		p.nodes, p.shapes = append(p.nodes, 0), append(p.shapes, "")
	}
	for i := range calls {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = n.add(ctx, p, &calls[i])
		}
	}
	if err != nil {
		return nil, first(err, plan.Close())
	}
	return p, nil
}

// add appends a call.
func (n *binder) add(ctx context.Context, p *program, c *kernel.Call) error {
	var err error
	shape := ""
	switch {
	case c.Launch != nil:
		err = n.launch(p, c.Node, c.Launch)
	case c.Matmul != nil:
		m := n.matmul(c.Matmul)
		shape = shapeOfMatmul(m)
		err = n.offered(shape, func() error { return p.Matmul(m) })
	case c.Conv != nil:
		v := n.conv(c.Conv)
		shape = shapeOfConv(v)
		err = n.offered(shape, func() error { return p.Conv(v) })
	default:
		err = errors.New("a call of nothing")
	}
	if errors.Is(err, dl.ErrUnsupported) && len(c.Fallback) > 0 {
		if err := n.load(ctx, c.Fallback); err != nil {
			return err
		}
		for i := range c.Fallback {
			if err := n.add(ctx, p, &c.Fallback[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return n.named(c.Node, err)
	}
	p.nodes, p.shapes = append(p.nodes, c.Node), append(p.shapes, shape)
	if shape == "" {
		return nil
	}
	return n.choose(p, len(p.nodes)-1)
}

// offered is what add says, unless the library refuses whatever it offers for a shape.
func (n *binder) offered(shape string, add func() error) error {
	if n.b.choices.useless(shape) {
		return fmt.Errorf("each algorithm that it offers is refused: %w", dl.ErrUnsupported)
	}
	return add()
}

// choose takes the algorithm that was fastest when the shape was measured, or the best
// that was not refused.
func (n *binder) choose(p *program, call int) error {
	count, _, err := p.Choices(call)
	if err != nil {
		return err
	}
	at, ok := n.b.choices.get(p.shapes[call], count)
	if !ok {
		at = max(n.b.choices.first(p.shapes[call], count), 0)
	}
	return p.Choose(call, at)
}

// faultWords is how many calls may have one.
func faultWords(calls []kernel.Call) int {
	words := 0
	for i := range calls {
		if l := calls[i].Launch; l != nil && l.Fault != "" {
			words++
		}
		words += faultWords(calls[i].Fallback)
	}
	return words
}

func (n *binder) launch(p *program, node graph.NodeID, l *kernel.Launch) error {
	args := make([]dl.Ref, len(l.Args))
	for i, a := range l.Args {
		args[i] = n.ref(a, len(p.faults))
	}
	if l.Fault != "" {
		p.faults = append(p.faults, fault{node, l.Fault})
	}
	return p.Launch(n.functions[l.Source], l.Grid, l.Block, l.Shared, args)
}

func (n *binder) matmul(m *kernel.Matmul) dl.Matmul {
	return dl.Matmul{
		M: m.M, N: m.N, K: m.K, Batch: m.Batch,
		A: n.ref(m.A, 0), B: n.ref(m.B, 0), C: n.ref(m.C, 0), D: n.ref(m.D, 0), Bias: n.ref(m.Bias, 0),
		TransA: m.TransA, TransB: m.TransB,
		LDA: int64(m.LDA), LDB: int64(m.LDB), LDC: int64(m.LDD), LDD: int64(m.LDD),
		StrideA: int64(m.StrideA), StrideB: int64(m.StrideB), StrideC: int64(m.StrideD), StrideD: int64(m.StrideD),
		Relu: m.Relu, Math: dl.Math(n.b.opt.Math),
	}
}

func (n *binder) conv(c *kernel.Conv) dl.Conv {
	return dl.Conv{
		N: c.X[0], C: c.X[1], H: c.X[2], W: c.X[3], K: c.W[0], R: c.W[2], S: c.W[3], OutH: c.Y[2], OutW: c.Y[3],
		PadH: c.Pad[0], PadW: c.Pad[1], StrideH: c.Stride[0], StrideW: c.Stride[1], DilationH: c.Dilation[0], DilationW: c.Dilation[1], Groups: c.Groups,
		X: n.ref(c.Image, 0), Filter: n.ref(c.Kernel, 0), Bias: n.ref(c.Bias, 0), Z: n.ref(c.Z, 0), Y: n.ref(c.Out, 0),
		Relu: c.Relu, Math: dl.Math(n.b.opt.Math),
	}
}
