package onnx

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Operators that were read as several of ours, and are written as themselves again. Whoever
// knows what such an operator looks like proposes a node and says which tensors it reads;
// it is read here, and written only if just that comes out which stands in the graph.

// proposal is a node that may stand for tensors of the graph.
type proposal struct {
	op    string
	in    []graph.Tensor // the zero tensor for an input that is left out
	out   []graph.Tensor // the zero tensor for an output that the graph does not have
	attrs []*onnxpb.AttributeProto
	since int64 // the first operator set that has it so
}

// stand is a proposal that is what stands in the graph.
type stand struct {
	proposal
	within    map[graph.NodeID]bool // nodes that it computes
	constants []graph.NodeID        // weights that reading makes, in their order
	once      bool
}

// noteOnce begins the note of such a node: whether operators that are there already are
// not made again, and what the constants are called that reading makes.
const noteOnce, noteConstants = "once", "constants"

// heavyAgain are operators that are not computed twice.
var heavyAgain = map[string]bool{"matmul": true, "conv2d": true, "reducemax": true}

// maxProposals bounds how many proposals are read for one node.
const maxProposals = 64

// coverAgain finds such operators, and chooses those that spare nodes.
func (e *exporter) coverAgain() {
	stands := map[graph.NodeID]*stand{} // by their outputs
	var all []*stand
	users := map[graph.Tensor][]graph.NodeID{}
	for id := range e.g.Nodes() {
		for _, t := range e.g.Operands(id) {
			users[t] = append(users[t], id)
		}
	}
	e.users = users
	for id := range e.g.Nodes() {
		if op := e.g.Op(id); op != nil {
			if s := e.standAt(id, op.Name); s != nil {
				all = append(all, s)
			}
		}
	}
	e.users = nil
	if len(all) == 0 {
		return
	}
	keys := e.keys()
	for {
		clear(stands)
		for _, s := range all {
			for _, t := range s.out {
				if t.Node != 0 && stands[t.Node] == nil {
					stands[t.Node] = s
				}
			}
		}
		left := e.choose(all, stands, keys)
		if len(left) == len(all) {
			break
		}
		all = left
	}
	needed, live := e.needed(stands)
	for _, s := range all {
		if !live[s] {
			continue
		}
		at := s.first()
		for id := range s.within {
			if id != at && (stands[id] == s || !needed[id]) {
				e.covered[id] = true
			}
		}
		for _, w := range s.constants {
			if !needed[w] {
				e.omitted[w] = true
			}
		}
		e.as[at] = func() { e.writeAgain(s) }
	}
	e.count(func(id graph.NodeID) []graph.Tensor {
		if s := stands[id]; s != nil && s.first() == id {
			return slices.DeleteFunc(slices.Clone(s.in), func(t graph.Tensor) bool { return t.Node == 0 })
		}
		if e.covered[id] {
			return nil
		}
		return e.g.Operands(id)
	})
}

// first is the first node that makes an output.
func (s *stand) first() graph.NodeID {
	at := graph.NodeID(0)
	for _, t := range s.out {
		if t.Node != 0 && (at == 0 || t.Node < at) {
			at = t.Node
		}
	}
	return at
}

// needed are the nodes that are written for themselves, or whose numbers are, and the stands
// that are written.
func (e *exporter) needed(stands map[graph.NodeID]*stand) (needed []bool, live map[*stand]bool) {
	needed, live = make([]bool, e.g.Len()+1), map[*stand]bool{}
	for _, t := range e.g.Outputs() {
		needed[t.Node] = true
	}
	for id := graph.NodeID(e.g.Len()); id > 0; id-- {
		if e.g.Op(id) != nil && !e.used(id) {
			needed[id] = true
		}
		if !needed[id] {
			continue
		}
		from := e.g.Operands(id)
		if s := stands[id]; s != nil {
			live[s] = true
			from = s.in
		}
		for _, t := range from {
			needed[t.Node] = true
		}
	}
	return needed, live
}

// used reports whether some output of a node is read.
func (e *exporter) used(id graph.NodeID) bool {
	for k := range e.g.NumOut(id) {
		if e.uses[id.Out(k)] > 0 {
			return true
		}
	}
	return false
}

