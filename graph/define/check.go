package define

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// Of each bound variable and index it is known that it is at least 0 and below a size, in terms
// of variables that count from 0.

// counter is a variable that counts from 0 to n - 1, where n is a size of at least 1.
type counter struct {
	name string
	n    linear
}

// scope is what holds at a part of an entry.
type scope struct {
	by    map[string]linear // bound variables, over counters and sizes
	count []counter
	where []linear // each is at least 0
}

func (s scope) with(name string, e linear) scope {
	s.by = maps.Clone(s.by)
	s.by[name] = e
	return s
}

func (s scope) given(es ...linear) scope {
	s.where = append(s.where[:len(s.where):len(s.where)], es...)
	return s
}

// enter is what holds inside a sum or maximum: the counter of its variable, and a guard that must
// hold too, if the counter alone goes too far.
func (s scope) enter(e *node) (in scope, c counter, guard *linear) {
	lo := e.lo.subst(s.by)
	length := e.hi.subst(s.by).plus(lo, -1).plus(number(1), 1)
	// The largest length there is: other counters at their ends, and nothing taken off.
	most := length
	for again := true; again; {
		again = false
		for _, o := range s.count {
			if k := most.coef(o.name); k != 0 {
				end := number(0)
				if k > 0 {
					end = o.n.plus(number(1), -1)
				}
				most, again = most.plus(variable(o.name), -k).plus(end, k), true
			}
		}
	}
	n := linear{c: max(most.c, 0)}
	for _, f := range most.t {
		if f.k > 0 {
			n.t = append(n.t, f)
		}
	}
	if len(n.t) == 0 {
		n.c = max(n.c, 1)
	}
	c = counter{"#" + e.name, n}
	if diff := length.plus(n, -1); diff.c != 0 || len(diff.t) > 0 {
		g := length.plus(number(1), -1).plus(variable(c.name), -1)
		guard = &g
	}
	in = s.with(e.name, lo.plus(variable(c.name), 1))
	in.count = append(in.count[:len(in.count):len(in.count)], c)
	if guard != nil {
		in = in.given(*guard)
	}
	return in, c, guard
}

// facts are what a condition says, as linear expressions that are at least 0.
func (c condition) facts(by map[string]linear) []linear {
	d := c.a.subst(by).plus(c.b.subst(by), -1) // a - b
	neg := number(0).plus(d, -1)
	switch c.rel {
	case "<":
		return []linear{neg.plus(number(1), -1)}
	case "<=":
		return []linear{neg}
	case ">":
		return []linear{d.plus(number(1), -1)}
	case ">=":
		return []linear{d}
	}
	return []linear{d, neg}
}

// opposites are conditions of which exactly one holds where c does not.
func (c condition) opposites() []condition {
	switch c.rel {
	case "<":
		return []condition{{c.a, c.b, ">="}}
	case "<=":
		return []condition{{c.a, c.b, ">"}}
	case ">":
		return []condition{{c.a, c.b, "<="}}
	case ">=":
		return []condition{{c.a, c.b, "<"}}
	}
	return []condition{{c.a, c.b, "<"}, {c.a, c.b, ">"}}
}

// otherwise are the cases in which not all conditions hold: exactly one of them does then.
func otherwise(conds []condition) [][]condition {
	var out [][]condition
	for i, c := range conds {
		for _, o := range c.opposites() {
			out = append(out, append(conds[:i:i], o))
		}
	}
	return out
}

// top is what holds at the whole entry.
func (d *Definition) top() scope {
	s := scope{by: map[string]linear{}}
	for i, name := range d.at {
		s.count = append(s.count, counter{name, d.out[i]})
	}
	return s
}

// check requires that the sizes of operands can be told from their shapes, and that what is read
// exists.
func (d *Definition) check() error {
	if _, err := d.order(); err != nil {
		return err
	}
	return d.exists(d.body, d.top())
}

// place is an axis of an operand.
type place struct{ operand, axis int }

// gives reports whether the size of an axis gives the value of a variable: it is a multiple of
// one, or one and a number.
func (a linear) gives() bool { return len(a.t) == 1 && (a.c == 0 || a.t[0].k == 1) }

// order is the axes of operands in an order in which each has at most one size variable that no
// axis before it has; such an axis gives its value.
func (d *Definition) order() ([]place, error) {
	var out, left []place
	for i, o := range d.operands {
		for k := range o.shape {
			left = append(left, place{i, k})
		}
	}
	known := map[string]bool{}
	fits := func(p place) bool {
		s := d.operands[p.operand].shape[p.axis]
		return s.gives() || !slices.ContainsFunc(s.t, func(f factor) bool { return !known[f.name] })
	}
	for len(left) > 0 {
		i := slices.IndexFunc(left, fits)
		if i < 0 {
			p := left[0]
			return nil, fmt.Errorf("operand %s: size %s: its variables are the sizes of no axes by themselves",
				d.operands[p.operand].name, d.operands[p.operand].shape[p.axis])
		}
		for _, f := range d.operands[left[i].operand].shape[left[i].axis].t {
			known[f.name] = true
		}
		out, left = append(out, left[i]), slices.Delete(left, i, i+1)
	}
	return out, nil
}

