package verifymodels

import (
	"context"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// A run that reaches a side of a point may show nothing of it: a quantized product that
// saturates, or a maximum with something larger, hides what was computed before. So a side
// counts only if an output depends on it. Whether it does is tried as in mutation testing:
// where the operand is on that side, the node's results are replaced by what its function
// gives on another side, or by its continuation from there. If no output changes, the run
// shows nothing of the side.

// shownRuns is how many runs that reach a side are tried.
const shownRuns = 6

// mutable reports whether so many evaluations can be afforded that mutants are tried. In
// larger models a side that is reached counts: it is reached by many elements.
func (p *prober) mutable() bool { return p.o.MaxFLOPs/150/max(once(p.o), least) >= 128 }

// show tries the runs that reached sides of points and were not tried yet.
func (p *prober) show(ctx context.Context) error {
	for side, r := range []*runner{p.a, p.b} {
		for _, pt := range r.watch.points {
			for s := range sides {
				for !pt.plain && pt.need[s] && !pt.twin && !pt.shown[s] && len(pt.in[s]) > 0 {
					if !p.pays(1) {
						return nil
					}
					run := pt.in[s][0]
					if pt.in[s] = pt.in[s][1:]; p.overflowed[run] {
						continue
					}
					does, err := p.mutate(ctx, side, pt, s, p.fedIn(run))
					if err != nil {
						return err
					}
					if does == indifferent && s == at {
						if does, err = p.settles(ctx, side, pt, s, run); err != nil {
							return err
						}
					}
					if does == hidden {
						if does, err = p.jointly(ctx, side, pt, s, p.fedIn(run)); err != nil {
							return err
						}
					}
					if does == visible || does == indifferent && s == at {
						pt.show(s)
					}
				}
			}
		}
	}
	return p.showTies(ctx)
}

// settles tries a mutant again that was indifferent in a run: with other inputs in place of
// those that have nothing to do with the point. It is hidden if a product with the node's
// results did not change and all elements that are fed are one number.
func (p *prober) settles(ctx context.Context, which int, pt *point, s where, run int) (effect, error) {
	g, ins := p.o.A.Graph, p.o.A.Inputs()
	if which == 1 {
		g, ins = p.o.B.Graph, p.o.B.Inputs()
	}
	from, products := map[graph.NodeID]bool{pt.node: true}, false
	for id := pt.node; id > 0; id-- {
		if from[id] && g.Op(id) != nil {
			for _, t := range g.Operands(id) {
				from[t.Node] = true
			}
		}
	}
	choices, _ := choicesOf(g, pt.node)
	for id := range choices {
		products = products || g.Op(id).Name == "ewmul"
	}
	in, several := slices.Clone(p.fedIn(run)), false
	for i, x := range p.c.ins {
		id := ins[x.number]
		if which == 1 {
			id = ins[x.place]
		}
		if from[id] {
			several = several || len(slices.Compact(slices.Clone(in[i].Data))) > 1
			continue
		}
		in[i] = interp.Tensor[float64]{Sizes: in[i].Sizes, Data: make([]float64, len(in[i].Data))}
		for j := range in[i].Data {
			in[i].Data[j] = x.hold(wideScale * x.unit(draw(p.o.Seed, 700, x, j)))
		}
	}
	if products && !several {
		return hidden, nil
	}
	does, err := p.mutate(ctx, which, pt, s, in)
	if does == visible {
		does = hidden // these inputs were not compared
	}
	return does, err
}

// fedIn returns the inputs of a run, in the order of A.
func (p *prober) fedIn(run int) []interp.Tensor[float64] {
	if run < 0 {
		in, _ := p.planned.fill(-1 - run)
		return in
	}
	return p.fed[run]
}

// effect is what a mutant does.
type effect int

const (
	hidden      effect = iota // no output changes
	visible                   // an output does
	indifferent               // no output changes, as the node decides between equal numbers
)

// mutate tries whether outputs of a model depend on what a node does on a side of a point, for
// inputs in the order of A.
func (p *prober) mutate(ctx context.Context, which int, pt *point, s where, in []interp.Tensor[float64]) (effect, error) {
	r := p.a
	if which == 1 {
		r, in = p.b, p.placed(in)
	}
	nodes := []graph.NodeID{pt.node}
	was, chosen, _, err := r.mutated(ctx, nodes, in, nil)
	if err != nil {
		return hidden, p.passed(ctx, err)
	}
	now, other, changed, err := r.mutated(ctx, nodes, in, func(_ graph.NodeID, operands []interp.Tensor[float64], out interp.Tensor[float64]) (interp.Tensor[float64], bool) {
		return pt.mutant(r.m.Graph, operands, out, s)
	})
	switch {
	case err != nil:
		return hidden, p.passed(ctx, err)
	case !changed: // the function does the same on the other side
		return visible, nil
	case p.apartOutputs(which, was, now):
		return visible, nil
	case chosen == nil:
		return hidden, nil
	}
	for i := range chosen {
		if o := deviation(chosen[i].Sizes, chosen[i].Data, other[i].Data); o.NaNs > 0 || o.Absolute > 1e-4*max(1, o.Largest) {
			return hidden, nil
		}
	}
	return indifferent, nil
}

// apartOutputs reports whether outputs of a model differ by more than their tolerances.
func (p *prober) apartOutputs(which int, was, now []interp.Tensor[float64]) bool {
	for a, b := range p.c.outs {
		k := a
		if which == 1 {
			k = b
		}
		if d := deviation(was[k].Sizes, was[k].Data, now[k].Data); d.NaNs > 0 || d.Relative > p.res.Outputs[a].Tolerance {
			return true
		}
	}
	return false
}

// mutated runs a model in which the results of nodes are changed. chosen are the results of
// the choices that the first of them decides, nil if anything else reads it.
func (r *runner) mutated(ctx context.Context, nodes []graph.NodeID, in []interp.Tensor[float64], change func(node graph.NodeID, operands []interp.Tensor[float64], out interp.Tensor[float64]) (interp.Tensor[float64], bool)) (outs, chosen []interp.Tensor[float64], changed bool, err error) {
	g, held := r.m.Graph, map[graph.Tensor]interp.Tensor[float64]{}
	for _, node := range nodes {
		for _, t := range g.Operands(node) {
			held[t] = interp.Tensor[float64]{}
		}
	}
	hold := func(t graph.Tensor, x interp.Tensor[float64]) {
		if _, ok := held[t]; ok {
			held[t] = x
		}
	}
	for i, id := range r.m.Inputs() {
		hold(id.Out(0), in[i])
	}
	choices, only := choicesOf(g, nodes[0])
	outs, err = evaluate(ctx, floats{}, r.m, in, func(id graph.NodeID, out []interp.Tensor[float64]) {
		for k := range out {
			hold(id.Out(k), out[k])
		}
		if change != nil && slices.Contains(nodes, id) {
			operands := make([]interp.Tensor[float64], len(g.Operands(id)))
			for i, t := range g.Operands(id) {
				operands[i] = held[t]
			}
			res, other := change(id, operands, out[0])
			out[0], changed = res, changed || other
		}
		if only && choices[id] {
			chosen = append(chosen, out[0])
		}
	}, func(id graph.NodeID) (interp.Tensor[float64], error) {
		w, err := r.kept.load(floats{}, r.m, id, true)
		hold(id.Out(0), w)
		return w, err
	})
	return outs, chosen, changed, err
}

// choicesOf returns the choices between two tensors that a node decides and its products,
// and whether it does nothing else.
func choicesOf(g *graph.Graph, node graph.NodeID) (choices map[graph.NodeID]bool, only bool) {
	choices, only = map[graph.NodeID]bool{}, true
	from := map[graph.NodeID]bool{node: true}
	for id := node + 1; int(id) <= g.Len(); id++ {
		op := g.Op(id)
		if op == nil {
			continue
		}
		for i, t := range g.Operands(id) {
			switch {
			case !from[t.Node]:
			case op.Name == "ewwhere" && i == 0, op.Name == "ewmul":
				choices[id] = true
			case op.Rearranges || op.Name == "cast":
				from[id] = true
			default:
				only = false
			}
		}
	}
	for _, t := range g.Outputs() {
		only = only && !from[t.Node]
	}
	return choices, only && len(choices) > 0
}

// mutant returns the results of a node in which those on a side of a point are replaced by
// what the function gives elsewhere, and reports whether any is another number.
func (p *point) mutant(g *graph.Graph, in []interp.Tensor[float64], out interp.Tensor[float64], s where) (interp.Tensor[float64], bool) {
	if len(out.Data) != len(in[p.x].Data) {
		return out, false
	}
	res := interp.Tensor[float64]{Sizes: out.Sizes, Data: append([]float64{}, out.Data...)}
	found := false
	replace := func(with func(j int) float64) {
		for j := range res.Data {
			d, ok := p.apart(in, j)
			on := ok && (p.on(s, d) || p.choice && d != 0 && s != at)
			if !on || res.Data[j] != out.Data[j] {
				continue
			}
			if x := with(j); !same64(x, out.Data[j]) {
				res.Data[j], found = x, true
			}
		}
	}
	for _, c := range p.continuations(g, in, s) {
		replace(c)
	}
	return res, found
}

// continuations are the numbers that may stand for results on a side of a point, best first.
func (p *point) continuations(g *graph.Graph, in []interp.Tensor[float64], s where) (list []func(j int) float64) {
	op, a, x := g.Op(p.node), g.Attrs(p.node), in[p.x]
	base := func(j int) float64 {
		d, _ := p.apart(in, j)
		return x.Data[j] - d // the point itself
	}
	value := func(by float64) (interp.Tensor[float64], bool) {
		moved := append([]interp.Tensor[float64]{}, in...)
		moved[p.x] = interp.Tensor[float64]{Sizes: x.Sizes, Data: make([]float64, len(x.Data))}
		for j := range x.Data {
			moved[p.x].Data[j] = base(j) + by*max(1, math.Abs(base(j)))
		}
		out, err := interp.Apply(interp.Float{}, op, a, moved)
		if err != nil || len(out) == 0 || len(out[0].Data) != len(x.Data) {
			return interp.Tensor[float64]{}, false
		}
		return out[0], true
	}
	h := 1e-6
	if !g.DType(g.Operands(p.node)[p.x]).IsFloat() {
		h = 1
	}
	from := func(h float64) {
		one, ok := value(h)
		two, also := value(2 * h)
		if !ok || !also {
			return
		}
		list = append(list, func(j int) float64 {
			step := h * max(1, math.Abs(base(j)))
			return one.Data[j] + (two.Data[j]-one.Data[j])/step*(x.Data[j]-base(j)-step)
		})
	}
	switch {
	case p.choice && s == at:
		if y, ok := value(1); ok {
			list = append(list, func(j int) float64 { return y.Data[j] })
		}
		return list
	case !p.choice && s != above:
		from(h)
	}
	if !p.choice && s != below {
		from(-h)
	}
	if y, ok := value(0); ok {
		list = append(list, func(j int) float64 { return y.Data[j] })
	}
	return list
}
