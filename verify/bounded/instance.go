package bounded

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/law"
)

// plan is a law with its distinct subterms numbered, arguments first.
type plan struct {
	law    *law.Law
	nodes  []node
	out    [2][]int
	inputs []*law.Binding
}

type node struct {
	term *law.Term
	args []int
	in   int // of a variable: the position in inputs
	act  int // the position of an activation among the attributes, or -1
}

func numbered(l *law.Law) (*plan, error) {
	p := &plan{law: l}
	var terms law.Nodes
	at := map[int]int{}
	input := map[string]int{}
	for i := range l.Given {
		if b := &l.Given[i]; b.Sort == "" {
			input[b.Name] = len(p.inputs)
			p.inputs = append(p.inputs, b)
		}
	}
	var add func(t *law.Term) (int, error)
	add = func(t *law.Term) (int, error) {
		key := terms.Of(t)
		if i, ok := at[key]; ok {
			return i, nil
		}
		n := node{term: t, in: -1, act: -1}
		for _, a := range t.Args {
			i, err := add(a)
			if err != nil {
				return 0, err
			}
			n.args = append(n.args, i)
		}
		switch {
		case t.IsVar():
			i, ok := input[t.Var]
			if !ok {
				return 0, fmt.Errorf("law %s: tensor %s is not given", l.Name, t.Var)
			}
			n.in = i
		case t.Op != nil:
			n.act = slices.IndexFunc(t.Op.Params, func(p graph.Param) bool { return p.Sort == graph.SortAct })
		}
		p.nodes = append(p.nodes, n)
		at[key] = len(p.nodes) - 1
		return len(p.nodes) - 1, nil
	}
	for side, ts := range [2][]*law.Term{l.LHS, l.RHS} {
		for _, t := range ts {
			i, err := add(t)
			if err != nil {
				return nil, err
			}
			p.out[side] = append(p.out[side], i)
		}
	}
	if len(p.out[0]) != len(p.out[1]) {
		return nil, fmt.Errorf("law %s: %d outputs on the left, %d on the right", l.Name, len(p.out[0]), len(p.out[1]))
	}
	return p, nil
}

// instance is a law at one valuation, ready to be evaluated over any ring.
type instance struct {
	of    *plan
	steps []step
	err   [2]error // why a side is not defined
}

type step struct {
	sizes []int
	mean  *graph.Program
	fn    string // applied to the argument, or to what mean yields
	err   error
}

// maxCells is the most elements of one tensor of an instance.
const maxCells = 1 << 14

// errLarge says that an instance is beyond the bounds of the check.
var errLarge = errors.New("too large")

var (
	unknownAct = graph.NameValue(AnyActivation)
	noAct      = graph.NameValue("none")
)

// at types a law at one valuation. The error is errLarge only.
func (p *plan) at(v *law.Valuation) (*instance, error) {
	in := &instance{of: p, steps: make([]step, len(p.nodes))}
	for i := range p.nodes {
		st := &in.steps[i]
		st.err = p.step(&p.nodes[i], v, in.steps, st)
		if errors.Is(st.err, errLarge) {
			return nil, st.err
		}
	}
	for side := range in.err {
		for _, o := range p.out[side] {
			if err := in.steps[o].err; err != nil {
				in.err[side] = err
				break
			}
		}
	}
	return in, nil
}

func (p *plan) step(n *node, v *law.Valuation, before []step, st *step) error {
	for _, a := range n.args {
		if err := before[a].err; err != nil {
			return err
		}
	}
	t := n.term
	switch {
	case n.in >= 0:
		sizes, ok := p.inputs[n.in].Shape.Subst(&v.Binding).Concrete()
		if !ok {
			return fmt.Errorf("tensor %s: its shape is not bound", t.Var)
		}
		st.sizes = sizes
		return nil
	case t.Fn != "":
		name, ok := v.Fns[t.Fn]
		if !ok {
			return fmt.Errorf("function %s is not bound", t.Fn)
		}
		st.sizes, st.fn = before[n.args[0]].sizes, name
		return nil
	}
	attrs := t.Attrs.Subst(&v.Binding)
	if n.act >= 0 && attrs[n.act] == unknownAct {
		// Activations are applied to the result, so that one which no operator
		// stands for can be applied here.
		attrs[n.act], st.fn = noAct, AnyActivation
	}
	shapes, sizes := make([]graph.Shape, len(n.args)), make([][]int, len(n.args))
	for i, a := range n.args {
		sizes[i] = before[a].sizes
		shapes[i] = graph.Sizes(sizes[i]...)
	}
	var f graph.Facts
	out, err := t.Op.InferShapes(&f, attrs, shapes)
	if err != nil {
		return err
	}
	if len(f.Needs) > 0 {
		return fmt.Errorf("operator %s: not decided: %s", t.Op.Name, graph.NeedsString(f.Needs))
	}
	outSizes := make([][]int, len(out))
	for i, s := range out {
		c, ok := s.Concrete()
		if !ok {
			return fmt.Errorf("operator %s: shape %s is not concrete", t.Op.Name, s)
		}
		n := 1
		for _, x := range c {
			if x < 1 {
				return fmt.Errorf("operator %s: shape %s is no shape", t.Op.Name, s)
			}
			if n *= min(x, maxCells+1); n > maxCells {
				return fmt.Errorf("operator %s: shape %s: %w", t.Op.Name, s, errLarge)
			}
		}
		outSizes[i] = c
	}
	if st.mean, err = t.Op.Program(attrs, sizes, outSizes); err != nil {
		return fmt.Errorf("operator %s: %w", t.Op.Name, err)
	}
	st.sizes = outSizes[t.Out]
	return nil
}

// run evaluates every defined term.
func run[T any](in *instance, r interp.Ring[T], inputs [][]T) [][]T {
	val := make([][]T, len(in.steps))
	for i := range in.steps {
		n, st := &in.of.nodes[i], &in.steps[i]
		switch {
		case st.err != nil:
			continue
		case n.in >= 0:
			val[i] = inputs[n.in]
			continue
		case st.mean == nil:
			val[i] = val[n.args[0]]
		default:
			args := make([][]T, len(n.args))
			for k, a := range n.args {
				args[k] = val[a]
			}
			val[i] = interp.Run(r, st.mean, args)[n.term.Out]
		}
		if st.fn != "" {
			out := make([]T, len(val[i]))
			for k, x := range val[i] {
				out[k] = r.Fn(st.fn, x)
			}
			val[i] = out
		}
	}
	return val
}

// cells are the numbers of elements of the inputs.
func (in *instance) cells() []int {
	out := make([]int, len(in.of.inputs))
	for i := range in.of.nodes {
		if n := &in.of.nodes[i]; n.in >= 0 {
			out[n.in] = graph.NumElements(in.steps[i].sizes)
		}
	}
	return out
}

// place writes a position in a tensor as an index.
func place(flat int, sizes []int) string {
	idx := make([]int, len(sizes))
	for a, st := range graph.Strides(sizes) {
		idx[a], flat = flat/st, flat%st
	}
	return fmt.Sprint(idx)
}
