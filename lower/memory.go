package lower

import (
	"cmp"
	"slices"
)

// memory finds the lifetimes of buffers and places them.
func (l *lowerer) memory() {
	p := l.Plan
	for i := range p.Buffers {
		p.Buffers[i].First, p.Buffers[i].Last = len(p.Run), -1
	}
	use := func(v ValueID, at int) {
		b := p.Buffer(v)
		b.First, b.Last, b.Kept = min(b.First, at), max(b.Last, at), true
	}
	for _, v := range p.Inputs {
		if v != None {
			use(v, -1)
		}
	}
	for i := range p.Run {
		p.Run[i].Reads(func(v ValueID) { use(v, i) })
		for _, v := range p.Run[i].Out {
			use(v, i)
		}
	}
	for _, v := range p.Outputs {
		use(v, len(p.Run))
	}
	if l.t.Overwrites && !l.opt.KeepAll {
		p.overwrite()
	}
	var own []*Buffer
	for i := range p.Buffers {
		b := &p.Buffers[i]
		switch {
		case b.Constant():
			if b.Kept {
				p.Constants += b.Bytes
			}
		case b.Shares == None:
			own = append(own, b)
		}
	}
	p.Arena = Place(own, l.t.Align, l.opt.KeepAll)
}

// overwrite lets chains overwrite what they read where nobody reads it
// afterwards.
func (p *Plan) overwrite() {
	for i := range p.Run {
		k := &p.Run[i]
		if k.Kind != Chain {
			continue
		}
		x, y := p.Values[k.In[0]], p.Values[k.Out[0]].Buffer
		root := p.root(x.Buffer)
		r := &p.Buffers[root]
		if r.Constant() || !p.Whole(k.In[0]) || r.Last != i || r.Bytes != p.Buffers[y].Bytes || root == p.root(y) {
			continue
		}
		// An operand that shares the place must be read before it is written:
		// element by element, by the first step.
		clash := false
		for j, s := range k.Tail.Steps {
			for _, v := range s.Args {
				if v != None && p.root(p.Values[v].Buffer) == root && (j > 0 || s.Mode != Full || p.Values[v].Offset != x.Offset) {
					clash = true
				}
			}
		}
		if !clash {
			k.Overwrites = true
			p.Buffers[y].Shares = root
			r.Last = max(r.Last, p.Buffers[y].Last)
		}
	}
}

// Place places buffers in an arena such that those in use at the same kernel do
// not overlap, and returns the arena's size in bytes. Largest first, each at the
// lowest place that is free over its lifetime; ties by the order of the slice.
// With apart, no two share a place.
func Place(bufs []*Buffer, align int, apart bool) int {
	order := slices.Clone(bufs)
	slices.SortStableFunc(order, func(a, b *Buffer) int { return cmp.Compare(b.Bytes, a.Bytes) })
	size := 0
	var placed []*Buffer // by offset
	for _, b := range order {
		at := 0
		for _, o := range placed {
			if !apart && (o.Last < b.First || b.Last < o.First) {
				continue
			}
			if at+b.Bytes <= o.Offset {
				break
			}
			at = max(at, (o.Offset+o.Bytes+align-1)/align*align)
		}
		b.Offset = at
		size = max(size, at+b.Bytes)
		i, _ := slices.BinarySearchFunc(placed, at, func(o *Buffer, at int) int { return cmp.Compare(o.Offset, at) })
		placed = slices.Insert(placed, i, b)
	}
	return size
}
