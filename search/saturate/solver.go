package saturate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// solver saturates and extracts pieces one after the other.
type solver struct {
	opts  *Options
	tab   *tensor.Table
	rules []*tensor.Rule
	g     *tensor.Graph
	plan  *plan
	sets  []map[*tensor.Rule]bool // the rules that are used together
	laws  map[string]*law.Law
	ps    *pieces
	done  []*solved // by piece

	piece    *piece
	leaf     map[string]int // inputs of the piece by name
	original map[egraph.NodeID]bool
	prices   map[string]priced
	key      []byte
}

// solved is what became of a piece.
type solved struct {
	stats Stats
	// best are other pieces that compute the same, the cheapest first, and instances
	// over inputs I0, I1, ... that show it. Empty: nothing better was found.
	best []alternative
}

// alternative is another piece for the same outputs.
type alternative struct {
	piece *piece
	cost  int64
	insts []law.Instance
	// small: it has fewer operators, and is no better than what is left of the piece where
	// laws make parts of it equal, such as x for transpositions of x there and back.
	small bool
}

func newSolver(o *Options) (*solver, error) {
	s := &solver{opts: o, tab: tensor.NewTable(), prices: map[string]priced{}, laws: map[string]*law.Law{}, ps: newPieces()}
	s.tab.Compiled = o.Compiled
	var theory, chosen, all []*tensor.Rule
	for _, l := range o.Laws {
		if s.laws[l.Name] != nil {
			return nil, fmt.Errorf("two laws are named %s", l.Name)
		}
		s.laws[l.Name] = l
		if l.Kind == law.Refute {
			return nil, fmt.Errorf("law %s is false", l.Name)
		}
		rs, _, err := s.tab.Rules(l)
		if err != nil {
			return nil, err
		}
		s.rules = append(s.rules, rs...)
		if l.Kind == law.Rule {
			chosen = append(chosen, rs...)
		} else {
			theory = append(theory, rs...)
		}
	}
	all = s.rules
	sets := [][]*tensor.Rule{all}
	if len(chosen) > 0 && len(theory) > 0 {
		sets = [][]*tensor.Rule{chosen, theory, all}
	}
	for _, rs := range sets {
		set := map[*tensor.Rule]bool{}
		for _, r := range rs {
			set[r] = true
		}
		s.sets = append(s.sets, set)
	}
	s.g = tensor.NewGraph(s.tab)
	s.plan = newPlan(o, s.rules)
	return s, nil
}

// solve saturates a piece with each set of laws, and extracts from what it becomes.
// Laws that are rules were chosen to optimize with, and do well without the axioms,
// which fill an e-graph sooner; axioms do what no rule does; and together they do what
// neither does. What is best in the end is a matter of prices.
func (s *solver) solve(ctx context.Context, pc *piece) (*solved, error) {
	var all *solved
	for _, set := range s.sets {
		sv, err := s.solveBy(ctx, pc, set)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = sv
			continue
		}
		all.stats.add(&sv.stats)
		all.stats.After, all.stats.Bound = min(all.stats.After, sv.stats.After), min(all.stats.Bound, sv.stats.Bound)
		all.best = append(all.best, sv.best...)
	}
	slices.SortStableFunc(all.best, func(a, b alternative) int { return cmp.Compare(a.cost, b.cost) })
	return all, nil
}

// solveBy saturates a piece with some rules.
func (s *solver) solveBy(ctx context.Context, pc *piece, set map[*tensor.Rule]bool) (*solved, error) {
	s.plan.set = set
	s.g.Reset()
	s.piece, s.leaf, s.original = pc, map[string]int{}, map[egraph.NodeID]bool{}
	ins := make([]egraph.NodeID, len(pc.inputs))
	for i, x := range pc.inputs {
		n, err := s.g.Leaf(inputName(i), x.shape)
		if err != nil {
			return nil, err
		}
		s.leaf[inputName(i)], s.original[n], ins[i] = i, true, n
	}
	nodes := make([]egraph.NodeID, len(pc.nodes))
	at := func(r ref) egraph.NodeID {
		if r < 0 {
			return ins[^r]
		}
		return nodes[r]
	}
	var kids []egraph.NodeID
	for i := range pc.nodes {
		kids = kids[:0]
		for _, r := range pc.nodes[i].args {
			kids = append(kids, at(r))
		}
		n, err := s.g.Apply(pc.nodes[i].op, pc.nodes[i].attrs, kids...)
		if err != nil {
			return nil, err
		}
		nodes[i], s.original[n] = n, true
	}
	roots := make([]egraph.NodeID, len(pc.outputs))
	for i, r := range pc.outputs {
		roots[i] = at(r)
	}
	out := &solved{}
	if err := s.plan.run(ctx, s.g, s.isFixed, &out.stats); err != nil {
		return nil, err
	}
	out.stats.measure(s.g)
	for i, n := range nodes { // congruent ones may stand for them by now
		nodes[i] = s.live(n)
		s.original[nodes[i]] = true
	}
	return out, s.extract(ctx, nodes, roots, out)
}

// node is an application of the e-graph, with its attributes at the sample sizes; op is nil of an
// input.
func (s *solver) node(n egraph.NodeID) (op *graph.Op, attrs graph.Attrs, name string) {
	op, attrs, name = s.g.Node(n)
	if s.piece.sizing != nil && attrs.Varies() {
		attrs = attrs.Subst(s.piece.sizing.Samples())
	}
	return op, attrs, name
}

