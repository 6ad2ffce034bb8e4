package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/taso-go/taso/internal/wrap"
)

// column is a heading; numbers stand to the right.
type column struct {
	name   string
	number bool
}

// screenWidth is how many columns a line of a report takes at most.
const screenWidth = 100

// columnGap is the space between two columns of a table.
const columnGap = 2

// Least widths of columns of text in a table that is too wide for the screen.
const (
	leastText    = 12 // of one that is cut
	leastName    = 40 // of the first one, which names what the row is about
	leastLast    = 40 // of the last one, which is wrapped
	leastWrapped = 24 // of the last one, where no other one can be cut
)

// writeTable writes rows under headings, without borders, one line a row. A table that is
// too wide for the screen is narrowed: the last column, if it is text, goes on in further
// lines, and the widest other columns of text are cut.
func writeTable(w io.Writer, cols []column, rows [][]string) error {
	head := make([]string, len(cols))
	align := make([]tw.Align, len(cols))
	for i, c := range cols {
		head[i], align[i] = heading(c.name), tw.AlignLeft
		if c.number {
			align[i] = tw.AlignRight
		}
	}
	var b bytes.Buffer
	t := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithPadding(tw.Padding{Right: strings.Repeat(" ", columnGap), Overwrite: true}),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	t.Header(head)
	for _, r := range narrowed(cols, head, rows) {
		if err := t.Append(r); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	for line := range bytes.Lines(b.Bytes()) {
		if _, err := fmt.Fprintf(w, "%s\n", bytes.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// heading is a column's name in capitals, but for a unit in parentheses.
func heading(name string) string {
	name, unit, ok := strings.Cut(name, " (")
	if !ok {
		return strings.ToUpper(name)
	}
	return strings.ToUpper(name) + " (" + unit
}

// narrowed are the rows of a table that fits the screen, as far as its numbers do.
func narrowed(cols []column, head []string, rows [][]string) [][]string {
	width := make([]int, len(cols))
	total := columnGap * (len(cols) - 1)
	for i := range cols {
		width[i] = utf8.RuneCountInString(head[i])
		for _, r := range rows {
			width[i] = max(width[i], utf8.RuneCountInString(r[i]))
		}
		total += width[i]
	}
	last := len(cols) - 1
	wrapped := last > 0 && !cols[last].number
	excess := total - screenWidth
	if excess <= 0 {
		return rows
	}
	if wrapped {
		less := min(excess, max(0, width[last]-leastLast))
		width[last] -= less
		excess -= less
	}
	for excess > 0 {
		widest := -1
		for i, c := range cols {
			least := max(leastText, utf8.RuneCountInString(head[i]))
			if i == 0 {
				least = max(leastName, least)
			}
			if !c.number && (i < last || !wrapped) && width[i] > least && (widest < 0 || width[i] > width[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break // numbers are not cut
		}
		width[widest]--
		excess--
	}
	if wrapped {
		width[last] -= min(excess, max(0, width[last]-leastWrapped))
	}
	var out [][]string
	for _, r := range rows {
		row := slices.Clone(r)
		for i, c := range cols {
			if !c.number && (i < last || !wrapped) {
				row[i] = cut(row[i], width[i])
			}
		}
		if !wrapped {
			out = append(out, row)
			continue
		}
		for k, part := range wrap.Lines(r[last], width[last]) {
			if k > 0 {
				row = make([]string, len(cols))
			}
			row[last] = part
			out = append(out, row)
		}
	}
	return out
}

// cut shortens text to one line of at most n columns.
func cut(s string, n int) string {
	s = firstLine(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// fit cuts a line to the width of the screen.
func fit(line string) string { return cut(line, screenWidth) }

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// writeLines writes text in lines that fit the screen; lines after the first are indented.
func writeLines(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, wrap.Hanging(fmt.Sprintf(format, args...), "  ", screenWidth))
}

// byCount lists the keys, the most frequent first.
func byCount(n map[string]int) []string {
	return slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b))
	})
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// count writes 16405411 as 16,405,411.
func count[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is "1 rule", "2 rules".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(n) + " " + noun
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 2, 64) }

// bytesText is a number of bytes in the unit that fits it, with three digits.
func bytesText(n int64) string {
	x, unit := float64(n), "B"
	for _, u := range []string{"kB", "MB", "GB", "TB"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1e3, u
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + " " + unit
}

// perSecond is a rate with four digits, or all before the point.
func perSecond(x float64) string {
	if x >= 1000 {
		return count(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// inMB is a number of bytes in megabytes, with three digits or all before the point.
func inMB(n int64) string {
	if n < 100e6 {
		return strconv.FormatFloat(float64(n)/1e6, 'g', 3, 64)
	}
	return count(n / 1e6)
}

// size is a flag value: bytes, such as 8G, 512M, 1.5GiB; letters mean powers of
// 1024.
type size int64

var sizeUnits = map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	n := int64(*s)
	for _, u := range []string{"T", "G", "M", "K"} {
		if f := int64(sizeUnits[u]); n > 0 && n%f == 0 {
			return strconv.FormatInt(n/f, 10) + u
		}
	}
	return strconv.FormatInt(n, 10)
}

// Set reads a size.
func (s *size) Set(text string) error {
	t := strings.ToUpper(strings.TrimSpace(text))
	t = strings.TrimSuffix(strings.TrimSuffix(t, "B"), "I")
	digits := strings.TrimRight(t, "KMGT")
	f, ok := sizeUnits[t[len(digits):]]
	n, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil || n < 0 || math.IsNaN(n) || n*f >= math.MaxInt64 {
		return fmt.Errorf("%q is not a size such as 8G or 512M", text)
	}
	*s = size(n * f)
	return nil
}

// flops is a flag value: a number of operations such as 5e10 or 20G.
type flops int64

// newFLOPs sets the default of a flag.
func newFLOPs(to *int64) *flops {
	*to = 5e10
	return (*flops)(to)
}

func (n *flops) Type() string { return "number" }

func (n *flops) String() string { return strconv.FormatFloat(float64(*n), 'g', -1, 64) }

// Set reads a number above 0; k, M, G and T are powers of 1000.
func (n *flops) Set(text string) error {
	digits := strings.TrimRight(text, "kMGT")
	unit, ok := map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[text[len(digits):]]
	x, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil || !(x*unit >= 1 && x*unit < math.MaxInt64) {
		return fmt.Errorf("%q is not a number of operations such as 5e10 or 20G", text)
	}
	*n = flops(x * unit)
	return nil
}
