package verify

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// probe compares the sides of a law quickly: on random numbers modulo 2^61 - 1,
// functions and orders being random ones.
type probe struct {
	key    uint64   // of functions, orders and numbers
	names  []string // of the tensors given
	keys   []string // under which their numbers are drawn
	nodes  []probeNode
	out    [2][]int
	cells  int
	oneWay bool
	// Of one comparison, by node.
	err   []error
	given [][]int // of the tensors given, in their order
	sizes [][]int
	apply []applied
	means []*graph.Program
	data  [][]uint64
}

// probeNode is a term, its arguments numbers of nodes before it.
type probeNode struct {
	term  *law.Term
	args  []int
	input int    // a tensor given, counted from 1
	fn    string // or a function variable, as the ring knows it
	fixed bool   // or an operator; its attributes hold no variables
}

// probeResult is what a comparison says.
type probeResult uint8

const (
	probeSkipped probeResult = iota // neither side is defined, or tensors are too large
	probeEqual                      // equal, hence for all values
	probeDiffers                    // not equal for all functions and orders
	probeBroken                     // one side is not defined, or shapes differ
)

func newProbe(l *law.Law, seed uint64, cells int) (*probe, error) {
	p := &probe{key: seed, cells: cells, oneWay: l.OneWay}
	fns := map[string]string{}
	// Numbers and functions do not depend on names.
	for i, b := range l.Given {
		switch b.Sort {
		case "":
			p.keys = append(p.keys, fmt.Sprint("x", len(p.names)))
			p.names = append(p.names, b.Name)
		case law.SortPointwise1:
			fns[b.Name] = fmt.Sprint("any:", i)
		case law.SortZero1:
			fns[b.Name] = fmt.Sprint("zero:", i)
		}
	}
	at := map[string]int{}
	memo := map[*law.Term]int{}
	var add func(t *law.Term) (int, error)
	add = func(t *law.Term) (int, error) {
		if i, ok := memo[t]; ok {
			return i, nil
		}
		n := probeNode{term: t}
		for _, a := range t.Args {
			i, err := add(a)
			if err != nil {
				return 0, err
			}
			n.args = append(n.args, i)
		}
		var key string
		switch {
		case t.IsVar():
			n.input = slices.Index(p.names, t.Var) + 1
			if n.input == 0 {
				return 0, fmt.Errorf("tensor %s is not given", t.Var)
			}
			key = t.Var
		case t.Fn != "":
			if n.fn = fns[t.Fn]; n.fn == "" {
				return 0, fmt.Errorf("function %s is not given", t.Fn)
			}
			key = fmt.Sprint(t.Fn, n.args)
		default:
			key = fmt.Sprint(t.Op.Name, t.Op.FormatAttrs(t.Attrs), t.Out, n.args)
			n.fixed = true
			for _, v := range t.Attrs {
				if v.Kind() == graph.KindVar {
					n.fixed = false
				}
				v.Walk(func(graph.Atom) { n.fixed = false })
				if s, ok := v.Shape(); ok && s.HasRun() {
					n.fixed = false
				}
			}
		}
		i, ok := at[key]
		if !ok {
			i = len(p.nodes)
			at[key] = i
			p.nodes = append(p.nodes, n)
		}
		memo[t] = i
		return i, nil
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
	p.err = make([]error, len(p.nodes))
	p.sizes = make([][]int, len(p.nodes))
	p.apply = make([]applied, len(p.nodes))
	p.means = make([]*graph.Program, len(p.nodes))
	p.data = make([][]uint64, len(p.nodes))
	return p, nil
}

// compare infers both sides, given the sizes of the tensors, and evaluates them
// if shapes do not tell them apart.
func (p *probe) compare(a *assignment, given [][]int) probeResult {
	p.given = given
	b := a.binding()
	for i := range p.nodes {
		var err error
		if p.sizes[i], p.apply[i], err = p.infer(&p.nodes[i], b, given); err == errSkip {
			return probeSkipped
		}
		p.err[i] = err
	}
	var undefined [2]bool
	for side := range p.out {
		for _, i := range p.out[side] {
			undefined[side] = undefined[side] || p.err[i] != nil
		}
	}
	switch {
	case undefined[0] && (undefined[1] || p.oneWay):
		return probeSkipped
	case undefined[0] || undefined[1]:
		return probeBroken
	}
	for k := range p.out[0] {
		if !slices.Equal(p.sizes[p.out[0][k]], p.sizes[p.out[1][k]]) {
			return probeBroken
		}
	}
	for i := range p.nodes {
		p.means[i] = nil
		if p.err[i] != nil {
			continue
		}
		if tooLarge(p.sizes[i], p.cells) {
			return probeSkipped
		}
		if p.apply[i].term == nil {
			continue
		}
		var err error
		if p.means[i], err = p.apply[i].meaning(p.cells); err != nil {
			return probeSkipped
		}
	}
	rounds := 1
	for i, m := range p.means {
		if p.err[i] == nil && m != nil && slices.ContainsFunc(m.Steps, func(st graph.Step) bool { return st.Kind == graph.StepMax }) {
			rounds = maxRounds
		}
	}
	for r := range rounds {
		p.evaluate(fingerprint.Zp{Key: fingerprint.Mix(p.key + uint64(r))})
		for k := range p.out[0] {
			if !slices.Equal(p.data[p.out[0][k]], p.data[p.out[1][k]]) {
				return probeDiffers
			}
		}
	}
	return probeEqual
}

// maxRounds is how often sides with maxima are compared, each time in another
// order: in one order different maxima agree with odds of up to 1/2.
const maxRounds = 8

// evaluate fills in the data of all nodes that are defined.
func (p *probe) evaluate(z fingerprint.Zp) {
	for i := range p.nodes {
		n := &p.nodes[i]
		switch {
		case p.err[i] != nil:
		case n.input > 0:
			p.data[i] = fingerprint.Random(z.Key, p.keys[n.input-1], graph.NumElements(p.sizes[i]))
		case n.fn != "":
			x := p.data[n.args[0]]
			y := make([]uint64, len(x))
			for j := range x {
				y[j] = z.Fn(n.fn, x[j])
			}
			p.data[i] = y
		default:
			in := make([][]uint64, len(n.args))
			for j, k := range n.args {
				in[j] = p.data[k]
			}
			p.data[i] = z.Compile(p.means[i]).Run(in...)[n.term.Out]
		}
	}
}

// program is the law as it was compared last, to be run on exact values. Its
// terms are those of the law: it serves to find values, not to describe them.
func (p *probe) program(l *law.Law) *program {
	out := &program{law: l, out: p.out, fns: functionsOf(l, 0)}
	for i, name := range p.names {
		out.inputs = append(out.inputs, input{name, p.given[i]})
	}
	for i, n := range p.nodes {
		out.steps = append(out.steps, step{term: n.term, sizes: p.sizes[i], args: n.args,
			mean: p.means[i], fn: n.term.Fn, input: n.input})
		out.real = out.real || p.means[i] != nil && isReal(p.means[i])
	}
	return out
}

// infer is the sizes of a node, and of an operator its application. errSkip says
// that they cannot be told, any other error that it is undefined.
func (p *probe) infer(n *probeNode, b *graph.Binding, given [][]int) (sizes []int, ap applied, err error) {
	for _, k := range n.args {
		if p.err[k] != nil {
			return nil, ap, p.err[k]
		}
	}
	switch {
	case n.input > 0:
		return given[n.input-1], ap, nil
	case n.fn != "":
		return p.sizes[n.args[0]], ap, nil
	}
	attrs := n.term.Attrs
	if !n.fixed {
		attrs = attrs.Subst(b)
	}
	in := make([][]int, len(n.args))
	for j, k := range n.args {
		in[j] = p.sizes[k]
	}
	if ap, err = applyOp(n.term, attrs, in); err != nil {
		return nil, ap, err
	}
	return ap.out[n.term.Out], ap, nil
}

// maxOpWork bounds the arithmetic operations of one application.
const maxOpWork = 1 << 26

// applied is one application of an operator to tensors of these sizes.
type applied struct {
	term    *law.Term
	attrs   graph.Attrs
	in, out [][]int
}

// maxAxis bounds an axis, so that sums of sizes are far from the end of 64 bits.
const maxAxis = 1 << 40

// inRange says whether all axes are from 1 to maxAxis.
func inRange(sizes []int) bool {
	for _, n := range sizes {
		if n < 1 || n > maxAxis {
			return false
		}
	}
	return true
}

// applyOp infers an operator at concrete shapes, which may have any number of
// elements. errSkip says that it cannot tell, any other error that the operator
// is undefined.
func applyOp(t *law.Term, attrs graph.Attrs, in [][]int) (applied, error) {
	a := applied{term: t, attrs: attrs, in: in}
	shapes := make([]graph.Shape, len(in))
	for i, s := range in {
		shapes[i] = graph.Sizes(s...)
	}
	var f graph.Facts
	out, err := t.Op.InferShapes(&f, attrs, shapes)
	if err != nil {
		return a, err
	}
	if len(f.Needs) > 0 || t.Out >= len(out) {
		return a, errSkip
	}
	a.out = make([][]int, len(out))
	for i, s := range out {
		c, ok := s.Concrete()
		if !ok {
			return a, fmt.Errorf("shape %s is not concrete", s)
		}
		if !inRange(c) {
			return a, errSkip
		}
		a.out[i] = c
	}
	return a, nil
}

// meaning says what is computed. errSkip says that an operand or a result has
// more elements than cells, or that it is too much work.
func (a *applied) meaning(cells int) (*graph.Program, error) {
	for _, list := range [2][][]int{a.in, a.out} {
		for _, s := range list {
			if tooLarge(s, cells) {
				return nil, errSkip
			}
		}
	}
	if a.term.Op.WorkOf(a.attrs, a.in, a.out).FLOPs > maxOpWork {
		return nil, errSkip
	}
	return a.term.Op.Program(a.attrs, a.in, a.out)
}
