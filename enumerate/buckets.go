package enumerate

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// bucket is the terms that agree in the case, up to renaming of inputs: the
// representatives of earlier levels, then the terms of this level.
type bucket struct {
	key  uint64
	reps []int32
	news []int32
}

// buckets groups this level's terms. A term that agrees with nothing, not even
// with itself under a renaming, needs no bucket and is a representative.
func (s *Session) buckets(base int, syms symmetries) (out []bucket, alone int) {
	const none = -1
	at := make([]int32, s.len())
	for i := range at {
		at[i] = none
	}
	members := make([]uint8, s.len()) // up to 2, by root
	for i := range s.links.rep {
		if i >= base || s.links.rep[i] {
			if r := s.classes.find(int32(i)); members[r] < 2 {
				members[r]++
			}
		}
	}
	for i := base; i < s.len(); i++ {
		r := s.classes.find(int32(i))
		if members[r] < 2 && syms[int32(i)] == nil {
			s.links.keep(int32(i))
			alone++
			continue
		}
		if at[r] == none {
			at[r] = int32(len(out))
			out = append(out, bucket{})
		}
		b := &out[at[r]]
		b.news = append(b.news, int32(i))
	}
	for i := 0; i < base; i++ {
		if s.links.rep[i] {
			if k := at[s.classes.find(int32(i))]; k != none {
				out[k].reps = append(out[k].reps, int32(i))
			}
		}
	}
	// An order that mixes all kinds of terms, so that the first batches see
	// every law.
	for i := range out {
		out[i].key = mixed(s.code(out[i].news[0]))
	}
	slices.SortFunc(out, func(a, b bucket) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.news[0], b.news[0])) })
	return out, alone
}

// mixed is a number that mixes all kinds of terms when they are ordered by it.
func mixed(c code) uint64 { return xxhash.Sum64(c[:]) }
