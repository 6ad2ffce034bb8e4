package page

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
)

// verdicts are those of rows, by rank.
var verdicts = []rulepage.Verdict{
	{Word: "independent", Status: page.Good, Sign: "✓", Rank: 0},
	{Word: "derivable", Status: page.Good, Sign: "↳", Rank: 1},
	{Word: "refuted", Status: page.Bad, Sign: "✗", Rank: 2},
	{Word: "unknown", Status: page.Open, Sign: "?", Rank: 3},
}

// Write writes the report of a run as one page. Nothing of the report is changed. The
// error is that of w, or names the rule that cannot be shown.
func Write(w io.Writer, rep *genrules.Report) error {
	c := rep.Rules
	counts := []int{c.Kept, c.Derivable, c.Refuted, c.Unknown}
	p := &page.Page{
		Title: "Generated rules",
		Lead:  page.Say(fmt.Sprintf("%s proved: %d independent and %d derivable from those; not proved: %d refuted, %d unknown.", page.Count(c.Proved, "rewrite rule"), c.Kept, c.Derivable, c.Refuted, c.Unknown)),
		Facts: append(rulepage.Facts(verdicts, counts), page.Fact{Name: "graphs", Value: fmt.Sprint(rep.Graphs)}, page.Fact{Name: "time", Value: fmt.Sprintf("%.1f s", rep.Seconds)},
			page.Fact{Name: "CPU time", Value: fmt.Sprintf("%.1f s", rep.CPUSeconds)}, page.Fact{Name: "memory", Value: fmt.Sprintf("%.2f GB", float64(rep.PeakRSS)/1e9)}),
		Parts: []page.Part{page.Note(page.Say(fmt.Sprintf("%s; up to %s, %s, seed %d, %s", rep.Universe, page.Count(rep.MaxOps, "operator"), rep.Mode, rep.Seed, page.Count(rep.Workers, "worker"))))},
	}
	if rep.Stopped != "" {
		p.Parts = append(p.Parts, page.Say(page.Strong("Stopped before the end: "+rep.Stopped)))
	}
	rows, err := rowsOf(rep)
	if err != nil {
		return fmt.Errorf("gen-rules page: %w", err)
	}
	useful, err := usefulOf(rep)
	if err != nil {
		return fmt.Errorf("gen-rules page: %w", err)
	}
	p.Parts = append(p.Parts, funnel(rep))
	if len(rep.Useful) > 0 {
		p.Parts = append(p.Parts, useful)
	}
	byOperator := map[string][]int{}
	t := &page.Table{Noun: "rules", Columns: page.Columns("##", "rule", "id", "verdict", "use", "#operators", "#proof, instances")}
	for _, r := range rows {
		t.Rows = append(t.Rows, r.Row)
		for _, op := range r.Keys[1] {
			if byOperator[op] == nil {
				byOperator[op] = make([]int, len(verdicts))
			}
			byOperator[op][r.verdict.Rank]++
		}
	}
	kinds := page.Filter{Name: "Kind"}
	for _, l := range rep.Levels {
		kinds.Options = append(kinds.Options, page.Option{Key: levelKey(l.Operators), Text: page.Say("of " + page.Count(l.Operators, "operator"))})
	}
	kinds.Options = append(kinds.Options, page.Option{Key: "outputs", Text: page.Say("two outputs")}, page.Option{Key: "conditional", Text: page.Say("conditional")},
		page.Option{Key: "meaning", Text: page.Say("proved from operator semantics")})
	t.Filters = []page.Filter{rulepage.VerdictFilter("Verdict", verdicts), rulepage.OperatorFilter(slices.Sorted(maps.Keys(byOperator))), kinds}
	p.Parts = append(p.Parts, &page.Section{ID: "rules", Title: page.Say("Rules and candidates"), Parts: []page.Part{t}})
	if len(byOperator) > 0 {
		p.Parts = append(p.Parts, &page.Section{ID: "operators", Title: page.Say("Rules by operator and verdict"), Parts: []page.Part{rulepage.Coverage(verdicts, byOperator)}})
	}
	if err := p.Write(w); err != nil {
		return fmt.Errorf("gen-rules page: %w", err)
	}
	return nil
}

func levelKey(operators int) string { return fmt.Sprintf("level%d", operators) }

// funnel shows how many graphs of each size became rules.
func funnel(rep *genrules.Report) *page.Section {
	t := &page.Table{Grid: true, Columns: page.Columns("#operators", "#graphs", "#classes", "#pairs that agree", "#stated as laws", "#candidates", "#proved", "#independent rules", "#time, s")}
	largest := 1.0
	for _, l := range rep.Levels {
		largest = max(largest, float64(l.Graphs))
	}
	for _, l := range rep.Levels {
		kept := int64(0)
		if rep.Set != nil {
			for _, r := range rep.Set.Rules {
				if r.Level == l.Operators && !r.Derivable {
					kept++
				}
			}
		}
		cells := page.Cells(l.Operators)
		for _, n := range []int64{l.Graphs, l.Classes, l.Pairs, l.Stated, l.Candidates, l.Proved, kept} {
			c := page.Cell{Text: page.Say(n)}
			if n > 0 {
				c.Percent = max(1, int(math.Round(100*math.Log1p(float64(n))/math.Log1p(largest))))
			}
			cells = append(cells, c)
		}
		t.Rows = append(t.Rows, page.Row{Cells: append(cells, page.Cells(fmt.Sprintf("%.1f", l.Seconds))...)})
	}
	return &page.Section{ID: "levels", Title: page.Say("From graphs to rules"), Parts: []page.Part{t, page.Note(page.Say(
		"A class is a set of graphs with equal fingerprints. A pair of equal graphs that follows from no smaller rule is stated as a law in its most general form. " +
			"Equal laws are one candidate. Rules with two outputs, and rules about the exact relu and maximum, are added after the last level. The bars have a logarithmic scale."))}}
}

// usefulOf draws the rules that save most.
func usefulOf(rep *genrules.Report) (*page.Section, error) {
	t := &page.Table{Columns: page.Columns("#time saved, %", "effect", "before", "after", "id")}
	for _, u := range rep.Useful {
		row := page.Row{Cells: page.Cells(page.Cell{Text: page.Say(int(math.Round(100 * u.Saves))), Percent: int(math.Round(100 * u.Saves))}, u.Words, page.Mono(u.Before), page.Mono(u.After), "")}
		if r, ok := rep.Set.Find(u.ID); ok {
			row.Cells[4] = page.Cells(page.Link(u.ID, u.ID))[0]
			sides, err := rulepage.Sides(r.Law, "rule "+u.ID)
			if err != nil {
				return nil, fmt.Errorf("rule %s: %w", u.ID, err)
			}
			row.Detail = []page.Part{sides}
		}
		t.Rows = append(t.Rows, row)
	}
	return &page.Section{ID: "useful", Title: page.Say("Rules that save most"), Parts: []page.Part{t, page.Note(page.Say(
		"Independent rules that are not built in (axioms, lemmas, laws); of rules that remove the same operators, the best one. " +
			"The saving of one use is modelled: zen5 machine model, each operator a kernel, all sizes 64, windows 3x3, strides 1. " +
			"Rules about constants, and rules in which an operator reads one tensor twice, are left out."))}}, nil
}

// number is a count that is not shown if it is 0.
func number(n int) page.Cell {
	if n == 0 {
		return page.Cell{Sort: "0"}
	}
	return page.Cell{Text: page.Say(strconv.Itoa(n))}
}
