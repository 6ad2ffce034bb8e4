package meaning

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
)

// What is equal at sight: the same in the same order, in the same unknowns, but for the
// names of bound variables. What differs at sight may be equal all the same.

func alikeGuard(x, y graph.Guard) bool { return x.Eq == y.Eq && x.E.Equal(y.E) }

// AlikeSets reports whether x and y are the same guards in any order.
func AlikeSets(x, y []graph.Guard) bool {
	if len(x) != len(y) {
		return false
	}
	used := make([]bool, len(y))
next:
	for _, g := range x {
		for j, h := range y {
			if !used[j] && alikeGuard(g, h) {
				used[j] = true
				continue next
			}
		}
		return false
	}
	return true
}

// names are what bound variables of one side are called on the other.
type names map[graph.Sym]graph.Index

func (b *Engine) alikeIndex(x, y graph.Index, by names) bool {
	return x.Equal(b.Space.Subst(y, by))
}

func (b *Engine) alikeGuards(x, y []graph.Guard, by names) bool {
	return slices.EqualFunc(x, y, func(g, h graph.Guard) bool { return g.Eq == h.Eq && b.alikeIndex(g.E, h.E, by) })
}

// bind adds the names of variables that are bound in y, which must not have those of x
// otherwise.
func (b *Engine) bind(by names, x, y []graph.Sym, has func(v graph.Sym) bool) (names, bool) {
	if len(x) != len(y) {
		return nil, false
	}
	for v, e := range by {
		if w, _ := e.IsSym(); slices.Contains(x, v) || slices.Contains(x, w) || slices.Contains(y, v) {
			return nil, false
		}
	}
	if slices.Equal(x, y) {
		return by, true
	}
	out := maps.Clone(by)
	if out == nil {
		out = names{}
	}
	for i, v := range y {
		if slices.Contains(y, x[i]) || has(x[i]) {
			return nil, false
		}
		out[v] = x[i].Index()
	}
	return out, true
}

func (b *Engine) alikeAtom(x, y Atom, by names) bool {
	return x.Head() == y.Head() &&
		slices.EqualFunc(x.At, y.At, func(e, f graph.Index) bool { return b.alikeIndex(e, f, by) }) &&
		b.alikeNF(x.Arg, y.Arg, by) &&
		slices.EqualFunc(x.Pieces, y.Pieces, func(p, q Piece) bool { return b.alikePiece(p, q, by) })
}

func (b *Engine) alikePiece(x, y Piece, by names) bool {
	by, ok := b.bind(by, x.Over, y.Over, func(v graph.Sym) bool { return b.guardsMention(y.Dom, v) || b.nfMentions(y.Body, v) })
	return ok && b.alikeGuards(x.Dom, y.Dom, by) && b.alikeNF(x.Body, y.Body, by)
}

func (b *Engine) alikeNF(x, y NF, by names) bool {
	return slices.EqualFunc(x, y, func(s, t Term) bool { return s.Num.Cmp(t.Num) == 0 && b.alikeTerm(s, t, by) })
}

// alikeTerm compares all but the numbers.
func (b *Engine) alikeTerm(x, y Term, by names) bool {
	if len(x.Dom) != len(y.Dom) || len(x.Facs) != len(y.Facs) || len(x.Atoms) != len(y.Atoms) {
		return false
	}
	by, ok := b.bind(by, x.Over, y.Over, func(v graph.Sym) bool { return b.guardsMention(y.Dom, v) || b.valueMentions(y, v) })
	return ok && b.alikeGuards(x.Dom, y.Dom, by) &&
		slices.EqualFunc(x.Facs, y.Facs, func(f, g Factor) bool { return f.Exp == g.Exp && b.alikeIndex(f.E, g.E, by) }) &&
		slices.EqualFunc(x.Atoms, y.Atoms, func(a, c Atom) bool { return b.alikeAtom(a, c, by) })
}

// AlikeInKind reports whether terms may have one product of Atoms: as many bound
// variables and factors, and atoms with the same heads.
func AlikeInKind(x, y Term) bool {
	if len(x.Over) != len(y.Over) || len(x.Facs) != len(y.Facs) || len(x.Atoms) != len(y.Atoms) {
		return false
	}
	count := map[Head]int{}
	for i := range x.Atoms {
		count[x.Atoms[i].Head()]++
		count[y.Atoms[i].Head()]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
