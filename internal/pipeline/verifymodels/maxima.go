package verifymodels

import (
	"slices"

	"github.com/taso-go/taso/fingerprint"
)

// maxima is the maximum of exact arithmetic: a random number for each *set* of
// elements. It has the laws that all maxima have (the order does not matter, nor
// how often an element occurs, and a maximum of maxima is one of all), and it
// depends on every element: the largest in some order would hide a difference in
// all others.
type maxima struct {
	key  uint64
	sets map[uint64][]uint64 // the elements of which a number is the maximum
}

func newMaxima(key uint64) *maxima {
	return &maxima{key: fingerprint.Mix(key ^ 0x6d6178), sets: map[uint64][]uint64{}}
}

func (m *maxima) of(xs []uint64) uint64 {
	atoms := make([]uint64, 0, len(xs))
	for _, x := range xs {
		if set, ok := m.sets[x]; ok {
			atoms = append(atoms, set...)
		} else {
			atoms = append(atoms, x)
		}
	}
	slices.Sort(atoms)
	atoms = slices.Compact(atoms)
	if len(atoms) == 1 {
		return atoms[0]
	}
	h := m.key
	for _, x := range atoms {
		// Mixed by itself first: an element may be this very number, negated.
		h = fingerprint.Mix(h ^ fingerprint.Mix(x^m.key))
	}
	h %= p
	if anyStrange(atoms) {
		h |= strange
	}
	m.sets[h] = atoms
	return h
}
