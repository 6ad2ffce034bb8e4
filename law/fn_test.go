package law_test

import (
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// named are terms of X : [4] and Y : [4] for the operators that are told by a name what
// to do.
var named = map[string]func(name string) string{
	"ewint":  func(fn string) string { return "ewint[fn=" + fn + "](X, Y)" },
	"resize": func(mode string) string { return "resize[sizes=(6), mode=" + mode + "](X)" },
	"cast": func(mode string) string {
		for _, t := range graph.DTypes() {
			for _, m := range graph.Modes(t) {
				if m == mode {
					return "cast[to=" + t.String() + ", mode=" + mode + "](X)"
				}
			}
		}
		return ""
	},
}

// Laws with a name among the attributes, of every name that an operator knows, are read
// and typed, and read again as they are printed: no name is a word of the language.
func TestNamesOfOperators(t *testing.T) {
	tested := 0
	for _, op := range graph.Ops() {
		for _, p := range op.Params {
			if p.Sort != "name" {
				continue
			}
			term := named[op.Name]
			if term == nil || len(p.Names) == 0 {
				t.Errorf("operator %s, parameter %s: a term and names of it are wanted", op.Name, p.Name)
				continue
			}
			for _, name := range p.Names {
				tested++
				l, err := law.ParseLaw("rule r given X : [4], Y : [4] then " + term(name) + " == " + term(name))
				if err != nil {
					t.Errorf("%s of %s: %v", name, op.Name, err)
					continue
				}
				if back, err := law.ParseLaw(law.Format(l)); err != nil || law.Format(back) != law.Format(l) {
					t.Errorf("%s: %v", law.Format(l), err)
				}
				if _, err := l.Types(); err != nil {
					t.Errorf("%s of %s: %v", name, op.Name, err)
				}
			}
			// A name that is not listed is not known.
			l, err := law.ParseLaw("rule r given X : [4], Y : [4] then " + term(p.Names[0]) + " == X")
			if err != nil {
				t.Fatal(err)
			}
			other := *l.LHS[0]
			other.Attrs = append(graph.Attrs{}, other.Attrs...)
			other.Attrs[op.ParamIndex(p.Name)] = graph.NameValue("no_such_name")
			if _, err := (&law.Law{Given: l.Given, LHS: []*law.Term{&other}, RHS: l.RHS}).Types(); err == nil {
				t.Errorf("operator %s takes no_such_name", op.Name)
			}
		}
	}
	if tested < 30 {
		t.Errorf("%d names: nothing is tested", tested)
	}
}
