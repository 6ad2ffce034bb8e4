package search

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Network is a network that is rewritten, with what shows that each rewrite was
// right: its tensors are terms of the law language, and each move that is made
// through it is an instance of a law over these terms.
//
// The terms' variables are the network's inputs and weights, X0, X1, ... in their
// order, and the tensors that are cut, Z0, Z1, ...: those of which laws do not
// speak, because their node is opaque, their elements are not floating-point numbers, or
// the node has an operand without elements. Tensors without elements are no terms. What a node with such an output is computed from is one more output of
// the equation, so that an equation of the terms, for all values of the cut
// tensors, is one of the networks: both compute their cut tensors in order from
// equal operands.
//
// A tensor keeps the term that it was given first. When operands below it are
// replaced it is equal to what it is then by congruence, so the instances of a
// derivation are as long as its steps, however deep the network is.
type Network struct {
	Net *bank.Bank

	given    []law.Declaration
	first    []*law.Term // by tensor of the bank
	cuts     []bank.Node // the nodes with cut tensors, in the order in which Left has their operands
	left     []*law.Term
	inputs   int                 // variables that are inputs
	original int                 // nodes of the bank as it came
	laws     map[string]*law.Law // that instances name
	swaps    map[*graph.Op]*rewrite.Direction
	exact    *rewrite.Matcher[bank.Tensor] // operands in order
	insts    []law.Instance
}

// NewNetwork is the network that the outputs of g are computed by. Derived
// operators become what they stand for.
func NewNetwork(g *graph.Graph, price bank.Price) (*Network, error) {
	net, _, err := bank.From(g, price)
	if err != nil {
		return nil, err
	}
	return networkOf(net), nil
}

// NewNetworkReal is NewNetwork where laws speak of real numbers only, w being what is known
// of those of weights: see [bank.FromReal].
func NewNetworkReal(g *graph.Graph, price bank.Price, w bank.Weights) (*Network, error) {
	net, _, err := bank.FromReal(g, price, w)
	if err != nil {
		return nil, err
	}
	return networkOf(net), nil
}

func networkOf(net *bank.Bank) *Network {
	n := &Network{Net: net, laws: map[string]*law.Law{}, swaps: map[*graph.Op]*rewrite.Direction{},
		exact: rewrite.NewMatcher[bank.Tensor](net)}
	n.exact.Exact = true
	for i, x := range net.Inputs() {
		if t := net.Out(x, 0); !net.Type(t).Empty() {
			n.declare("X"+strconv.Itoa(i), t)
		}
	}
	n.inputs = len(n.given)
	n.left, n.cuts = n.sides(n.term)
	n.original = net.Len()
	return n
}

// declare makes a tensor a variable.
func (n *Network) declare(name string, t bank.Tensor) *law.Term {
	v := law.V(name)
	n.given = append(n.given, law.Declaration{Name: name, Shape: n.Net.Shape(t)})
	n.set(t, v)
	return v
}

func (n *Network) set(t bank.Tensor, v *law.Term) {
	for int(t) >= len(n.first) {
		n.first = append(n.first, nil)
	}
	n.first[t] = v
}

// cut reports whether laws do not speak of the node that computes t.
func (n *Network) cut(t bank.Tensor) bool {
	op, _, _, _, _ := n.Net.Node(t)
	x, _ := n.Net.NodeOf(t)
	return op == nil && n.Net.Op(x) != nil
}

// Term is the term of a tensor: the one that it was given first.
func (n *Network) Term(t bank.Tensor) *law.Term { return n.term(t) }

// Known is the term of a tensor if it was given one, nil otherwise.
func (n *Network) Known(t bank.Tensor) *law.Term {
	if int(t) < len(n.first) {
		return n.first[t]
	}
	return nil
}

func (n *Network) term(t bank.Tensor) *law.Term {
	if int(t) < len(n.first) && n.first[t] != nil {
		return n.first[t]
	}
	op, attrs, _, args, out := n.Net.Node(t)
	if op == nil { // inputs have theirs
		return n.declare("Z"+strconv.Itoa(len(n.given)-n.inputs), t)
	}
	u := law.Apply(op, attrs)
	u.Out = out
	for _, a := range args {
		u.Args = append(u.Args, n.term(a))
	}
	n.set(t, u)
	return u
}

// present is the term of a tensor as it is computed now.
func (n *Network) present() func(bank.Tensor) *law.Term {
	memo := map[bank.Tensor]*law.Term{}
	var rec func(t bank.Tensor) *law.Term
	rec = func(t bank.Tensor) *law.Term {
		if u, ok := memo[t]; ok {
			return u
		}
		u := n.term(t)
		if !u.IsVar() {
			_, _, _, args, _ := n.Net.Node(t)
			now, same := make([]*law.Term, len(args)), true
			for i, a := range args {
				now[i] = rec(a)
				same = same && now[i] == u.Args[i]
			}
			if !same {
				w := *u
				w.Args = now
				u = &w
			}
		}
		memo[t] = u
		return u
	}
	return rec
}

