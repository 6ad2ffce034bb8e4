package search

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Match is a use of a law that was found in a network. It is valid during the
// call that it is given to.
type Match = rewrite.Match[bank.Tensor]

// Rules are directions of laws, ready to be found in networks. They serve one
// search at a time.
type Rules struct {
	one  *rewrite.Index           // those with one root
	many map[*graph.Op][]*several // by the first root's operator
	// depth is the most operators on a way down a pattern, down the most hops
	// between a root and a variable that another root shares.
	depth, down int
}

// several is a direction with several roots.
type several struct {
	d     *rewrite.Direction
	links []link // by root, from the second on
}

// link says how to get from one root to another: down to a variable that both
// have, and up from there.
type link struct {
	from     int // the root to start from
	down, up []hop
}

// hop is one node of a pattern and which operand of it is meant.
type hop struct {
	node *rewrite.Node
	kid  int
}

// NewRules compiles laws, and returns beside the directions that can be used in
// networks the reasons why others cannot: a source that is nothing but a variable
// matches everywhere, one that leaves sizes open has no one result, and roots that
// share no variable are found nowhere. An error says that a law is ill-formed.
func NewRules(laws []*law.Law) (r *Rules, unusable []error, err error) {
	return NewRulesFrom(nil, laws)
}

// NewRulesFrom is NewRules with laws that a cache compiles; nil: each is compiled.
func NewRulesFrom(cache *rewrite.Cache, laws []*law.Law) (r *Rules, unusable []error, err error) {
	r = &Rules{}
	r.init()
	for _, l := range laws {
		c, err := cache.Compile(l)
		if err != nil {
			return nil, nil, err
		}
		unusable = append(unusable, c.Unusable...)
		for _, d := range c.Directions {
			if err := r.Add(d); err != nil {
				unusable = append(unusable, fmt.Errorf("law %s: %w", l.Name, err))
			}
		}
	}
	return r, unusable, nil
}

// init makes the zero value ready.
func (r *Rules) init() {
	if r.one == nil {
		r.one, r.many = rewrite.NewIndex(nil), map[*graph.Op][]*several{}
	}
}

// Add adds a direction. The error says why it cannot be used in networks.
func (r *Rules) Add(d *rewrite.Direction) error {
	r.init()
	switch l := d.Law.Law; {
	case l.Kind == law.Refute:
		return fmt.Errorf("it is false")
	case len(d.Outputs) != len(l.LHS):
		// An equation of several stands only where the others are defined.
		return fmt.Errorf("it is about one output of several")
	case d.Bare:
		return fmt.Errorf("the source is a variable")
	case d.Guess:
		return fmt.Errorf("the source does not determine all sizes")
	case len(d.Roots) == 1:
		r.one.Add(d)
		r.depth = max(r.depth, depthOf(d))
		return nil
	}
	s := &several{d: d}
	for i := 1; i < len(d.Roots); i++ {
		l, ok := linkTo(d, i)
		if !ok {
			return fmt.Errorf("a root shares no variable with those before it")
		}
		s.links = append(s.links, l)
	}
	op := d.Nodes[d.Roots[0]].Op
	if op == nil {
		return fmt.Errorf("a root is a function variable")
	}
	r.many[op] = append(r.many[op], s)
	r.depth = max(r.depth, depthOf(d))
	for _, l := range s.links {
		r.down = max(r.down, len(l.down), len(l.up))
	}
	return nil
}

// depthOf is the most operators on a way from a root to a variable.
func depthOf(d *rewrite.Direction) int {
	var depth func(ref int32) int
	depth = func(ref int32) int {
		if ref < 0 {
			return 0
		}
		most := 0
		for _, k := range d.Nodes[ref].Kids {
			most = max(most, depth(k))
		}
		return most + 1
	}
	most := 0
	for _, r := range d.Roots {
		most = max(most, depth(r))
	}
	return most
}

// linkTo finds the shortest way from an earlier root to root i.
func linkTo(d *rewrite.Direction, i int) (best link, ok bool) {
	for from := range i {
		downs := paths(d, d.Roots[from])
		for v, up := range paths(d, d.Roots[i]) {
			down := downs[v]
			if up == nil || down == nil || ok && len(up)+len(down) >= len(best.up)+len(best.down) {
				continue
			}
			best, ok = link{from, down, up}, true
		}
	}
	return best, ok
}

// paths are, by variable, a shortest path down to it, nil if there is none.
func paths(d *rewrite.Direction, root int32) [][]hop {
	out := make([][]hop, len(d.Vars))
	var visit func(ref int32, path []hop)
	visit = func(ref int32, path []hop) {
		if ref < 0 {
			if v := ^ref; out[v] == nil || len(path) < len(out[v]) {
				out[v] = append([]hop{}, path...)
			}
			return
		}
		n := &d.Nodes[ref]
		if n.Op == nil {
			return // which function it is, no use of a tensor tells
		}
		for k, kid := range n.Kids {
			visit(kid, append(path[:len(path):len(path)], hop{n, k}))
		}
	}
	visit(root, nil)
	return out
}

// Rewriter finds moves in a network and makes them. It serves one search at a
// time.
type Rewriter struct {
	Net   *bank.Bank
	free  bank.Free // what moves may change
	rules *Rules
	match *rewrite.Matcher[bank.Tensor]
	roots []bank.Tensor
	dtype graph.DType // of what is being rewritten
	apply rewrite.Apply[bank.Tensor]
	built func(args []bank.Tensor, n bank.Node) // told of what Apply makes or finds
}

