package onnx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Changes are what [Rewrite] did to a file.
type Changes struct {
	Kept    int `json:"kept"`              // nodes that are the file's, byte by byte
	Renamed int `json:"renamed"`           // nodes that are the file's but for names of values
	Written int `json:"written"`           // new nodes
	Inlined int `json:"inlined,omitempty"` // nodes of branches that stand in place of an If
	Dropped int `json:"dropped"`           // nodes of the file that are not in the result
	// Operators are those of the new nodes, with their numbers.
	Operators map[string]int `json:"operators,omitempty"`
	// Fixed are the sizes that the file leaves open and the result does not, FixedBecause
	// says why, if the caller of [Rewrite] knows.
	Fixed        []OpenSize `json:"fixed,omitempty"`
	FixedBecause string     `json:"fixed_because,omitempty"`
	// Open are sizes that were fixed and are open in the result, as in the file: its caller has
	// proved it for all of them.
	Open []graph.SizeVar `json:"open,omitempty"`
}

// rewriting decides what of a file is kept for a result.
type rewriting struct {
	*paths
	r *model.Model
	m *matching
	*opened

	outputs map[string]graph.Tensor   // outputs of the file, in the result
	is      map[string]graph.Tensor   // values of the file that are tensors of the result
	of      map[graph.Tensor][]string // the same, from the tensors
	whole   []bool                    // nodes that the result has, or does without

	clean   bool            // see RewriteOptions
	folds   map[string]bool // constants that are stored
	copied  []bool
	needed  map[string]bool         // values that are asked for
	inits   map[string]bool         // initializers that are kept
	stored  []string                // constants that become initializers
	sizes   []string                // integers that are computed from the sizes of inputs
	alias   map[string]string       // values that are others
	wanted  map[graph.Tensor]string // tensors of the result that are written
	written []graph.Tensor          // the same, in the order in which they are asked for
	given   map[graph.Tensor]string // tensors of the result that new nodes read
	visited map[graph.NodeID]bool   // nodes of the result that are written
}

func newRewriting(p *paths, m *matching, r *model.Model, open *opened) *rewriting {
	s := p.s
	w := &rewriting{paths: p, opened: open, r: r, m: m, outputs: map[string]graph.Tensor{}, is: map[string]graph.Tensor{},
		of:     map[graph.Tensor][]string{},
		needed: map[string]bool{}, inits: map[string]bool{}, alias: map[string]string{}, wanted: map[graph.Tensor]string{},
		given: map[graph.Tensor]string{}, visited: map[graph.NodeID]bool{}}
	g := s.file.GetGraph()
	for i, o := range g.GetOutput() {
		w.outputs[o.GetName()] = r.Graph.Outputs()[i]
	}
	w.copied, w.whole = make([]bool, len(s.nodes)), make([]bool, len(s.nodes))
	return w
}

// once is a model that computes nothing twice.
func once(m *model.Model) (*model.Model, error) {
	g := m.Graph
	var b graph.Builder
	known, to := map[string]graph.NodeID{}, map[graph.NodeID]graph.NodeID{}
	for id := range g.Nodes() {
		in := make([]graph.Tensor, len(g.Operands(id)))
		for i, t := range g.Operands(id) {
			in[i] = graph.Tensor{Node: to[t.Node], Out: t.Out}
		}
		if op := g.Op(id); op != nil && op.Name != graph.OpaqueName {
			key := operatorKey(op, g.OpenAttrs(id), in) + g.DType(id.Out(0)).String()
			if known[key] != 0 {
				to[id] = known[key]
				continue
			}
			known[key] = graph.NodeID(b.Graph().Len() + 1)
		}
		n, err := b.Copy(g, id, in)
		if err != nil {
			return nil, err
		}
		to[id] = n
	}
	outs := make([]graph.Tensor, len(g.Outputs()))
	for i, t := range g.Outputs() {
		outs[i] = graph.Tensor{Node: to[t.Node], Out: t.Out}
	}
	h, err := b.Finish(outs...)
	if err != nil {
		return nil, err
	}
	return m.WithGraph(h)
}

