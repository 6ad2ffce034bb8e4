package enumerate

import (
	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
)

// view is what is known while terms of a level are compared. It does not change during a batch.
type view struct {
	u         *Universe
	seed      uint64
	level     int  // of the terms that are compared
	last      bool // nothing is extended after this level
	terms     *terms
	links     *links
	laws      *lawbook
	symmetric symmetries
	answers   map[string]answer // of the batches of this level, by the pair
	derived   *derivedLaws
}

// view is what the session knows of its last level.
func (s *Session) view() *view {
	return &view{u: s.u, seed: s.opt.Seed, level: s.level(), last: s.level() == s.opt.MaxOps,
		terms: &s.terms, links: &s.links, laws: &s.laws, answers: map[string]answer{}, derived: newDerivedLaws()}
}

// tools are what a goroutine keeps from batch to batch.
type tools struct {
	known  *general.Known
	derive func(*law.Law) bool
}

// briefFrom is the first level whose candidates are tested briefly.
const briefFrom = 4

// tester tests the laws of the level, and remembers nothing.
func (v *view) tester() general.Tester {
	return general.Tester{Seed: fingerprint.Mix(v.seed + 0x7e57), Brief: v.level >= briefFrom, Ops: v.level + 2}
}
