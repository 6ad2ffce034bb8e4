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
	if p.Meaning != nil {
		return nil, fmt.Errorf("explain %s: a proof from what operators compute is no chain of equations", goal.Name)
	}
	if len(goal.LHS) != len(goal.RHS) {
		return nil, fmt.Errorf("explain %s: %d outputs on the left, %d on the right", goal.Name, len(goal.LHS), len(goal.RHS))
	}
	vars := goal.VarShapes()
	b := newBank()
	var sides [][2]int
	for i := range goal.LHS {
		sides = append(sides, [2]int{b.Of(Primitive(goal.LHS[i], vars)), b.Of(Primitive(goal.RHS[i], vars))})
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
			e := equation{b.Of(Primitive(lhs[k], vars)), b.Of(Primitive(rhs[k], vars))}
			if e.left != e.right {
				eqs, use = append(eqs, e), append(use, source{l, i, k})
			}
		}
	}
	ways, err := newWays(b, eqs)
	if err != nil {
		return nil, fmt.Errorf("explain %s: %w", goal.Name, err)
	}
	out := make([][]Step, len(sides))
	for i, s := range sides {
		if !ways.c.same(s[0], s[1]) {
			return nil, fmt.Errorf("explain %s: output %d: the instances do not make %s and %s equal",
				goal.Name, i, b.term(s[0]), b.term(s[1]))
		}
		ls, err := ways.links(s[0], s[1])
		if err != nil {
			return nil, fmt.Errorf("explain %s: output %d: %w", goal.Name, i, err)
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

func newWays(b *bank, eqs []equation) (*ways, error) {
	c, err := newClosure(b, eqs)
	if err != nil {
		return nil, err
	}
	w := &ways{b: b, eqs: eqs, c: c}
	w.p, _ = shortest(c, eqs)
	return w, nil
}

// links is the chain between two nodes of a class.
func (w *ways) links(u, v int) ([]link, error) {
	if w.p != nil {
		return w.p.links(u, v), nil
	}
	// The equations that the forest uses are few; among these the cheapest
	// path may be in reach.
	ls, err := w.c.forest(w.eqs, u, v)
	if err != nil {
		return nil, err
	}
	var some []int
	for _, l := range ls {
		some = append(some, l.eq)
	}
	slices.Sort(some)
	some = slices.Compact(some)
	b := newBank()
	few := make([]equation, len(some))
	for i, e := range some {
		few[i] = equation{b.Of(w.b.term(w.eqs[e].left)), b.Of(w.b.term(w.eqs[e].right))}
	}
	from, to := b.Of(w.b.term(u)), b.Of(w.b.term(v))
	c, err := newClosure(b, few)
	if err != nil {
		return nil, err
	}
	p, ok := shortest(c, few)
	if !ok {
		return ls, nil
	}
	short := p.links(from, to)
	for i := range short {
		short[i].eq = some[short[i].eq]
	}
	return short, nil
}

// steps writes links out, from the term u.
func steps(b *bank, eqs []equation, use []source, u int, ls []link) []Step {
	var out []Step
	for _, l := range ls {
		from, to := l.sides(eqs)
		u = b.replace(u, l.path, to)
		s := use[l.eq]
		out = append(out, Step{
			Term: b.term(u).String(), From: b.term(from).String(), To: b.term(to).String(),
			Law: s.law, Sentence: Sentence(s.law), Backward: l.backward,
			Instance: s.instance, Output: s.output, Path: l.path, Depth: len(l.path),
		})
	}
	return out
}