// isFixed reports whether a leaf of the e-graph is a tensor that depends on weights
// only.
func (s *solver) isFixed(n egraph.NodeID) bool {
	op, attrs, name := s.g.Node(n)
	if op != nil && (s.piece.sizing != nil || len(s.piece.inputs) == 0) {
		return !attrs.Varies() // an operator without operands
	}
	return s.piece.inputs[s.leaf[name]].fixed
}

// extract fills in the alternatives.
func (s *solver) extract(ctx context.Context, nodes, roots []egraph.NodeID, out *solved) error {
	p, err := s.newProblem(roots)
	if err != nil {
		return err
	}
	start := p.start(nodes, roots)
	before, err := p.Evaluate(start)
	if err != nil {
		return fmt.Errorf("the network as it came: %w", err)
	}
	out.stats.Before, out.stats.After, out.stats.Bound = before.Cost, before.Cost, before.Cost
	r, err := extract.Solve(ctx, &p.Problem, extract.Options{Method: s.opts.Extract, Start: start, Best: s.opts.best(), Steps: s.opts.extractSteps()})
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	out.stats.After, out.stats.Bound = min(r.Cost, before.Cost), r.Bound
	for _, sol := range r.Best {
		a, err := p.alternative(roots, sol)
		if err != nil {
			return err
		}
		a.small = sol.Cost >= before.Cost
		if a.small && len(a.piece.nodes) >= len(s.piece.nodes) {
			continue
		}
		out.best = append(out.best, a)
	}
	return nil
}

// start is the choice of what the network came as, with elementwise operators in the
// kernels of operands that nothing else reads.
func (p *problem) start(nodes, roots []egraph.NodeID) []extract.NodeID {
	e := p.s.g.E()
	choice := make([]extract.NodeID, p.Classes)
	uses := make([]int, p.Classes)
	for k := range choice {
		choice[k] = extract.NoNode
	}
	class := func(n egraph.NodeID) extract.ClassID { return p.class[e.Find(n)] }
	seen := map[egraph.NodeID]bool{}
	for _, n := range nodes {
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, k := range e.Children(n) {
			uses[class(k)]++
		}
	}
	for _, r := range roots {
		uses[class(r)]++
	}
	for k := range choice {
		for _, id := range p.of[k] {
			if n := p.ways[id].node; n == 0 && choice[k] == extract.NoNode || n != 0 && p.s.original[n] && e.Arity(n) == 0 {
				choice[k] = id
			}
		}
	}
	for _, n := range nodes {
		k := class(n)
		if choice[k] != extract.NoNode {
			continue
		}
		choice[k] = p.first[n]
		if id, ok := p.views[n]; ok {
			choice[p.Nodes[id].Class] = id
		}
		for _, id := range p.joined[n] {
			for i, m := range p.ways[id].within {
				if m == extract.NoNode {
					continue
				}
				kid := class(e.Child(n, i))
				if choice[k] == p.first[n] && choice[kid] == m && uses[kid] == 1 {
					choice[k] = id
				}
			}
		}
	}
	return choice
}

// live is the live node that applies what n applies to the same classes.
func (s *solver) live(n egraph.NodeID) egraph.NodeID {
	e := s.g.E()
	for m := range e.Class(e.Find(n)) {
		if e.Sym(m) != e.Sym(n) {
			continue
		}
		same := true
		for i := range e.Arity(n) {
			same = same && e.Same(e.Child(m, i), e.Child(n, i))
		}
		if same {
			return m
		}
	}
	return n
}

// alternative reads off what was chosen, and explains why it is equal.
func (p *problem) alternative(roots []egraph.NodeID, sol extract.Solution) (alternative, error) {
	s := p.s
	a := alternative{piece: &piece{inputs: s.piece.inputs, dtype: s.piece.dtype, sizing: s.piece.sizing}, cost: sol.Cost}
	type made struct {
		r ref
		n egraph.NodeID
	}
	byClass := map[extract.ClassID]made{}
	byNode := map[egraph.NodeID]made{}
	var class func(k extract.ClassID) (made, error)
	var build func(id extract.NodeID) (made, error)
	build = func(id extract.NodeID) (made, error) {
		w := &p.ways[id]
		if w.node == 0 {
			return class(w.alias)
		}
		op, attrs, name := s.g.Node(w.node)
		if op == nil {
			return made{^ref(s.leaf[name]), w.node}, nil
		}
		x := app{op: op, attrs: attrs}
		kids := make([]egraph.NodeID, s.g.E().Arity(w.node))
		for i := range kids {
			var m made
			var err error
			if w.within != nil && w.within[i] != extract.NoNode {
				m, err = build(w.within[i])
			} else {
				m, err = class(w.kids[i])
			}
			if err != nil {
				return m, err
			}
			kids[i], x.args = m.n, append(x.args, m.r)
		}
		n, err := s.g.Again(w.node, kids...)
		if err != nil {
			return made{}, err
		}
		if m, ok := byNode[n]; ok {
			return m, nil
		}
		a.piece.nodes = append(a.piece.nodes, x)
		m := made{ref(len(a.piece.nodes) - 1), n}
		byNode[n] = m
		return m, nil
	}
	class = func(k extract.ClassID) (made, error) {
		if m, ok := byClass[k]; ok {
			return m, nil
		}
		m, err := build(sol.Choice[k])
		if err == nil {
			byClass[k] = m
		}
		return m, err
	}
	var pairs []egraph.Pair
	for i, k := range p.Roots {
		m, err := class(k)
		if err != nil {
			return a, err
		}
		a.piece.outputs = append(a.piece.outputs, m.r)
		pairs = append(pairs, egraph.Pair{A: roots[i], B: m.n})
	}
	var err error
	a.insts, err = s.g.Explain(pairs)
	return a, err
}
