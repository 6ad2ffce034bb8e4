package law

import "github.com/taso-go/taso/graph"

// Mentions are the names of variables that something speaks of.
type Mentions struct {
	Names map[string]bool // tensors, functions and attribute variables
	Sizes map[string]bool
	Runs  map[string]bool
}

// MentionsOf are the names in terms, the shapes of their tensors apart.
func MentionsOf(ts ...*Term) *Mentions {
	m := &Mentions{Names: map[string]bool{}, Sizes: map[string]bool{}, Runs: map[string]bool{}}
	eachTerm(ts, func(u *Term) {
		switch {
		case u.Var != "":
			m.Names[u.Var] = true
		case u.Fn != "":
			m.Names[u.Fn] = true
		}
		for _, v := range u.Attrs {
			m.value(v)
			v.Walk(m.Size)
		}
	})
	return m
}

func (m *Mentions) value(v graph.Value) {
	if name, _, ok := v.Var(); ok {
		m.Names[name] = true
	}
	for _, p := range v.PermVars() {
		name, _, _ := p.Var.Var()
		m.Names[name] = true
	}
}

// Size adds the names in a size.
func (m *Mentions) Size(a graph.Atom) {
	switch a.Kind {
	case graph.AtomVar:
		m.Sizes[a.Name] = true
	case graph.AtomAxisRun:
		m.Runs[a.Name] = true
	}
	for _, v := range a.Args {
		m.value(v)
	}
}

// Mentions are the names in terms of the law, and in the shapes of their tensors.
func (l *Law) Mentions(ts ...*Term) *Mentions {
	m := MentionsOf(ts...)
	for _, b := range l.Given {
		if b.Sort == "" && m.Names[b.Name] {
			b.Shape.Walk(m.Size)
		}
	}
	return m
}
