package graph

import (
	"fmt"
	"math"
	"slices"
)

// Ranges say which elements a sum or a maximum takes for each element of its
// result: loops over the result's axes and inside them loops over what is summed,
// some of it under conditions.
type Ranges struct {
	x     *extent
	dom   []Sym // the axes of the result
	terms []terms
}

// terms are elements X[a] or products X[a] * Y[b], for all values of the bound
// variables for which the conditions hold.
type terms struct {
	over   []Sym
	a, b   Index
	guards []Guard
}

// maxPoints bounds what is written down.
const maxPoints = 1 << 29

// offset is the row-major place of dom's variables in a tensor with these axes.
func (x *extent) offset(dom []Sym) Index {
	out := Index{t: make([]indexTerm, 0, len(dom))}
	n := int64(1)
	for i := len(dom) - 1; i >= 0; i-- {
		if size := x.of(dom[i]); size > 1 {
			out.t = append(out.t, indexTerm{dom[i], n})
			n *= int64(size)
		}
	}
	slices.SortFunc(out.t, func(a, b indexTerm) int { return int(a.sym) - int(b.sym) })
	return out
}

// lists writes the places down; b too if there are two operands.
func (r *Ranges) lists(n int, two bool) (start, a, b []int32, err error) {
	out := r.x.offset(r.dom)
	nests := make([]*nest, len(r.terms))
	most := int64(0)
	for i, t := range r.terms {
		wanted := []Index{out, t.a, t.b}
		vars := append(r.dom[:len(r.dom):len(r.dom)], t.over...)
		if nests[i], err = r.x.nest(vars, 0, wanted, t.guards); err != nil {
			return nil, nil, nil, err
		}
		if most = addSat(most, nests[i].points()); most > maxPoints {
			return nil, nil, nil, fmt.Errorf("%d operations are too many to be written down", most)
		}
	}
	fill := func(dst []int32, n, at, by int) []int32 {
		for ; n > 0; n-- {
			dst = append(dst, int32(at))
			at += by
		}
		return dst
	}
	if len(nests) == 1 { // in the order of the result
		start = make([]int32, 1, n+1)
		a = make([]int32, 0, most)
		if two {
			b = make([]int32, 0, most)
		}
		nests[0].walk(nil, func(m int, at, by []int) {
			for at[0] >= len(start) {
				start = append(start, int32(len(a)))
			}
			for j := 0; by[0] > 0 && j+1 < m; j++ { // each is of another element
				for k := 0; k < by[0]; k++ {
					start = append(start, int32(len(a)+j+1))
				}
			}
			a = fill(a, m, at[1], by[1])
			if two {
				b = fill(b, m, at[2], by[2])
			}
		})
		for len(start) <= n {
			start = append(start, int32(len(a)))
		}
		return start, a, b, nil
	}
	start = make([]int32, n+1)
	for _, l := range nests {
		l.walk(nil, func(m int, at, by []int) {
			for j := range m {
				start[at[0]+j*by[0]+1]++
			}
		})
	}
	for i := range n {
		start[i+1] += start[i]
	}
	next := append([]int32(nil), start[:n]...)
	a = make([]int32, start[n])
	if two {
		b = make([]int32, start[n])
	}
	for _, l := range nests {
		l.walk(nil, func(m int, at, by []int) {
			for j := range m {
				o := at[0] + j*by[0]
				a[next[o]] = int32(at[1] + j*by[1])
				if two {
					b[next[o]] = int32(at[2] + j*by[2])
				}
				next[o]++
			}
		})
	}
	return start, a, b, nil
}

// tooMany reports sizes whose places are no int32.
func tooMany(sizes []int) error {
	if n := Product(sizes...); n > math.MaxInt32 {
		return fmt.Errorf("%d elements are too many to be numbered", n)
	}
	return nil
}
