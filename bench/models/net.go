package models

import (
	"strconv"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op" // the operators, which are looked up by name
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// tensor is a tensor of the graph that is built, with its sizes.
type tensor struct {
	graph.Tensor
	sizes []int
}

// net builds one model. Its methods take and return tensors; what fails leaves them
// by package must, so that the builders read like the networks.
type net struct {
	b       graph.Builder
	seed    uint64
	div     int   // all channel counts are divided by it
	style   style // what follows a convolution
	fused   bool  // activations are part of convolutions
	eps     float64
	dtype   graph.DType // of inputs and weights that are no positions
	layers  []Layer
	scope   string
	used    map[string]bool
	weights map[graph.NodeID]*model.Weight
}

// style says what belongs to a convolution or a linear layer.
type style uint8

const (
	plain  style = iota // nothing
	biased              // a bias
	normed              // batch normalization after convolutions, a bias of linear layers
)

func newNet(seed uint64, div int, s style) *net {
	return &net{seed: seed, div: max(div, 1), style: s, eps: 1e-5,
		used: map[string]bool{}, weights: map[graph.NodeID]*model.Weight{}}
}

// in runs build with a part of the name in front of all names.
func (n *net) in(part string, build func()) {
	old := n.scope
	n.scope = old + part + "_"
	build()
	n.scope = old
}

// layer is in for a part that the network repeats.
func (n *net) layer(name string, build func()) {
	first := graph.NodeID(n.b.Graph().Len() + 1)
	n.in(name, build)
	l := Layer{Name: n.scope + name}
	for id := first; int(id) <= n.b.Graph().Len(); id++ {
		if n.b.Graph().Op(id) != nil {
			l.Nodes = append(l.Nodes, id)
		}
	}
	n.layers = append(n.layers, l)
}

// fresh is a name that is not taken: base, base_2, base_3 ...
func (n *net) fresh(base string) string {
	name := n.scope + base
	for k := 2; n.used[name]; k++ {
		name = n.scope + base + "_" + strconv.Itoa(k)
	}
	n.used[name] = true
	return name
}

// ch is a number of channels, divided in tiny variants.
func (n *net) ch(c int) int { return max(c/n.div, 1) }

// input adds an input that the caller feeds.
func (n *net) input(name string, sizes ...int) tensor {
	t := must.Get(n.b.AddInput(n.fresh(name), n.dtype, sizes...))
	return tensor{t, sizes}
}

// positions adds an input of positions that the caller feeds.
func (n *net) positions(name string, sizes ...int) tensor {
	t := must.Get(n.b.AddInput(n.fresh(name), graph.Int64, sizes...))
	return tensor{t, sizes}
}

// weight adds a weight with elements uniform in lo to hi.
func (n *net) weight(name string, lo, hi float64, sizes ...int) tensor {
	name = n.fresh(name)
	t := must.Get(n.b.AddWeight(name, n.dtype, sizes...))
	n.weights[t.Node] = model.UniformAs(n.dtype, model.Seed(n.seed, name), sizes, lo, hi)
	return tensor{t, sizes}
}

// constant adds a weight whose numbers are given.
func (n *net) constant(name string, w *model.Weight) tensor {
	t := must.Get(n.b.AddWeight(n.fresh(name), w.DType, w.Sizes...))
	n.weights[t.Node] = w
	return tensor{t, w.Sizes}
}

// attrs are named attribute values.
type attrs map[string]graph.Value

// apply adds an operator with one output.
func (n *net) apply(name, op string, a attrs, in ...tensor) tensor {
	name = n.fresh(name)
	o, ok := graph.Lookup(op)
	if !ok {
		must.Failf("node %s: there is no operator %s", name, op)
	}
	list, err := o.Attr(a)
	if err != nil {
		must.Failf("node %s: %w", name, err)
	}
	ts := make([]graph.Tensor, len(in))
	for i, t := range in {
		ts[i] = t.Tensor
	}
	id := must.Get(n.b.Apply(name, o, list, ts...))
	return tensor{id.Out(0), n.b.Sizes(id.Out(0))}
}

// finish makes the network; its outputs are in the order given.
func (n *net) finish(outputs ...tensor) *Network {
	ts := make([]graph.Tensor, len(outputs))
	for i, t := range outputs {
		ts[i] = t.Tensor
	}
	g := must.Get(n.b.Finish(ts...))
	m := &model.Model{Graph: g, Weights: n.weights, Producer: "taso"}
	must.Do(m.Validate())
	return &Network{Model: m, Batch: 1, Layers: n.layers}
}

func shape(sizes ...int) graph.Value { return graph.ShapeValue(graph.Sizes(sizes...)) }

// Paddings. The paper graphs say SAME, which TASO's runtime takes as
// same_lower; full networks say how many cells they pad.
var (
	same  = graph.NameValue(graph.SameLower)
	valid = graph.NameValue(graph.Valid)
)

// pads is the padding by v cells above and below, h left and right.
func pads(v, h int) graph.Value { return graph.TupleValue(v, h, v, h) }