// sides lists the terms of the outputs, and of the operands of all nodes with cut
// tensors that are below, in the order in which these are met: depth first,
// operands in order, and the operands of cut nodes after all outputs.
func (n *Network) sides(term func(bank.Tensor) *law.Term) (terms []*law.Term, cuts []bank.Node) {
	seen, known := map[bank.Node]bool{}, map[bank.Node]bool{}
	var visit func(t bank.Tensor)
	visit = func(t bank.Tensor) {
		x, _ := n.Net.NodeOf(t)
		if n.cut(t) {
			if !known[x] {
				known[x] = true
				cuts = append(cuts, x)
			}
			return
		}
		if seen[x] {
			return
		}
		seen[x] = true
		for _, a := range n.Net.Operands(x) {
			visit(a)
		}
	}
	add := func(t bank.Tensor) {
		visit(t)
		terms = append(terms, term(t))
	}
	for _, t := range n.filled(n.Net.Outputs()) {
		add(t)
	}
	for i := 0; i < len(cuts); i++ {
		for _, t := range n.filled(n.Net.Operands(cuts[i])) {
			add(t)
		}
	}
	return terms, cuts
}

// filled are those of the tensors that have elements: no law speaks of others.
func (n *Network) filled(ts []bank.Tensor) []bank.Tensor {
	return slices.DeleteFunc(slices.Clone(ts), func(t bank.Tensor) bool { return n.Net.Type(t).Empty() })
}

// Given are the variables of the terms, with the shapes of their tensors.
func (n *Network) Given() []law.Declaration { return slices.Clone(n.given) }

// Where are the ranges of the dynamic sizes that terms have, as conditions of the equation.
func (n *Network) Where(given []law.Declaration) (where []law.Pred) {
	used := map[string]bool{}
	for _, g := range given {
		g.Shape.Walk(func(a graph.Atom) { used[a.Name] = true })
	}
	for _, v := range n.Net.Sizing().Vars() {
		size := graph.Var(v.Name)
		if used[v.Name] && v.Lo > 1 {
			where = append(where, law.Pred{Left: size, Rel: ">=", Right: graph.Int(v.Lo)})
		}
		if used[v.Name] && v.Hi < graph.Unbounded {
			where = append(where, law.Pred{Left: size, Rel: "<=", Right: graph.Int(v.Hi)})
		}
	}
	return where
}

// Left are the terms of the network as it came: of its outputs, then of the
// operands of nodes with cut tensors.
func (n *Network) Left() []*law.Term { return slices.Clone(n.left) }

// Right are the terms of the network as it is now, of the same outputs and of the
// operands of the same nodes; of a node that is dead now those that it had.
func (n *Network) Right() []*law.Term {
	now := n.present()
	var terms []*law.Term
	for _, t := range n.filled(n.Net.Outputs()) {
		terms = append(terms, now(t))
	}
	for _, x := range n.cuts {
		if !n.Net.Live(x) {
			for range n.filled(n.Net.Operands(x)) {
				terms = append(terms, n.left[len(terms)])
			}
			continue
		}
		for _, t := range n.filled(n.Net.Operands(x)) {
			terms = append(terms, now(t))
		}
	}
	return terms
}

// Swap tells a law by which operands of a commutative operator may be exchanged,
// op(X, Y) == op(Y, X); it reports false for other laws. Without it, moves that
// exchange them have no proof.
func (n *Network) Swap(d *rewrite.Direction) bool {
	if d.Backward || len(d.Nodes) != 1 || len(d.Steps) != 1 || len(d.Roots) != 1 || len(d.Law.Law.Where) > 0 {
		return false
	}
	from, to := &d.Nodes[0], &d.Steps[0]
	if from.Op == nil || from.Op != to.Op || !from.Op.Commutative || len(from.Kids) != 2 || from.Kids[0] >= 0 || from.Kids[1] >= 0 ||
		from.Kids[0] == from.Kids[1] || to.Args[0] != from.Kids[1] || to.Args[1] != from.Kids[0] {
		return false
	}
	n.swaps[from.Op] = d
	return true
}

// SwapBy tells all laws among the rules by which operands may be exchanged, and
// returns their number.
func (n *Network) SwapBy(r *Rules) (count int) {
	for _, d := range r.one.All() {
		if n.Swap(d) {
			count++
		}
	}
	return count
}

// Proof lists the instances by which the network as it is now follows from what it
// was, by congruence.
func (n *Network) Proof() []law.Instance { return slices.Clone(n.insts) }

// Laws are those that the instances name.
func (n *Network) Laws() map[string]*law.Law { return maps.Clone(n.laws) }

// Add adds instances that somebody else found; laws finds those that they name.
func (n *Network) Add(insts []law.Instance, laws map[string]*law.Law) error {
	for i := range insts {
		l, ok := laws[insts[i].Law]
		if !ok {
			return fmt.Errorf("instance %d: there is no law %s", i+1, insts[i].Law)
		}
		if err := n.use(l); err != nil {
			return err
		}
	}
	n.insts = append(n.insts, insts...)
	return nil
}

func (n *Network) use(l *law.Law) error {
	if have := n.laws[l.Name]; have != nil && have != l {
		return fmt.Errorf("two laws are named %s", l.Name)
	}
	n.laws[l.Name] = l
	return nil
}
