package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/law"
)

// Step is one step of a chain.
type Step struct {
	// Term is the whole term after the step, From the subterm that was
	// replaced, To what stands in its place: primitive terms in the law
	// language.
	Term, From, To string
	// Law gives From == To, Sentence is its comment on one line.
	Law      *law.Law
	Sentence string
	// Backward: From is an instance of the law's right side.
	Backward bool
	// Instance is the place of the instance in the proof, Output which of the
	// law's equations was used.
	Instance, Output int
	// Path leads to the place: argument numbers from the root; Depth is its
	// length.
	Path  []int
	Depth int
}

// Sentence is the comment of a law on one line, "" if it has none.
func Sentence(l *law.Law) string { return strings.Join(strings.Fields(l.Doc), " ") }

// Chain returns one chain for each output of the goal: the steps from its left
// side to its right side, both primitive (see [Primitive]); none where they are
// the same term. laws finds the laws that p uses by name. It is an error if p
// uses a law that is not there, or if its instances do not make the sides equal;
// nothing else of the proof is checked: that is the work of verify/check.
func Chain(goal *law.Law, p *law.Proof, laws map[string]*law.Law) ([][]Step, error) {
	if len(goal.LHS) != len(goal.RHS) {
		return nil, fmt.Errorf("explain %s: %d outputs on the left, %d on the right", goal.Name, len(goal.LHS), len(goal.RHS))
	}
	vars := goal.VarShapes()
	b := newBank()
	var sides [][2]int
	for i := range goal.LHS {
		sides = append(sides, [2]int{b.add(Primitive(goal.LHS[i], vars)), b.add(Primitive(goal.RHS[i], vars))})
	}
	var eqs []equation
	var use []source
	for i := range p.Instances {
		in := &p.Instances[i]
		l := laws[in.Law]
		if l == nil {
			return nil, fmt.Errorf("explain %s: instance %d: there is no law %s", goal.Name, i+1, in.Law)
		}
		lhs, rhs := in.Sides(l)
		for k := range min(len(lhs), len(rhs)) {
			e := equation{b.add(Primitive(lhs[k], vars)), b.add(Primitive(rhs[k], vars))}
			if e.left != e.right {
				eqs, use = append(eqs, e), append(use, source{l, i, k})
			}
		}
	}
	ways := newWays(b, eqs)
	out := make([][]Step, len(sides))
	for i, s := range sides {
		ls, ok := ways.links(s[0], s[1])
		if !ok {
			return nil, fmt.Errorf("explain %s: output %d: the instances do not make %s and %s equal",
				goal.Name, i, b.nodes[s[0]].term, b.nodes[s[1]].term)
		}
		out[i] = steps(b, eqs, use, s[0], ls)
	}
	return out, nil
}

// source is where an equation comes from.
type source struct {
	law              *law.Law
	instance, output int
}

// ways finds chains.
type ways struct {
	b   *bank
	eqs []equation
	c   *closure
	p   *paths // nil where that is too much work
}

func newWays(b *bank, eqs []equation) *ways {
	w := &ways{b: b, eqs: eqs, c: newClosure(b, eqs)}
	w.p, _ = shortest(w.c, eqs)
	return w
}

// links is the chain between two nodes, ok false if there is none.
func (w *ways) links(u, v int) (ls []link, ok bool) {
	if w.c.find(u) != w.c.find(v) {
		return nil, false
	}
	if w.p != nil {
		return w.p.links(u, v), true
	}
	// The equations that the forest uses are few; among these the cheapest
	// path may be in reach.
	ls = forest(w.c, w.eqs, u, v)
	var some []int
	for _, l := range ls {
		some = append(some, l.eq)
	}
	slices.Sort(some)
	some = slices.Compact(some)
	b := newBank()
	few := make([]equation, len(some))
	for i, e := range some {
		few[i] = equation{b.add(w.b.nodes[w.eqs[e].left].term), b.add(w.b.nodes[w.eqs[e].right].term)}
	}
	from, to := b.add(w.b.nodes[u].term), b.add(w.b.nodes[v].term)
	p, ok := shortest(newClosure(b, few), few)
	if !ok {
		return ls, true
	}
	short := p.links(from, to)
	for i := range short {
		short[i].eq = some[short[i].eq]
	}
	return short, true
}

// steps writes links out, from the term u.
func steps(b *bank, eqs []equation, use []source, u int, ls []link) []Step {
	var out []Step
	for _, l := range ls {
		from, to := l.sides(eqs)
		u = b.replace(u, l.path, to)
		s := use[l.eq]
		out = append(out, Step{
			Term: b.nodes[u].term.String(), From: b.nodes[from].term.String(), To: b.nodes[to].term.String(),
			Law: s.law, Sentence: Sentence(s.law), Backward: l.backward,
			Instance: s.instance, Output: s.output, Path: l.path, Depth: len(l.path),
		})
	}
	return out
}
