package law

import (
	"errors"
	"fmt"
)

// references are the works that laws may cite.
var references = map[string]string{
	"taso19":     `Jia et al., "TASO: Optimizing Deep Learning Computation with Automatic Generation of Graph Substitutions", SOSP 2019`,
	"megatron19": `Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", arXiv 1909.08053, 2019`,
	"zero20":     `Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", SC 2020`,
	"unity22":    `Unger et al., "Unity: Accelerating DNN Training Through Joint Optimization of Algebraic Transformations and Parallelization", OSDI 2022`,
}

// Lint lists what is wrong with laws that are well formed, by place: a name
// that is taken; a missing comment; an unknown key of a cited work; a variable
// that is bound and not used, or used and not bound by any side; two sides that
// are one term; a law that another one says already, be it with other names or
// exchanged sides; sides of different shapes; and what more says of a law that has
// none of these faults and is not refuted, such as instance.Mismatch; nil: nothing.
// An empty list means that the laws are clean.
//
// Whether a law is true is not asked here: that takes an evaluation.
func Lint(laws []*Law, more func(*Law) string) Errors {
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
		if _, err := l.Types(); err != nil && !(l.Kind == Refute && errors.Is(err, ErrOrder)) {
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
		if l.Kind != Refute && more != nil {
			if why := more(l); why != "" {
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
