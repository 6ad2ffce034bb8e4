package extract

import (
	"cmp"
	"slices"

	"github.com/taso-go/taso/internal/invariants"
)

// maxRivals is how many ways of a class, the cheapest, others are compared with.
const maxRivals = 256

// reduce makes the core smaller without losing the cost of the best choice: a best
// choice of what is left is, with picks, one of what was. All classes have to be
// derivable from the start; it stays so. It repeats, until nothing changes:
//
//   - a way is dropped that needs its own class, or whose class has another way
//     that costs no more and needs nothing that the first does not need anyway, or
//     whose kids cost less, as trees, than is saved;
//   - a way of a class is dropped if all paths from the roots to the class lead
//     through classes that the way needs: those on a chosen path are above the
//     class, what the way needs is below it, and nothing is both;
//   - a kid is dropped that another kid needs in any case;
//   - what all choices contain becomes a root; the cost that a root has in any case
//     goes to base; a root is no kid of what cannot be in a cycle with it;
//   - a class with one way that costs nothing, or is a root, gives way to its kids;
//   - a class that only one class uses is chosen together with its user, where that
//     makes no more ways.
//
// The result is a number of steps that grows as the time does.
func (c *core) reduce() (steps int64) {
	for {
		c.founded()
		c.reached()
		if invariants.Checked {
			c.check()
		}
		changed := c.inline()
		classes, ways, kids := c.size()
		steps += int64(classes + ways + kids)
		if m := c.needs(); m != nil {
			steps += int64(kids) * int64(m.words) / 32
			changed = c.prune(m) || changed
			changed = c.useless(m) || changed
			changed = c.demand(c.requiredBy(m)) || changed
		} else {
			// Too large for sets: what is required takes it apart, and the components
			// are reduced again.
			steps += int64(kids) * int64(classes) / 64 / 32
			changed = c.demand(c.required(1<<12)) || changed
		}
		changed = c.chain() || changed
		if !changed {
			return steps
		}
	}
}

// prune drops ways and kids; see reduce.
func (c *core) prune(m *musts) bool {
	changed := false
	tree, _ := c.knuth(c.own, plus)
	scc := c.cycles()
	var sets []uint64
	for k := range c.ways {
		k := int32(k)
		ws := c.ways[k]
		if len(ws) == 0 {
			continue
		}
		out := ws[:0]
		for _, w := range ws {
			if slices.ContainsFunc(w.kids, func(j int32) bool { return m.has(j, k) }) {
				changed = true
				continue
			}
			kids := trim(m, w.kids)
			if len(kids) < len(w.kids) {
				changed = true
				w.kids = kids
			}
			out = append(out, w)
		}
		// The cheapest first, so that a way is only ever dropped for an earlier one.
		slices.SortStableFunc(out, func(a, b way) int {
			return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(len(a.kids), len(b.kids)))
		})
		ws, out = out, out[:0]
		sets = slices.Grow(sets[:0], len(ws)*m.words)[:len(ws)*m.words]
		for i := range ws {
			m.union(sets[i*m.words:(i+1)*m.words], ws[i].kids)
		}
		dead := make([]bool, len(ws))
		for b := range ws {
			set := sets[b*m.words : (b+1)*m.words]
			for a := range min(len(ws), maxRivals) {
				if a == b || dead[a] {
					continue
				}
				// Costs of trees may be those of ways dropped in this pass: then
				// only a strict saving shows that no best choice has the way.
				rest := ws[b].cost - ws[a].cost
				strict := false
				for _, j := range ws[a].kids {
					if rest < 0 {
						break
					}
					if m.inSet(set, j) {
						continue
					}
					if scc[j] >= 0 && scc[j] == scc[k] {
						rest = -1
						break
					}
					rest -= tree[j]
					strict = true
				}
				if rest > 0 || rest == 0 && !strict {
					dead[b] = true
					break
				}
			}
		}
		for i, w := range ws {
			if dead[i] {
				changed = true
			} else {
				out = append(out, w)
			}
		}
		c.ways[k] = out
	}
	return changed
}

