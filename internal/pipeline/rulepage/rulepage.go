package rulepage

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/explain"
)

// Verdict is a word about a rule, with a sign, so that nobody depends on colour. Rank is for
// sorting.
type Verdict struct {
	Word, Sign string
	Status     page.Status
	Rank       int
}

// Badge shows the verdict.
func (v Verdict) Badge() page.Span { return page.Badge(v.Status, v.Sign+" "+v.Word) }

// Cell shows the verdict in a table; the zero word stands for a direction that is not
// claimed.
func (v Verdict) Cell() page.Cell {
	c := page.Cell{Text: page.Say(v.Badge()), Sort: strconv.Itoa(v.Rank)}
	if v.Word == "" {
		c.Text = page.Say(page.Soft("not claimed"))
	}
	return c
}

// Facts are the numbers of rules by verdict, those of which there are rules.
func Facts(verdicts []Verdict, counts []int) (out []page.Fact) {
	for i, v := range verdicts {
		if counts[i] > 0 {
			out = append(out, page.Fact{Name: v.Word, Value: strconv.Itoa(counts[i]), Status: v.Status})
		}
	}
	return out
}

// VerdictFilter shows the rules with one of the verdicts, OperatorFilter those with an
// operator.
func VerdictFilter(name string, verdicts []Verdict) page.Filter {
	f := page.Filter{Name: name, Buttons: true}
	for _, v := range verdicts {
		f.Options = append(f.Options, page.Option{Key: v.Word, Text: page.Say(v.Badge())})
	}
	return f
}

// OperatorFilter is described at [VerdictFilter].
func OperatorFilter(operators []string) page.Filter {
	f := page.Filter{Name: "Operator"}
	for _, op := range operators {
		f.Options = append(f.Options, page.Option{Key: op, Text: page.Say(op)})
	}
	return f
}

// Coverage counts rules by operator and verdict. A bar shows the share in the rules of the
// operator.
func Coverage(verdicts []Verdict, counts map[string][]int) *page.Table {
	t := &page.Table{Grid: true, Columns: page.Columns("operator")}
	for _, v := range verdicts {
		t.Columns = append(t.Columns, page.Column{Name: v.Word, Number: true})
	}
	t.Columns = append(t.Columns, page.Column{Name: "all", Number: true})
	for _, op := range slices.Sorted(maps.Keys(counts)) {
		all := 0
		for _, n := range counts[op] {
			all += n
		}
		cells := page.Cells(page.Mono(op))
		for _, n := range counts[op] {
			c := page.Cell{Sort: strconv.Itoa(n)}
			if n > 0 {
				c.Text, c.Percent = page.Say(n), max(1, 100*n/all)
			}
			cells = append(cells, c)
		}
		t.Rows = append(t.Rows, page.Row{Cells: append(cells, page.Cells(all)...)})
	}
	return t
}

// Equation writes a law in a line, and lists its operators.
func Equation(l *law.Law) (line string, operators []string) {
	rel := " == "
	if l.OneWay {
		rel = " => "
	}
	ops := map[string]bool{}
	l.EachTerm(func(t *law.Term) {
		if t.Op != nil {
			ops[t.Op.Name] = true
		}
	})
	return law.FormatOutputs(l.LHS) + rel + law.FormatOutputs(l.RHS), slices.Sorted(maps.Keys(ops))
}

// Sides draws the sides of a law; name is what they are sides of, for titles.
func Sides(l *law.Law, name string) (page.Figures, error) {
	var out page.Figures
	for i, terms := range [][]*law.Term{l.LHS, l.RHS} {
		side := []string{"left side", "right side"}[i]
		f, err := page.Graph(explain.Picture(l, terms), side, draw.Options{Title: fmt.Sprintf("%s of %s", side, name)})
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
