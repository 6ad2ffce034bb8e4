package sums

import "github.com/taso-go/taso/graph"

// assignment gives unknowns values. It is emptied without a look at what is in it: a
// place counts only if the unknown is there.
//
//	at  ? 1 ? 0 ?    by unknown
//	of  v4=7 v2=0
type assignment struct {
	at []int32
	of []valued
}

type valued struct {
	v graph.Sym
	n int64
}

// find is the place of v, or -1; a nil assignment has none.
func (a *assignment) find(v graph.Sym) int {
	if a != nil && int(v) < len(a.at) {
		if i := int(a.at[v]); i < len(a.of) && a.of[i].v == v {
			return i
		}
	}
	return -1
}

func (a *assignment) empty() bool { return a == nil || len(a.of) == 0 }

func (a *assignment) reset() { a.of = a.of[:0] }

// set gives v a value.
func (a *assignment) set(v graph.Sym, n int64) {
	if i := a.find(v); i >= 0 {
		a.of[i].n = n
		return
	}
	if int(v) >= len(a.at) {
		a.at = append(a.at, make([]int32, int(v)+1-len(a.at))...)
	}
	a.at[v] = int32(len(a.of))
	a.of = append(a.of, valued{v, n})
}

// with is a new assignment of what a and b say; of what both do, b.
func (a *assignment) with(b *assignment) *assignment {
	out := &assignment{}
	for _, c := range []*assignment{a, b} {
		if c != nil {
			for _, x := range c.of {
				out.set(x.v, x.n)
			}
		}
	}
	return out
}

// breaks reports whether a guard does not hold, all unknowns of which have values.
func (a *assignment) breaks(g graph.Guard) bool {
	n := g.E.Constant()
	for j := range g.E.Len() {
		v, k := g.E.Term(j)
		i := a.find(v)
		if i < 0 {
			return false
		}
		n = plus(n, times(k, a.of[i].n))
	}
	return n < 0 || n > 0 && g.Eq
}