// useless drops ways whose class would be needed only by what they need; see reduce.
func (c *core) useless(m *musts) bool {
	changed := false
	users := c.users()
	scc := c.cycles()
	isRoot := make([]bool, len(c.ways))
	for _, r := range c.roots {
		isRoot[r] = true
	}
	below := make([]uint64, m.words)
	mark := make([]int, len(c.ways))
	clock := 0
	var stack []int32
	for k := range c.ways {
		k := int32(k)
		if scc[k] < 0 || isRoot[k] {
			continue
		}
		out := c.ways[k][:0]
		for _, w := range c.ways[k] {
			m.union(below, w.kids)
			clock++
			mark[k] = clock
			stack = append(stack[:0], k)
			free := false
			for len(stack) > 0 && !free {
				j := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, u := range users[j] {
					if mark[u] == clock || m.inSet(below, u) {
						continue
					}
					// Outside of the component nothing is below k, and everything is
					// needed by some root.
					if isRoot[u] || scc[u] != scc[k] {
						free = true
						break
					}
					mark[u] = clock
					stack = append(stack, u)
				}
			}
			if free {
				out = append(out, w)
			}
		}
		if len(out) < len(c.ways[k]) {
			changed = true
			c.ways[k] = out
		}
	}
	return changed
}

// trim drops the kids that others need in any case.
func trim(m *musts, kids []int32) []int32 {
	out := kids
	for i, a := range kids {
		drop := false
		for _, b := range kids {
			drop = drop || a != b && m.has(b, a)
		}
		switch {
		case drop && len(out) == len(kids):
			out = append([]int32(nil), kids[:i]...)
		case !drop && len(out) < len(kids):
			out = append(out, a)
		}
	}
	return out
}

// requiredBy marks the classes that all choices contain.
func (c *core) requiredBy(m *musts) []bool {
	out := make([]bool, len(c.ways))
	set := make([]uint64, m.words)
	m.union(set, c.roots)
	for k := range out {
		out[k] = len(c.ways[k]) > 0 && m.inSet(set, int32(k))
	}
	return out
}

// demand makes roots of what all choices contain; see reduce.
func (c *core) demand(required []bool) bool {
	changed := false
	root := make([]bool, len(c.ways))
	for _, r := range c.roots {
		root[r] = true
	}
	for k := range c.ways {
		k := int32(k)
		if len(c.ways[k]) == 0 || !required[k] {
			continue
		}
		if !root[k] {
			changed = true
			root[k] = true
			c.roots = append(c.roots, k)
		}
		least := c.ways[k][0].cost
		for _, w := range c.ways[k] {
			least = min(least, w.cost)
		}
		if least > 0 {
			changed = true
			c.base += least
			for i := range c.ways[k] {
				c.ways[k][i].cost -= least
			}
		}
	}
	slices.Sort(c.roots)
	scc := c.cycles()
	for k := range c.ways {
		for i := range c.ways[k] {
			w := &c.ways[k][i]
			free := func(j int32) bool { return root[j] && (scc[j] < 0 || scc[j] != scc[k]) }
			if slices.ContainsFunc(w.kids, free) {
				changed = true
				w.kids = slices.DeleteFunc(slices.Clone(w.kids), free)
			}
		}
	}
	return changed
}

