package draw

import (
	"cmp"
	"slices"
)

const (
	maxSweeps = 24 // barycentre sweeps at most
	patience  = 4  // sweeps without fewer crossings before giving up
	// exchangeLimit is the number of segments up to which neighbours are
	// exchanged one by one.
	exchangeLimit = 1500
)

// order chooses the positions in the layers so that few segments cross.
func (p *picture) order() {
	p.firstOrder()
	best, least := p.positions(), p.crossings()
	idle := 0
	for sweep := 0; sweep < maxSweeps && idle < patience && least > 0; sweep++ {
		p.sweep(sweep%2 == 0)
		if len(p.segs) <= exchangeLimit {
			p.exchange()
		}
		idle++
		if n := p.crossings(); n < least {
			best, least, idle = p.positions(), n, 0
		}
	}
	for l := range p.layers {
		slices.SortFunc(p.layers[l], func(a, b int) int { return best[a] - best[b] })
		p.number(l)
	}
}

// firstOrder walks from the results to the operands, left to right: what is
// computed first, in the order in which a formula is written, stands left.
func (p *picture) firstOrder() {
	seen := make([]bool, len(p.verts))
	type frame struct{ v, next int }
	var stack []frame
	for root := range p.verts {
		if len(p.verts[root].below) > 0 || seen[root] {
			continue
		}
		seen[root] = true
		stack = append(stack, frame{v: root})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			v := &p.verts[f.v]
			if f.next < len(v.above) {
				a := p.segs[v.above[f.next]].a
				f.next++
				if !seen[a] {
					seen[a] = true
					stack = append(stack, frame{v: a})
				}
				continue
			}
			p.layers[v.layer] = append(p.layers[v.layer], f.v)
			stack = stack[:len(stack)-1]
		}
	}
	for l := range p.layers {
		p.number(l)
	}
}

// number sets the positions of a layer's vertices.
func (p *picture) number(l int) {
	for i, v := range p.layers[l] {
		p.verts[v].pos = i
	}
}

func (p *picture) positions() []int {
	out := make([]int, len(p.verts))
	for i := range p.verts {
		out[i] = p.verts[i].pos
	}
	return out
}

// sweep moves each vertex to the barycentre of its neighbours in the layer
// before, going down or up. Vertices without neighbours there stay.
func (p *picture) sweep(down bool) {
	for i := range p.layers {
		l := i
		if !down {
			l = len(p.layers) - 1 - i
		}
		type item struct {
			v   int
			bar float64
		}
		var moved []item
		var places []int
		for pos, v := range p.layers[l] {
			segs := p.verts[v].segments(down)
			if len(segs) == 0 {
				continue
			}
			sum := 0.0
			for _, s := range segs {
				sum += p.end(p.segs[s], down)
			}
			moved = append(moved, item{v, sum / float64(len(segs))})
			places = append(places, pos)
		}
		slices.SortStableFunc(moved, func(a, b item) int { return cmp.Compare(a.bar, b.bar) })
		for k, pos := range places {
			p.layers[l][pos] = moved[k].v
		}
		p.number(l)
	}
}

// end is the position of a segment's upper or lower end, in widths of vertices.
func (p *picture) end(s segment, upper bool) float64 {
	if upper {
		return float64(p.verts[s.a].pos) + float64(s.port+1)/float64(p.verts[s.a].ports+1)
	}
	return float64(p.verts[s.b].pos) + float64(s.slot+1)/float64(p.verts[s.b].slots+1)
}

// crossings counts the pairs of segments that cross.
func (p *picture) crossings() int {
	n := 0
	for l := 1; l < len(p.layers); l++ {
		n += p.crossingsBelow(l - 1)
	}
	return n
}

// crossingsBelow counts the crossings between layers l and l+1: pairs of segments
// whose upper ends are in one order and lower ends in the other. Ends at one
// port, or at one slot, do not cross.
func (p *picture) crossingsBelow(l int) int {
	// Number the lower ends from the left.
	base := make([]int, len(p.layers[l+1])+1)
	for i, v := range p.layers[l+1] {
		base[i+1] = base[i] + max(1, p.verts[v].slots)
	}
	tree := make([]int, base[len(base)-1]+1) // Fenwick: segments so far by lower end
	total, n := 0, 0
	var same []int // lower ends of the segments at the present port
	flush := func() {
		for _, x := range same {
			upTo := 0 // segments so far that end at x or left of it
			for i := x + 1; i > 0; i -= i & -i {
				upTo += tree[i]
			}
			n += total - upTo
		}
		for _, x := range same {
			for i := x + 1; i < len(tree); i += i & -i {
				tree[i]++
			}
		}
		total += len(same)
		same = same[:0]
	}
	var segs []int
	for _, v := range p.layers[l] {
		segs = append(segs[:0], p.verts[v].below...)
		slices.SortFunc(segs, func(a, b int) int { return p.segs[a].port - p.segs[b].port })
		port := -1
		for _, s := range segs {
			if p.segs[s].port != port {
				flush()
				port = p.segs[s].port
			}
			same = append(same, base[p.verts[p.segs[s].b].pos]+p.segs[s].slot)
		}
		flush()
	}
	return n
}

// exchange swaps neighbours as long as that removes crossings.
func (p *picture) exchange() {
	for round := 0; round < 8; round++ {
		better := false
		for l := range p.layers {
			for i := 0; i+1 < len(p.layers[l]); i++ {
				u, v := p.layers[l][i], p.layers[l][i+1]
				if p.pairCrossings(u, v) > p.pairCrossings(v, u) {
					p.layers[l][i], p.layers[l][i+1] = v, u
					p.verts[u].pos, p.verts[v].pos = i+1, i
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// pairCrossings counts the crossings of segments of u with segments of v where u
// is on the left.
func (p *picture) pairCrossings(u, v int) int {
	n := 0
	for _, up := range []bool{true, false} {
		for _, s := range p.verts[u].segments(up) {
			for _, t := range p.verts[v].segments(up) {
				if p.end(p.segs[s], up) > p.end(p.segs[t], up) {
					n++
				}
			}
		}
	}
	return n
}
