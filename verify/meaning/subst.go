package meaning

import "github.com/taso-go/taso/graph"

// substGuards replaces unknowns in guards, and writes them without products where that can be.
func (b *Engine) substGuards(gs []graph.Guard, by map[graph.Sym]graph.Index) []graph.Guard {
	out := make([]graph.Guard, 0, len(gs))
	for _, g := range gs {
		out = append(out, b.Space.Simplify(graph.Guard{E: b.Space.Subst(g.E, by), Eq: g.Eq})...)
	}
	return out
}

func (b *Engine) substAtom(a Atom, by map[graph.Sym]graph.Index) Atom {
	if a.At != nil {
		at := make([]graph.Index, len(a.At))
		for i, e := range a.At {
			at[i] = b.Space.Subst(e, by)
		}
		a.At = at
	}
	if a.Arg != nil {
		a.Arg = b.substNF(a.Arg, by)
	}
	if a.Pieces != nil {
		ps := make([]Piece, len(a.Pieces))
		for i, p := range a.Pieces {
			b.apart(p.Over, by)
			ps[i] = Piece{p.Over, b.substGuards(p.Dom, by), b.substNF(p.Body, by)}
		}
		a.Pieces = ps
	}
	return a
}

func (b *Engine) substNF(n NF, by map[graph.Sym]graph.Index) NF {
	out := make(NF, len(n))
	for i, t := range n {
		b.apart(t.Over, by)
		out[i] = b.substTerm(t, by)
	}
	return out
}

// apart makes sure that variables bound inside are neither replaced nor what stands
// for others: in no proof that is made are they.
func (b *Engine) apart(over []graph.Sym, by map[graph.Sym]graph.Index) {
	for _, v := range over {
		if _, ok := by[v]; ok {
			b.fail(errCapture)
		}
		for _, e := range by {
			if b.Space.Mentions(e, v) {
				b.fail(errCapture)
			}
		}
	}
}

// substTerm replaces unknowns in t; those of t.Over stay its bound variables
// and must not be among them.
func (b *Engine) substTerm(t Term, by map[graph.Sym]graph.Index) Term {
	if len(by) == 0 {
		return t
	}
	u := Term{Num: t.Num, Over: t.Over, Dom: b.substGuards(t.Dom, by)}
	for _, f := range t.Facs {
		u = u.times(b.Space.Subst(f.E, by), f.Exp)
	}
	u.Atoms = make([]Atom, len(t.Atoms))
	for i, a := range t.Atoms {
		u.Atoms[i] = b.substAtom(a, by)
	}
	return u
}

// fresh renames the bound variables of t.
func (b *Engine) fresh(t Term) Term {
	if len(t.Over) == 0 {
		return t
	}
	over, by := b.rename(t.Over)
	u := b.substTerm(t, by)
	u.Over = over
	return u
}

func (b *Engine) rename(over []graph.Sym) ([]graph.Sym, map[graph.Sym]graph.Index) {
	by := map[graph.Sym]graph.Index{}
	out := make([]graph.Sym, len(over))
	for i, v := range over {
		out[i] = b.Space.Var("v")
		if n, ok := b.Space.Range(v); ok {
			b.Space.Within(out[i], n)
		}
		by[v] = out[i].Index()
	}
	return out, by
}

func (b *Engine) atomMentions(a Atom, v graph.Sym) bool {
	for _, e := range a.At {
		if b.Space.Mentions(e, v) {
			return true
		}
	}
	if b.nfMentions(a.Arg, v) {
		return true
	}
	for _, p := range a.Pieces {
		if b.guardsMention(p.Dom, v) || b.nfMentions(p.Body, v) {
			return true
		}
	}
	return false
}

func (b *Engine) guardsMention(gs []graph.Guard, v graph.Sym) bool {
	for _, g := range gs {
		if b.Space.Mentions(g.E, v) {
			return true
		}
	}
	return false
}

func (b *Engine) nfMentions(n NF, v graph.Sym) bool {
	for _, t := range n {
		if b.guardsMention(t.Dom, v) || b.valueMentions(t, v) {
			return true
		}
	}
	return false
}

// valueMentions reports whether the factors and atoms of t depend on v.
func (b *Engine) valueMentions(t Term, v graph.Sym) bool {
	for _, f := range t.Facs {
		if b.Space.Mentions(f.E, v) {
			return true
		}
	}
	for _, a := range t.Atoms {
		if b.atomMentions(a, v) {
			return true
		}
	}
	return false
}

func (b *Engine) anyMention(e graph.Index, vs []graph.Sym) bool {
	for _, v := range vs {
		if b.Space.Mentions(e, v) {
			return true
		}
	}
	return false
}
