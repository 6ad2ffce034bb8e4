package meaning

import (
	"errors"

	"github.com/taso-go/taso/graph"
)

// Clause is a condition of which at least one guard holds.
type Clause []graph.Guard

// Guide answers what takes search. [Check] has one that reads a proof and verifies
// each answer; a prover has one that searches. What a Guide says to be impossible
// is believed by an Engine: only those of Check are verified.
type Guide interface {
	// Impossible reports that no integers meet the guards and what e knows. False
	// says nothing.
	Impossible(e *Engine, gs []graph.Guard) bool
	// Place finds a group for t, to hold where ctx does: it calls try with proposals
	// until one is accepted. False: t is the first of a new group.
	Place(e *Engine, ctx []graph.Guard, groups []*Group, t Term, try func(Placing) bool) bool
	// Cover finds points of q at which its value is that of p: it calls try with
	// proposals until one is accepted.
	Cover(e *Engine, p, q Piece, try func(Covering) bool) bool
	// Digits says which of the bound variables of here is to be written in digits, the
	// low one from 0 to n-1, to be compared with there; not ok: none is.
	Digits(e *Engine, over []graph.Sym, here, there NF) (at int, n graph.Dim, ok bool)
	// Frame finds one of the frames reps whose domain t has, and the order in which it has its
	// bound variables; -1: it has none of them.
	Frame(e *Engine, reps []Term, t Term) (at int, order []int)
	// Step is the next step by which v.Sum is shown to be 0; not ok: there is none.
	Step(e *Engine, v *Values) (s Step, ok bool)
	// Try calls f, or does not if that would be in vain, and reports whether f
	// returned true. If it did not, the unknowns that f made of e are to be forgotten;
	// e is nil if what comes after still needs them, or there are none.
	Try(e *Engine, f func() bool) bool
}

// Engine makes normal forms over one Space and compares them, under conditions
// that are assumed. It is for one case of a law.
type Engine struct {
	// Space holds the unknowns and what is known of them.
	Space   *graph.Space
	guide   Guide
	assumed []Clause
	ordered bool // relu and max are the true ones
	real    bool // all terms of the law have values
	written bool // literal ranges are written out
	values  bool // entries are compared as numbers
	ranges  bool // there are such ranges
	orders  bool // there are relu or maxima
	numbers bool // to compare entries as numbers may help
	work    int  // steps so far
	err     error
}

// Assumed are the conditions assumed so far, beside the facts of the Space.
func (b *Engine) Assumed() []Clause { return b.assumed }

// Orders reports that the order of numbers may matter: there were relu or maxima.
func (b *Engine) Orders() bool { return b.orders }

// Stop makes the engine give up with an error.
func (b *Engine) Stop(err error) { b.fail(err) }

func (b *Engine) fail(err error) {
	if b.err == nil && err != nil {
		b.err = err
	}
}

// Limits of the size of normal forms, and of the steps of building and matching
// them for one case.
const (
	maxTerms = 400
	maxAtoms = 64
	maxCells = 64
	maxWork  = 20_000
)

// ErrTooLarge says that a law was given up for its size.
var ErrTooLarge = errors.New("the normal forms are too large")

var errCapture = errors.New("a variable that is bound inside is taken for one outside")

// step counts work; it fails when there was too much.
func (b *Engine) step() error {
	if b.work++; b.work > maxWork {
		b.fail(ErrTooLarge)
	}
	return b.err
}

func (b *Engine) assume(c ...graph.Guard) { b.assumed = append(b.assumed, c) }

// impossible reports whether the guards contradict one another or what is known.
func (b *Engine) impossible(gs []graph.Guard) bool {
	if _, ok := Normalize(gs); !ok {
		return true
	}
	if b.step() != nil {
		return false
	}
	return b.guide.Impossible(b, gs) && b.err == nil
}

// implied reports whether g follows from ctx and what is known.
func (b *Engine) implied(ctx []graph.Guard, g graph.Guard) bool {
	if n, ok := g.E.Const(); ok {
		return n == 0 || !g.Eq && n > 0
	}
	for _, h := range ctx {
		if h.E.SameTerms(g.E) {
			d := g.E.Sub(h.E).Constant()
			if d == 0 && (h.Eq || !g.Eq) || d > 0 && !g.Eq {
				return true
			}
		}
	}
	gs := b.Space.Simplify(g)
	if len(gs) > 1 || !alikeGuard(gs[0], g) {
		for _, g := range gs {
			if !b.implied(ctx, g) {
				return false
			}
		}
		return true
	}
	for _, n := range Not(g) {
		if !b.impossible(join(ctx, n)) {
			return false
		}
	}
	return true
}

// Not are guards of which one holds where g does not.
func Not(g graph.Guard) []graph.Guard {
	less := graph.Guard{E: g.E.Scale(-1).AddInt(-1)}
	if !g.Eq {
		return []graph.Guard{less}
	}
	return []graph.Guard{less, {E: g.E.AddInt(-1)}}
}

func join(a []graph.Guard, b ...graph.Guard) []graph.Guard {
	return append(a[:len(a):len(a)], b...)
}

// divides is the guard that n divides e: what the division leaves is 0.
func (b *Engine) divides(n int64, e graph.Index) graph.Guard {
	return graph.Guard{E: e.Sub(b.Space.Div(e, n).Scale(n)), Eq: true}
}