// decide finds out which nodes may be kept: what they read is there, and what they compute
// for the graph, the result computes in the same way.
func (w *rewriting) decide() {
	name := func(v string) {
		if t := w.s.values[v].tensor; t.Node != 0 {
			if x, ok := w.m.to[t]; ok {
				w.call(v, x)
			}
		}
	}
	for _, in := range w.s.file.GetGraph().GetInput() {
		name(in.GetName())
	}
	for _, t := range w.s.file.GetGraph().GetInitializer() {
		name(t.GetName())
	}
	for _, v := range w.s.initial {
		name(v)
	}
	for i, n := range w.s.nodes {
		for _, o := range n.GetOutput() {
			if o == "" {
				continue
			}
			if x, ok := w.outputs[o]; ok {
				w.call(o, x)
			} else {
				name(o)
			}
		}
		w.whole[i] = !w.opened.nodes[i] && w.keeps(i, n)
	}
	w.fold()
}

// call says that a value of the file is a tensor of the result.
func (w *rewriting) call(v string, x graph.Tensor) {
	if _, ok := w.is[v]; !ok {
		w.is[v] = x
		w.of[x] = append(w.of[x], v)
	}
}

// there reports whether a value can be had in the result.
func (w *rewriting) there(v string) bool {
	if _, ok := w.is[v]; ok {
		return true
	}
	i, made := w.maker[v]
	if !made {
		return true
	}
	return w.whole[i] || w.s.values[v].known()
}

func (w *rewriting) keeps(i int, n *onnxpb.NodeProto) bool {
	for _, v := range w.reads[i] {
		if !w.there(v) {
			return false
		}
	}
	for _, o := range n.GetOutput() {
		if t := w.s.values[o].tensor; o != "" && t.Node != 0 {
			if x, ok := w.m.to[t]; !ok || w.is[o] != x {
				return false
			}
		}
	}
	for id := range w.within(i, n) {
		if !w.m.keeps(id) {
			return false
		}
	}
	return true
}

// make makes a value that is known without its node.
func (w *rewriting) make(v string) {
	if w.s.values[v].fixed != nil {
		w.stored = append(w.stored, v)
	} else {
		w.sizes = append(w.sizes, v)
	}
}

// demand asks for a value under its name.
func (w *rewriting) demand(v string) {
	if w.needed[v] {
		return
	}
	w.needed[v] = true
	i, made := w.maker[v]
	x, is := w.is[v]
	switch {
	case made && w.opened.values[v]:
		w.make(v)
	case !made:
		w.inits[v] = true
		if o, ok := w.outputs[v]; ok && (!is || o != x) {
			must.Failf("output %q is an input of the model, and would be something else", clip(v))
		}
	case w.whole[i]:
		if u := w.first(v); u != "" {
			w.alias[v] = u
			w.demand(u)
		} else if u := w.earlier(v); u != "" && w.clean {
			w.alias[v] = u
			w.demand(u)
		} else if w.folds[v] {
			w.stored = append(w.stored, v)
		} else if !w.copied[i] {
			w.copied[i] = true
			for _, u := range w.reads[i] {
				w.demand(u)
			}
		}
	case is:
		if u := w.another(x, v); u != "" {
			w.alias[v] = u
			w.demand(u)
		} else if u, ok := w.wanted[x]; ok {
			w.alias[v] = u
		} else {
			if made && repeating[w.s.nodes[i].GetOpType()] {
				must.Failf("node %s of %q would be split", w.s.nodes[i].GetOpType(), clip(v))
			}
			w.wanted[x] = v
			w.written = append(w.written, x)
		}
	case w.s.values[v].known():
		w.make(v)
	default:
		must.Failf("value %q is not available", clip(v))
	}
}

// dead keeps the nodes that no output of the file needs, as far as what they read is there.
func (w *rewriting) dead() {
	live := make([]bool, len(w.s.nodes))
	var visit func(v string)
	visit = func(v string) {
		if i, made := w.maker[v]; made && !live[i] {
			live[i] = true
			for _, u := range w.reads[i] {
				visit(u)
			}
		}
	}
	for o := range w.outputs {
		visit(o)
	}
	for i, n := range w.s.nodes {
		if live[i] || !w.whole[i] {
			continue
		}
		for _, o := range n.GetOutput() {
			if o != "" {
				w.demand(o)
			}
		}
	}
}

