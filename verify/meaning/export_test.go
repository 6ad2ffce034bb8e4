package meaning

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
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

func (b *Engine) InDigitsOf(n, m NF) NF { return b.inDigitsOf(n, m) }

func (b *Engine) Err() error { return b.err }

func (b *Engine) Assume(gs ...graph.Guard) { b.assume(gs...) }

func (t Term) Times(e graph.Index, exp int) Term { return t.times(e, exp) }

func (b *Engine) Expand(t Term) []Term { return b.expand(t) }

func Determinant(rows [][]int64) (int64, bool) { return determinant(rows) }

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

// Value is the function.
func (f Fun) Value() graph.Value { return f.value }

// Entry is an entry of an output as a normal form.
type Entry struct {
	Engine *Engine
	At     []graph.Sym // the index, below the sizes of the shape
	NF     NF
}

// Entries are those of the outputs of a law's left side where it is defined.
func Entries(l *law.Law, ordered bool, g Guide) (out []Entry, err error) {
	return EntriesOf(l, ordered, false, g)
}

// EntriesOf are Entries, with literal ranges written out or not.
func EntriesOf(l *law.Law, ordered, written bool, g Guide) (out []Entry, err error) {
	defer graph.CatchTooLarge(&err)
	k, err := carried(l)
	if err != nil {
		return nil, err
	}
	k.Written = written
	b, vars, zero := begin(l, k, ordered, g)
	sd, err := b.side(l.LHS, k, vars, zero)
	if err != nil {
		return nil, err
	}
	for _, c := range sd.conds {
		if c.linear() {
			b.assume(b.guard(c))
		}
	}
	for _, t := range sd.outs {
		e := Entry{Engine: b}
		var at []graph.Index
		var ctx []graph.Guard
		for _, it := range sd.shapes[t] {
			v := b.Space.Var("i")
			e.At = append(e.At, v)
			at = append(at, v.Index())
			ctx = append(ctx, graph.Guard{E: v.Index()}, graph.GuardLt(v.Index(), b.Space.Size(it.Dim)))
		}
		if e.NF, err = b.entry(sd, t, at, ctx); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, b.err
}