// inline puts the kids of classes with one way that costs nothing in their place.
func (c *core) inline() bool {
	// A root with one way pays for it, and makes its kids roots.
	isRoot := make([]bool, len(c.ways))
	stack := slices.Clone(c.roots)
	for _, r := range stack {
		isRoot[r] = true
	}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(c.ways[r]) != 1 {
			continue
		}
		w := &c.ways[r][0]
		c.base += w.cost
		w.cost = 0
		for _, j := range w.kids {
			if !isRoot[j] {
				isRoot[j] = true
				c.roots = append(c.roots, j)
				stack = append(stack, j)
			}
		}
	}
	c.roots = distinct(c.roots)
	const (
		keep = iota
		gone
		done
	)
	state := make([]uint8, len(c.ways))
	any := false
	for k, ws := range c.ways {
		if len(ws) == 1 && ws[0].cost == 0 {
			state[k] = gone
			any = true
		}
	}
	if !any {
		return false
	}
	var replace func(kids []int32) []int32
	var resolve func(k int32)
	replace = func(kids []int32) []int32 {
		if !slices.ContainsFunc(kids, func(j int32) bool { return state[j] != keep }) {
			return kids
		}
		var out []int32
		for _, j := range kids {
			if state[j] == keep {
				out = append(out, j)
				continue
			}
			resolve(j)
			out = append(out, c.ways[j][0].kids...)
		}
		return distinct(out)
	}
	// Classes with one way that need each other would not be derivable, so this
	// ends.
	resolve = func(k int32) {
		if state[k] == gone {
			state[k] = done
			c.ways[k][0].kids = replace(c.ways[k][0].kids)
			c.picks = append(c.picks, c.ways[k][0].picks...)
		}
	}
	for k := range c.ways {
		resolve(int32(k))
	}
	c.roots = replace(c.roots)
	for k := range c.ways {
		if state[k] != keep {
			continue
		}
		out := c.ways[k][:0]
		for _, w := range c.ways[k] {
			w.kids = replace(w.kids)
			if !slices.Contains(w.kids, int32(k)) {
				out = append(out, w)
			}
		}
		c.ways[k] = out
	}
	for k := range c.ways {
		if state[k] != keep {
			c.ways[k] = nil
		}
	}
	return true
}

// chain multiplies the ways of classes that only one class uses into the ways of
// that class, where that makes no more ways than there were. Of the classes with
// several ways, a way of the user takes in one at a time.
func (c *core) chain() bool {
	users := c.users()
	isRoot := make([]bool, len(c.ways))
	for _, r := range c.roots {
		isRoot[r] = true
	}
	only := make([]int32, len(c.ways)) // the class that alone uses a class, or -1
	has := make([]bool, len(c.ways))   // such a class
	for d := range only {
		only[d] = -1
		if u := users[d]; !isRoot[d] && len(u) == 1 && len(c.ways[d]) > 0 {
			only[d] = u[0]
			has[u[0]] = true
		}
	}
	changed := false
	in := make([][]int32, len(c.ways)) // ways of the user that use a class
	for u := range c.ways {
		// A user that was taken in itself is looked at in the next round.
		if has[u] && len(c.ways[u]) > 0 && c.takeIn(int32(u), only, in) {
			changed = true
		}
	}
	return changed
}

// takeIn does for one user what chain says.
func (c *core) takeIn(u int32, only []int32, in [][]int32) bool {
	ws := c.ways[u]
	var met []int32
	for i := range ws {
		for _, d := range ws[i].kids {
			if only[d] == u && len(c.ways[d]) > 0 {
				if len(in[d]) == 0 {
					met = append(met, d)
				}
				in[d] = append(in[d], int32(i))
			}
		}
	}
	taken := map[int32]bool{}        // classes
	several := make([]bool, len(ws)) // ways that take in a class of several ways
	for _, d := range met {
		n := len(c.ways[d])
		if n > 1 {
			if uses := len(in[d]); uses*n > uses+n || slices.ContainsFunc(in[d], func(i int32) bool { return several[i] }) {
				continue
			}
			for _, i := range in[d] {
				several[i] = true
			}
		}
		taken[d] = true
	}
	for _, d := range met {
		in[d] = in[d][:0]
	}
	if len(taken) == 0 {
		return false
	}
	var out []way
	for _, w := range ws {
		if !slices.ContainsFunc(w.kids, func(j int32) bool { return taken[j] }) {
			out = append(out, w)
			continue
		}
		made := []way{{cost: w.cost, picks: w.picks}}
		for _, j := range w.kids {
			if !taken[j] {
				for x := range made {
					made[x].kids = append(made[x].kids, j)
				}
				continue
			}
			var more []way
			for _, m := range made {
				for _, v := range c.ways[j] {
					more = append(more, way{cost: m.cost + v.cost, kids: slices.Concat(m.kids, v.kids), picks: slices.Concat(m.picks, v.picks)})
				}
			}
			made = more
		}
		for _, m := range made {
			if m.kids = distinct(m.kids); !slices.Contains(m.kids, u) {
				out = append(out, m)
			}
		}
	}
	c.ways[u] = out
	for d := range taken {
		c.ways[d] = nil
	}
	return true
}