// first is another value that is the same tensor of the result, although it is another one
// of the graph: one node computes both. It is "" for outputs, which need their names.
func (w *rewriting) first(v string) string {
	x, ok := w.is[v]
	if _, out := w.outputs[v]; !ok || out || w.s.values[v].tensor.Node == 0 || len(w.s.nodes[w.maker[v]].GetOutput()) > 1 {
		return ""
	}
	best := ""
	for _, u := range w.of[x] {
		i, made := w.maker[u]
		if made && !w.whole[i] || w.s.values[u].tensor.Node == 0 {
			continue
		}
		if _, out := w.outputs[u]; out || best == "" {
			if best = u; out {
				break
			}
		}
	}
	if best == v || w.s.values[best].tensor == w.s.values[v].tensor {
		return ""
	}
	return best
}

// earlier is a value that is made before v and is the same tensor of the graph, where v is the
// only result of its node: v computes nothing. It is "" if there is none, or if v is an output
// and the value cannot have its name.
func (w *rewriting) earlier(v string) string {
	i, made := w.maker[v]
	x, ok := w.is[v]
	t := w.s.values[v].tensor
	if !made || !ok || t.Node == 0 || !w.whole[i] {
		return ""
	}
	for _, o := range w.s.nodes[i].GetOutput() {
		if o != "" && o != v {
			return ""
		}
	}
	_, out := w.outputs[v]
	for _, u := range w.of[x] {
		k, made := w.maker[u]
		_, named := w.outputs[u]
		if w.s.values[u].tensor == t && (!made || k < i) && w.there(u) && (!out || made && !named) {
			return u
		}
	}
	return ""
}

// mostFolded is the size up to which a constant is stored, in bytes, even if the constants that
// it is made of are smaller.
const mostFolded = 1 << 20

// fold finds the constants that are better stored than computed by the file. A constant is none
// of them if a larger one, which is not stored, is made of it: what is computed from stored
// numbers alone is read as a part of the model. Where sizes are open, constants may depend on
// them.
func (w *rewriting) fold() {
	if !w.clean || w.s.leavesOpen() {
		return
	}
	w.folds = map[string]bool{}
	needed := map[string]bool{}
	var need func(i int)
	need = func(i int) {
		for _, u := range w.reads[i] {
			if k, made := w.maker[u]; made && !needed[u] {
				needed[u] = true
				need(k)
			}
		}
	}
	bytes := func(k *value) int { return k.elements() * k.dtype.Bytes() }
	for i, n := range w.s.nodes {
		most := mostFolded
		for _, u := range w.reads[i] {
			if k := w.s.values[u].fixed; k != nil {
				most = max(most, bytes(k))
			}
		}
		for _, v := range n.GetOutput() {
			if k := w.s.values[v].fixed; k != nil && n.GetOpType() != "Constant" {
				if _, out := w.outputs[v]; out || bytes(k) > most {
					need(i)
				} else {
					w.folds[v] = true
				}
			}
		}
	}
	maps.DeleteFunc(w.folds, func(v string, _ bool) bool { return needed[v] })
}

// another is a value of the file, other than v, that is a tensor of the result and needs
// nothing new.
func (w *rewriting) another(x graph.Tensor, v string) (best string) {
	_, out := w.outputs[v]
	for _, u := range w.of[x] {
		if w.clean && w.earlier(u) != "" {
			continue // it is another value itself, and may be v
		}
		if i, made := w.maker[u]; u != v && (!made || w.whole[i]) && (best == "" || out && made) {
			// The last value that is made can have the name of an output.
			if best = u; !out {
				break
			}
		}
	}
	return best
}

// write finds what new nodes are made of.
func (w *rewriting) write() {
	g := w.r.Graph
	var visit func(t graph.Tensor)
	visit = func(t graph.Tensor) {
		if _, ok := w.given[t]; ok || w.visited[t.Node] {
			return
		}
		if u := w.another(t, ""); u != "" && (g.Op(t.Node) != nil || !g.IsWeight(t.Node)) {
			w.given[t] = u
			w.demand(u)
			return
		}
		if g.Op(t.Node) == nil {
			if !g.IsWeight(t.Node) {
				must.Failf("the result reads the input %q, which the file does not have", clip(g.Name(t.Node)))
			}
			w.visited[t.Node] = true
			return
		}
		w.visited[t.Node] = true
		for _, x := range g.Operands(t.Node) {
			visit(x)
		}
	}
	// Asking for what new nodes read may ask for more new nodes.
	for i := 0; i < len(w.written); i++ {
		visit(w.written[i])
	}
}

