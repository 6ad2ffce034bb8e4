package widen

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// place is where a law has a size.
type place struct {
	size  graph.Dim
	attr  bool  // an attribute or an axis of one; else an axis of a declared tensor
	owner int   // the same for the sizes of one declaration, or of one application
	least int64 // the least value: 0 for the begin of a slice, else 1
}

// eachPlace rebuilds a law with f of every place in its place: declarations first, then applications
// from the left, each as often as it stands in the law.
func eachPlace(l *law.Law, f func(p place) graph.Dim) *law.Law {
	owner := 0
	shape := func(s graph.Shape, attr bool) graph.Shape {
		s = slices.Clone(s)
		for i := range s {
			if s[i].AxisRun == "" {
				s[i].Dim = f(place{s[i].Dim, attr, owner, 1})
			}
		}
		return s
	}
	var build func(t *law.Term) *law.Term
	build = func(t *law.Term) *law.Term {
		if t.IsVar() {
			return t
		}
		u := *t
		u.Args = make([]*law.Term, len(t.Args))
		for i, a := range t.Args {
			u.Args[i] = build(a)
		}
		owner++
		u.Attrs = slices.Clone(t.Attrs)
		for i, v := range t.Attrs {
			switch p := u.Op.Params[i]; p.Sort {
			case "int":
				if d, ok := v.Dim(); ok {
					least := int64(1)
					if p.Name == "lo" {
						least = 0
					}
					u.Attrs[i] = graph.DimValue(f(place{d, true, owner, least}))
				}
			case "shape":
				if s, ok := v.Shape(); ok {
					u.Attrs[i] = graph.ShapeValue(shape(s, true))
				}
			}
		}
		return &u
	}
	m := *l
	m.Given = slices.Clone(l.Given)
	for i, d := range m.Given {
		if owner++; d.Sort == "" {
			m.Given[i].Shape = shape(d.Shape, false)
		}
	}
	m.LHS, m.RHS = nil, nil
	for _, t := range l.LHS {
		m.LHS = append(m.LHS, build(t))
	}
	for _, t := range l.RHS {
		m.RHS = append(m.RHS, build(t))
	}
	return &m
}

func placesOf(l *law.Law) (out []place) {
	eachPlace(l, func(p place) graph.Dim {
		out = append(out, p)
		return p.size
	})
	return out
}

// at is a law with the sizes at some places, by number, replaced.
func at(l *law.Law, by map[int]graph.Dim) *law.Law {
	i := -1
	return eachPlace(l, func(p place) graph.Dim {
		i++
		if d, ok := by[i]; ok {
			return d
		}
		return p.size
	})
}

// mostAssignments bounds the choices of sizes at the places of a law for one variable.
const mostAssignments = 800

// choices yields every combination of one option for each place, as long as there are not too many. The
// first option of a place is the size that it has.
func choices(places []int, options [][]graph.Dim, f func(by map[int]graph.Dim)) {
	n := 1
	for _, o := range options {
		if n *= len(o); n > mostAssignments {
			return
		}
	}
	for k := range n {
		by := map[int]graph.Dim{}
		for i, o := range options {
			if c := k % len(o); c > 0 {
				by[places[i]] = o[c]
			}
			k /= len(o)
		}
		if len(by) > 0 {
			f(by)
		}
	}
}

// separated gives a variable of its own to some of the places that share a size: of one tensor or
// application, as the height and the width of a window, or of the terms of a sum.
func separated(l *law.Law) []*law.Law {
	ps := placesOf(l)
	var names []string
	for _, p := range ps {
		p.size.Walk(func(a graph.Atom) {
			if a.Kind == graph.AtomVar && !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		})
	}
	own := graph.Var(fresh(l, "n"))
	var out []*law.Law
	for _, name := range names {
		one := &graph.Substitution{Dims: map[string]graph.Dim{name: own}}
		var where []int
		var options [][]graph.Dim
		owners, twice := map[int]bool{}, false
		for i, p := range ps {
			all := p.size.Subst(one)
			if all == p.size {
				continue
			}
			o := []graph.Dim{p.size, all}
			if v, ok := p.size.IsVar(); ok && v == name {
				twice = twice || owners[p.owner]
				owners[p.owner] = true
			} else if c, _, ok := p.size.Linear(name); ok {
				if n, isConst := c.Const(); isConst && n > 1 {
					o, twice = append(o, p.size.Sub(graph.Var(name)).Add(own)), true
				}
			}
			if len(where) == 0 { // which of the two keeps its name is the same
				o = slices.Delete(o, 1, 2)
			}
			where, options = append(where, i), append(options, o)
		}
		if !twice {
			continue
		}
		choices(where, options, func(by map[int]graph.Dim) { out = append(out, guarded(at(l, by))...) })
	}
	return out
}