// NewRewriter returns a rewriter for a network.
func NewRewriter(net *bank.Bank, rules *Rules) *Rewriter {
	rules.init()
	r := &Rewriter{Net: net, rules: rules, free: bank.Free{Bank: net}}
	r.match = rewrite.NewMatcher[bank.Tensor](r.free)
	r.apply = func(op *graph.Op, attrs graph.Attrs, _ string, args []bank.Tensor, out int) (bank.Tensor, error) {
		n, err := r.Net.Apply(op, attrs, r.dtype, args...)
		if err != nil {
			return 0, err
		}
		if made, _, _, _, _ := r.Net.Node(r.Net.Out(n, out)); made == nil {
			return 0, fmt.Errorf("laws do not speak of a tensor of %s", r.Net.Type(r.Net.Out(n, out)).DType)
		}
		if r.built != nil {
			r.built(args, n)
		}
		return r.Net.Out(n, out), nil
	}
	return r
}

// All yields all moves of the network, until yield returns false. The network may
// be rewritten meanwhile only if all is undone before yield returns.
func (r *Rewriter) All(yield func(*Match) bool) {
	for n := bank.Node(1); int(n) <= r.Net.Len(); n++ {
		if r.Net.Live(n) && !r.At(n, yield) {
			return
		}
	}
}

// At yields the moves whose first root is an output of a node, until yield returns
// false, and then returns false.
func (r *Rewriter) At(n bank.Node, yield func(*Match) bool) bool {
	return r.at(n, true, true, yield)
}

// at yields the moves of laws with one root, with several, or both.
func (r *Rewriter) at(n bank.Node, one, several bool, yield func(*Match) bool) bool {
	for k := range r.Net.NumOut(n) {
		t := r.Net.Out(n, k)
		op, _, _, args, _ := r.free.Node(t)
		if op == nil {
			return true
		}
		r.roots = append(r.roots[:0], t)
		if one && !r.ones(op, args, yield) {
			return false
		}
		if !several {
			continue
		}
		for _, s := range r.rules.many[op] {
			if !r.others(s, yield) {
				return false
			}
		}
	}
	return true
}

// ones yields the moves with the root r.roots, an application of op.
func (r *Rewriter) ones(op *graph.Op, args []bank.Tensor, yield func(*Match) bool) bool {
	var heads [2]*graph.Op
	for i, a := range args[:min(len(args), 2)] {
		heads[i], _, _, _, _ = r.free.Node(a)
	}
	for _, d := range r.rules.one.At(op, heads[0], heads[1]) {
		if !r.match.Match(d, r.roots, yield) {
			return false
		}
	}
	return true
}

// others yields the moves whose first roots are r.roots.
func (r *Rewriter) others(s *several, yield func(*Match) bool) bool {
	more := true
	r.places(s, func() { more = more && r.match.Match(s.d, r.roots, yield) })
	return more
}

// places calls f with r.roots completed in all ways that the pattern's paths allow.
func (r *Rewriter) places(s *several, f func()) {
	if len(r.roots) == len(s.d.Roots) {
		f()
		return
	}
	l := s.links[len(r.roots)-1]
	r.down(r.roots[l.from], l.down, func(v bank.Tensor) {
		r.up(v, l.up, func(t bank.Tensor) {
			if slices.Contains(r.roots, t) { // a root once
				return
			}
			r.roots = append(r.roots, t)
			r.places(s, f)
			r.roots = r.roots[:len(r.roots)-1]
		})
	})
}

// down follows a path of operands; those of commutative operators may stand in
// either order.
func (r *Rewriter) down(t bank.Tensor, path []hop, f func(bank.Tensor)) {
	if len(path) == 0 {
		f(t)
		return
	}
	op, _, _, args, out := r.free.Node(t)
	h := path[0]
	if op != h.node.Op || out != h.node.Out || h.kid >= len(args) {
		return
	}
	r.down(args[h.kid], path[1:], f)
	if op.Commutative && args[0] != args[1] {
		r.down(args[1-h.kid], path[1:], f)
	}
}

// up follows the uses of a tensor along a path, its last hop first.
func (r *Rewriter) up(t bank.Tensor, path []hop, f func(bank.Tensor)) {
	if len(path) == 0 {
		f(t)
		return
	}
	h := path[len(path)-1]
	r.Net.Users(t, func(n bank.Node, operand int) bool {
		if r.Net.Op(n) == h.node.Op && (operand == h.kid || h.node.Op.Commutative) && h.node.Out < r.Net.NumOut(n) {
			r.up(r.Net.Out(n, h.node.Out), path[:len(path)-1], f)
		}
		return true
	})
}

// Apply makes a move: it builds what stands for the roots and replaces them. The
// error says why that cannot be done here, such as that it would close a cycle;
// then only dead nodes have been added.
func (r *Rewriter) Apply(m *Match) error {
	if len(m.Conds) > 0 {
		return fmt.Errorf("law %s: not decided for these sizes", m.Direction.Law.Law.Name)
	}
	r.dtype = r.Net.Type(m.Roots[0]).DType
	targets, err := m.Build(r.apply)
	if err != nil {
		return err
	}
	for i, t := range targets {
		// Where a tensor may have no value, laws do not speak of what uses it: that is to be
		// so after the move where it was before.
		if r.Net.Real(t) != r.Net.Real(m.Roots[i]) {
			return fmt.Errorf("law %s: where the result has values is not known of the other side", m.Direction.Law.Law.Name)
		}
	}
	return r.Net.Replace(m.Roots, targets)
}

// Find calls f with the match that a move is, if it is there still, and reports
// whether it was.
func (r *Rewriter) Find(m *Move, f func(*Match)) (found bool) {
	for _, t := range m.Roots {
		if !r.Net.Has(t) {
			return false
		}
	}
	r.match.Match(m.Direction, m.Roots, func(x *Match) bool {
		if slices.Equal(x.Vars, m.Vars) {
			found = true
			f(x)
		}
		return !found
	})
	return found
}
