package models

import (
	"slices"
	"strings"
)

// Variant is a model that computes what another one does by other operators: a
// form into which optimizers of graphs bring it, or the reverse of one.
type Variant struct {
	Name string `json:"name"` // for Build, such as "bert+qkv"
	Of   string `json:"of"`   // the model that it was made of
	Doc  string `json:"doc"`  // one line
	// Laws are the names of the laws in [builtin.All] that make it.
	Laws []string `json:"laws"`
	// Cite says whose optimizer rewrites so; empty for the reverse of a form.
	Cite string `json:"cite,omitempty"`
}

// Variants lists the rewritten forms of a model, of all models if the name is
// empty; there may be none. With "-tiny" behind the model's name they are those of
// the small model.
func Variants(name string) []Variant {
	base, tiny := strings.CutSuffix(name, tinySuffix)
	var out []Variant
	for _, e := range entries {
		if base != "" && e.name != base {
			continue
		}
		for _, f := range forms {
			if !slices.Contains(f.of, e.name) {
				continue
			}
			v := Variant{Name: e.name + "+" + f.name, Of: e.name, Doc: f.doc, Laws: slices.Clone(f.laws), Cite: f.cite}
			if tiny {
				v.Name, v.Of = v.Name+tinySuffix, v.Of+tinySuffix
			}
			out = append(out, v)
		}
	}
	return out
}

// formOf finds the form of a model by name.
func formOf(base, name string) (form, bool) {
	for _, f := range forms {
		if f.name == name && slices.Contains(f.of, base) {
			return f, true
		}
	}
	return form{}, false
}