// freed replaces a number by a variable at some places. At others, sizes that may come from it change
// with it: larger numbers by the same difference or factor, its square and its multiples by products.
// With 1 only that number changes.
func freed(l *law.Law) []*law.Law {
	ps := placesOf(l)
	own := graph.Var(fresh(l, "n"))
	var numbers []int64
	for _, p := range ps {
		if c, ok := p.size.Const(); ok && c >= 1 && !slices.Contains(numbers, c) {
			numbers = append(numbers, c)
		}
	}
	var out []*law.Law
	for _, c := range numbers {
		var where []int
		var options [][]graph.Dim
		exact := map[int]bool{}
		for i, p := range ps {
			n, ok := p.size.Const()
			o := []graph.Dim{p.size}
			switch {
			case ok && n < c || c == 1 && (!ok || n > 1):
				continue
			case !ok:
				q, fits := p.size.Quo(graph.Int(c))
				if !fits {
					continue
				}
				o = append(o, q.Mul(own))
			case n == c && c > p.least && p.least == 0: // bounds are shifted
				continue
			case n == c:
				exact[i] = true
				o = append(o, own)
			default:
				o = append(o, own.Add(graph.Int(n-c)))
				if n%c == 0 {
					o = append(o, own.Scale(n/c))
				}
				if n == c*c {
					o = append(o, own.Mul(own))
				}
			}
			where, options = append(where, i), append(options, o)
		}
		choices(where, options, func(by map[int]graph.Dim) {
			for i := range by {
				if exact[i] {
					m := at(l, by)
					out = append(append(out, guarded(m)...), conditionsWith(m, graph.Int(c), own)...)
					return
				}
			}
		})
	}
	return out
}

// shifted adds a variable, or twice a variable, to the sizes at some places. One of the places is
// an attribute. The sizes get as small as they can be.
func shifted(l *law.Law) []*law.Law {
	ps := placesOf(l)
	own := graph.Var(fresh(l, "n"))
	numbers := false
	var where []int
	for i, p := range ps {
		_, c := p.size.Terms()
		_, isVar := p.size.IsVar()
		_, isConst := p.size.Const()
		if isConst || p.attr && (!isVar || p.least == 0) {
			where = append(where, i)
		}
		numbers = numbers || p.attr && c != 0
	}
	if !numbers {
		return nil
	}
	options := make([][]graph.Dim, len(where))
	for i, k := range where {
		options[i] = []graph.Dim{ps[k].size, own}
	}
	var out []*law.Law
	choices(where, options, func(by map[int]graph.Dim) {
		room, attr := int64(1<<30), false
		for i := range by {
			room = min(room, max(smallest(ps[i].size)-ps[i].least, 0))
			attr = attr || ps[i].attr
		}
		if !attr {
			return
		}
		for factor := int64(1); factor <= 2; factor++ {
			for _, less := range least(room / factor) {
				delta := own.Sub(graph.Int(1 + less)).Scale(factor)
				moved := map[int]graph.Dim{}
				for i := range by {
					moved[i] = ps[i].size.Add(delta)
				}
				m := at(l, moved)
				for _, g := range guarded(m) {
					if less == 0 || !slices.ContainsFunc(g.Where, func(p law.Pred) bool { return raises(p, own) }) {
						out = append(out, g)
					}
				}
				for _, i := range slices.Sorted(maps.Keys(moved)) {
					if c, ok := ps[i].size.Const(); ok {
						out = append(out, conditionsWith(m, graph.Int(c), moved[i])...)
					}
				}
			}
		}
	})
	return out
}

// smallest is the least value of a size, or less, if it is a sum.
func smallest(d graph.Dim) int64 {
	terms, c := d.Terms()
	for _, t := range terms {
		if t.Coef < 0 {
			return 0
		}
		c += t.Coef
	}
	return c
}

// least lists how much less than the sizes of a law shifted ones may be: as much as there is room, a bit
// less than that, or nothing.
func least(room int64) []int64 {
	out := []int64{room}
	for _, n := range []int64{room - 1, room - 2, 0} {
		if n >= 0 && n < out[len(out)-1] {
			out = append(out, n)
		}
	}
	return out
}

// raises reports whether a condition says that a variable is at least a number.
func raises(p law.Pred, own graph.Dim) bool {
	terms, c := p.Right.Sub(p.Left).Terms()
	return p.Mod == nil && c < 0 && len(terms) == 1 && terms[0].Dim().Sub(own.Scale(terms[0].Coef)) == graph.Int(0)
}

// conditionsWith is a law with a size replaced in its conditions, if they have it.
func conditionsWith(l *law.Law, old, size graph.Dim) (out []*law.Law) {
	m := *l
	m.Where = slices.Clone(l.Where)
	changed := false
	for i, p := range m.Where {
		if p.Left == old {
			m.Where[i].Left, changed = size, true
		}
		if p.Right == old && p.Mod == nil {
			m.Where[i].Right, changed = size, true
		}
	}
	if changed {
		out = append(out, guarded(&m)...)
	}
	return out
}
