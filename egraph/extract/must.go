package extract

import "math/bits"

// maxMust is how many classes a core may have for sets to be kept of each: what
// they take is the square of it in bits, 128 MiB.
const maxMust = 1 << 15

// musts knows for each class what every acyclic choice of it contains.
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
	m := &musts{index: make([]int32, len(c.ways))}
	n := 0
	for k := range c.ways {
		m.index[k] = -1
		if len(c.ways[k]) > 0 {
			m.index[k] = int32(n)
			n++
		}
	}
	if n > maxMust {
		return nil
	}
	m.words = (n + 63) / 64
	m.sets = make([]uint64, n*m.words)
	for i := range m.sets {
		m.sets[i] = ^uint64(0)
	}
	// The order in which classes can be made needs few rounds: in the first all but
	// what is met in cycles is final.
	order := c.settled()
	all, one := make([]uint64, m.words), make([]uint64, m.words)
	for changed := true; changed; {
		changed = false
		for _, k := range order {
			for i := range all {
				all[i] = ^uint64(0)
			}
			for i := range c.ways[k] {
				clear(one)
				for _, j := range c.ways[k][i].kids {
					for x, s := range m.of(j) {
						one[x] |= s
					}
				}
				for x := range all {
					all[x] &= one[x]
				}
			}
			at := m.index[k]
			all[at>>6] |= 1 << (at & 63)
			set := m.of(k)
			for x := range set {
				if set[x] != all[x] {
					copy(set, all)
					changed = true
					break
				}
			}
		}
	}
	return m
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

// count is how many classes a set has.
func count(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}
