package sums

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// What is equal at sight: the same in the same order, in the same unknowns. What
// differs at sight may be equal all the same.

func alikeIndex(x, y graph.Index) bool { return x.Equal(y) }

func alikeGuard(x, y graph.Guard) bool { return x.Eq == y.Eq && x.E.Equal(y.E) }

func alikeGuards(x, y []graph.Guard) bool { return slices.EqualFunc(x, y, alikeGuard) }

// alikeSets reports whether x and y are the same guards in any order.
func alikeSets(x, y []graph.Guard) bool {
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

func alikeAtom(x, y atom) bool {
	return x.head() == y.head() && slices.EqualFunc(x.at, y.at, alikeIndex) &&
		alikeNF(x.arg, y.arg) && slices.EqualFunc(x.pieces, y.pieces, alikePiece)
}

func alikePiece(x, y piece) bool {
	return slices.Equal(x.over, y.over) && alikeGuards(x.dom, y.dom) && alikeNF(x.body, y.body)
}

func alikeNF(x, y nf) bool { return slices.EqualFunc(x, y, alikeTerm) }

func alikeTerm(x, y term) bool {
	return x.num.Cmp(y.num) == 0 && slices.Equal(x.over, y.over) && alikeGuards(x.dom, y.dom) &&
		slices.EqualFunc(x.facs, y.facs, func(f, g factor) bool { return f.exp == g.exp && f.e.Equal(g.e) }) &&
		slices.EqualFunc(x.atoms, y.atoms, alikeAtom)
}

// alikeInKind reports whether terms may have one product of atoms: as many bound
// variables and factors, and atoms with the same heads.
func alikeInKind(x, y term) bool {
	if len(x.over) != len(y.over) || len(x.facs) != len(y.facs) || len(x.atoms) != len(y.atoms) {
		return false
	}
	count := map[head]int{}
	for i := range x.atoms {
		count[x.atoms[i].head()]++
		count[y.atoms[i].head()]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
