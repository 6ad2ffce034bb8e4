package page

import (
	"cmp"
	"fmt"
	"strconv"
)

// Text is a line or a paragraph.
type Text []Span

// Span is a piece of text with one look. The zero class is plain text.
type Span struct{ Text, Class, Href, Swatch string }

// Say joins texts, spans, strings and numbers to a text.
func Say(parts ...any) (t Text) {
	for _, p := range parts {
		switch p := p.(type) {
		case Text:
			t = append(t, p...)
		case Span:
			t = append(t, p)
		case string:
			if p != "" {
				t = append(t, Span{Text: p})
			}
		default:
			t = append(t, Span{Text: fmt.Sprint(p)})
		}
	}
	return t
}

// Link leads to the part, or the row of a table, with that ID.
func Link(id, text string) Span { return Span{Text: text, Href: id} }

// Mono is text in a monospaced font.
func Mono(text string) Span { return Span{Text: text, Class: "code"} }

// Soft is text that is less important.
func Soft(text string) Span { return Span{Text: text, Class: "m"} }

// Strong is text that is more important, Emph text that is stressed.
func Strong(text string) Span { return Span{Text: text, Class: "strong"} }
func Emph(text string) Span   { return Span{Text: text, Class: "em"} }

// Plus and Minus are what was added and what was removed.
func Plus(text string) Span  { return Span{Text: "+ " + text, Class: "plus"} }
func Minus(text string) Span { return Span{Text: "− " + text, Class: "minus"} }

// Badge is a word with the colour of a status.
func Badge(s Status, text string) Span { return Span{Text: text, Class: "v " + string(s)} }

// Swatch is a text behind a field of a colour of package draw, for legends.
func Swatch(class, text string) Span { return Span{Text: text, Swatch: cmp.Or(class, "fill")} }

// Count is a number with its noun, whose plural has an s.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// Table is a table that can be sorted by each column.
type Table struct {
	Columns []Column
	Rows    []Row
	// Noun names the rows, in the plural; with it, the table can be searched.
	Noun    string
	Filters []Filter
	// Grid: the table keeps its columns on a small screen, where it scrolls; the rows of
	// others with more than three columns become blocks.
	Grid bool
	// Explores: a click on a row finds the nodes whose operator is in its first cell.
	Explores bool
}

// Column is the head of a column: Number, of numbers; Short, of texts that are cut.
type Column struct {
	Name          string
	Number, Short bool
}

// Filter shows the rows that have one of the chosen keys.
type Filter struct {
	Name    string
	Buttons bool // several keys can be chosen, with a button each
	Options []Option
}

// Option is a key of rows and how it is shown.
type Option struct {
	Key  string
	Text Text
}

// Row is a row of a table.
type Row struct {
	ID     string // "" for none
	Cells  []Cell
	Keys   [][]string // by filter
	Detail []Part     // what the row opens to
	Strong bool
}

// Cell is a field of a table.
type Cell struct {
	Text    Text
	Sort    string // what it is sorted by, if not by its text
	Percent int    // the length of a bar, 0 for none
	Span    int    // columns, if more than one
}

// Cells makes the fields of a row of what [Say] takes, and of fields.
func Cells(parts ...any) (out []Cell) {
	for _, p := range parts {
		if c, ok := p.(Cell); ok {
			out = append(out, c)
		} else {
			out = append(out, Cell{Text: Say(p)})
		}
	}
	return out
}

// Num is a field that is sorted by a number.
func Num(text string, value float64) Cell {
	return Cell{Text: Say(text), Sort: strconv.FormatFloat(value, 'g', -1, 64)}
}

// Columns are columns by name; those that begin with # are of numbers.
func Columns(names ...string) (out []Column) {
	for _, n := range names {
		c := Column{Name: n}
		if n != "" && n[0] == '#' {
			c = Column{Name: n[1:], Number: true}
		}
		out = append(out, c)
	}
	return out
}

// Stacks reports whether rows become blocks on a small screen.
func (t *Table) Stacks() bool { return !t.Grid && len(t.Columns) > 3 }

// Opens reports whether rows of the table open to something.
func (t *Table) Opens() bool {
	for _, r := range t.Rows {
		if len(r.Detail) > 0 {
			return true
		}
	}
	return false
}

// label is the name of the column of cell i, which stands before it on a small screen.
func label(t *Table, i int) string {
	if i >= len(t.Columns) || !t.Stacks() {
		return ""
	}
	return t.Columns[i].Name
}
