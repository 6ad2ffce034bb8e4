package meaning

import (
	"fmt"
	"math/big"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// look says that a side is defined only where the entries of a term are places along
// an axis: each an integer from -n to n-1.
type look struct {
	at *law.Term
	n  graph.Dim
}

// look notes at which places an operator application reads.
func (l *side) look(t *law.Term) error {
	op, attrs, in, err := l.primitive(t)
	if err != nil || op.Places == nil {
		return err
	}
	i, n, err := op.Places(attrs, in)
	if err == nil {
		l.looks = append(l.looks, look{t.Args[i], n})
	}
	return err
}

// unplaced is what m needs of places and l does not give where have holds, which is
// that both are defined but for this: in words.
func (b *Engine) unplaced(have []graph.Guard, l, m *side) []string {
	for _, c := range m.conds {
		if c.linear() {
			have = join(have, b.guard(c))
		}
	}
	for _, k := range m.looks {
		if !b.placed(have, l, m, k) {
			return []string{fmt.Sprintf("the entries of %s are places along %s", k.at.Brief(), k.n)}
		}
	}
	return nil
}

// placed reports whether the entries of a term of m are places along an axis wherever
// l is defined: each is a number that is one, or an entry at which l reads along an
// axis that is no longer.
func (b *Engine) placed(have []graph.Guard, l, m *side, k look) bool {
	n := b.Space.Size(k.n)
	var given []Piece
	for _, g := range l.looks {
		if !b.implied(have, graph.GuardLe(b.Space.Size(g.n), n)) {
			continue
		}
		ps, err := b.entries(have, l, g.at)
		if err != nil {
			return false
		}
		given = append(given, ps...)
	}
	ps, err := b.entries(have, m, k.at)
	if err != nil {
		return false
	}
	var open []Piece
	for _, p := range ps {
		if !b.place(join(have, p.Dom...), p.Body, n) {
			open = append(open, p)
		}
	}
	return b.within(have, open, given) && b.err == nil
}

// entries are the values of a term at all its indices. Unlike those of a maximum they
// are not made one set with what a maximum is taken of.
func (b *Engine) entries(ctx []graph.Guard, sd *side, t *law.Term) ([]Piece, error) {
	shape := sd.shapes[t]
	over := make([]graph.Sym, len(shape))
	at := make([]graph.Index, len(shape))
	var dom []graph.Guard
	for i, it := range shape {
		over[i] = b.Space.Var("at")
		b.Space.Within(over[i], it.Dim)
		at[i] = over[i].Index()
		dom = append(dom, graph.Guard{E: at[i]}, graph.GuardLt(at[i], b.Space.Size(it.Dim)))
	}
	body, err := b.entry(sd, t, at, join(ctx, dom...))
	if err != nil {
		return nil, err
	}
	return b.pieces(over, dom, body, ctx)
}

// place reports whether a value is a number that is a place along an axis of size n.
// All its terms count where ctx holds.
func (b *Engine) place(ctx []graph.Guard, value NF, n graph.Index) bool {
	sum := new(big.Rat)
	for _, t := range value {
		if len(t.Over)+len(t.Dom)+len(t.Facs)+len(t.Atoms) > 0 {
			return false
		}
		sum.Add(sum, t.Num)
	}
	if !sum.IsInt() || !sum.Num().IsInt64() {
		return false
	}
	at := graph.IndexInt(sum.Num().Int64())
	return b.implied(ctx, graph.GuardLt(at, n)) && b.implied(ctx, graph.GuardLe(n.Scale(-1), at))
}
