package law

import (
	"strconv"
	"strings"
)

// lineWidth is where the formatter starts a new line.
const lineWidth = 100

// Format is the law in the law language, macros written out. Parse reads it
// back as the same law, but for its place and its section.
func Format(l *Law) string { return format(l, FormatOutputs(l.LHS), FormatOutputs(l.RHS)) }

// format writes a law with these texts for its sides.
func format(l *Law, left, right string) string {
	var b strings.Builder
	if l.Doc != "" {
		for _, line := range strings.Split(l.Doc, "\n") {
			b.WriteString(strings.TrimRight("# "+line, " \t\r"))
			b.WriteByte('\n')
		}
	}
	b.WriteString(l.Kind.String())
	b.WriteByte(' ')
	b.WriteString(l.Name)
	if len(l.Tags) > 0 {
		b.WriteString(" [" + strings.Join(l.Tags, ", ") + "]")
	}
	b.WriteByte('\n')
	writeBody(&b, l, left, right)
	if len(l.Cite) > 0 {
		b.WriteString("  cite  " + strings.Join(l.Cite, ", ") + "\n")
	}
	return b.String()
}

// writeBody writes from "given" to the end of the equation.
func writeBody(b *strings.Builder, l *Law, left, right string) {
	if len(l.Given) > 0 {
		parts := make([]string, len(l.Given))
		for i, g := range l.Given {
			parts[i] = g.Name + " : "
			if g.Sort != "" {
				parts[i] += g.Sort
			} else {
				parts[i] += g.Shape.String()
			}
		}
		writeList(b, "  given ", parts, ", ")
	}
	if len(l.Where) > 0 {
		parts := make([]string, len(l.Where))
		for i, p := range l.Where {
			parts[i] = p.String()
		}
		writeList(b, "  where ", parts, " and ")
	}
	rel := " == "
	if l.OneWay {
		rel = " => "
	}
	b.WriteString("  then  " + left)
	if len(left)+len(right)+12 > lineWidth {
		b.WriteString("\n    ")
	}
	b.WriteString(rel + right + "\n")
}

// writeList joins parts, starting a new line where one would get too long. A
// line never starts with "#", which would make it a comment.
func writeList(b *strings.Builder, head string, parts []string, sep string) {
	b.WriteString(head)
	n := len(head)
	for i, p := range parts {
		if i > 0 {
			b.WriteString(strings.TrimRight(sep, " "))
			if n+len(sep)+len(p) > lineWidth && !strings.HasPrefix(p, "#") {
				b.WriteString("\n        ")
				n = 8
			} else {
				b.WriteByte(' ')
				n += len(sep)
			}
		}
		b.WriteString(p)
		n += len(p)
	}
	b.WriteByte('\n')
}

// FormatOutputs writes the outputs of one side of a law: a term, a tuple, or
// the application all of whose outputs they are.
func FormatOutputs(ts []*Term) string {
	if len(ts) == 1 {
		return ts[0].String()
	}
	if len(ts) > 1 && ts[0].Op != nil && len(ts) == ts[0].Op.Out {
		var n Nodes
		whole := true
		for i, t := range ts {
			whole = whole && t.Out == i && n.App(t) == n.App(ts[0])
		}
		if whole {
			return ts[0].AppString()
		}
	}
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = t.String()
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// FormatAll writes laws one after the other, a blank line between them, with a
// heading where the section changes.
func FormatAll(laws []*Law) string {
	var b strings.Builder
	section := ""
	for i, l := range laws {
		if i > 0 {
			b.WriteByte('\n')
		}
		if l.Section != section {
			section = l.Section
			b.WriteString("section " + quote(section) + "\n\n")
		}
		b.WriteString(Format(l))
	}
	return b.String()
}

func quote(s string) string { return strconv.Quote(s) }
