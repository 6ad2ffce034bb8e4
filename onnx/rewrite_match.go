package onnx

import (
	"bytes"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// matching says which tensors of a result stand for the tensors of the graph that was read.
// It only decides what of the file is kept: each kept node computes a tensor of the result,
// whichever tensors it stands for.
type matching struct {
	g, r *graph.Graph
	to   map[graph.Tensor]graph.Tensor // of g, in r
	back map[graph.Tensor]bool         // tensors of r that stand for some of g
	at   map[string]graph.NodeID       // nodes of r by what they apply
	same map[graph.NodeID]bool         // nodes of g: what [matching.keeps] found
}

// match finds the tensors of r that stand for tensors of g: what is computed in the same
// way from the same inputs, then, from the outputs down, the operands of nodes that are
// otherwise the same, then nodes of the same name.
func match(a, b *model.Model) *matching {
	m := &matching{g: a.Graph, r: b.Graph, to: map[graph.Tensor]graph.Tensor{}, back: map[graph.Tensor]bool{}, at: map[string]graph.NodeID{}, same: map[graph.NodeID]bool{}}
	if m.g == m.r { // nothing changed: what is computed twice stays so
		for id := range m.g.Nodes() {
			for k := range m.g.NumOut(id) {
				m.claim(id.Out(k), id.Out(k))
			}
			m.same[id] = true
		}
		return m
	}
	for id := range m.r.Nodes() {
		if m.r.Op(id) != nil {
			if key := m.key(m.r, id); m.at[key] == 0 {
				m.at[key] = id
			}
		}
	}
	named := map[string]graph.NodeID{}
	for _, id := range m.r.Inputs() {
		named[m.r.Name(id)] = id
	}
	for _, id := range m.g.Inputs() {
		if x := named[m.g.Name(id)]; x != 0 && a.Weights[id] == b.Weights[x] && m.g.IsWeight(id) == m.r.IsWeight(x) {
			m.claim(id.Out(0), x.Out(0))
		}
	}
	m.up()
	for i, t := range m.g.Outputs() {
		m.down(t, m.r.Outputs()[i])
	}
	m.opaque()
	m.up()
	byName := map[string]graph.NodeID{}
	for id := range m.r.Nodes() {
		if m.r.Op(id) != nil {
			byName[m.r.Name(id)] = id
		}
	}
	for id := range m.g.Nodes() {
		x := byName[m.g.Name(id)]
		if m.g.Op(id) == nil || x == 0 || m.g.NumOut(id) != m.r.NumOut(x) {
			continue
		}
		for k := range m.g.NumOut(id) {
			if !m.back[x.Out(k)] {
				m.down(id.Out(k), x.Out(k))
			}
		}
	}
	m.up()
	return m
}

// key is the same of two nodes of r only if they compute the same.
func (m *matching) key(g *graph.Graph, id graph.NodeID) string {
	if _, p, ok := g.Opaque(id); ok {
		return string(digestOf(p)) + operatorKey(g.Op(id), nil, g.Operands(id))
	}
	key := applicationKey(g, id)
	if g.Op(id).In == 0 {
		key += g.DType(id.Out(0)).String()
	}
	return key
}

func digestOf(payload any) []byte {
	if o, ok := payload.(*Opaque); ok {
		return append([]byte(o.Kind()), o.Hash()...)
	}
	return nil
}

func (m *matching) claim(a, b graph.Tensor) bool {
	if _, ok := m.to[a]; ok || m.g.DType(a) != m.r.DType(b) || !m.g.Shape(a).Equal(m.r.Shape(b)) {
		return false
	}
	m.to[a], m.back[b] = b, true
	return true
}

// computed are the tensors of r that a node of g computes from tensors of r; nil for those
// that r does not have.
func (m *matching) computed(id graph.NodeID, in []graph.Tensor) []graph.Tensor {
	g := m.g
	outs := make([]graph.Tensor, g.NumOut(id))
	op := g.Op(id)
	if _, p, ok := g.Opaque(id); ok {
		if x := m.at[string(digestOf(p))+operatorKey(op, nil, in)]; x != 0 {
			for k := range outs {
				outs[k] = x.Out(k)
			}
		}
		return outs
	}
	suffix := ""
	if op.In == 0 {
		suffix = g.DType(id.Out(0)).String()
	}
	if x := m.at[operatorKey(op, g.OpenAttrs(id), in)+suffix]; x != 0 {
		for k := range outs {
			outs[k] = x.Out(k)
		}
		return outs
	}
	if op.Expand == nil {
		return outs
	}
	shapes := make([]graph.Shape, len(in))
	for i, t := range in {
		shapes[i] = m.r.Shape(t)
	}
	prims, err := op.Expand(g.OpenAttrs(id), shapes)
	if err != nil {
		return outs
	}
	for k, p := range prims {
		if x := m.at[operatorKey(p.Op, p.Attrs, in)]; x != 0 {
			outs[k] = x.Out(0)
		}
	}
	return outs
}

// operands are what stands for the operands of a node; not ok if nothing stands for one.
func (m *matching) operands(id graph.NodeID) (in []graph.Tensor, ok bool) {
	for _, t := range m.g.Operands(id) {
		x, ok := m.to[t]
		if !ok {
			return nil, false
		}
		in = append(in, x)
	}
	return in, true
}

// up finds what is computed from what is known.
func (m *matching) up() {
	for id := range m.g.Nodes() {
		if m.g.Op(id) == nil {
			continue
		}
		in, ok := m.operands(id)
		if !ok {
			continue
		}
		for k, t := range m.computed(id, in) {
			if t.Node != 0 {
				m.claim(id.Out(k), t)
			}
		}
	}
}

// down takes b to stand for a, and where both are made in the same way their operands for
// one another.
func (m *matching) down(a, b graph.Tensor) {
	for {
		// What an input or a weight is, does not change.
		if m.g.Op(a.Node) == nil || !m.claim(a, b) || m.r.Op(b.Node) == nil || !m.alike(a, b) {
			return
		}
		in, of := m.g.Operands(a.Node), m.r.Operands(b.Node)
		if len(in) == 0 || len(in) != len(of) {
			return
		}
		if m.g.Op(a.Node).Commutative && (m.to[in[0]] == of[1] || m.to[in[1]] == of[0]) {
			of = []graph.Tensor{of[1], of[0]}
		}
		for i := range in[1:] {
			m.down(in[i+1], of[i+1])
		}
		a, b = in[0], of[0]
	}
}

// alike reports whether two tensors are made by the same operator.
func (m *matching) alike(a, b graph.Tensor) bool {
	op, of := m.g.Op(a.Node), m.r.Op(b.Node)
	_, p, opaque := m.g.Opaque(a.Node)
	_, q, other := m.r.Opaque(b.Node)
	if opaque || other {
		return opaque && other && bytes.Equal(digestOf(p), digestOf(q)) && a.Out == b.Out
	}
	if op == of {
		return a.Out == b.Out && op.FormatAttrs(m.g.OpenAttrs(a.Node)) == of.FormatAttrs(m.r.OpenAttrs(b.Node))
	}
	return op.Expand != nil && slices.Contains(op.ExpandsTo, of)
}

// opaque matches nodes whose meaning is not known, and which no rule changes.
func (m *matching) opaque() {
	at := map[any]graph.NodeID{}
	for id := range m.r.Nodes() {
		if _, p, ok := m.r.Opaque(id); ok {
			at[p] = id
		}
	}
	for id := range m.g.Nodes() {
		if _, p, ok := m.g.Opaque(id); ok && at[p] != 0 {
			x := at[p]
			for k := range min(m.g.NumOut(id), m.r.NumOut(x)) {
				m.down(id.Out(k), x.Out(k))
			}
		}
	}
}

// keeps reports whether what stands for a node's results is what the node computes from what
// stands for its operands. It is asked when nothing more is found.
func (m *matching) keeps(id graph.NodeID) bool {
	same, known := m.same[id]
	if known {
		return same
	}
	in, ok := m.operands(id)
	if ok {
		for k, t := range m.computed(id, in) {
			ok = ok && t.Node != 0 && m.to[id.Out(k)] == t
		}
	}
	m.same[id] = ok
	return ok
}
