package search

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
)

// Make makes a move by r, a rewriter of this network, and notes the instance that
// shows it. The error is that of [Rewriter.Apply].
func (n *Network) Make(r *Rewriter, m *Match) error {
	l := m.Direction.Law.Law
	if err := n.use(l); err != nil {
		return err
	}
	in := n.instance(m)
	var swapped []law.Instance
	for i, ref := range m.Direction.Roots {
		if !n.matched(m, ref, m.Roots[i], &swapped) {
			return fmt.Errorf("law %s: the match is not one of its pattern", l.Name)
		}
	}
	// What is built may be there with its operands in the other order.
	r.built = func(args []bank.Tensor, x bank.Node) {
		if n.Net.Op(x).Commutative && !slices.Equal(args, n.Net.Operands(x)) {
			n.swap(n.Net.Out(x, 0), &swapped)
		}
	}
	n.Net.Merged = n.merged(&swapped)
	defer func() { r.built, n.Net.Merged = nil, nil }()
	if err := r.Apply(m); err != nil {
		return err
	}
	n.insts = append(append(n.insts, swapped...), in)
	return nil
}

// instance is what a match says, over the terms of the network.
func (n *Network) instance(m *Match) law.Instance {
	b := m.Substitution()
	for name, run := range b.Runs {
		b.Runs[name] = slices.Clone(run)
	}
	in := law.Instance{Law: m.Direction.Law.Law.Name, Tensors: map[string]*law.Term{}, Dims: b.Dims, Runs: b.Runs, Attrs: b.Attrs}
	for i, name := range m.Direction.Vars {
		in.Tensors[name] = n.term(m.Vars[i])
	}
	for i, f := range m.Direction.Law.Fns {
		if in.Fns == nil {
			in.Fns = map[string]string{}
		}
		in.Fns[f.Name] = m.Fns[i].String()
	}
	return in
}

// matched walks a pattern over what it was matched with, and notes where operands
// of a commutative operator are in the other order.
func (n *Network) matched(m *Match, ref int32, t bank.Tensor, swapped *[]law.Instance) bool {
	if ref < 0 {
		return m.Vars[^ref] == t
	}
	p := &m.Direction.Nodes[ref]
	op, attrs, _, args, out := n.Net.Node(t)
	switch {
	case op == nil || p.Op != nil && (op != p.Op || out != p.Out) || len(args) != len(p.Kids):
		return false
	case p.Op == nil && !m.Fns[p.Fn].Is(op, attrs):
		return false
	}
	had := len(*swapped)
	all := true
	for i, k := range p.Kids {
		all = all && n.matched(m, k, args[i], swapped)
	}
	if all || !op.Commutative {
		return all
	}
	*swapped = (*swapped)[:had]
	if !n.matched(m, p.Kids[0], args[1], swapped) || !n.matched(m, p.Kids[1], args[0], swapped) {
		return false
	}
	n.swap(t, swapped)
	return true
}

// swap notes that the operands of the operator that computes t may be exchanged, if
// there is a law for it.
func (n *Network) swap(t bank.Tensor, to *[]law.Instance) {
	op, _, _, _, _ := n.Net.Node(t)
	d := n.swaps[op]
	if d == nil || n.use(d.Law.Law) != nil {
		return
	}
	n.exact.Match(d, []bank.Tensor{t}, func(m *Match) bool {
		*to = append(*to, n.instance(m))
		return false
	})
}

// Apply applies an operator to tensors of the network, as [bank.Bank.Apply]; where
// it is there with its operands in the other order, that is noted.
func (n *Network) Apply(op *graph.Op, attrs graph.Attrs, dtype graph.DType, args ...bank.Tensor) (bank.Node, error) {
	x, err := n.Net.Apply(op, attrs, dtype, args...)
	if err == nil && op.Commutative && !slices.Equal(args, n.Net.Operands(x)) {
		n.swap(n.Net.Out(x, 0), &n.insts)
	}
	return x, err
}

// Replace replaces tensors by others, as [bank.Bank.Replace], that instances which
// were added make equal to them.
func (n *Network) Replace(old, now []bank.Tensor) error {
	n.Net.Merged = n.merged(&n.insts)
	defer func() { n.Net.Merged = nil }()
	return n.Net.Replace(old, now)
}

// merged notes where nodes become one that have the same operands in another order.
func (n *Network) merged(to *[]law.Instance) func(old, now bank.Node) {
	return func(old, now bank.Node) {
		if n.Net.Op(now).Commutative && !slices.Equal(n.Net.Operands(old), n.Net.Operands(now)) {
			n.swap(n.Net.Out(now, 0), to)
		}
	}
}
