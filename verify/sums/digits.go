package sums

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/verify/meaning"
)

// What is summed over a*b on one side may be summed over a and b on the other: then the
// indices of one tensor are v there and b*x + y here.

// axis is an axis of a tensor.
type axis struct {
	name string
	rank int
	at   int
}

// digits proposes which bound variable of here is written in digits, and the range of
// the low one, the smallest first: of what the indices of one axis are multiples of.
func (b *search) digits(over []graph.Sym, here, there meaning.NF) (at int, n graph.Dim, ok bool) {
	by := map[axis][]graph.Dim{}
	eachIndex(there, func(x axis, e graph.Index) {
		for _, m := range b.e.Space.Multiples(e) {
			if m.Of != 0 {
				by[x] = append(by[x], m.By)
			}
		}
	})
	eachIndex(here, func(x axis, e graph.Index) {
		for i, v := range over {
			size, ranged := b.e.Space.Range(v)
			if !ranged {
				continue
			}
			for _, m := range b.e.Space.Multiples(e) {
				if m.Of != v {
					continue
				}
				for _, k := range by[x] {
					c, whole := k.Quo(m.By)
					if !whole || c == graph.Int(1) || !c.Sub(graph.Int(1)).NonNegative() || ok && at != i {
						continue
					}
					if high, whole := size.Quo(c); !whole || high == graph.Int(1) {
						continue
					}
					if _, smaller := n.Quo(c); !ok || smaller {
						at, n, ok = i, c, true
					}
				}
			}
		}
	})
	return at, n, ok
}

// eachIndex calls f for the indices of all reads in a normal form.
func eachIndex(n meaning.NF, f func(axis, graph.Index)) {
	for _, t := range n {
		for _, a := range t.Atoms {
			for i, e := range a.At {
				f(axis{a.Name, len(a.At), i}, e)
			}
			eachIndex(a.Arg, f)
			for _, p := range a.Pieces {
				eachIndex(p.Body, f)
			}
		}
	}
}
