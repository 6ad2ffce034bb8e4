package search

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/law/rewrite"
)

// Limits of waves.
const (
	// mostAlike is the most moves of one wave.
	mostAlike = 32
	// mostNear is the most nodes around a tensor that a wave looks at.
	mostNear = 256
	// mostBehind is the most moves that are tried to find the next wave.
	mostBehind = 1000
	// mostRounds is the most waves that are made behind a first one.
	mostRounds = 6
	// worseWave is by how much of the network's cost a wave may be dearer on its way.
	worseWave = 0.05
	// mostTidied is the most moves that tidy one wave up.
	mostTidied = 128
)

// wave makes a move, and then all moves like it: of the same direction, with the same
// tensor for one variable. Many products of one tensor become one product so, and a
// function of many parts of a tensor is taken of the whole. One of these moves alone
// may pay nothing, and all of them together nothing yet: eight products in one save
// seven kernels, but the eight functions that ran in them have kernels of their own
// then, until each function is taken of the whole product. So behind a wave that makes
// the network dearer by no more than that, the cheapest wave that it has made
// possible is made, and so on while the cost falls. The chain is noted if the cost is
// the best.
func (d *descent) wave(m *Move) {
	limit := int64((1 + worseWave) * float64(d.Price.Cost()))
	for i, v := range m.Vars {
		if n, _ := d.Net.NodeOf(v); d.Net.Fixed(n) || d.Net.UseCount(v) < 2 {
			continue
		}
		if !d.news(m, i) {
			continue
		}
		base := d.Len()
		if d.together(m, i) && !d.seen[d.Net.Hash()] {
			d.seen[d.Net.Hash()] = true
			d.note()
			for range mostRounds {
				d.left = mostBehind
				if d.Price.Cost() > limit || !d.cheapest(base) {
					break
				}
				d.note()
			}
		}
		d.Back(base)
	}
}

// kin are moves that are alike: what a wave makes.
type kin struct {
	direction *rewrite.Direction
	variable  int
	at        bank.Tensor
	root      *graph.Op
}

// news reports whether a wave was not tried with the tensor's present users: any of its
// moves may be the first.
func (d *descent) news(m *Move, i int) bool {
	k, users := kin{m.Direction, i, m.Vars[i], d.opAt(m.Roots[0])}, uint64(14695981039346656037)
	for _, n := range d.near(m, i) {
		users = (users ^ uint64(n)) * 1099511628211
	}
	if last, ok := d.waved[k]; ok && last == users {
		return false
	}
	d.waved[k] = users
	return true
}

// note notes the steps of the trail as the best chain, if they are.
func (d *descent) note() {
	if c := d.Price.Cost(); c < d.best {
		d.best, d.chain = c, d.Path()
	}
}

// cheapest makes the wave or move that lowers the cost most, of those that the steps
// from base on have made possible, and reports whether there is one.
func (d *descent) cheapest(base int) bool {
	now, from := d.Price.Cost(), d.Len()
	var best []Move
	var next []Move
	for i := base; i < from; i++ {
		d.Moves.Fresh(d.steps[i].moves, func(m *Move) {
			if !slices.ContainsFunc(next, m.equal) {
				next = append(next, *m)
			}
		})
	}
	try := func(made bool) {
		if c := d.Price.Cost(); made && c < now {
			now, best = c, d.Path()[from:]
		}
		d.Back(from)
	}
	for k := range next {
		m := &next[k]
		if d.left <= 0 {
			break
		}
		try(d.one(m))
		for i, v := range m.Vars {
			if n, _ := d.Net.NodeOf(v); !d.Net.Has(v) || d.Net.Fixed(n) || d.Net.UseCount(v) < 2 {
				continue
			}
			try(d.together(m, i))
		}
	}
	for k := range best {
		if !d.Do(&best[k]) {
			panic("search: a move that was made once cannot be made again")
		}
	}
	return best != nil
}

// one makes a move, if it changes anything and more moves may be tried.
func (d *descent) one(m *Move) bool {
	if d.over() {
		return false
	}
	d.Tried++
	d.left--
	base, before := d.Len(), d.Net.Hash()
	if !d.Do(m) {
		return false
	}
	if d.Net.Hash() == before {
		d.Back(base)
		return false
	}
	return true
}

// together makes a move and those like it, in the order of their roots, whichever of
// them m is: what is done to the parts of one tensor and of another one is done in the
// same order then, and what both become can be put together. It reports whether there
// were several.
func (d *descent) together(m *Move, i int) bool {
	what, last := d.opAt(m.Roots[0]), bank.Node(d.Net.Len())
	for alike := 0; alike < mostAlike; alike++ {
		if !d.another(m, i, what, last) {
			return alike > 1
		}
	}
	return true
}

// another makes one more move of the same direction at the same tensor, and tidies up.
// What a direction with one root has made is left to it: it need not come to an end.
func (d *descent) another(m *Move, i int, what *graph.Op, last bank.Node) bool {
	base := d.Len()
	for _, x := range d.alike(m, i, what) {
		if n, _ := d.Net.NodeOf(x.Roots[0]); len(x.Roots) == 1 && n > last {
			continue
		}
		if d.one(&x) {
			d.tidy(base)
			return true
		}
	}
	return false
}

func (d *descent) opAt(t bank.Tensor) *graph.Op {
	n, _ := d.Net.NodeOf(t)
	return d.Net.Op(n)
}

// near are the nodes above v at which moves like m may begin.
func (d *descent) near(m *Move, i int) (near []bank.Node) {
	seen := map[bank.Node]bool{}
	add := func(t bank.Tensor) {
		d.Net.Users(t, func(u bank.Node, _ int) bool {
			if !seen[u] {
				seen[u] = true
				near = append(near, u)
			}
			return len(near) < mostNear
		})
	}
	add(m.Vars[i])
	for from, depth := 0, 1; depth < depthOf(m.Direction); depth++ {
		end := len(near)
		for ; from < end; from++ {
			for k := range d.Net.NumOut(near[from]) {
				add(d.Net.Out(near[from], k))
			}
		}
	}
	slices.Sort(near)
	return near
}

// alike are moves of the same direction at the same tensor.
func (d *descent) alike(m *Move, i int, what *graph.Op) (out []Move) {
	if n, _ := d.Net.NodeOf(m.Vars[i]); !d.Net.Live(n) {
		return nil
	}
	for _, n := range d.near(m, i) {
		one, many := d.Moves.At(n)
		for _, ms := range [2][]Move{one, many} {
			for k := range ms {
				if x := &ms[k]; x.Direction == m.Direction && x.Vars[i] == m.Vars[i] && d.opAt(x.Roots[0]) == what {
					out = append(out, *x)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Move) int { return slices.Compare(a.Roots, b.Roots) })
	return out
}

// tidy makes moves that the steps from base on have made possible and that write the
// same with fewer operators, such as a part of a part as a part, where the cost does
// not rise.
func (d *descent) tidy(base int) {
	for at, n := base, 0; at < d.Len(); at++ {
		var next []Move
		d.Moves.Fresh(d.steps[at].moves, func(m *Move) {
			if x := m.Direction; len(m.Roots) == 1 && len(x.Steps) < len(x.Nodes) {
				next = append(next, *m)
			}
		})
		for k := range next {
			if n >= mostTidied {
				return
			}
			cost, from := d.Price.Cost(), d.Len()
			if !d.one(&next[k]) {
				continue
			}
			if n++; d.Price.Cost() > cost {
				d.Back(from)
			}
		}
	}
}
