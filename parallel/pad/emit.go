package pad

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// used is what makes the versions that outputs need, in an order in which each reads what is
// before it.
func (w *writer) used() (out []*made) {
	seen := map[*made]bool{}
	var visit func(m *made)
	visit = func(m *made) {
		if seen[m] {
			return
		}
		seen[m] = true
		out = append(out, m)
		for _, v := range m.in {
			visit(v.by)
		}
	}
	for _, v := range w.outs {
		visit(v.by)
	}
	for _, id := range w.g.Inputs() {
		for _, v := range []*version{w.same[id.Out(0)], w.padded[id.Out(0)]} {
			if v != nil && v.by.how == read {
				visit(v.by)
			}
		}
	}
	slices.SortFunc(out, func(a, b *made) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.seq, b.seq)) })
	return out
}

// along are inputs to which cells are added in the network: they have to be padded, too.
func (w *writer) along() Cells {
	out := Cells{}
	for _, m := range w.used() {
		if m.how == added && w.g.Op(m.id) == nil {
			out[slices.Index(w.g.Inputs(), m.id)] = m.outs[0].after
		}
	}
	return out
}

// asked are tensors that are masked where somebody reads them.
func (w *writer) asked() (out []graph.Tensor) {
	for _, m := range w.used() {
		if m.how == zeroed && !w.masked[m.outs[0].of] {
			out = append(out, m.outs[0].of)
		}
	}
	return out
}

