package egraph

import (
	"fmt"
	"slices"
)

// Proof is why two nodes are equal: chains of steps, each chain after those it
// rests on; the last one is the answer. A chain that is needed several times
// stands once, so that a proof is no larger than the graph's history.
type Proof struct {
	Chains []Chain
}

// Chain proves From = To by steps that follow one another; no steps prove n = n.
type Chain struct {
	From, To NodeID
	Steps    []Step
}

// Step proves From = To in one go.
type Step struct {
	From, To NodeID
	// Reason is the union's, or Congruence.
	Reason Reason
	// Forward says that the union was made as (From, To), not as (To, From); it
	// is true of Congruence.
	Forward bool
	// Sub names the chains that the step rests on. For Congruence: one for
	// each child, -1 where both children are the same node. Else: one for each
	// premise of the union, -1 where it is of the form n = n.
	Sub []int32
}

// Root returns the chain that proves what was asked for.
func (p *Proof) Root() *Chain { return &p.Chains[len(p.Chains)-1] }

// Reasons returns the reasons used anywhere in the proof, each once, ascending.
func (p *Proof) Reasons() []Reason {
	var out []Reason
	for _, c := range p.Chains {
		for _, s := range c.Steps {
			if s.Reason != Congruence {
				out = append(out, s.Reason)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

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

// Explain returns a proof of a = b. The error is ErrNotEqual if that is not
// known.
//
// The equations Left = Right of the unions whose reasons occur, and congruence,
// entail a = b; no other union is needed.
func (g *Graph) Explain(a, b NodeID) (*Proof, error) {
	if err := g.equalPair(a, b); err != nil {
		return nil, err
	}
	p := &Proof{}
	g.chain(p, make(map[Pair]int32), a, b)
	return p, nil
}

// chain appends the chain of a = b, after all it rests on, and returns its
// place. A pair proved before, and it alone, is in done.
func (g *Graph) chain(p *Proof, done map[Pair]int32, a, b NodeID) int32 {
	if i, ok := done[Pair{a, b}]; ok {
		return i
	}
	hops := g.path(nil, a, b)
	steps := make([]Step, len(hops))
	for i, h := range hops {
		ed := g.edges[h.edge]
		to := g.far(h.edge, h.from)
		s := Step{From: h.from, To: to, Reason: ed.why, Forward: ed.left == h.from || ed.why == Congruence}
		if ed.why == Congruence {
			ka, kb := g.Children(h.from), g.Children(to)
			s.Sub = make([]int32, len(ka))
			for j := range ka {
				s.Sub[j] = g.subchain(p, done, ka[j], kb[j])
			}
		} else if prem := g.premises(h.edge); len(prem) > 0 {
			s.Sub = make([]int32, len(prem))
			for j, q := range prem {
				s.Sub[j] = g.subchain(p, done, q.A, q.B)
			}
		}
		steps[i] = s
	}
	p.Chains = append(p.Chains, Chain{From: a, To: b, Steps: steps})
	done[Pair{a, b}] = int32(len(p.Chains) - 1)
	return int32(len(p.Chains) - 1)
}

func (g *Graph) subchain(p *Proof, done map[Pair]int32, a, b NodeID) int32 {
	if a == b {
		return -1
	}
	return g.chain(p, done, a, b)
}

// Reasons appends to dst the reasons that a proof of a = b uses, each once,
// ascending: those of Explain(a, b), without building the proof. Nothing is
// allocated once scratch memory and dst are large enough.
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

// Unions iterates over the unions that were made for a caller's reason and were
// news, in order: reason, left and right node.
func (g *Graph) Unions() func(yield func(why Reason, sides Pair) bool) {
	return func(yield func(Reason, Pair) bool) {
		for _, e := range g.edges[1:] {
			if e.why != Congruence && !yield(e.why, Pair{e.left, e.right}) {
				return
			}
		}
	}
}

// Verify checks a proof against the terms of the graph: steps connect, every
// congruence has equal symbols and a chain or identity for each child, chains
// rest on earlier ones only, and says accepts every reasoned step. It does not
// look at classes, so it finds faults of the graph's own.
func (p *Proof) Verify(g *Graph, says func(why Reason, left, right NodeID) bool) error {
	if len(p.Chains) == 0 {
		return fmt.Errorf("egraph: empty proof")
	}
	for ci := range p.Chains {
		c := &p.Chains[ci]
		at := c.From
		for si := range c.Steps {
			s := &c.Steps[si]
			if s.From != at || !g.Has(s.From) || !g.Has(s.To) {
				return fmt.Errorf("egraph: chain %d step %d: starts at %d, not %d", ci, si, s.From, at)
			}
			at = s.To
			for _, sub := range s.Sub {
				if sub < -1 || int(sub) >= ci {
					return fmt.Errorf("egraph: chain %d step %d: rests on chain %d", ci, si, sub)
				}
			}
			if s.Reason != Congruence {
				l, r := s.From, s.To
				if !s.Forward {
					l, r = r, l
				}
				if !says(s.Reason, l, r) {
					return fmt.Errorf("egraph: chain %d step %d: reason %d does not say %d = %d", ci, si, s.Reason, l, r)
				}
				continue
			}
			kf, kt := g.Children(s.From), g.Children(s.To)
			if g.Sym(s.From) != g.Sym(s.To) || len(kf) != len(kt) || len(s.Sub) != len(kf) {
				return fmt.Errorf("egraph: chain %d step %d: %d and %d are not congruent", ci, si, s.From, s.To)
			}
			for i, sub := range s.Sub {
				if sub == -1 && kf[i] != kt[i] || sub >= 0 && (p.Chains[sub].From != kf[i] || p.Chains[sub].To != kt[i]) {
					return fmt.Errorf("egraph: chain %d step %d: child %d is unproved", ci, si, i)
				}
			}
		}
		if at != c.To {
			return fmt.Errorf("egraph: chain %d ends at %d, not %d", ci, at, c.To)
		}
	}
	return nil
}
