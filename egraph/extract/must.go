package extract

import "slices"

// maxMust is how many classes a core may have for sets to be kept of each: what
// they take is the square of it in bits, 128 MiB.
const maxMust = 1 << 15

// musts knows for each class what every acyclic choice of it contains, or as much
// of it as is in a block of classes.
//
// The set of a class is the class and whatever is, for all of its ways, in the set
// of some kid: the largest sets of which this is true. By induction over the
// finite tree that a choice unfolds to, all that is in the set is in the tree.
type musts struct {
	words int
	index []int32 // of a class among those with ways, -1 for others
	sets  []uint64
}

func (m *musts) of(k int32) []uint64 {
	i := int(m.index[k])
	return m.sets[i*m.words : (i+1)*m.words]
}

// has says whether every choice of k contains j.
func (m *musts) has(k, j int32) bool {
	i := m.index[j]
	return m.of(k)[i>>6]>>(i&63)&1 != 0
}

// needs computes the sets, or returns nil for a core too large. All classes with
// ways have to be derivable (see founded).
func (c *core) needs() *musts {
	m, n := c.indexed()
	if n > maxMust {
		return nil
	}
	m.fill(c, c.settled(), 0, n)
	return m
}

// required marks the classes that all choices contain, a block of classes after the
// other, in memory that grows as the core does.
func (c *core) required(block int) []bool {
	out := make([]bool, len(c.ways))
	m, n := c.indexed()
	order := c.settled()
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		m.fill(c, order, lo, hi)
		set := make([]uint64, m.words)
		m.union(set, c.roots)
		for k, i := range m.index {
			if i := int(i); i >= lo && i < hi {
				out[k] = set[(i-lo)>>6]>>((i-lo)&63)&1 != 0
			}
		}
	}
	return out
}

// indexed numbers the classes with ways.
func (c *core) indexed() (m *musts, n int) {
	m = &musts{index: make([]int32, len(c.ways))}
	for k := range c.ways {
		m.index[k] = -1
		if len(c.ways[k]) > 0 {
			m.index[k] = int32(n)
			n++
		}
	}
	return m, n
}

// fill computes of each set what is in the block of indexes from lo to hi. order is
// that of settled.
func (m *musts) fill(c *core, order []int32, lo, hi int) {
	m.words = (hi - lo + 63) / 64
	m.sets = slices.Grow(m.sets[:0], len(order)*m.words)[:len(order)*m.words]
	for i := range m.sets {
		m.sets[i] = ^uint64(0)
	}
	// The order in which classes can be made needs few rounds: in the first all but
	// what is met in cycles is final.
	all, one := make([]uint64, m.words), make([]uint64, m.words)
	stale := make([]bool, len(c.ways)) // the set of a kid has changed since
	for _, k := range order {
		stale[k] = true
	}
	users := c.users()
	for changed := true; changed; {
		changed = false
		for _, k := range order {
			if !stale[k] {
				continue
			}
			stale[k] = false
			for i := range all {
				all[i] = ^uint64(0)
			}
			for i := range c.ways[k] {
				clear(one)
				for _, j := range c.ways[k][i].kids {
					for x, s := range m.of(j)[:len(one)] {
						one[x] |= s
					}
				}
				for x, s := range one[:len(all)] {
					all[x] &= s
				}
			}
			if at := int(m.index[k]) - lo; at >= 0 && at < hi-lo {
				all[at>>6] |= 1 << (at & 63)
			}
			set := m.of(k)
			for x := range set {
				if set[x] != all[x] {
					copy(set, all)
					for _, u := range users[k] {
						stale[u], changed = true, true
					}
					break
				}
			}
		}
	}
}

// union makes out the union of the sets of kids.
func (m *musts) union(out []uint64, kids []int32) {
	clear(out)
	for _, j := range kids {
		for x, s := range m.of(j) {
			out[x] |= s
		}
	}
}

// inSet says whether a class is in a set.
func (m *musts) inSet(set []uint64, k int32) bool {
	i := m.index[k]
	return set[i>>6]>>(i&63)&1 != 0
}