// places are where a mask might stand for one that a tensor has: there, or before.
func (w *writer) places(t graph.Tensor) []graph.Tensor {
	out := []graph.Tensor{t}
	for i := 0; i < len(out) && len(out) < maxTried; i++ {
		for _, x := range w.g.Operands(out[i].Node) {
			if v := w.padded[x]; v != nil && v.kind == loose && w.g.DType(x).IsFloat() && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// step writes the padded network.
func (w *writer) step() (*Step, error) {
	s := &Step{Of: w.g, Next: w.next, Cells: w.cells, laws: map[string]*law.Law{}, proofs: map[string]*law.Proof{}}
	e := &emitter{writer: w, s: s, at: map[*version]graph.Tensor{}, terms: terms(w.g), now: map[graph.Tensor]*law.Term{}, names: map[string]bool{}}
	for id := range w.g.Nodes() {
		e.names[w.g.Name(id)] = true
	}
	first := map[graph.NodeID]bool{}
	for _, m := range w.used() {
		name := w.g.Name(m.id)
		if m.how != read && (m.how != compute || first[m.id]) {
			name = ""
		} else {
			first[m.id] = true
		}
		if err := e.made(m, name); err != nil {
			return nil, fmt.Errorf("padded network: node %s: %w", w.g.Name(m.id), err)
		}
	}
	var outs []graph.Tensor
	for _, v := range w.outs {
		outs = append(outs, e.at[v])
	}
	var err error
	if s.To, err = e.b.Finish(outs...); err != nil {
		return nil, fmt.Errorf("padded network: %w", err)
	}
	return s, nil
}

// terms are those of the tensors of a network over its inputs.
func terms(g *graph.Graph) [][]*law.Term {
	out := make([][]*law.Term, g.Len()+1)
	inputs := 0
	for id := range g.Nodes() {
		if g.Op(id) == nil {
			out[id] = []*law.Term{law.V(variable(inputs))}
			inputs++
			continue
		}
		var args []*law.Term
		for _, t := range g.Operands(id) {
			args = append(args, out[t.Node][t.Out])
		}
		app := law.Apply(g.Op(id), g.Attrs(id), args...)
		for k := range g.NumOut(id) {
			out[id] = append(out[id], app.Output(k))
		}
	}
	return out
}

// emitter writes what was decided on, with what shows it.
type emitter struct {
	*writer
	s     *Step
	b     graph.Builder
	at    map[*version]graph.Tensor
	terms [][]*law.Term              // of the network as it came
	now   map[graph.Tensor]*law.Term // of the padded one, over the same inputs
	names map[string]bool
}

func (e *emitter) term(t graph.Tensor) *law.Term { return e.terms[t.Node][t.Out] }

func (e *emitter) free(t graph.Tensor, what string) string {
	n := e.g.Name(t.Node)
	if e.g.NumOut(t.Node) > 1 {
		n = fmt.Sprintf("%s.%d", n, t.Out)
	}
	name := n + "_" + what
	for i := 2; e.names[name]; i++ {
		name = fmt.Sprintf("%s_%s_%d", n, what, i)
	}
	e.names[name] = true
	return name
}

// apply adds a node; of a constant like is its type.
func (e *emitter) apply(name string, like graph.DType, a applied, in ...graph.Tensor) (id graph.NodeID, err error) {
	if len(in) == 0 {
		id, err = e.b.Constant(name, like, a.op, a.attrs)
	} else {
		id, err = e.b.Apply(name, a.op, a.attrs, in...)
	}
	if err != nil {
		return id, err
	}
	var args []*law.Term
	for _, t := range in {
		args = append(args, e.now[t])
	}
	app := law.Apply(a.op, a.attrs, args...)
	for k := range e.b.Graph().NumOut(id) {
		e.now[id.Out(k)] = app.Output(k)
	}
	return id, nil
}

func (e *emitter) made(m *made, name string) error {
	g := e.g
	t := m.outs[0].of
	like := g.DType(t)
	var in []graph.Tensor
	for _, v := range m.in {
		in = append(in, e.at[v])
	}
	switch m.how {
	case read:
		add := e.b.AddInput
		if g.IsWeight(m.id) {
			add = e.b.AddWeight
		}
		x, err := add(name, like, m.outs[0].sizes...)
		e.at[m.outs[0]], e.now[x] = x, zeros(e.term(t), m.outs[0].after)
		return err
	case compute:
		if name == "" {
			name = e.free(t, "padded")
		}
		id, err := e.apply(name, like, applied{g.Op(m.id), m.attrs}, in...)
		if err != nil {
			return err
		}
		for k, v := range m.outs {
			e.at[v] = id.Out(v.out)
			if m.laws != nil {
				e.holds(m.laws[k], m)
			}
		}
		return nil
	case added:
		o, attrs := padding(m.outs[0].after)
		id, err := e.apply(e.free(t, "padded"), like, applied{o, attrs}, in[0])
		e.at[m.outs[0]] = id.Out(0)
		return err
	case removed:
		x := in[0]
		for _, attrs := range cuts(g.Sizes(t), m.in[0].after) {
			id, err := e.apply(e.free(t, "cut"), like, applied{op.Slice, attrs}, x)
			if err != nil {
				return err
			}
			x = id.Out(0)
		}
		e.at[m.outs[0]] = x
		if m.laws[0] != nil {
			e.is(m.laws[0], e.term(t))
		}
		return nil
	}
	e.is(m.laws[0], e.now[in[0]])
	x, after := in[0], m.in[0].after
	for axis, n := range after {
		if n == 0 {
			continue
		}
		var y []graph.Tensor
		for _, a := range masks(g.Sizes(t), after, axis) {
			id, err := e.apply(e.free(t, "mask"), like, a, y...)
			if err != nil {
				return err
			}
			y = []graph.Tensor{id.Out(0)}
		}
		id, err := e.apply(e.free(t, "masked"), like, applied{op: op.EWMul}, x, y[0])
		if err != nil {
			return err
		}
		x = id.Out(0)
	}
	e.at[m.outs[0]] = x
	return nil
}

// holds adds the instance of a law of versions: variables are tensors, and where nothing is known
// of cells what has them.
func (e *emitter) holds(l *law.Law, m *made) {
	args := map[string]*law.Term{}
	for i, v := range m.in {
		if v.kind == loose {
			args[variable(i)] = e.now[e.at[v]]
		} else {
			args[variable(i)] = e.term(v.of)
		}
	}
	e.add(l, args)
}

func (e *emitter) is(l *law.Law, x *law.Term) { e.add(l, map[string]*law.Term{variable(0): x}) }

func (e *emitter) add(l *law.Law, args map[string]*law.Term) {
	e.s.insts = append(e.s.insts, law.Instance{Law: l.Name, Tensors: args})
	e.s.laws[l.Name], e.s.proofs[l.Name] = l, e.writer.laws.prover.Proof(l.Name)
}