// region is the new part of the result as a model of its own: its inputs are values that
// are kept. name gives values of the file the names that they have now.
func (w *rewriting) region(name func(string) string, taken *names) (m *model.Model, err error) {
	defer must.Catch(&err)
	g := w.r.Graph
	var b graph.Builder
	if g.Sizing() != nil {
		must.Do(b.Vary(g.Sizing()))
	}
	to := map[graph.Tensor]graph.Tensor{}
	m = &model.Model{Name: w.r.Name, Weights: map[graph.NodeID]*model.Weight{}}
	// A value may be an input once only.
	for _, t := range sortedTensors(w.given) {
		to[t] = must.Get(b.AddOpen(name(w.given[t]), g.DType(t), g.Shape(t)))
	}
	weights := map[graph.NodeID]*model.Weight{}
	users := map[graph.Tensor]int{}
	for _, t := range w.written {
		users[t]++
	}
	for id := range g.Nodes() {
		for _, t := range g.Operands(id) {
			if w.visited[id] {
				users[t]++
			}
		}
	}
	for id := range g.Nodes() {
		if !w.visited[id] {
			continue
		}
		if g.Op(id) == nil {
			t := g.Type(id.Out(0))
			x := must.Get(b.AddWeight(w.weightName(id, taken), t.DType, t.Sizes...))
			to[id.Out(0)], weights[x.Node] = x, w.r.Weights[id]
			continue
		}
		in := make([]graph.Tensor, len(g.Operands(id)))
		for i, t := range g.Operands(id) {
			in[i] = to[t]
		}
		// A broadcast of several users is one of each, so that each can do it itself.
		if kept, ok := repeats(g.Op(id)); ok {
			for i, alone := range implicit(g, id, kept, func(t graph.Tensor) bool { return w.visited[t.Node] }) {
				if t := g.Operands(id)[i]; alone && users[t] > 1 {
					users[t]--
					in[i] = must.Get(b.Apply("", g.Op(t.Node), g.OpenAttrs(t.Node), to[g.Operands(t.Node)[0]])).Out(0)
				}
			}
		}
		var n graph.NodeID
		own := ""
		for k := range g.NumOut(id) {
			if v, ok := w.wanted[id.Out(k)]; ok && k == 0 {
				own = name(v)
			}
		}
		if own == "" {
			own = taken.unique(g.Name(id))
		}
		if kind, payload, ok := g.Opaque(id); ok {
			outs, shapes := make([]graph.TensorType, g.NumOut(id)), make([]graph.Shape, g.NumOut(id))
			for k := range outs {
				outs[k], shapes[k] = g.Type(id.Out(k)), g.Shape(id.Out(k))
			}
			n = must.Get(b.OpaqueOpen(own, kind, payload, in, outs, shapes))
		} else if g.Op(id).In == 0 {
			n = must.Get(b.Constant(own, g.DType(id.Out(0)), g.Op(id), g.OpenAttrs(id)))
		} else {
			n = must.Get(b.Apply(own, g.Op(id), g.OpenAttrs(id), in...))
		}
		for k := range g.NumOut(id) {
			if _, given := to[id.Out(k)]; !given {
				to[id.Out(k)] = n.Out(k)
			}
		}
	}
	outs := make([]graph.Tensor, len(w.written))
	for i, t := range w.written {
		outs[i] = to[t]
	}
	m.Graph = must.Get(b.Finish(outs...))
	m.Weights = weights
	return m, m.Validate()
}

// weightName is the name of a weight in the file, or a new one.
func (w *rewriting) weightName(id graph.NodeID, taken *names) string {
	for _, v := range w.of[id.Out(0)] {
		if i, made := w.maker[v]; !made || w.whole[i] {
			return v
		}
	}
	return taken.unique(w.r.Graph.Name(id))
}

func sortedTensors(of map[graph.Tensor]string) []graph.Tensor {
	return slices.SortedFunc(maps.Keys(of), func(a, b graph.Tensor) int {
		if a.Node != b.Node {
			return int(a.Node) - int(b.Node)
		}
		return int(a.Out) - int(b.Out)
	})
}

