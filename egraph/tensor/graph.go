package tensor

import (
	"fmt"

	"github.com/taso-go/taso/egraph"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Graph is an e-graph of tensor terms whose classes have shapes. Reset makes it
// as new and keeps the memory.
type Graph struct {
	tab   *Table
	e     *egraph.Graph
	facts facts
	known map[egraph.NodeID]directions // where nodes are known to be defined

	rules       []*Rule
	since       []uint32         // by rule: the generation of its last search
	before      []uint32         // by rule: since, before the search that filled the queue
	first       int              // the rule with which a round begins
	goalNodes   int              // the nodes before the first Run
	goalClasses []egraph.ClassID // their classes, during a search
	queue       []found
	arena       []egraph.NodeID // the nodes of queued matches
	seams       []egraph.Pair
	order       []int32 // the queue as it is worked off, see sortQueue
	spare       []int32 // memory of sortQueue, and tally
	tally       []int32
	regs        []egraph.NodeID
	key         []uint32
	kids        []egraph.NodeID

	insts []instance
	binds []egraph.NodeID // the nodes of instances
	terms map[egraph.NodeID]*law.Term
	why   []egraph.Reason
}

// instance is a use of a law: reason i+1 is insts[i].
type instance struct {
	sol *solution
	at  uint32 // the variables' nodes, from Graph.binds[at]
}

// NewGraph returns an empty graph over a table.
func NewGraph(t *Table) *Graph {
	g := &Graph{tab: t, facts: newFacts(), known: map[egraph.NodeID]directions{}, terms: map[egraph.NodeID]*law.Term{}}
	g.e = egraph.NewGraph(egraph.Options{HeadOf: t.headOf, Typing: typing{t}, Nodes: 1000})
	return g
}

// typing gives nodes shapes.
type typing struct{ t *Table }

func (a typing) TypeOf(g *egraph.Graph, n egraph.NodeID) (uint32, error) {
	list := uint32(0)
	var few [4]ShapeID
	args := few[:0]
	for _, k := range g.Children(n) {
		id := g.Type(k)
		args = append(args, ShapeID(id))
		list = a.t.Push(list, id)
	}
	id, err := a.t.infer(g.Sym(n), list, args)
	return uint32(id), err
}

func (a typing) Differ(x, y uint32) error {
	return fmt.Errorf("a tensor of shape %s is not one of shape %s", a.t.Shape(ShapeID(x)), a.t.Shape(ShapeID(y)))
}

// Reset empties the graph.
func (g *Graph) Reset() {
	g.e.Reset()
	g.facts.reset()
	clear(g.known)
	g.rules, g.since = nil, g.since[:0]
	g.insts, g.binds = g.insts[:0], g.binds[:0]
	clear(g.terms)
}

// E is the e-graph below, for reading.
func (g *Graph) E() *egraph.Graph { return g.e }

// Scope is the variables that terms are made of.
type Scope struct {
	Shapes map[string]graph.Shape // of tensor variables
	Fns    map[string]string      // sorts of function variables
}

// ScopeOf is the scope of a law's own terms.
func ScopeOf(l *law.Law) Scope {
	s := Scope{Shapes: l.VarShapes(), Fns: map[string]string{}}
	for _, b := range l.Given {
		if law.IsFuncSort(b.Sort) {
			s.Fns[b.Name] = b.Sort
		}
	}
	return s
}

// Add adds a term and returns its node. Derived operators are replaced by what
// they stand for. The error says why the term is ill-typed.
func (g *Graph) Add(t *law.Term, in Scope) (egraph.NodeID, error) {
	memo := map[*law.Term]egraph.NodeID{}
	var rec func(u *law.Term) (egraph.NodeID, error)
	rec = func(u *law.Term) (egraph.NodeID, error) {
		if n, ok := memo[u]; ok {
			return n, nil
		}
		kids := make([]egraph.NodeID, len(u.Args))
		for i, a := range u.Args {
			k, err := rec(a)
			if err != nil {
				return 0, err
			}
			kids[i] = k
		}
		sym, err := g.symbol(u, kids, in)
		if err != nil {
			return 0, err
		}
		n, err := g.applied(sym, kids)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", u, err)
		}
		memo[u] = n
		return n, nil
	}
	return rec(t)
}

