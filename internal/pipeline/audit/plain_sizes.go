package audit

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// place is an axis of an input.
type place struct {
	tensor string
	axis   int
}

func (p place) String() string { return fmt.Sprintf("%s[%d]", p.tensor, p.axis) }

// sizeWords says where the size variables of a law are seen: as an axis of an
// input, "X[1]"; as the groups of a convolution, "groups of W"; or as what is
// left of an axis, "W[0]/groups of W".
func sizeWords(l *law.Law) map[string]string {
	words := map[string]string{}
	note := func(name, word string) {
		if _, ok := words[name]; !ok {
			words[name] = word
		}
	}
	for _, g := range l.Given {
		for i, it := range g.Shape {
			if name, ok := it.Dim.IsVar(); ok {
				note(name, place{g.Name, i}.String())
			}
		}
	}
	l.EachTerm(func(t *law.Term) {
		if t.Op == nil || t.Op.Name != "conv2d" {
			return
		}
		d, _ := t.Attrs[t.Op.ParamIndex("groups")].Dim()
		if name, ok := d.IsVar(); ok {
			note(name, "groups of "+t.Args[1].String())
		}
	})
	for _, g := range l.Given {
		for i, it := range g.Shape {
			terms, constant := it.Dim.Terms()
			if len(terms) != 1 || constant != 0 {
				continue
			}
			unknown, rest := "", ""
			n := 0
			if c := terms[0].Coef; c != 1 {
				rest = fmt.Sprintf("/%d", c)
			}
			for _, a := range terms[0].Atoms {
				if a.Kind != graph.AtomVar {
					n = 2
				} else if w, ok := words[a.Name]; ok {
					rest += "/" + w
				} else {
					unknown = a.Name
					n++
				}
			}
			if n == 1 {
				note(unknown, "("+place{g.Name, i}.String()+rest+")")
			}
		}
	}
	return words
}

// axisInWords is what is asked of an axis whose size is d, a sum or product. If
// what else is in a product has no place of its own, only that the rest divides
// it.
func axisInWords(p place, d graph.Dim, words map[string]string) string {
	terms, constant := d.Terms()
	if len(terms) == 1 && constant == 0 {
		var rest []string
		own := false
		if c := terms[0].Coef; c != 1 {
			rest = append(rest, fmt.Sprint(c))
		}
		for _, a := range terms[0].Atoms {
			if w := words[a.Name]; strings.HasPrefix(w, "("+p.String()) {
				own = true
			} else {
				rest = append(rest, w)
			}
		}
		if own && len(rest) > 0 {
			return strings.Join(rest, "*") + " divides " + p.String()
		}
	}
	return p.String() + " = " + inWords(d, words)
}

// inWords is a size with its variables written as the places where they stand.
func inWords(d graph.Dim, words map[string]string) string {
	b := &graph.Substitution{Dims: map[string]graph.Dim{}}
	for v, w := range words {
		b.Dims[v] = graph.Var(w)
	}
	return d.Subst(b).String()
}