// export writes the new part in the operator set of the file. open: sizes of the file stay
// open.
func (w *rewriting) export(name func(string) string, taken *names, open bool) (*onnxpb.ModelProto, error) {
	m := &model.Model{Graph: new(graph.Builder).Graph()}
	if len(w.written) > 0 {
		var err error
		if m, err = w.region(name, taken); err != nil {
			return nil, err
		}
	}
	e := newExporter(m)
	e.names, e.open, e.vars = taken, open && w.s.vars == nil, w.s.vars
	for _, o := range w.s.file.GetOpsetImport() {
		if defaultDomain(o.GetDomain()) {
			e.opset = o.GetVersion()
		}
	}
	if len(w.s.file.GetOpsetImport()) == 0 {
		e.opset = 1
	}
	for i, t := range m.Graph.Outputs() {
		e.name[t] = name(w.wanted[w.written[i]])
	}
	if err := must.Try(func() {
		for _, v := range w.sizes {
			e.sizeValue(w.s.values[v].sizes, name(v))
		}
	}); err != nil {
		return nil, err
	}
	p, err := e.model(nil, "")
	if err != nil {
		return nil, err
	}
	ints := map[string][]int64{}
	for _, t := range p.GetGraph().GetInitializer() {
		if t.GetDataType() == int32(onnxpb.TensorProto_INT64) {
			if k, err := decodeConstant(graph.Int64, sizesOf(t), t.GetRawData()); err == nil {
				ints[t.GetName()] = k.ints
			}
		}
	}
	for _, n := range p.GetGraph().GetNode() {
		if err := older(n, e.opset, ints); err != nil {
			return nil, fmt.Errorf("a new node cannot be written in operator set %d of the file: %w", e.opset, err)
		}
	}
	for _, n := range p.GetGraph().GetNode() {
		switch {
		case n.DocString == nil:
			n.DocString = proto.String(note) // it is read as it is written
		case n.GetDocString() == "": // it is a part of what the reader recognizes
			n.DocString = nil
		}
	}
	w.unused(p)
	return p, nil
}

func sizesOf(t *onnxpb.TensorProto) (sizes []int) {
	for _, d := range t.GetDims() {
		sizes = append(sizes, int(d))
	}
	return sizes
}

// unused drops initializers of the new part that no new node reads, such as lists that
// became attributes.
func (w *rewriting) unused(p *onnxpb.ModelProto) {
	read := map[string]bool{}
	for _, n := range p.GetGraph().GetNode() {
		for _, in := range n.GetInput() {
			read[in] = true
		}
		for in := range captured(n) {
			read[in] = true
		}
	}
	p.Graph.Initializer = slices.DeleteFunc(p.Graph.Initializer, func(t *onnxpb.TensorProto) bool { return !read[t.GetName()] })
}

// originals drops initializers of the new part that the file has, and asks for these. One
// that has another form than in the file gets another name.
func (w *rewriting) originals(p *onnxpb.ModelProto, taken *names) {
	rename := map[string]string{}
	p.Graph.Initializer = slices.DeleteFunc(p.Graph.Initializer, func(t *onnxpb.TensorProto) bool {
		v := t.GetName()
		sv, ok := w.s.values[v]
		if !ok || sv.tensor.Node == 0 || w.m.g.Op(sv.tensor.Node) != nil {
			return false
		}
		if t.DocString == nil && slices.Equal(sizesOf(t), w.m.g.Sizes(sv.tensor)) {
			w.demand(v)
			return true
		}
		rename[v] = taken.unique(v)
		t.Name = proto.String(rename[v])
		return false
	})
	for _, n := range p.GetGraph().GetNode() {
		renameNode(n, func(v string) string {
			if u, ok := rename[v]; ok {
				return u
			}
			return v
		})
	}
}

// renameNode gives other names to the values of a node, and reports whether there is one.
func renameNode(n *onnxpb.NodeProto, name func(string) string) (changed bool) {
	for _, list := range [][]string{n.Input, n.Output} {
		for i, v := range list {
			if v != "" && name(v) != v {
				list[i], changed = name(v), true
			}
		}
	}
	inside := map[string]string{}
	for v := range captured(n) {
		if name(v) != v {
			inside[v], changed = name(v), true
		}
	}
	if len(inside) > 0 {
		renameCaptured(n, inside)
	}
	return changed
}