// choose leaves out stands that do not come back as they are, and says of the others
// whether they share nodes with what stands around them.
func (e *exporter) choose(all []*stand, stands map[graph.NodeID]*stand, keys map[string]int) []*stand {
	needed, live := e.needed(stands)
	in := map[graph.NodeID]int{}
	for _, s := range all {
		if live[s] {
			for id := range s.within {
				in[id]++
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *stand) bool {
		if !live[s] {
			return false
		}
		first := s.first()
		s.once = false
		bad := false
		for id := range s.within {
			own := stands[id] == s
			if in[id] == 1 && (own || !needed[id]) {
				continue
			}
			s.once = true
			bad = bad || heavyAgain[e.g.Op(id).Name] || own || needed[id] && id > first
		}
		for _, w := range s.constants {
			s.once = s.once || e.constantsOf(all, live, w) > 1
			bad = bad || needed[w] // by something else, so that it is in the file
		}
		if s.once {
			for id := range s.within {
				bad = bad || keys[e.key(id)] != 1
			}
		}
		return bad
	})
}

// constantsOf counts the stands that are written and make a constant.
func (e *exporter) constantsOf(all []*stand, live map[*stand]bool, w graph.NodeID) (n int) {
	for _, s := range all {
		if live[s] && slices.Contains(s.constants, w) {
			n++
		}
	}
	return n
}

// key tells operators on the same tensors apart.
func (e *exporter) key(id graph.NodeID) string { return applicationKey(e.g, id) }

func applicationKey(g *graph.Graph, id graph.NodeID) string {
	return operatorKey(g.Op(id), g.OpenAttrs(id), g.Operands(id))
}

func operatorKey(op *graph.Op, a graph.Attrs, in []graph.Tensor) string {
	in = slices.Clone(in)
	if op.Commutative {
		slices.SortFunc(in, func(s, t graph.Tensor) int {
			if s.Node != t.Node {
				return int(s.Node) - int(t.Node)
			}
			return int(s.Out) - int(t.Out)
		})
	}
	return fmt.Sprint(op.Name, op.FormatAttrs(a), in)
}

func (e *exporter) keys() map[string]int {
	keys := map[string]int{}
	for id := range e.g.Nodes() {
		if op := e.g.Op(id); op != nil && op.Name != graph.OpaqueName {
			keys[e.key(id)]++
		}
	}
	return keys
}

// standAt is the first proposal for a node that is what stands there, or nil.
func (e *exporter) standAt(id graph.NodeID, op string) *stand {
	tried := 0
	for _, propose := range proposersOf(op) {
		for _, p := range propose(e, id) {
			if tried++; tried > maxProposals {
				return nil
			}
			if p.since > e.opset {
				continue
			}
			if s := e.compare(p); s != nil {
				return s
			}
		}
	}
	return nil
}

// compare reads a proposal, and is nil if something else comes out than what stands in
// the graph.
func (e *exporter) compare(p proposal) *stand {
	n := &onnxpb.NodeProto{OpType: proto.String(p.op), Attribute: p.attrs}
	im := &importer{file: &onnxpb.ModelProto{}, report: &Report{Fused: map[string]int{}}, opset: e.opset, own: true,
		values: map[graph.Tensor]*value{}, filled: map[graph.Tensor]int64{}, budget: 1}
	c := &call{im: im, node: n, op: operatorOf(n), outs: make([]*value, len(p.out)), attr: map[string]*onnxpb.AttributeProto{}}
	for _, a := range p.attrs {
		c.attr[a.GetName()] = a
	}
	for i := range p.out {
		n.Output = append(n.Output, strconv.Itoa(i))
	}
	given := map[graph.Tensor]*value{}
	for i, t := range p.in {
		if t.Node == 0 {
			n.Input, c.in = append(n.Input, ""), append(c.in, nil)
			continue
		}
		v := given[t]
		if v == nil {
			v = &value{name: strconv.Itoa(i), dtype: e.g.DType(t), sized: e.g.Sizes(t), weight: e.m.Weights[t.Node]}
			if v.weight == nil {
				im.enter(v, must.Get(im.made.AddInput(im.inputName(), v.dtype, v.sizes()...)))
			}
			given[t] = v
		}
		n.Input, c.in = append(n.Input, v.name), append(c.in, v)
	}
	if err := must.Try(func() { c.accepted(); c.op.lower(c) }); err != nil {
		return nil
	}
	m := &comparison{e: e, made: im, at: map[graph.Tensor]graph.Tensor{}, s: &stand{proposal: p, within: map[graph.NodeID]bool{}}}
	for t, v := range given {
		if v.tensor.Node == 0 {
			return nil // which reading does not need
		}
		m.at[v.tensor] = t
	}
	for i, t := range p.out {
		if t.Node != 0 && (c.outs[i] == nil || !c.outs[i].made || !m.same(c.outs[i].tensor, t)) {
			return nil
		}
	}
	for _, t := range p.in {
		if m.s.within[t.Node] {
			return nil
		}
	}
	first := m.s.first()
	for _, t := range p.in {
		if t.Node >= first {
			return nil // it is not there yet
		}
	}
	for _, id := range im.made.Graph().Inputs() {
		if t, ok := m.at[id.Out(0)]; ok && given[t] == nil {
			m.s.constants = append(m.s.constants, t.Node)
		}
	}
	return m.s
}

// comparison is of a graph that was made by reading with the one that is written.
type comparison struct {
	e    *exporter
	made *importer
	at   map[graph.Tensor]graph.Tensor // from the former to the latter
	s    *stand
}

// same reports whether a tensor was made as another one is.
func (m *comparison) same(made, t graph.Tensor) bool {
	if at, ok := m.at[made]; ok {
		return at == t
	}
	g, h := m.made.made.Graph(), m.e.g
	op := g.Op(made.Node)
	if op == nil {
		if !m.sameNumbers(m.made.values[made], t) {
			return false
		}
		m.at[made] = t
		return true
	}
	if op != h.Op(t.Node) || made.Out != t.Out || g.DType(made) != h.DType(t) || !slices.Equal(g.Sizes(made), h.Sizes(t)) ||
		op.FormatAttrs(g.OpenAttrs(made.Node)) != op.FormatAttrs(h.OpenAttrs(t.Node)) {
		return false
	}
	in, as := g.Operands(made.Node), h.Operands(t.Node)
	if len(in) != len(as) || !m.all(in, as) && !(op.Commutative && len(as) == 2 && m.all(in, []graph.Tensor{as[1], as[0]})) {
		return false
	}
	m.at[made], m.s.within[t.Node] = t, true
	return true
}

// all reports whether tensors were made as others are; if not, nothing is noted.
func (m *comparison) all(made, ts []graph.Tensor) bool {
	at, within := copyOf(m.at), copyOf(m.s.within)
	for i, t := range made {
		if !m.same(t, ts[i]) {
			m.at, m.s.within = at, within
			return false
		}
	}
	return true
}

func copyOf[K comparable, V any](m map[K]V) map[K]V {
	out := make(map[K]V, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// sameNumbers reports whether a constant that reading made is a weight.
func (m *comparison) sameNumbers(v *value, t graph.Tensor) bool {
	w := m.e.m.Weights[t.Node]
	if w == nil || v == nil || v.known == nil || w.DType != v.dtype || !slices.Equal(w.Sizes, v.sizes()) {
		return false
	}
	return bytes.Equal(must.Get(w.Read()), v.known.encode())
}

// writeAgain emits the node.
func (e *exporter) writeAgain(s *stand) {
	n := &onnxpb.NodeProto{OpType: proto.String(s.op), Attribute: s.attrs}
	for _, t := range s.in {
		name := ""
		if t.Node != 0 {
			name = e.of(t)
		}
		n.Input = append(n.Input, name)
	}
	for n.Input[len(n.Input)-1] == "" {
		n.Input = n.Input[:len(n.Input)-1]
	}
	for i, t := range s.out {
		name := ""
		if t.Node != 0 {
			name = e.of(t)
		} else {
			name = e.fresh(s.out[0].Node, fmt.Sprint("unused", i))
		}
		n.Output = append(n.Output, name)
	}
	n.Name = proto.String(n.Output[0])
	var notes []string
	if s.once {
		notes = append(notes, noteOnce)
	}
	if len(s.constants) > 0 {
		notes = append(notes, noteConstants)
		for _, w := range s.constants {
			notes = append(notes, strconv.Quote(e.g.Name(w)))
		}
	}
	if len(notes) > 0 {
		mark(n, strings.Join(notes, " "))
	}
	e.nodes = append(e.nodes, n)
}
