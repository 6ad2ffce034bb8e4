package enumerate

import (
	"bytes"
	"encoding/binary"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
)

// code is the encoding of a term: number of applications, output of the root,
// then per application, operands first: instance, operand, operand. An operand
// is 0 (none), 1 + input number, or 64 + 2*index + output. Codes compare in
// canonical order.
type code [2 + 3*maxOps]byte

func (c code) size() int { return int(c[0]) }

// compare orders codes: fewer operators first.
func (c code) compare(d code) int {
	for i := 0; i < len(c); i += 8 {
		var x, y uint64
		if i+8 <= len(c) {
			x, y = binary.BigEndian.Uint64(c[i:]), binary.BigEndian.Uint64(d[i:])
		} else {
			x, y = uint64(binary.BigEndian.Uint32(c[i:])), uint64(binary.BigEndian.Uint32(d[i:]))
		}
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

// A code is compared in words: two of eight bytes and one of four.
var _ = [1]struct{}{}[len(code{})-20]

// encode is the least encoding of a term over the operand orders of its
// commutative operators. For each input in canonical numbering, perm receives
// the store's input number; of several numberings with the least encoding, it
// is the least.
func (s *store) encode(t tid, perm *[32]uint8) code {
	tt := &s.tensors[t]
	var comm [maxOps]appID
	k := 0
	for _, id := range tt.nodes[:tt.size] {
		a := &s.apps[id]
		if s.insts[a.inst].op.Commutative && a.args[0] != a.args[1] {
			comm[k] = id
			k++
		}
	}
	var best code
	var e encoder
	for mask := 0; mask < 1<<k; mask++ {
		e.start(s)
		e.flipped = 0
		for i := 0; i < k; i++ {
			if mask&(1<<i) != 0 {
				e.flip[e.flipped] = comm[i]
				e.flipped++
			}
		}
		root := e.visit(t)
		e.c[0] = tt.size
		e.c[1] = root & 1
		if tt.size == 0 {
			e.c[1] = root
		}
		order := -1
		if mask > 0 {
			order = e.c.compare(best)
		}
		if order == 0 && perm != nil {
			order = bytes.Compare(e.perm[:], perm[:])
		}
		if order < 0 {
			best = e.c
			if perm != nil {
				*perm = e.perm
			}
		}
	}
	return best
}

type encoder struct {
	s       *store
	c       code
	n       int // applications written
	order   [maxOps]appID
	next    [16]uint8 // inputs used of each type
	number  [32]uint8 // canonical number + 1 of each input
	perm    [32]uint8
	flip    [maxOps]appID
	flipped int
}

func (e *encoder) start(s *store) { *e = encoder{s: s} }

func (e *encoder) visit(t tid) byte {
	if t == 0 {
		return 0
	}
	tt := &e.s.tensors[t]
	if tt.app == 0 {
		in := tt.input - 1
		if e.number[in] == 0 {
			ty := e.s.typeOf[in]
			canon := e.s.first[ty] + e.next[ty]
			e.next[ty]++
			e.number[in] = canon + 1
			e.perm[canon] = in
		}
		return e.number[in]
	}
	for i := 0; i < e.n; i++ {
		if e.order[i] == tt.app {
			return 64 + byte(2*i) + tt.out
		}
	}
	a := &e.s.apps[tt.app]
	x, y := a.args[0], a.args[1]
	for i := 0; i < e.flipped; i++ {
		if e.flip[i] == tt.app {
			x, y = y, x
		}
	}
	rx := e.visit(x)
	ry := e.visit(y)
	i := e.n
	e.n++
	e.order[i] = tt.app
	e.c[2+3*i], e.c[3+3*i], e.c[4+3*i] = byte(a.inst), rx, ry
	return 64 + byte(2*i) + tt.out
}

// decode builds a term in the store; rename maps canonical input numbers to
// store inputs (nil: the same).
func (s *store) decode(c code, rename *[32]uint8) tid { return s.build(c, rename, false) }

// build is decode; with top the last application is one that is dropped again.
func (s *store) build(c code, rename *[32]uint8, top bool) tid {
	var outs [maxOps][2]tid
	get := func(r byte) tid {
		switch {
		case r == 0:
			return 0
		case r < 64:
			n := r - 1
			if rename != nil {
				n = rename[n]
			}
			return s.inputs[n]
		}
		return outs[(r-64)/2][r&1]
	}
	n := c.size()
	if n == 0 {
		return get(c[1])
	}
	for i := 0; i < n; i++ {
		in, a, b := uint16(c[2+3*i]), get(c[3+3*i]), get(c[4+3*i])
		if s.insts[in].op.Commutative && s.less(b, a) {
			a, b = b, a
		}
		var id appID
		if top && i == n-1 {
			id = s.top(in, a, b)
		} else {
			id = s.apply(in, a, b)
		}
		if id == noApp {
			return 0
		}
		outs[i] = s.apps[id].outs
	}
	return outs[n-1][c[1]]
}

// vars is the set of input numbers of a term in canonical numbering, as one
// count per type: inputs are numbered by first use.
func (c code) inputs(s *store) []uint8 {
	counts := make([]uint8, len(s.u.Types))
	see := func(r byte) {
		if r > 0 && r < 64 {
			ty := s.typeOf[r-1]
			if k := r - s.first[ty]; k > counts[ty] {
				counts[ty] = k
			}
		}
	}
	if c.size() == 0 {
		see(c[1])
	}
	for i := 0; i < c.size(); i++ {
		see(c[3+3*i])
		see(c[4+3*i])
	}
	return counts
}

// validCode reports whether b is the encoding of a term of the universe: every
// number in range, operands before their use.
func (u *Universe) validCode(b []byte) bool {
	var c code
	if len(b) != len(c) || int(b[0]) > maxOps {
		return false
	}
	copy(c[:], b)
	inputs := 0
	for _, ty := range u.Types {
		inputs += ty.Count
	}
	operand := func(r byte, before int) bool {
		if r < 64 {
			return int(r) <= inputs
		}
		return int(r-64)/2 < before
	}
	n := c.size()
	if n == 0 {
		return c[1] > 0 && operand(c[1], 0)
	}
	for i := 0; i < n; i++ {
		if int(c[2+3*i]) >= len(u.insts) || !operand(c[3+3*i], i) || !operand(c[4+3*i], i) {
			return false
		}
	}
	return c[1] < 2
}

// rootHash is a term's fingerprint under a renaming of its inputs. The last
// application is not kept in the store.
func (s *store) rootHash(c code, rename *[32]uint8, scratch []uint64) (fingerprint.Hash, []uint64) {
	t := s.build(c, rename, true)
	h, scratch := s.hash(t, scratch)
	if c.size() > 0 {
		s.drop(s.tensors[t].app)
	}
	return h, scratch
}

// eachInput calls f for every input number of a term's canonical numbering.
func (s *store) eachInput(c code, f func(k uint8)) {
	for ty, n := range c.inputs(s) {
		for k := uint8(0); k < n; k++ {
			f(s.first[ty] + k)
		}
	}
}

// eachRenaming calls f with every renaming of a term's inputs within their
// types but the identity, until f returns false.
func eachRenaming(st *store, c code, f func(r *[32]uint8) bool) {
	counts := c.inputs(st)
	var r [32]uint8
	for i := range r {
		r[i] = uint8(i)
	}
	identity := r
	var rec func(ty int) bool
	rec = func(ty int) bool {
		if ty == len(counts) {
			return r == identity || f(&r)
		}
		first, n := int(st.first[ty]), int(counts[ty])
		return law.Permute(r[first:first+n], func() bool { return rec(ty + 1) })
	}
	rec(0)
}

// namings is the number of namings of a term's inputs.
func (c code) namings(st *store) int {
	n := 1
	for _, k := range c.inputs(st) {
		for i := 2; i <= int(k); i++ {
			n *= i
		}
	}
	return n
}

// renames says whether r is a renaming of a term's inputs within their types.
func (s *store) renames(c code, r *[32]uint8) bool {
	found := false
	eachRenaming(s, c, func(x *[32]uint8) bool {
		found = found || *x == *r
		return !found
	})
	return found
}
