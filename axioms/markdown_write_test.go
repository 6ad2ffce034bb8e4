package axioms

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/law"
)

// Markdown renders the laws as a document: a chapter per section, a paragraph
// and the formal text per law, macros written out. It depends on the embedded
// texts only.
func Markdown() string {
	var b strings.Builder
	count := map[law.Kind]int{}
	for _, l := range parsed() {
		count[l.Kind]++
	}
	fmt.Fprintf(&b, `# Laws

The properties of operators that every proof starts from: %d axioms, %d lemmas
that follow from them, and %d equations that are refuted. This file is generated
from the texts in `+"`axioms/`"+`; a test keeps it fresh.

A law reads as a theorem: for all sizes of at least 1, all axis runs (`+"`P..`"+`,
any number of axes), all attributes of the given sorts and all real tensors of
the given shapes, where the conditions hold, the two sides are both undefined, or
both defined, of one shape, and equal entry by entry. Laws written with `+"`=>`"+`
are used from left to right only, and say nothing where the left side is
undefined. Laws tagged `+"`real`"+` hold where every term of them has a value, as the
reciprocal root of a positive number has; whoever uses one has to show that.

`, count[law.Axiom], count[law.Lemma], count[law.Refute])
	for _, s := range sections() {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", s.title, anchor(s.title), tally(s.laws))
	}
	for _, s := range sections() {
		fmt.Fprintf(&b, "\n## %s\n", s.title)
		for _, l := range s.laws {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n```\n%s```\n", l.Name, l.Doc, plain(l))
		}
	}
	return b.String()
}

// plain is the text of a law without its comment.
func plain(l *law.Law) string {
	c := *l
	c.Doc = ""
	return law.Format(&c)
}

type section struct {
	title string
	laws  []*law.Law
}

// sections groups the laws in the order of the texts.
func sections() []section {
	var out []section
	for _, l := range parsed() {
		if len(out) == 0 || out[len(out)-1].title != l.Section {
			out = append(out, section{title: l.Section})
		}
		last := &out[len(out)-1]
		last.laws = append(last.laws, l)
	}
	return out
}

// anchor is the name that Markdown readers give a heading.
func anchor(title string) string {
	return strings.ReplaceAll(strings.ToLower(title), " ", "-")
}

// tally counts laws by kind, such as "6 axioms, 1 lemma".
func tally(laws []*law.Law) string {
	var parts []string
	for _, k := range []struct {
		kind      law.Kind
		one, many string
	}{{law.Axiom, "axiom", "axioms"}, {law.Lemma, "lemma", "lemmas"}, {law.Refute, "refuted equation", "refuted equations"}} {
		n := 0
		for _, l := range laws {
			if l.Kind == k.kind {
				n++
			}
		}
		switch {
		case n == 1:
			parts = append(parts, "1 "+k.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, k.many))
		}
	}
	return strings.Join(parts, ", ")
}
