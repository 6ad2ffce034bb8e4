package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// references are the works that laws may cite.
var references = map[string]string{
	"taso19": `Jia et al., "TASO: Optimizing Deep Learning Computation with Automatic Generation of Graph Substitutions", SOSP 2019`,
}

// lintInstances is how many of the plainest instances of a law are tried for
// definedness.
const lintInstances = 600

// Lint lists what is wrong with laws that are well formed, by place: a name
// that is taken; a missing comment; an unknown key of a cited work; a variable
// that is bound and not used, or used and not bound by any side; two sides that
// are one term; a law that another one says already, be it with other names or
// exchanged sides; sides of different shapes; an instance on which one side
// only is defined. An empty list means that the laws are clean.
//
// Whether a law is true is not asked here: that takes an evaluation.
func Lint(laws []*Law) Errors {
	var errs Errors
	byName, byText := map[string]*Law{}, map[string]*Law{}
	for _, l := range laws {
		add := func(format string, args ...any) {
			errs.add(l.Pos, "%s %s: %s", l.Kind, l.Name, fmt.Sprintf(format, args...))
		}
		if old := byName[l.Name]; old != nil {
			add("the name is taken by the law at %s", old.Pos)
		} else {
			byName[l.Name] = l
		}
		if l.Doc == "" && l.Kind != Rule {
			add("there is no comment above it that says it in words")
		}
		for _, key := range l.Cite {
			if _, ok := references[key]; !ok {
				add("cites the unknown work %s", key)
			}
		}
		lintVariables(l, &errs)
		if FormatOutputs(l.LHS) == FormatOutputs(l.RHS) {
			add("both sides are %s", FormatOutputs(l.LHS))
			continue
		}
		if _, err := l.Types(); err != nil {
			errs.add(l.Pos, "%s %s: %s", l.Kind, l.Name, trimName(err, l))
			continue
		}
		text := plainText(l)
		switch old := byText[text]; {
		case old == nil:
			byText[text] = l
		case l.Kind == old.Kind:
			add("says the same as %s at %s", old.Name, old.Pos)
		default:
			add("says the same as %s %s at %s", old.Kind, old.Name, old.Pos)
		}
		if l.Kind != Refute {
			if why := oneSided(l); why != "" {
				add("%s", why)
			}
		}
	}
	errs.Sort()
	return errs
}

// trimName is the error's text without the law's name, which Lint gives.
func trimName(err error, l *Law) string {
	s, prefix := err.Error(), "law "+l.Name+": "
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):]
	}
	return s
}

// lintVariables reports variables that say nothing.
func lintVariables(l *Law, errs *Errors) {
	left, right, given := MentionsOf(l.LHS...), MentionsOf(l.RHS...), MentionsOf()
	for _, b := range l.Given {
		b.Shape.Walk(given.Size)
	}
	for _, b := range l.Given {
		switch at := b.Pos; {
		case left.Names[b.Name] || right.Names[b.Name] || given.Names[b.Name]:
			if l.OneWay && !left.Names[b.Name] && !given.Names[b.Name] {
				errs.add(at, "%s %s: %s is on the right side only of a law that is used left to right", l.Kind, l.Name, b.Name)
			}
		default:
			errs.add(at, "%s %s: %s is given and not used", l.Kind, l.Name, b.Name)
		}
	}
	in := func(m *Mentions, name string) bool { return m.Sizes[name] || m.Runs[name] }
	sizes, runs := Variables(l)
	for _, name := range append(sizes, runs...) {
		switch {
		case !in(left, name) && !in(right, name) && !in(given, name):
			errs.add(l.Pos, "%s %s: %s is in no shape and no term", l.Kind, l.Name, name)
		case l.OneWay && !in(left, name) && !in(given, name):
			errs.add(l.Pos, "%s %s: %s is on the right side only of a law that is used left to right", l.Kind, l.Name, name)
		}
	}
}

// oneSided looks for an instance on which one side only is defined, or the
// shapes differ; it is an error too if no instance is defined at all.
func oneSided(l *Law) string {
	why := ""
	defined, tried := 0, 0
	Instances(l, Scope{}, func(v *Valuation) bool {
		tried++
		left, lerr := l.groundShapes(l.LHS, v)
		right, rerr := l.groundShapes(l.RHS, v)
		switch {
		case lerr == nil && rerr == nil:
			defined++
			for i := range left {
				if !left[i].Equal(right[i]) {
					why = fmt.Sprintf("with %s the left side has shape %s, the right side %s", v, left[i], right[i])
				}
			}
		case lerr == nil:
			why = fmt.Sprintf("with %s only the left side is defined: %v", v, rerr)
		case rerr == nil && !l.OneWay:
			why = fmt.Sprintf("with %s only the right side is defined: %v", v, lerr)
		}
		return why == "" && tried < lintInstances
	})
	if why == "" && defined == 0 {
		return fmt.Sprintf("it is defined on none of the %d plainest instances", tried)
	}
	return why
}

// groundShapes are the shapes of terms for the sizes of v; it is an error where
// they are not defined.
func (l *Law) groundShapes(ts []*Term, v *Valuation) ([]graph.Shape, error) {
	vars := map[string]graph.Shape{}
	for _, b := range l.Given {
		if b.Sort == "" {
			vars[b.Name] = b.Shape.Subst(&v.Binding)
		}
	}
	out := make([]graph.Shape, len(ts))
	for i, t := range ts {
		var f graph.Facts
		s, err := TypeOf(&f, t.Subst(nil, nil, &v.Binding), vars, nil)
		if err != nil {
			return nil, err
		}
		if len(f.Needs) > 0 {
			return nil, fmt.Errorf("not decided: %s", graph.NeedsString(f.Needs))
		}
		for _, it := range s {
			if n, ok := it.Dim.Const(); !ok || n < 1 {
				return nil, fmt.Errorf("shape %s is no shape", s)
			}
		}
		out[i] = s
	}
	return out, nil
}
