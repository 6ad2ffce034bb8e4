package egraph

import (
	"fmt"
	"slices"
)

// explainer is scratch memory of explanations.
type explainer struct {
	nodeMark []uint32 // by node, equal to epoch if marked
	edgeMark []uint32 // by edge, equal to edgeEra if marked
	epoch    uint32
	edgeEra  uint32
	walk     []hop
	tail     []hop
	todo     []Pair
}

// hop is one edge of a path, walked from a node.
type hop struct {
	edge uint32
	from NodeID
}

// freshMarks starts a new set of marks and returns its value, never 0.
func freshMarks(marks []uint32, era uint32, n int) ([]uint32, uint32) {
	if era++; era == 0 {
		clear(marks)
		era = 1
	}
	if len(marks) < n {
		marks = append(marks, make([]uint32, n-len(marks))...)
	}
	return marks, era
}

// path appends the hops from a to b, which are in one tree of the proof forest.
func (g *Graph) path(dst []hop, a, b NodeID) []hop {
	x := &g.ex
	x.nodeMark, x.epoch = freshMarks(x.nodeMark, x.epoch, len(g.nodes))
	for n := a; ; n = g.far(g.proof[n], n) {
		x.nodeMark[n] = x.epoch
		if g.proof[n] == 0 || n == b {
			break
		}
	}
	x.tail = x.tail[:0]
	meet := b
	for x.nodeMark[meet] != x.epoch {
		e := g.proof[meet]
		up := g.far(e, meet)
		x.tail = append(x.tail, hop{edge: e, from: up})
		meet = up
	}
	for n := a; n != meet; {
		e := g.proof[n]
		dst = append(dst, hop{edge: e, from: n})
		n = g.far(e, n)
	}
	for i := len(x.tail) - 1; i >= 0; i-- {
		dst = append(dst, x.tail[i])
	}
	return dst
}

// premises returns what a union rests on.
func (g *Graph) premises(e uint32) []Pair {
	end := uint32(len(g.prems))
	if int(e)+1 < len(g.edges) {
		end = g.edges[e+1].prem
	}
	return g.prems[g.edges[e].prem:end]
}

func (g *Graph) equalPair(a, b NodeID) error {
	if !g.Has(a) || !g.Has(b) {
		return ErrNoSuchNode
	}
	if g.find(a) != g.find(b) {
		return fmt.Errorf("explain %d = %d: %w", a, b, ErrNotEqual)
	}
	return nil
}

// Reasons appends to dst the reasons of a proof of a = b, each once, ascending:
// the equations of the unions that were made for them entail a = b by congruence,
// and no other union is needed. The error is ErrNotEqual if a = b is not known.
// Nothing is allocated once scratch memory and dst are large enough.
func (g *Graph) Reasons(dst []Reason, a, b NodeID) ([]Reason, error) {
	if err := g.equalPair(a, b); err != nil {
		return dst, err
	}
	start := len(dst)
	x := &g.ex
	x.edgeMark, x.edgeEra = freshMarks(x.edgeMark, x.edgeEra, len(g.edges))
	x.todo = append(x.todo[:0], Pair{a, b})
	for len(x.todo) > 0 {
		q := x.todo[len(x.todo)-1]
		x.todo = x.todo[:len(x.todo)-1]
		x.walk = g.path(x.walk[:0], q.A, q.B)
		for _, h := range x.walk {
			if x.edgeMark[h.edge] == x.edgeEra {
				continue
			}
			x.edgeMark[h.edge] = x.edgeEra
			ed := &g.edges[h.edge]
			if ed.why != Congruence {
				dst = append(dst, ed.why)
				for _, pr := range g.premises(h.edge) {
					if pr.A != pr.B {
						x.todo = append(x.todo, pr)
					}
				}
				continue
			}
			kl, kr := g.Children(ed.left), g.Children(ed.right)
			for i := range kl {
				if kl[i] != kr[i] {
					x.todo = append(x.todo, Pair{kl[i], kr[i]})
				}
			}
		}
	}
	slices.Sort(dst[start:])
	return dst[:start+len(slices.Compact(dst[start:]))], nil
}

// Step is one step of an explanation: two nodes that are equal by a union, made as
// (From, To) where Forward, else as (To, From), or by congruence.
type Step struct {
	From, To NodeID
	Reason   Reason
	Forward  bool
}

// Steps lists the steps that lead from a to b. That the children of a step by
// congruence are equal, steps of their own say. The error is ErrNotEqual if a = b
// is not known.
func (g *Graph) Steps(a, b NodeID) ([]Step, error) {
	if err := g.equalPair(a, b); err != nil {
		return nil, err
	}
	var out []Step
	for _, h := range g.path(nil, a, b) {
		ed := &g.edges[h.edge]
		out = append(out, Step{h.from, g.far(h.edge, h.from), ed.why, h.from == ed.left})
	}
	return out, nil
}
