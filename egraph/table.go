package egraph

import "math/bits"

// table is an open-addressing array of nodes with linear probing. A slot is
// hash<<32 | node, 0 if empty. A node may stand in several slots: under the
// form it was added with, and under canonical forms it has or had. Forms it no
// longer has equal no query, since queries name classes that still have names.
type table struct {
	slots []uint64
	mask  uint32
	used  int
	spare []uint64 // memory of the table before the last growth
}

const minSlots = 128

func (t *table) init(nodes int) {
	n := minSlots
	for n < nodes*2 {
		n *= 2
	}
	t.slots = make([]uint64, n)
	t.mask, t.used = uint32(n-1), 0
}

// reset empties the table. It goes back to a small one within the same memory,
// because clearing a large one would cost more than a small graph does.
func (t *table) reset() {
	n := len(t.slots)
	if t.used < n/8 {
		n = max(minSlots, n/4)
	}
	t.slots = t.slots[:n]
	clear(t.slots)
	t.mask, t.used = uint32(n-1), 0
}

// put adds a node under a hash. There must be room.
func (t *table) put(h uint32, n NodeID) {
	i := h & t.mask
	for t.slots[i] != 0 {
		i = (i + 1) & t.mask
	}
	t.slots[i] = uint64(h)<<32 | uint64(n)
	t.used++
}

// room says whether one more entry keeps the table at most 5/8 full.
func (t *table) room() bool { return (t.used+1)*8 <= len(t.slots)*5 }

// double moves all entries to a table of twice the size.
func (t *table) double() {
	old := t.slots
	n := 2 * len(old)
	if cap(t.spare) >= n {
		t.slots = t.spare[:n]
		clear(t.slots)
	} else {
		t.slots = make([]uint64, n)
	}
	t.spare = old
	t.mask = uint32(n - 1)
	mask := t.mask
	for _, s := range old {
		if s != 0 {
			i := uint32(s>>32) & mask
			for t.slots[i] != 0 {
				i = (i + 1) & mask
			}
			t.slots[i] = s
		}
	}
}

// Hashing: a 64-bit state folded by a wide product per word, cut to 32 bits.
const (
	hashA = 0x9E3779B97F4A7C15
	hashB = 0xD6E8FEB86659FD93
)

func hashSym(sym uint32, arity int) uint64 { return uint64(sym)*hashA + uint64(arity) }

func hashKid(h uint64, k NodeID) uint64 {
	hi, lo := bits.Mul64(h^hashA, uint64(k)^hashB)
	return hi ^ lo
}

func hashEnd(h uint64) uint32 {
	hi, lo := bits.Mul64(h^hashB, hashA)
	h = hi ^ lo
	return uint32(h ^ h>>32)
}
