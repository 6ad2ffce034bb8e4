package sums

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// term is an unknown with its coefficient.
type term struct {
	v graph.Sym
	k int64
}

// direction is the part of a row that has unknowns, up to its sign: a row and the
// opposite of another are found at one place.
type direction struct {
	at, n int32    // in terms; the first coefficient is positive
	slot  int32    // in the table
	hash  uint32   // of the terms
	rows  [2]int32 // 1 + place in a rowSet of the row with these terms, and of that with the opposite ones
}

// directions numbers the directions of the rows of one question. The last ones can be
// taken back; what they took up is used again.
//
//	terms  x -1y | y +2z | x | ...      one after another
//	all      0       1     2
//	table  . 2 . . 0 . 1 .              by hash: 1 + number, 0 where there is none
type directions struct {
	terms []term
	all   []direction
	table []int32 // the length is a power of two, at least twice that of all
}

const noDirection = -1

// of are the terms of a direction.
func (d *directions) of(i int32) []term {
	if i == noDirection {
		return nil
	}
	x := &d.all[i]
	return d.terms[x.at : x.at+x.n]
}

// number is the direction of the terms from at on, which are by unknown, and whether
// they are its opposites. They are the last ones, and go if the direction is known.
func (d *directions) number(at int) (i int32, neg bool) {
	ts := d.terms[at:]
	if len(ts) == 0 {
		return noDirection, false
	}
	neg = ts[0].k < 0
	for j := range ts {
		if k := times(ts[j].k, -1); neg { // all have to have opposites
			ts[j].k = k
		}
	}
	hash := hashTerms(ts)
	if 2*len(d.all) >= len(d.table) {
		d.grow()
	}
	mask := uint32(len(d.table) - 1)
	slot := hash & mask
	for ; d.table[slot] != 0; slot = (slot + 1) & mask {
		if i := d.table[slot] - 1; d.all[i].hash == hash && slices.Equal(d.of(i), ts) {
			d.terms = d.terms[:at]
			return i, neg
		}
	}
	d.all = append(d.all, direction{at: int32(at), n: int32(len(ts)), slot: int32(slot), hash: hash})
	d.table[slot] = int32(len(d.all))
	return int32(len(d.all) - 1), neg
}

// forget takes back all directions but the first n. That they go in the order opposite
// to that in which they came keeps the table right: what came later has to be looked
// for behind what came earlier, never the other way around.
func (d *directions) forget(n int) {
	for i := len(d.all) - 1; i >= n; i-- {
		d.table[d.all[i].slot] = 0
	}
	if n < len(d.all) {
		d.terms = d.terms[:d.all[n].at]
		d.all = d.all[:n]
	}
}

func (d *directions) grow() {
	d.table = make([]int32, max(64, 2*len(d.table)))
	mask := uint32(len(d.table) - 1)
	for i := range d.all {
		x := &d.all[i]
		slot := x.hash & mask
		for d.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		x.slot, d.table[slot] = int32(slot), int32(i+1)
	}
}

func hashTerms(ts []term) uint32 {
	h := uint64(len(ts))
	for _, t := range ts {
		h = (h ^ uint64(t.v)) * 0x9e3779b97f4a7c15
		h = (h ^ h>>29 ^ uint64(t.k)) * 0xbf58476d1ce4e5b9
	}
	return uint32(h >> 32)
}

// coef is the coefficient of v.
func coef(ts []term, v graph.Sym) int64 {
	for _, t := range ts {
		if t.v == v {
			return t.k
		}
	}
	return 0
}

// merge appends the sum of terms, each times its factor.
func (d *directions) merge(x []term, j int64, y []term, k int64) {
	out := d.terms
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].v < y[0].v:
			out = append(out, term{x[0].v, times(x[0].k, j)})
			x = x[1:]
		case len(x) == 0 || y[0].v < x[0].v:
			out = append(out, term{y[0].v, times(y[0].k, k)})
			y = y[1:]
		default:
			if c := plus(times(x[0].k, j), times(y[0].k, k)); c != 0 {
				out = append(out, term{x[0].v, c})
			}
			x, y = x[1:], y[1:]
		}
	}
	d.terms = out
}

// plus is a + b. It panics with graph.ErrTooLarge, as the arithmetic of an Index does.
func plus(a, b int64) int64 {
	c, ok := graph.AddInt(a, b)
	if !ok {
		panic(graph.ErrTooLarge)
	}
	return c
}

// times is a * b, or panics like plus.
func times(a, b int64) int64 {
	c, ok := graph.MulInt(a, b)
	if !ok {
		panic(graph.ErrTooLarge)
	}
	return c
}
