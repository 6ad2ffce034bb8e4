package extract

import "encoding/binary"

// part is a component of a core: classes that are connected by kids, with numbers
// of their own.
type part struct {
	core *core
	ids  []int32 // class of the whole core, by class of the part
}

// split takes a core apart into components that do not share classes: their best
// choices together are a best choice of the whole. Components come in the order of
// their first classes. base stays with the whole.
func (c *core) split() []part {
	comp := make([]int32, len(c.ways)) // a class of the component: one that stands for itself
	for k := range comp {
		comp[k] = int32(k)
	}
	find := func(k int32) int32 {
		for comp[k] != k {
			comp[k] = comp[comp[k]]
			k = comp[k]
		}
		return k
	}
	for k, ws := range c.ways {
		for i := range ws {
			for _, j := range ws[i].kids {
				comp[find(j)] = find(int32(k))
			}
		}
	}
	for k := range comp {
		comp[k] = find(int32(k))
	}
	number := map[int32]int{} // of a component, in the order of first classes
	local := make([]int32, len(c.ways))
	var parts []part
	for k := range c.ways {
		if len(c.ways[k]) == 0 {
			continue
		}
		i, ok := number[comp[k]]
		if !ok {
			i = len(parts)
			number[comp[k]] = i
			parts = append(parts, part{core: &core{}})
		}
		p := &parts[i]
		local[k] = int32(len(p.ids))
		p.ids = append(p.ids, int32(k))
	}
	scc := c.cycles()
	for i := range parts {
		p := &parts[i]
		p.core.cyclic = make([]int32, len(p.ids))
		p.core.ways = make([][]way, len(p.ids))
		for at, k := range p.ids {
			ws := make([]way, len(c.ways[k]))
			for x, w := range c.ways[k] {
				ws[x] = way{cost: w.cost, picks: w.picks, kids: make([]int32, len(w.kids))}
				for y, j := range w.kids {
					ws[x].kids[y] = local[j] // ascending, as numbers keep their order
				}
			}
			p.core.ways[at] = ws
			p.core.cyclic[at] = scc[k]
			p.core.cyclicAt += len(ws)
		}
	}
	for _, r := range c.roots {
		p := &parts[number[comp[r]]]
		p.core.roots = append(p.core.roots, local[r])
	}
	return parts
}

// key is the content of a core: cores of equal content have the same choices.
func (c *core) key() string {
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(c.ways)))
	for _, r := range c.roots {
		b = binary.AppendUvarint(b, uint64(r)+1)
	}
	b = append(b, 0)
	for _, ws := range c.ways {
		b = binary.AppendUvarint(b, uint64(len(ws)))
		for _, w := range ws {
			b = binary.AppendUvarint(b, uint64(w.cost))
			b = binary.AppendUvarint(b, uint64(len(w.kids)))
			for _, j := range w.kids {
				b = binary.AppendUvarint(b, uint64(j))
			}
		}
	}
	return string(b)
}
