package bench

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// lineWidth is how wide running text is set, in characters.
const lineWidth = 90

// shownCommit is how many digits of a commit are shown.
const shownCommit = 7

// Markdown is the body of the record's section: tables, pictures (pictures names
// the folder of their files as seen from the document, "" for none), notes, and a
// line that says how it was made. The same record gives the same bytes.
func (r *Record) Markdown(pictures string) string {
	var parts []string
	for _, t := range r.Tables {
		if t.Title != "" {
			parts = append(parts, strings.TrimRight(t.Title, "\n"))
		}
		parts = append(parts, t.markdown())
	}
	if pictures != "" {
		for i, p := range r.Plots {
			parts = append(parts, fmt.Sprintf("![%s](%s/%s)", escapeLink(p.Title), strings.TrimSuffix(pictures, "/"), r.Picture(i)))
		}
	}
	for _, n := range r.Notes {
		parts = append(parts, strings.TrimRight(n, "\n"))
	}
	parts = append(parts, wrap(r.origin()))
	return strings.Join(parts, "\n\n") + "\n"
}

// Picture is the name of the file of plot i.
func (r *Record) Picture(i int) string {
	if len(r.Plots) == 1 {
		return r.Name + ".svg"
	}
	return fmt.Sprintf("%s-%d.svg", r.Name, i+1)
}

func (t *Table) markdown() string {
	head, rows, numbers := t.Grid()
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + escapeCell(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(head)
	for _, n := range numbers {
		if n {
			b.WriteString("|---:")
		} else {
			b.WriteString("|---")
		}
	}
	b.WriteString("|\n")
	for _, r := range rows {
		line(r)
	}
	return strings.TrimRight(b.String(), "\n")
}

// head is the heading of a column: its name and its unit.
func (c Column) head() string {
	if c.Unit != "" {
		return c.Name + ", " + c.Unit
	}
	return c.Name
}

// Grid is the table as text: headings, lines, and which of its columns stand to the right.
func (t *Table) Grid() (head []string, rows [][]string, numbers []bool) {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.head()
	}
	cell := func(r Row, i int) string { return r.Cells[i].show(t.Columns[i].Format) }
	if t.Across {
		head, numbers = []string{names[0]}, []bool{false}
		for _, r := range t.Rows {
			head, numbers = append(head, cell(r, 0)), append(numbers, true)
		}
		for i := 1; i < len(names); i++ {
			line := []string{names[i]}
			for _, r := range t.Rows {
				line = append(line, cell(r, i))
			}
			rows = append(rows, line)
		}
		return head, rows, numbers
	}
	for _, c := range t.Columns {
		numbers = append(numbers, c.Source != "")
	}
	for _, r := range t.Rows {
		line := make([]string, len(names))
		for i := range line {
			line[i] = cell(r, i)
		}
		rows = append(rows, line)
	}
	return names, rows, numbers
}

func escapeCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func escapeLink(s string) string { return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(s) }

// origin says how the record came to be and where its figures come from.
func (r *Record) origin() string {
	var b strings.Builder
	b.WriteString("*")
	if r.Command != "" {
		fmt.Fprintf(&b, "`%s`", r.Command)
	} else {
		b.WriteString("Made by hand")
	}
	if r.Commit != "" {
		fmt.Fprintf(&b, " at %s", shortCommit(r.Commit))
		if r.Changed {
			b.WriteString(" with changes")
		}
	}
	fmt.Fprintf(&b, ", %s", r.Date)
	if r.Machine != "" {
		fmt.Fprintf(&b, ", %s", r.Machine)
	}
	b.WriteString(".")
	by := r.bySource()
	for _, s := range sources {
		if names := by[s]; len(names) > 0 {
			fmt.Fprintf(&b, " %s: %s.", strings.ToUpper(string(s[:1]))+string(s[1:]), strings.Join(names, "; "))
		}
	}
	b.WriteString("*")
	return b.String()
}

func shortCommit(c string) string { return c[:min(len(c), shownCommit)] }

// bySource lists the columns, rows and curves of each source, each name once.
func (r *Record) bySource() map[Source][]string {
	by, seen := map[Source][]string{}, map[string]bool{}
	add := func(s Source, name string) {
		if key := string(s) + "\x00" + name; s != "" && !seen[key] {
			seen[key] = true
			by[s] = append(by[s], name)
		}
	}
	for _, t := range r.Tables {
		for i, c := range t.Columns {
			for _, row := range t.Rows {
				if row.Source == "" && row.Cells[i] != (Cell{}) {
					add(c.Source, c.Name)
					break
				}
			}
		}
		// A row goes by the last of its words: the model stands before who ran it.
		name := 0
		for i, c := range t.Columns {
			if c.Source == "" {
				name = i
			}
		}
		for _, row := range t.Rows {
			add(row.Source, row.Cells[name].show(""))
		}
	}
	for _, p := range r.Plots {
		for _, c := range p.Curves {
			add(c.Source, c.Name)
		}
	}
	return by
}

// wrap breaks a paragraph into lines, but not within code.
func wrap(s string) string {
	var b strings.Builder
	width := 0
	for _, w := range words(s) {
		n := utf8.RuneCountInString(w)
		switch {
		case width == 0:
		case width+1+n > lineWidth:
			b.WriteString("\n")
			width = 0
		default:
			b.WriteString(" ")
			width++
		}
		b.WriteString(w)
		width += n
	}
	return b.String()
}

// words parts a text at blanks outside of `code`.
func words(s string) []string {
	var out []string
	code := false
	for _, f := range strings.Split(s, " ") {
		if code {
			out[len(out)-1] += " " + f
		} else {
			out = append(out, f)
		}
		if strings.Count(f, "`")%2 == 1 {
			code = !code
		}
	}
	return out
}
