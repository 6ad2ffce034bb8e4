package fold

import (
	"context"
	"fmt"
	"sync"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model"
)

// Model replaces the nodes that which reports by weights, and drops the weights that
// are not needed any more. Each such node must have one output, of floating-point
// numbers, and depend on weights of such numbers only; reading a weight that does not
// is an error.
func Model(m *model.Model, which func(graph.NodeID) bool) (*model.Model, error) {
	g, from, err := m.Graph.Arranged(graph.Arrangement{Weight: which})
	if err != nil {
		return nil, err
	}
	out := *m
	out.Graph, out.Weights = g, map[graph.NodeID]*model.Weight{}
	for _, id := range g.Inputs() {
		switch old := from[id]; {
		case m.Graph.Op(old) != nil:
			out.Weights[id] = Weight(m, old.Out(0))
		case g.IsWeight(id):
			out.Weights[id] = m.Weights[old]
		}
	}
	return &out, out.Validate()
}

// Weight is a tensor of a model as a weight, which is computed when it is loaded. It has
// to be of floating-point numbers and to depend on weights of such numbers only; reading
// one that does not is an error.
func Weight(m *model.Model, t graph.Tensor) *model.Weight {
	typ := m.Graph.Type(t)
	// Computed once: a product of weights takes seconds.
	return &model.Weight{DType: typ.DType, Sizes: typ.Sizes, Load: sync.OnceValues(func() ([]byte, error) {
		g, from, err := m.Graph.Arranged(graph.Arrangement{Outputs: []graph.Tensor{t}})
		if err != nil {
			return nil, err
		}
		e := interp.Evaluator[float64]{Ring: interp.Float{}, Input: func(id graph.NodeID) (x interp.Tensor[float64], err error) {
			w := m.Weights[from[id]]
			if w == nil {
				return x, fmt.Errorf("input %s is not a weight", g.Name(id))
			}
			if !w.DType.IsFloat() {
				return x, fmt.Errorf("weight %s: it is %s, not of floating-point numbers", g.Name(id), w.DType)
			}
			raw, err := w.Read()
			if err != nil {
				return x, fmt.Errorf("weight %s: %w", g.Name(id), err)
			}
			x = interp.Tensor[float64]{Sizes: w.Sizes, Data: make([]float64, w.Elements())}
			size := w.DType.Bytes()
			for i := range x.Data {
				_, x.Data[i] = model.Element(w.DType, raw[i*size:])
			}
			return x, nil
		}}
		out, err := e.Run(context.Background(), g)
		if err != nil {
			return nil, fmt.Errorf("compute %s: %w", m.Graph.Name(t.Node), err)
		}
		raw := make([]byte, 0, len(out[0].Data)*typ.DType.Bytes())
		for _, v := range out[0].Data {
			raw = model.AppendElement(raw, typ.DType, 0, model.Round(typ.DType, v))
		}
		return raw, nil
	})}
}

// Limits say what is worth computing ahead; the zero value is the default.
type Limits struct {
	// Growth is how many times the weights that it is computed from a weight may be
	// large, as kernels are that were filled up with zeros; 0: 12.
	Growth int
	// Small is the size in bytes up to which a weight may be, however many times larger it
	// is; 0: 1 MiB.
	Small int
	// Keep reports nodes that are to stay; nil: none.
	Keep func(graph.NodeID) bool
}

// Worth reports, by node, which nodes of a graph to compute ahead: those of floating-point
// numbers that depend on weights only and that something else uses, or an output
// is, provided that the weight is small or not much larger than those it is computed from,
// and none of it is heavy ([graph.Heavy]). Others, such as a bias repeated for each
// of many rows, are left to the run, and what they are computed from is looked at in their
// place. So is what is repeated for elementwise operators only, however often: they repeat
// it themselves.
func Worth(g *graph.Graph, l Limits) map[graph.NodeID]bool {
	if l.Growth == 0 {
		l.Growth = 12
	}
	if l.Small == 0 {
		l.Small = 1 << 20
	}
	fixed := lower.Fixed(g)
	heavy := make([]bool, g.Len()+1)                 // or computed from what is
	from := map[graph.NodeID]map[graph.NodeID]bool{} // weights
	able := func(id graph.NodeID) bool {
		return g.Op(id) != nil && g.Op(id).In > 0 && g.NumOut(id) == 1 && g.DType(id.Out(0)).IsFloat() && !heavy[id] && (l.Keep == nil || !l.Keep(id))
	}
	bytes := func(t graph.Tensor) int { return graph.NumElements(g.Sizes(t)) * g.DType(t).Bytes() }
	floats := make([]bool, g.Len()+1)
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			floats[id] = g.IsWeight(id) && g.DType(id.Out(0)).IsFloat()
			from[id] = map[graph.NodeID]bool{id: true}
			continue
		}
		if !fixed[id] {
			continue
		}
		from[id], floats[id] = map[graph.NodeID]bool{}, g.DType(id.Out(0)).IsFloat()
		if g.Op(id).In == 0 { // a number
			from[id][id] = true
		}
		heavy[id] = g.Heavy(id)
		for _, t := range g.Operands(id) {
			heavy[id] = heavy[id] || heavy[t.Node]
			floats[id] = floats[id] && floats[t.Node]
			for w := range from[t.Node] {
				from[id][w] = true
			}
		}
	}
	spread := repeatedAlone(g)
	worth := map[graph.NodeID]bool{}
	seen := map[graph.NodeID]bool{}
	var visit func(id graph.NodeID)
	visit = func(id graph.NodeID) {
		if seen[id] || !fixed[id] {
			return
		}
		seen[id] = true
		size := 0
		for w := range from[id] {
			size += bytes(w.Out(0))
		}
		if !spread[id] && floats[id] && able(id) && bytes(id.Out(0)) <= max(l.Small, l.Growth*size) {
			worth[id] = true
			return
		}
		for _, t := range g.Operands(id) {
			visit(t.Node)
		}
	}
	for _, t := range g.Outputs() {
		visit(t.Node)
	}
	for id := range g.Nodes() {
		if g.Op(id) != nil && !fixed[id] {
			for _, t := range g.Operands(id) {
				visit(t.Node)
			}
		}
	}
	return worth
}

// repeatedAlone are the broadcasts that only elementwise operators read, which repeat them
// themselves: without any broadcast their operands have all sizes.
func repeatedAlone(g *graph.Graph) []bool {
	alone := make([]bool, g.Len()+1)
	for id := range g.Nodes() {
		op := g.Op(id)
		alone[id] = op != nil && op.Name == "broadcast"
		repeats := op != nil && op.Elementwise && repeats(g, id)
		for _, t := range g.Operands(id) {
			alone[t.Node] = alone[t.Node] && repeats
		}
	}
	for _, t := range g.Outputs() {
		alone[t.Node] = false
	}
	return alone
}

// repeats reports whether the operands of an elementwise operator, without their broadcasts,
// have all sizes of its result between them.
func repeats(g *graph.Graph, id graph.NodeID) bool {
	sizes := g.Sizes(id.Out(0))
	for back := 1; back <= len(sizes); back++ {
		most := 1
		for _, t := range g.Operands(id) {
			if op := g.Op(t.Node); op != nil && op.Name == "broadcast" {
				t = g.Operands(t.Node)[0]
			}
			if s := g.Sizes(t); back <= len(s) {
				most = max(most, s[len(s)-back])
			}
		}
		if most < sizes[len(sizes)-back] {
			return false
		}
	}
	return true
}
