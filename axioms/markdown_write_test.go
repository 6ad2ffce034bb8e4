package axioms

import (
	"fmt"
	"strings"
	"unicode"

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

All laws from which proofs start: %d axioms, %d lemmas that follow from them, and %d refuted
equations, which are false and plausible. This file is generated from `+"`axioms/*.axioms`"+`; a test
compares it.

A law holds for all sizes of at least 1, all axis runs (`+"`P..`"+`, any number of axes), all attributes of
the given sorts, and all real tensors of the given shapes for which its conditions hold. Then both
sides are undefined, or both are defined, have the same shape, and agree in every element. A law
written with `+"`=>`"+` is used from left to right only, and says nothing where the left side is undefined.
A law tagged `+"`real`"+` holds where every term of it has a value, such as the reciprocal square root of a
positive number; a proof that uses it must show this. A law tagged `+"`ordered`"+` holds for the true relu
and maximum only. [rules.md](rules.md#the-rule-language) explains the language.

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

// anchor returns the name that GitHub gives a heading.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, strings.ToLower(title))
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
