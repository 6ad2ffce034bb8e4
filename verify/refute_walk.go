package verify

import (
	"math/rand/v2"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// choice is one variable of a law with its possible values, plain ones first.
type choice struct {
	n   int
	set func(a *assignment, i int)
}

// choicesOf lists the size, run and attribute variables of a law with the
// values that Refute gives them.
func choicesOf(l *law.Law, opts RefuteOptions) ([]choice, error) {
	s, err := newSpace(l, opts)
	if err != nil {
		return nil, err
	}
	var out []choice
	for i, name := range s.sizes {
		out = append(out, choice{s.limit[i], func(a *assignment, i int) { a.Dims[name] = graph.Int(int64(i + 1)) }})
	}
	for _, name := range s.runs {
		out = append(out, choice{len(s.lens), func(a *assignment, i int) { a.Runs[name] = graph.Sizes(s.lens[i]...) }})
	}
	for _, b := range s.attrs {
		out = append(out, choice{len(b.values), func(a *assignment, i int) { a.Attrs[b.name] = b.values[i] }})
	}
	return out, nil
}

// byWeight calls f for every way to pick one value of each choice, in order of
// the sum of the picks, until f returns false.
func byWeight(cs []choice, f func(pick []int) bool) {
	pick := make([]int, len(cs))
	most := 0
	for _, c := range cs {
		most += c.n - 1
	}
	var rec func(i, left, room int) bool
	rec = func(i, left, room int) bool {
		if left > room {
			return true
		}
		if i == len(cs) {
			return f(pick)
		}
		room -= cs[i].n - 1
		for v := 0; v < cs[i].n && v <= left; v++ {
			pick[i] = v
			if !rec(i+1, left-v, room) {
				return false
			}
		}
		return true
	}
	for w := 0; w <= most; w++ {
		if !rec(0, w, most) {
			return
		}
	}
}

// tryBinding looks for a counterexample under one assignment: nil where the law
// says nothing of it, or no values were found.
func tryBinding(l *law.Law, a *assignment, rng *rand.Rand, opts RefuteOptions) *Witness {
	p, w, err := compile(l, a, opts.Cells)
	if err != nil || w != nil {
		return w
	}
	vals := p.failing(rng, opts.Tries)
	if vals == nil {
		return nil
	}
	simplify(p, vals)
	return p.witness(vals)
}