// applied adds a symbol applied to nodes. The error says why the operands do not fit.
func (g *Graph) applied(sym uint32, kids []egraph.NodeID) (egraph.NodeID, error) {
	n, err := g.e.Add(sym, kids...)
	if err == errIllTyped { // say why
		ids := make([]ShapeID, len(kids))
		for i, k := range kids {
			ids[i] = ShapeID(g.e.Type(k))
		}
		_, err = g.tab.inferNow(sym, ids)
	}
	return n, err
}

func (g *Graph) symbol(u *law.Term, kids []egraph.NodeID, in Scope) (uint32, error) {
	switch {
	case u.IsVar():
		s, ok := in.Shapes[u.Var]
		if !ok {
			return 0, fmt.Errorf("tensor %s has no shape", u.Var)
		}
		return g.tab.leaf(u.Var, g.tab.ShapeID(s)), nil
	case u.Op == nil:
		return g.tab.fn(u.Fn, in.Fns[u.Fn])
	case u.Op.Expand == nil:
		return g.tab.op(u.Op, u.Attrs)
	}
	args := make([]graph.Shape, len(kids))
	for i, k := range kids {
		args[i] = g.Shape(k)
	}
	var f graph.Unifier
	if _, err := u.Op.InferShapes(&f, u.Attrs, args); err != nil {
		return 0, fmt.Errorf("%s: %w", u, err)
	}
	p, _, err := u.Op.Primitive(u.Attrs, args, u.Out)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", u, err)
	}
	return g.tab.op(p.Op, p.Attrs)
}

// Shape is the shape of a node.
func (g *Graph) Shape(n egraph.NodeID) graph.Shape { return g.tab.Shape(ShapeID(g.e.Type(n))) }

// Term is the term that a node was added as.
func (g *Graph) Term(n egraph.NodeID) *law.Term {
	if t, ok := g.terms[n]; ok {
		return t
	}
	s := &g.tab.syms[g.e.Sym(n)]
	var t *law.Term
	switch s.kind {
	case symLeaf:
		t = law.V(s.name)
	case symFn:
		t = law.Call(s.name, g.Term(g.e.Child(n, 0)))
	default:
		t = law.Apply(s.op, s.attrs)
		for i := 0; i < g.e.Arity(n); i++ {
			t.Args = append(t.Args, g.Term(g.e.Child(n, i)))
		}
	}
	g.terms[n] = t
	return t
}

// Explain lists law instances from which the equalities of the pairs follow by
// congruence alone, in the order in which they were applied. Each pair must be
// known to be equal. The instances share their maps and terms with the graph:
// do not change them.
func (g *Graph) Explain(pairs []egraph.Pair) ([]law.Instance, error) {
	g.why = g.why[:0]
	used := map[egraph.Reason]bool{}
	for _, p := range pairs {
		var err error
		if g.why, err = g.e.Reasons(g.why, p.A, p.B); err != nil {
			return nil, fmt.Errorf("explain: %w", err)
		}
	}
	for _, w := range g.why {
		used[w] = true
	}
	var out []law.Instance
	for i := range g.insts {
		if used[egraph.Reason(i+1)] {
			out = append(out, g.instance(i))
		}
	}
	return out, nil
}

// instance writes out instance i.
func (g *Graph) instance(i int) law.Instance {
	in := &g.insts[i]
	s := in.sol
	out := law.Instance{Law: s.rule.Law.Name, Tensors: map[string]*law.Term{}, Dims: s.bind.Dims,
		Runs: s.bind.Runs, Attrs: s.bind.Attrs, Fns: s.fns}
	for j, v := range s.rule.dir.Vars {
		out.Tensors[v] = g.Term(g.binds[int(in.at)+j])
	}
	return out
}

// Instances is the number of law instances that changed the graph.
func (g *Graph) Instances() int { return len(g.insts) }
