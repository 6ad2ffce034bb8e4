package search

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/lower"
)

// Prices tells what operator applications cost, in a unit of the caller's choice.
type Prices interface {
	// Alone is with a kernel of its own, of a view when it must be copied, and as a
	// view if it is one.
	Alone(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (alone, view int64, err error)
	// Fused is what an elementwise operator adds in the kernel of an operand of type
	// t. others are its other operands, with sizes of 1 where they are repeated.
	Fused(op *graph.Op, a graph.Attrs, others []graph.TensorType, t graph.TensorType) (int64, error)
}

// Pricer is the cost of what would run of a network, kept up to date while the
// network is rewritten: an elementwise operator that goes into the kernel of an
// operand costs what it adds there, a view its dispatch and, where somebody cannot
// read it as it lies, a copy; what depends on weights only costs nothing. All of
// this is known from a node's neighbours (package lower), so that after a rewrite
// only those of what changed are priced again. Against the plan of the whole graph
// it knows neither the order of kernels nor which rows a tail has agreed on.
type Pricer struct {
	net    *bank.Bank
	target *lower.Target
	prices Prices
	known  map[knownKey]known
	fused  map[fusedKey]int64
	cost   []int64 // by node
	total  int64
	log    []priced
	seen   []uint32 // by node: the round in which it was priced
	round  uint32
	err    error
}

// known is what an application costs by itself and as a view.
type known struct{ alone, view int64 }

// knownKey is an application, with the axes along which each operand is repeated.
type knownKey struct{ app, first, second uint32 }

// fusedKey is an application in the kernel of an operand: which operand is another
// one, and which of its axes are repeated.
type fusedKey struct {
	app, axes uint32
	other     int8
}

// priced is what a node cost before.
type priced struct {
	node bank.Node
	cost int64
}

// PricerMark is a state to which a Pricer can go back, when its network has.
type PricerMark struct {
	log   int
	total int64
}

// NewPricer prices a network.
func NewPricer(net *bank.Bank, t *lower.Target, prices Prices) *Pricer {
	p := &Pricer{net: net, target: t, prices: prices, known: map[knownKey]known{}, fused: map[fusedKey]int64{}}
	p.All()
	return p
}

// All prices everything again, after which no earlier mark can be gone back to.
func (p *Pricer) All() {
	p.cost, p.log, p.total = make([]int64, p.net.Len()+1), nil, 0
	p.net.Nodes(func(n bank.Node) bool {
		p.cost[n] = p.now(n)
		p.total += p.cost[n]
		return true
	})
}

// Cost is the cost of a run; Err what the prices failed with, nil if they did not.
func (p *Pricer) Cost() int64 { return p.total }

// Err is the first error of the prices: the cost is of no use then.
func (p *Pricer) Err() error { return p.err }

// Of is what a node costs.
func (p *Pricer) Of(n bank.Node) int64 { return p.cost[n] }

// Mark notes the present state.
func (p *Pricer) Mark() PricerMark { return PricerMark{len(p.log), p.total} }

// Undo goes back to a mark.
func (p *Pricer) Undo(m PricerMark) {
	for i := len(p.log) - 1; i >= m.log; i-- {
		p.cost[p.log[i].node] = p.log[i].cost
	}
	p.log, p.total = p.log[:m.log], m.total
}

// Keep forgets marks.
func (p *Pricer) Keep() { p.log = p.log[:0] }

// Update prices what changed in the network since a mark of it, and what is near.
func (p *Pricer) Update(m bank.Mark) {
	p.round++
	p.net.Changed(m, func(n bank.Node, _ bool) {
		p.again(n)
		if !p.net.Live(n) {
			return
		}
		for _, t := range p.net.Operands(n) {
			p.above(t)
		}
		for k := range p.net.NumOut(n) {
			p.below(p.net.Out(n, k))
		}
	})
}

// above prices what computes t, behind views.
func (p *Pricer) above(t bank.Tensor) {
	n, _ := p.net.NodeOf(t)
	if p.again(n) && p.isView(n) {
		p.above(p.net.Operand(n, 0))
	}
}

// below prices what reads t, behind views.
func (p *Pricer) below(t bank.Tensor) {
	p.net.Users(t, func(u bank.Node, _ int) bool {
		if p.again(u) && p.isView(u) {
			for k := range p.net.NumOut(u) {
				p.below(p.net.Out(u, k))
			}
		}
		return true
	})
}

func (p *Pricer) again(n bank.Node) bool {
	for int(n) >= len(p.cost) {
		p.cost = append(p.cost, 0)
	}
	for int(n) >= len(p.seen) {
		p.seen = append(p.seen, 0)
	}
	if p.seen[n] == p.round {
		return false
	}
	p.seen[n] = p.round
	c := int64(0)
	if p.net.Live(n) {
		c = p.now(n)
	}
	if c != p.cost[n] {
		p.log = append(p.log, priced{n, p.cost[n]})
		p.total += c - p.cost[n]
		p.cost[n] = c
	}
	return true
}

func (p *Pricer) isView(n bank.Node) bool {
	op := p.net.Op(n)
	return op != nil && lower.IsView(op) && !p.target.Copies[op.Name]
}

// now is what a live node costs.
func (p *Pricer) now(n bank.Node) int64 {
	app := p.net.App(n)
	if app == 0 || p.net.Fixed(n) {
		return 0
	}
	op := p.net.Op(n)
	if p.joins(n, op) {
		return p.inKernel(n, op)
	}
	if p.nested(n, op) {
		return 0
	}
	key := knownKey{app: app}
	if lower.Repeats(op) {
		key.first, key.second = p.repeated(p.net.Operand(n, 0)), p.repeated(p.net.Operand(n, 1))
	}
	x, ok := p.known[key]
	if !ok {
		var err error
		in, out := p.types(n)
		if lower.Repeats(op) {
			in[0], in[1] = unrepeated(in[0], key.first), unrepeated(in[1], key.second)
		}
		x.alone, x.view, err = p.prices.Alone(op, p.net.Attrs(n), in, out)
		p.failed(err)
		p.known[key] = x
	}
	if p.isView(n) && !p.copied(n) {
		return x.view
	}
	return x.alone
}

// nested reports whether a node is a concatenation that is one with that which reads it.
// The latter is priced with this one as an operand, of as many bytes as what it joins.
func (p *Pricer) nested(n bank.Node, op *graph.Op) bool {
	t := p.net.Out(n, 0)
	if op.Name != "concat" || p.net.UseCount(t) != 1 {
		return false
	}
	is := false
	p.net.Users(t, func(u bank.Node, _ int) bool {
		is = p.net.App(u) != 0 && p.target.Nests(lower.Attrs{Op: op, Values: p.net.Attrs(n)}, lower.Attrs{Op: p.net.Op(u), Values: p.net.Attrs(u)})
		return false
	})
	return is
}

func (p *Pricer) failed(err error) {
	if err != nil && p.err == nil {
		p.err = err
	}
}

func (p *Pricer) types(n bank.Node) (in, out []graph.TensorType) {
	for _, t := range p.net.Operands(n) {
		in = append(in, p.net.Type(t))
	}
	for k := range p.net.NumOut(n) {
		out = append(out, p.net.Type(p.net.Out(n, k)))
	}
	return in, out
}

// inKernel is what an elementwise node adds to the kernel of an operand. Which
// operand that is matters where the other one is repeated: then it is the latter
// that is read.
func (p *Pricer) inKernel(n bank.Node, op *graph.Op) int64 {
	key := fusedKey{app: p.net.App(n), other: 1}
	if lower.Repeats(op) {
		for i := range 2 {
			if axes := p.repeated(p.net.Operand(n, i)); axes != 0 {
				key.axes, key.other = axes, int8(i)
			}
		}
	}
	c, ok := p.fused[key]
	if !ok {
		var others []graph.TensorType
		for i, t := range p.net.Operands(n) {
			o := p.net.Type(t)
			if i == int(key.other) {
				o = unrepeated(o, key.axes)
			}
			if lower.Repeats(op) && i == int(key.other) || !lower.Repeats(op) && i > 0 {
				others = append(others, o)
			}
		}
		var err error
		c, err = p.prices.Fused(op, p.net.Attrs(n), others, p.net.Type(p.net.Out(n, 0)))
		p.failed(err)
		p.fused[key] = c
	}
	return c
}

// repeated are the axes along which a tensor is repeated, as bits.
func (p *Pricer) repeated(t bank.Tensor) (axes uint32) {
	v := p.value(t)
	for k, stride := range v.Strides {
		if stride == 0 && v.Sizes[k] > 1 && k < 32 {
			axes |= 1 << k
		}
	}
	return axes
}

// unrepeated is a type with sizes of 1 for axes.
func unrepeated(t graph.TensorType, axes uint32) graph.TensorType {
	if axes == 0 {
		return t
	}
	t.Sizes = slices.Clone(t.Sizes)
	for k := range t.Sizes {
		if axes>>k&1 != 0 {
			t.Sizes[k] = 1
		}
	}
	return t
}

// joins reports whether an elementwise node goes into the kernel of an operand.
func (p *Pricer) joins(n bank.Node, op *graph.Op) bool {
	if !lower.IsStep(op) {
		return false
	}
	var few [4]lower.Made
	in := few[:0]
	for _, t := range p.net.Operands(n) {
		m, _ := p.net.NodeOf(t)
		uses := p.net.UseCount(t)
		for p.reshapesDense(m) {
			t = p.net.Operand(m, 0)
			m, _ = p.net.NodeOf(t)
			uses = max(uses, p.net.UseCount(t))
		}
		o := lower.Made{Type: p.net.Type(t), Uses: uses, Fixed: p.net.Fixed(m)}
		if p.net.App(m) != 0 {
			o.Attrs = lower.Attrs{Op: p.net.Op(m), Values: p.net.Attrs(m)}
			if p.net.Arity(m) > 0 {
				o.X = p.net.Type(p.net.Operand(m, 0)).Sizes
			}
		}
		in = append(in, o)
	}
	return p.target.Joins(op, p.net.Type(p.net.Out(n, 0)), in)
}

// reshapesDense reports whether a node is a view that gives a dense tensor other sizes.
func (p *Pricer) reshapesDense(n bank.Node) bool {
	op := p.net.Op(n)
	if op == nil || op.Name != "reshape" || !p.isView(n) {
		return false
	}
	x := p.value(p.net.Operand(n, 0))
	return x.Dense()
}

// value is how a tensor lies.
func (p *Pricer) value(t bank.Tensor) lower.Value {
	t = p.net.Came(t)
	n, out := p.net.NodeOf(t)
	if p.isView(n) {
		if vs, ok := p.views(n); ok {
			return vs[out]
		}
	}
	sizes := p.net.Type(t).Sizes
	return lower.Value{Sizes: sizes, Strides: graph.Strides(sizes), DType: p.net.Type(t).DType, Type: p.net.Type(t).DType}
}

// views are the results of a view; not ok if its operand must be copied first.
func (p *Pricer) views(n bank.Node) (vs []lower.Value, ok bool) {
	x := p.value(p.net.Operand(n, 0))
	types := make([]graph.TensorType, p.net.NumOut(n))
	for k := range types {
		types[k] = p.net.Type(p.net.Out(n, k))
	}
	vs, err := lower.Views(lower.Attrs{Op: p.net.Op(n), Values: p.net.Attrs(n)}, &x, types)
	return vs, err == nil
}

// copied reports whether a view is made dense, because somebody cannot read it as it
// lies.
func (p *Pricer) copied(n bank.Node) bool {
	vs, ok := p.views(n)
	if !ok {
		return false // what it is of was made dense for it
	}
	for k := range vs {
		if vs[k].Dense() {
			continue
		}
		t := p.net.Out(n, k)
		copied := slices.Contains(p.net.Outputs(), t)
		p.net.Users(t, func(u bank.Node, _ int) bool {
			copied = copied || !p.takes(u, &vs[k])
			return !copied
		})
		if copied {
			return true
		}
	}
	return false
}

// takes reports whether a node reads an operand as it lies.
func (p *Pricer) takes(u bank.Node, v *lower.Value) bool {
	op := p.net.Op(u)
	switch {
	case p.isView(u):
		_, out := p.types(u)
		_, err := lower.Views(lower.Attrs{Op: op, Values: p.net.Attrs(u)}, v, out)
		return err == nil
	case lower.IsStep(op):
		return p.target.TakesStep(v)
	}
	x := p.net.Type(p.net.Operand(u, 0)).Sizes
	as := lower.As(lower.Attrs{Op: op, Values: p.net.Attrs(u)}, x, p.net.Type(p.net.Out(u, 0)).Sizes)
	return p.target.Takes(as, v)
}
