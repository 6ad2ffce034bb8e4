package bench

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Record is the outcome of a benchmark, and how it came to be. Run fills in
// Tables, Plots and Notes; [Make] does the rest.
type Record struct {
	Name string `json:"name"`
	// Date is the day of the run, 2006-01-02, of a past record that of its commit.
	Date string `json:"date"`
	// Commit is the commit whose code ran, as hexadecimal digits, "" if not known.
	// Changed: there were changes to its sources that are in no commit.
	Commit  string `json:"commit"`
	Changed bool   `json:"changed,omitempty"`
	// Machine is what it ran on, in words.
	Machine string `json:"machine"`
	// Command makes the record.
	Command string `json:"command"`
	// Seconds and CPUSeconds are what the whole run took; 0 where that is not known.
	Seconds    float64 `json:"seconds,omitempty"`
	CPUSeconds float64 `json:"cpu_seconds,omitempty"`
	// Sources are digests of the code it speaks of, by package; nil where that is
	// not known, as in records of before digests were kept.
	Sources map[string]string `json:"sources,omitempty"`

	Tables []*Table `json:"tables"`
	Plots  []*Plot  `json:"plots,omitempty"`
	// Notes are paragraphs behind the tables, in Markdown.
	Notes []string `json:"notes,omitempty"`
}

// Source says where a figure comes from. Those of times are the words of
// cost.Source.
type Source string

// The sources. A column of words has none.
const (
	FromModel  Source = "modelled" // by a formula
	FromBefore Source = "recorded" // by a clock, elsewhere or before; or published
	FromClock  Source = "measured" // by a clock, in this run
	FromCount  Source = "counted"  // the same on every machine
)

// sources are those that there are, in the order in which texts name them.
var sources = []Source{FromCount, FromClock, FromBefore, FromModel}

// Column is a quantity of a table.
type Column struct {
	Name   string `json:"name"`
	Unit   string `json:"unit,omitempty"`
	Source Source `json:"source,omitempty"`
	// Format says how numbers are shown: "" as they are in the record, ".2f" with
	// two digits behind the point, ".3g" with three significant ones, a "+" before
	// it to show the sign of positive ones.
	Format string `json:"format,omitempty"`
}

// Row is a line of a table. Its Source, if any, is that of all its figures,
// whatever the columns say.
type Row struct {
	Source Source `json:"source,omitempty"`
	Cells  []Cell `json:"cells"`
}

// Table holds figures in columns.
type Table struct {
	// Title stands above it, in Markdown.
	Title   string   `json:"title,omitempty"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	// Across shows columns as lines, and rows beside each other.
	Across bool `json:"across,omitempty"`
}

// nameForm is the form of names of benchmarks.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

var commitForm = regexp.MustCompile(`^([0-9a-f]{7,40})?$`)

// maxText bounds a text of a record in bytes, maxRows the lines of a table and the
// points of a curve.
const (
	maxText = 1 << 16
	maxRows = 100_000
)

// Check reports what is wrong with a record, by name and place: missing or
// unknown words, rows that are not as long as the heading, numbers that are none.
func (r *Record) Check() error {
	fail := func(err error) error { return fmt.Errorf("record %q: %w", r.Name, err) }
	if !nameForm.MatchString(r.Name) {
		return fail(errors.New("its name is not lower-case words joined by \"-\""))
	}
	if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
		return fail(fmt.Errorf("its date %q is not of the form 2006-01-02", r.Date))
	}
	if !commitForm.MatchString(r.Commit) {
		return fail(fmt.Errorf("its commit %q is not 7 to 40 hexadecimal digits", r.Commit))
	}
	if len(r.Tables)+len(r.Plots) == 0 {
		return fail(errors.New("it holds no table and no plot"))
	}
	if !(r.Seconds >= 0 && r.CPUSeconds >= 0) {
		return fail(errors.New("its duration is negative"))
	}
	for _, s := range append([]string{r.Machine, r.Command}, r.Notes...) {
		if err := checkText(s); err != nil {
			return fail(err)
		}
	}
	for _, s := range []string{r.Machine, r.Command} {
		if strings.Contains(s, "\n") {
			return fail(fmt.Errorf("%q is more than a line", s))
		}
	}
	for i, t := range r.Tables {
		if t == nil {
			return fail(fmt.Errorf("table %d: is missing", i+1))
		}
		if err := t.check(); err != nil {
			return fail(fmt.Errorf("table %d: %w", i+1, err))
		}
	}
	for i, p := range r.Plots {
		if p == nil {
			return fail(fmt.Errorf("plot %d: is missing", i+1))
		}
		if err := p.check(); err != nil {
			return fail(fmt.Errorf("plot %d: %w", i+1, err))
		}
	}
	return nil
}

// checkText reports text that a section cannot hold.
func checkText(s string) error {
	switch {
	case len(s) > maxText:
		return fmt.Errorf("a text of %d bytes is longer than %d", len(s), maxText)
	case strings.Contains(s, "<!--") || strings.Contains(s, "-->"):
		return fmt.Errorf("%q holds a mark of comments, which sections begin and end with", s)
	case strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\n' || c == 0x7f || c == 0xfffd }):
		return fmt.Errorf("%q holds a character that does not print", s)
	}
	return nil
}

func (s Source) check(empty bool) error {
	if s == "" && empty {
		return nil
	}
	for _, t := range sources {
		if s == t {
			return nil
		}
	}
	return fmt.Errorf("source %q is not modelled, recorded, measured or counted", string(s))
}

func (t *Table) check() error {
	if err := checkText(t.Title); err != nil {
		return err
	}
	if len(t.Columns) == 0 || len(t.Rows) == 0 {
		return errors.New("it has no column or no row")
	}
	if len(t.Rows) > maxRows {
		return fmt.Errorf("%d rows are more than %d", len(t.Rows), maxRows)
	}
	for _, c := range t.Columns {
		if strings.Contains(c.Name+c.Unit, "\n") {
			return fmt.Errorf("column %q is more than a line", c.Name)
		}
		if err := checkText(c.Name + c.Unit); err != nil {
			return err
		}
		if err := c.Source.check(true); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		if !formatForm.MatchString(c.Format) {
			return fmt.Errorf("column %q: format %q is not such as .2f or .3g", c.Name, c.Format)
		}
	}
	for i, r := range t.Rows {
		if len(r.Cells) != len(t.Columns) {
			return fmt.Errorf("row %d has %d cells under %d columns", i+1, len(r.Cells), len(t.Columns))
		}
		if err := r.Source.check(true); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		for j, c := range r.Cells {
			if err := c.check(); err != nil {
				return fmt.Errorf("row %d, column %q: %w", i+1, t.Columns[j].Name, err)
			}
			if _, ok := c.Number(); ok && t.Columns[j].Source == "" && r.Source == "" {
				return fmt.Errorf("row %d, column %q: a number without a source", i+1, t.Columns[j].Name)
			}
		}
	}
	return nil
}
