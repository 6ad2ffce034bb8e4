package optimize

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/model/fold"
	"github.com/taso-go/taso/search"
)

// Weights of the second model may be computed from those of the first one by laws: a
// batch norm is taken into a kernel, a kernel is filled up with zeros, the sum of two
// averages is a convolution. What the first model computes from its weights, and what one
// use of a law makes of them, is computed, and its numbers are compared, as those of
// weights are. That a weight is what was found is said in the graph, and checked again by
// verify/network.

// mostMade bounds the numbers that are computed to look at them.
const mostMade = 1 << 28

// maker collects tensors that laws make of the weights of the first model.
type maker struct {
	u      *union
	net    *bank.Bank
	of     map[bank.Tensor]graph.Tensor // of the network as it came
	seen   *bank.Bank                   // what was looked at; of net it is gone with each undo
	known  map[bank.Tensor]graph.Tensor // of seen
	wanted []array                      // weights for which nothing was found
	left   int
	made   []graph.Tensor
}

// laws adds to the arrays what the first model computes from its weights, and what one
// use of a law makes of them, as far as it could be a wanted weight or a part of one.
func (u *union) laws(wanted []array) error {
	net, _, err := bank.From(u.a.Graph, nil)
	if err != nil {
		return err
	}
	rules, _, err := search.NewRulesFrom(u.o.Compiled, u.o.Laws)
	if err != nil {
		return err
	}
	m := &maker{u: u, net: net, of: map[bank.Tensor]graph.Tensor{}, seen: bank.New(nil), known: map[bank.Tensor]graph.Tensor{}, wanted: wanted, left: mostMade}
	byName := map[string]graph.Tensor{}
	for _, id := range u.a.Graph.Inputs() {
		byName[u.a.Graph.Name(id)] = u.ofA[id.Out(0)]
	}
	for _, x := range net.Inputs() {
		m.of[net.Out(x, 0)] = byName[net.Name(x)]
	}
	net.Nodes(func(n bank.Node) bool {
		if net.Fixed(n) && net.Op(n) != nil && net.NumOut(n) == 1 {
			err = m.consider(net.Out(n, 0))
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	r := search.NewRewriter(net, rules)
	r.All(func(x *search.Match) bool {
		mark := net.Mark()
		if r.Apply(x) == nil {
			net.Changed(mark, func(n bank.Node, _ bool) {
				if err == nil && net.New(n, mark) && net.Live(n) && net.Fixed(n) && net.NumOut(n) == 1 {
					err = m.consider(net.Out(n, 0))
				}
			})
		}
		net.Undo(mark)
		return err == nil
	})
	if err != nil {
		return err
	}
	return m.compute()
}

// consider adds a tensor if it could be of use. What lies beside each other or is a part
// is found without it.
func (m *maker) consider(t bank.Tensor) error {
	n, _ := m.net.NodeOf(t)
	if o := m.net.Op(n); o == nil || o == op.Concat || o == op.Slice || o == op.Split || !m.fits(m.net.Type(t)) {
		return nil
	}
	x, _, ok, err := m.tensor(t)
	if err != nil || !ok || slices.Contains(m.made, x) {
		return err
	}
	size := int(graph.Product(m.net.Type(t).Sizes...))
	if m.left -= size; m.left < 0 {
		return nil
	}
	m.made = append(m.made, x)
	return nil
}

// fits reports whether something of a type may be a wanted weight, a part of one or one
// of which it is a part.
func (m *maker) fits(t graph.TensorType) bool {
	return slices.ContainsFunc(m.wanted, func(w array) bool {
		if w.dtype != t.DType || len(w.sizes) != len(t.Sizes) {
			return false
		}
		more, less := 0, 0
		for i, n := range t.Sizes {
			if n > w.sizes[i] {
				more++
			} else if n < w.sizes[i] {
				less++
			}
		}
		return more == 0 || more == 1 && less == 0
	})
}

// tensor is a tensor of the network in the graph and among what was seen; not ok if it
// depends on what laws do not speak of.
func (m *maker) tensor(t bank.Tensor) (x graph.Tensor, as bank.Tensor, ok bool, err error) {
	o, attrs, _, args, out := m.net.Node(t)
	if o == nil {
		n, _ := m.net.NodeOf(t)
		x, ok := m.of[t]
		return x, m.seen.Out(m.seen.AddInput(m.net.Name(n), true, m.net.Type(t)), 0), ok, nil
	}
	in, seen := make([]graph.Tensor, len(args)), make([]bank.Tensor, len(args))
	for i, a := range args {
		if in[i], seen[i], ok, err = m.tensor(a); err != nil || !ok {
			return x, 0, false, err
		}
	}
	dtype := m.net.Type(t).DType
	n, err := m.seen.Apply(o, attrs, dtype, seen...)
	if err != nil {
		return x, 0, false, err
	}
	as = m.seen.Out(n, out)
	if x, ok := m.known[as]; ok {
		return x, as, true, nil
	}
	var id graph.NodeID
	if o.In == 0 {
		id, err = m.u.g.Constant("", dtype, o, attrs)
	} else {
		id, err = m.u.g.Apply("", o, attrs, in...)
	}
	if err != nil {
		return x, 0, false, err
	}
	x = id.Out(out)
	m.known[as] = x
	return x, as, true, nil
}

// compute adds what was collected to the arrays.
func (m *maker) compute() error {
	u := m.u
	from := &model.Model{Graph: u.g.Graph(), Weights: map[graph.NodeID]*model.Weight{}}
	for id, w := range u.a.Weights {
		from.Weights[u.ofA[id.Out(0)].Node] = w
	}
	for _, t := range m.made {
		part, _, err := from.Graph.Arranged(graph.Arrangement{Outputs: []graph.Tensor{t}})
		if err != nil {
			return err
		}
		if part.Work().FLOPs > graph.MaxAhead {
			continue
		}
		w, err := arrayOf(fold.Weight(from, t))
		if err != nil {
			continue // such as of integers
		}
		w.at = t
		if h := w.digest(); u.weights[h].Node == 0 {
			u.weights[h] = t
			u.arrays = append(u.arrays, w)
		}
	}
	return nil
}