// exists requires that all elements that e reads exist, and that there is something to take a
// maximum of.
func (d *Definition) exists(e *node, s scope) error {
	switch e.kind {
	case isIndex:
		e.lo.subst(s.by) // it is not too large
	case isRead:
		o := d.operands[e.in]
		for i, at := range e.index {
			x := at.subst(s.by)
			below := o.shape[i].plus(number(1), -1).plus(x, -1)
			for _, want := range []linear{x, below} {
				if ok, err := s.implies(want); err != nil {
					return err
				} else if !ok {
					return fmt.Errorf("%s%s: index %s is not shown to be from 0 to %s", o.name, list(e.index), at, o.shape[i].plus(number(1), -1))
				}
			}
		}
	case isSum, isMost, isLeast:
		if e.kind != isSum {
			if ok, err := s.implies(e.hi.subst(s.by).plus(e.lo.subst(s.by), -1)); err != nil {
				return err
			} else if !ok {
				return fmt.Errorf("%s %s in %s..%s: the range is not shown to have an element", words[e.kind], e.name, e.lo, e.hi)
			}
		}
		s, _, _ = s.enter(e)
	case isWhere:
		yes := s
		for _, c := range e.conds {
			yes = yes.given(c.facts(s.by)...)
		}
		if err := d.exists(e.args[0], yes); err != nil {
			return err
		}
		for _, cs := range otherwise(e.conds) {
			no := s
			for _, c := range cs {
				no = no.given(c.facts(s.by)...)
			}
			if err := d.exists(e.args[1], no); err != nil {
				return err
			}
		}
		return nil
	}
	for _, a := range e.args {
		if err := d.exists(a, s); err != nil {
			return err
		}
	}
	return nil
}

// implies reports whether e is at least 0 wherever s holds and sizes are at least 1.
func (s scope) implies(e linear) (bool, error) {
	rows := []row{rowOf(number(-1).plus(e, -1))} // e is at most -1
	names := map[string]bool{}
	put := func(l linear) {
		rows = append(rows, rowOf(l))
	}
	for _, c := range s.count {
		put(variable(c.name))
		put(c.n.plus(number(1), -1).plus(variable(c.name), -1))
	}
	for _, w := range s.where {
		put(w)
	}
	counters := map[string]bool{}
	for _, c := range s.count {
		counters[c.name] = true
	}
	for _, r := range rows {
		for name := range r {
			names[name] = true
		}
	}
	delete(names, "")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !counters[name] { // a size
			put(variable(name).plus(number(1), -1))
		}
	}
	return contradict(rows, slices.Sorted(maps.Keys(names)))
}

// row is a linear expression that is at least 0; "" has the constant.
type row map[string]*big.Int

func rowOf(l linear) row {
	r := row{"": big.NewInt(l.c)}
	for _, f := range l.t {
		r[f.name] = big.NewInt(f.k)
	}
	return r
}

// maxRows bounds the rows of an elimination.
const maxRows = 2000

// contradict reports whether rows have no rational solution, by elimination of one name after
// another.
func contradict(rows []row, names []string) (bool, error) {
	for _, name := range names {
		var up, down, rest []row
		for _, r := range rows {
			switch k := r[name]; {
			case k == nil || k.Sign() == 0:
				rest = append(rest, r)
			case k.Sign() > 0:
				up = append(up, r)
			default:
				down = append(down, r)
			}
		}
		if len(rest)+len(up)*len(down) > maxRows {
			return false, errMany
		}
		for _, u := range up {
			for _, v := range down {
				rest = append(rest, combine(u, v, name))
			}
		}
		rows = rest
	}
	return slices.ContainsFunc(rows, func(r row) bool { return r[""].Sign() < 0 }), nil
}

// combine is a sum of positive multiples of u and v in which a name, with a positive factor in u
// and a negative one in v, cancels.
func combine(u, v row, name string) row {
	a, b := new(big.Int).Neg(v[name]), u[name]
	out := row{}
	add := func(r row, k *big.Int) {
		for n, c := range r {
			x := new(big.Int).Mul(c, k)
			if old := out[n]; old != nil {
				x.Add(x, old)
			}
			out[n] = x
		}
	}
	add(u, a)
	add(v, b)
	divisor := new(big.Int)
	for n, c := range out {
		if c.Sign() == 0 && n != "" {
			delete(out, n)
			continue
		}
		divisor.GCD(nil, nil, divisor, new(big.Int).Abs(c))
	}
	if divisor.Sign() > 0 {
		for n, c := range out {
			out[n] = new(big.Int).Quo(c, divisor)
		}
	}
	return out
}
