package bench

import "fmt"

// Label is a column of words.
func Label(name string) Column { return Column{Name: name} }

// Counted is a column of counts.
func Counted(name string) Column { return Column{Name: name, Source: FromCount} }

// Measured is a column of what a clock, or the like, says in this run.
func Measured(name, unit string) Column { return Column{Name: name, Unit: unit, Source: FromClock} }

// Recorded is a column of what was measured elsewhere or before, or published.
func Recorded(name, unit string) Column { return Column{Name: name, Unit: unit, Source: FromBefore} }

// Modelled is a column of what a formula says.
func Modelled(name, unit string) Column { return Column{Name: name, Unit: unit, Source: FromModel} }

// Decimals shows n digits behind the point, at most 9.
func (c Column) Decimals(n int) Column { c.Format = fmt.Sprintf(".%df", n); return c }

// Digits shows n significant digits, at most 9, and whole numbers in full.
func (c Column) Digits(n int) Column { c.Format = fmt.Sprintf(".%dg", n); return c }

// Signed shows the sign of positive numbers as well.
func (c Column) Signed() Column { c.Format = "+" + c.Format; return c }

// NewTable is a table without rows.
func NewTable(title string, columns ...Column) *Table {
	return &Table{Title: title, Columns: columns}
}

// Add adds a row of values, one for each column, as [CellOf] takes them.
func (t *Table) Add(values ...any) { t.AddFrom("", values...) }

// AddFrom adds a row whose figures all have one source, such as those of a paper
// beside ours.
func (t *Table) AddFrom(s Source, values ...any) {
	r := Row{Source: s, Cells: make([]Cell, len(values))}
	for i, v := range values {
		r.Cells[i] = CellOf(v)
	}
	t.Rows = append(t.Rows, r)
}

// NewPlot is a plot without curves.
func NewPlot(title string, x, y Axis) *Plot { return &Plot{Title: title, X: x, Y: y} }

// Curve adds a curve without points.
func (p *Plot) Curve(name string, s Source) *Curve {
	c := &Curve{Name: name, Source: s}
	p.Curves = append(p.Curves, c)
	return c
}

// Add adds a point.
func (c *Curve) Add(x, y float64) { c.Points = append(c.Points, [2]float64{x, y}) }
