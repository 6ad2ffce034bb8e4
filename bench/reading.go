package bench

import (
	"fmt"
	"slices"
	"strings"
)

// reading takes figures out of a record, by the headings that its tables show. It keeps
// the first error, such as a heading that the record does not have, and the sources of the
// figures.
type reading struct {
	rec  *Record
	err  error
	used map[Source]bool
}

// use notes where a figure comes from.
func (r *reading) use(c Column, row Row) {
	s := c.Source
	if row.Source != "" && s != "" {
		s = row.Source
	}
	if s == "" {
		return
	}
	if r.used == nil {
		r.used = map[Source]bool{}
	}
	r.used[s] = true
}

// basis is where the figures come from, "modelled, measured": counted only if all are.
func (r *reading) basis() string {
	var out []string
	for _, s := range []Source{FromModel, FromClock, FromBefore} {
		if r.used[s] {
			out = append(out, string(s))
		}
	}
	if len(out) == 0 {
		return string(FromCount)
	}
	return strings.Join(out, ", ")
}

func (r *reading) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("record %s: "+format, append([]any{r.rec.Name}, args...)...)
	}
}

// column is the index of a column by its heading with the unit, and the table; -1 if there
// is none.
func (r *reading) column(table int, head string) (*Table, int) {
	if table >= len(r.rec.Tables) {
		r.fail("no table %d", table+1)
		return nil, -1
	}
	t := r.rec.Tables[table]
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.head() == head })
	if i < 0 {
		r.fail("table %d has no column %q", table+1, head)
	}
	return t, i
}

// rows are those in which each condition "HEADING=TEXT" is true. Text "A|B" is true of A
// and of B.
func (r *reading) rows(table int, conds []string) (out []Row) {
	if table >= len(r.rec.Tables) {
		r.fail("no table %d", table+1)
		return nil
	}
next:
	for _, row := range r.rec.Tables[table].Rows {
		for _, c := range conds {
			head, want, _ := strings.Cut(c, "=")
			_, i := r.column(table, head)
			if i < 0 {
				return nil
			}
			if !slices.Contains(strings.Split(want, "|"), row.Cells[i].show("")) {
				continue next
			}
		}
		out = append(out, row)
	}
	if len(out) == 0 {
		r.fail("table %d has no row with %s", table+1, strings.Join(conds, ", "))
	}
	return out
}

// values are the numbers of a column in some rows; cells without a number are left out.
func (r *reading) values(table int, head string, conds ...string) (out []float64) {
	t, i := r.column(table, head)
	for _, row := range r.rows(table, conds) {
		if i < 0 {
			return nil
		}
		if x, ok := row.Cells[i].Number(); ok {
			r.use(t.Columns[i], row)
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		r.fail("table %d, column %q: no number", table+1, head)
	}
	return out
}

// show is a cell as the table shows it. The conditions must leave one row.
func (r *reading) show(table int, head string, conds ...string) string {
	t, i := r.column(table, head)
	rows := r.rows(table, conds)
	if i < 0 || len(rows) == 0 {
		return ""
	}
	if len(rows) > 1 {
		r.fail("table %d: %d rows with %s", table+1, len(rows), strings.Join(conds, ", "))
	}
	r.use(t.Columns[i], rows[0])
	return rows[0].Cells[i].show(t.Columns[i].Format)
}

// span is the least and the largest number of a column, "1.00 to 3.60", as the table
// shows them.
func (r *reading) span(table int, head string, conds ...string) string {
	t, i := r.column(table, head)
	xs := r.values(table, head, conds...)
	if i < 0 || len(xs) == 0 {
		return ""
	}
	show := func(x float64) string { return floatCell(x).show(t.Columns[i].Format) }
	least, most := show(slices.Min(xs)), show(slices.Max(xs))
	if least == most {
		return least
	}
	return least + " to " + most
}

// largest is the largest number of a column, as the table shows it.
func (r *reading) largest(table int, head string, conds ...string) string {
	t, i := r.column(table, head)
	xs := r.values(table, head, conds...)
	if i < 0 || len(xs) == 0 {
		return ""
	}
	return floatCell(slices.Max(xs)).show(t.Columns[i].Format)
}

// sum adds the numbers of a column.
func (r *reading) sum(table int, head string, conds ...string) float64 {
	s := 0.0
	for _, x := range r.values(table, head, conds...) {
		s += x
	}
	return s
}

// ratios are the quotients of two columns, row by row where both have a number.
func (r *reading) ratios(table int, over, under string, conds ...string) (out []float64) {
	t, i := r.column(table, over)
	_, j := r.column(table, under)
	for _, row := range r.rows(table, conds) {
		if i < 0 || j < 0 {
			return nil
		}
		a, known := row.Cells[i].Number()
		b, also := row.Cells[j].Number()
		if known && also && b != 0 {
			r.use(t.Columns[i], row)
			r.use(t.Columns[j], row)
			out = append(out, a/b)
		}
	}
	if len(out) == 0 {
		r.fail("table %d: no ratio of %q and %q", table+1, over, under)
	}
	return out
}

// between writes the least and the largest of some numbers.
func between(format string, xs []float64) string {
	if len(xs) == 0 {
		return ""
	}
	least, most := fmt.Sprintf(format, slices.Min(xs)), fmt.Sprintf(format, slices.Max(xs))
	if least == most {
		return least
	}
	return least + " to " + most
}
