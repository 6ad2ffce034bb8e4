package check

import (
	"fmt"
	"slices"
)

// cond is a condition on sizes and attributes, one of four:
//
//   - size d is at least 0;
//   - fits: the pads of padding pad along an axis are smaller than d;
//   - divides: k divides d;
//   - within: the entries of node at are places in a table of size d (places.go).
//
// A condition of kind fits or divides is only ever compared.
type cond struct {
	kind condKind
	d, k size
	pad  value
	axis int
	at   int
}

type condKind byte

const (
	least condKind = iota
	fits
	divides
	within
)

func (c *cond) equal(o *cond) bool {
	return c.kind == o.kind && c.d.equal(o.d) && c.k.equal(o.k) && c.pad.equal(&o.pad) && c.axis == o.axis && c.at == o.at
}

func (c cond) String() string {
	switch c.kind {
	case fits:
		return fmt.Sprintf("padding %s along %d is smaller than %s", c.pad, c.axis, c.d)
	case divides:
		return fmt.Sprintf("%s divides %s", c.k, c.d)
	case within:
		return fmt.Sprintf("the places that are looked up are within a table of size %s", c.d)
	}
	return "0 <= " + c.d.String()
}

// conds is a set of few conditions, all of which hold.
type conds []cond

func (s *conds) add(cs ...cond) {
	for _, c := range cs {
		if !slices.ContainsFunc(*s, func(o cond) bool { return o.equal(&c) }) {
			*s = append(*s, c)
		}
	}
}

// known reports that a size function is at least 1 where the conditions hold:
// they say so, or it is so by its arguments, a size over a stride being rounded
// up, a window of one cell always fitting and dilations being at least 1.
func (s conds) known(t *sizes) func(*atom) bool {
	found := map[*atom]bool{}
	var known, look func(x *atom) bool
	known = func(x *atom) bool {
		is, ok := found[x]
		if !ok {
			is = look(x)
			found[x] = is
		}
		return is
	}
	look = func(x *atom) bool {
		below := size{{one, []*atom{x}}}.plusInt(-1)
		for _, c := range s {
			if c.kind == least {
				if n, ok := below.minus(c.d).number(); ok && n.Sign() >= 0 {
					return true
				}
			}
		}
		if x.name == "step" {
			return true
		}
		if x.name == "strided" || x.name == "window" && x.args[1].size.isInt(1) {
			return t.atLeast0(x.args[0].size.plusInt(-1), known)
		}
		return false
	}
	return known
}

// require adds d >= 0 unless it holds for all sizes; an error says that it
// never holds.
func (s *conds) require(t *sizes, d size) error {
	known := conds(nil).known(t)
	if t.atLeast0(d.neg().plusInt(-1), known) {
		return fmt.Errorf("%s is never at least 0", d)
	}
	if !t.atLeast0(d, known) {
		s.add(cond{d: d})
	}
	return nil
}

func (s *conds) atLeast(t *sizes, d size, n int64) error { return s.require(t, d.plusInt(-n)) }

// divides adds that k divides d unless it does for all sizes.
func (s *conds) divides(k, d size) {
	if k.equal(d) {
		return
	}
	if _, ok := d.over(k); !ok {
		s.add(cond{kind: divides, k: k, d: d})
	}
}
