package meaning

import (
	"math/big"

	"github.com/taso-go/taso/graph"
)

// What tests look into.

// NewEngine assumes nothing.
func NewEngine(g Guide) *Engine { return &Engine{Space: &graph.Space{}, guide: g} }

func (b *Engine) Project(gs []graph.Guard, v graph.Sym) ([]graph.Guard, bool) {
	return b.project(gs, v)
}

func (b *Engine) Tidy(t Term, ctx []graph.Guard) (Term, bool) { return b.tidy(t, ctx) }

func (b *Engine) Fresh(t Term) Term { return b.fresh(t) }

func (b *Engine) SubstTerm(t Term, by map[graph.Sym]graph.Index) Term { return b.substTerm(t, by) }

func (b *Engine) Equal(ctx []graph.Guard, l, r NF) string { return b.equal(ctx, l, r) }

func (b *Engine) Err() error { return b.err }

func (b *Engine) Assume(gs ...graph.Guard) { b.assume(gs...) }

func (t Term) Times(e graph.Index, exp int) Term { return t.times(e, exp) }

func (b *Engine) Expand(t Term) []Term { return b.expand(t) }

func Determinant(rows [][]int64) *big.Int { return determinant(rows) }

// Refuted reads a refutation and checks it.
func (b *Engine) Refuted(proof []int64, gs []graph.Guard) error {
	r := &reader{in: proof}
	if err := r.refute(b, gs); err != nil {
		return err
	}
	if r.at < len(r.in) {
		return r.fail("numbers are left over")
	}
	return r.err
}
