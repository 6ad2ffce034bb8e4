package meaning

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// What is equal at sight: the same in the same order, in the same unknowns. What
// differs at sight may be equal all the same.

func alikeIndex(x, y graph.Index) bool { return x.Equal(y) }

func alikeGuard(x, y graph.Guard) bool { return x.Eq == y.Eq && x.E.Equal(y.E) }

func alikeGuards(x, y []graph.Guard) bool { return slices.EqualFunc(x, y, alikeGuard) }

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

func alikeAtom(x, y Atom) bool {
	return x.Head() == y.Head() && slices.EqualFunc(x.At, y.At, alikeIndex) &&
		alikeNF(x.Arg, y.Arg) && slices.EqualFunc(x.Pieces, y.Pieces, alikePiece)
}

func alikePiece(x, y Piece) bool {
	return slices.Equal(x.Over, y.Over) && alikeGuards(x.Dom, y.Dom) && alikeNF(x.Body, y.Body)
}

func alikeNF(x, y NF) bool { return slices.EqualFunc(x, y, alikeTerm) }

func alikeTerm(x, y Term) bool {
	return x.Num.Cmp(y.Num) == 0 && slices.Equal(x.Over, y.Over) && alikeGuards(x.Dom, y.Dom) &&
		slices.EqualFunc(x.Facs, y.Facs, func(f, g Factor) bool { return f.Exp == g.Exp && f.E.Equal(g.E) }) &&
		slices.EqualFunc(x.Atoms, y.Atoms, alikeAtom)
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
