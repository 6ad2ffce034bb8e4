package extract

import (
	"math/rand/v2"
	"slices"
)

// noise improves the choice by share moves under costs that are changed at random,
// by up to a half, and then under the true ones, again and again: what is left
// where no move helps is often a valley that a little noise leads out of. It walks on
// from what is no more than a hundredth dearer than the best, else from the best. It
// ends with the budget, when choice and bound meet, or when as many tries in a row as
// there are classes were in vain.
func (p *piece) noise(b *budget) {
	draw := rand.New(rand.NewPCG(uint64(len(p.class)), uint64(p.tries)))
	noisy := p.core.clone()
	now := p.choice
	for vain := 0; p.bound < p.cost && vain < max(40, len(p.core.ways)) && !b.spent(int64(len(p.class)/4)); vain++ {
		p.tries++
		strength := [...]float64{0.02, 0.05, 0.1, 0.2, 0.5}[draw.IntN(5)]
		for k, ws := range p.core.ways {
			for i := range ws {
				noisy.ways[k][i].cost = int64(float64(ws[i].cost) * (1 + strength*(2*draw.Float64()-1)))
			}
		}
		s := newState(noisy, p.users, p.scc, slices.Clone(now))
		b.share(s, 1<<24, true)
		t := newState(p.core, p.users, p.scc, s.choice)
		b.share(t, 1<<24, true)
		if t.cost < p.cost {
			vain = 0
			p.adopt(t.choice, t.cost, LNS)
		}
		if now = p.choice; t.cost <= p.cost+p.cost/100 {
			now = t.choice
		}
	}
}
