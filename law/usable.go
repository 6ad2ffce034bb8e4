package law

import "github.com/taso-go/taso/graph"

// Usable says which directions of a law can be used for rewriting: those in
// which everything the target mentions is known once the source is matched.
// Tensor, function and attribute variables must occur in the source; sizes and
// runs may also be read off the shapes of its tensors. A law written with => is
// not used from right to left.
func Usable(l *Law) (ltr, rtl bool) {
	left, right := mentions(l, l.LHS), mentions(l, l.RHS)
	return right.within(left), !l.OneWay && left.within(right)
}

// mentioned is what one side of a law speaks of. bare are the names that stand
// in its terms, known those that matching it tells.
type mentioned struct{ bare, known map[string]bool }

func mentions(l *Law, side []*Term) mentioned {
	m := mentioned{map[string]bool{}, map[string]bool{}}
	for _, t := range side {
		t.Walk(func(u *Term) {
			switch {
			case u.Var != "":
				m.add("tensor " + u.Var)
				if b, ok := l.Find(u.Var); ok {
					b.Shape.Walk(func(a graph.Atom) { m.known[atomKey(a)] = true })
				}
			case u.Fn != "":
				m.add("variable " + u.Fn)
			}
			for _, v := range u.Attrs {
				m.value(v)
			}
		})
	}
	return m
}

func (m mentioned) add(key string) { m.bare[key], m.known[key] = true, true }

func (m mentioned) value(v graph.Value) {
	if name, _, ok := v.Var(); ok {
		m.add("variable " + name)
	}
	v.Walk(func(a graph.Atom) {
		if a.Kind != graph.AtomFunc {
			m.add(atomKey(a))
		}
		for _, w := range a.Args {
			if name, _, ok := w.Var(); ok {
				m.add("variable " + name)
			}
		}
	})
}

func atomKey(a graph.Atom) string {
	if a.Kind == graph.AtomRun {
		return "run " + a.Name
	}
	return "size " + a.Name
}

func (m mentioned) within(source mentioned) bool {
	for k := range m.bare {
		if !source.known[k] {
			return false
		}
	}
	return true
}
