package page

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/page"
	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
)

// Write writes the reports as one page. Nothing of the reports is changed. The error is that
// of w, or names the rule that cannot be drawn.
func Write(w io.Writer, reports []*audit.Report) error {
	p := &page.Page{Title: "Audit", Lead: page.Say(answer(reports))}
	if len(reports) == 1 {
		p.Title = "Audit of " + filepath.Base(reports[0].File)
	}
	words := &page.Table{Columns: page.Columns("verdict", "meaning")}
	for _, o := range audit.Outcomes {
		words.Rows = append(words.Rows, page.Row{Cells: page.Cells(verdictOf(o).Cell(), o.Doc())})
	}
	p.Parts = append(p.Parts, &page.Details{Title: page.Say("What the verdicts mean"), Parts: []page.Part{
		page.Say("Each direction of a rule has its own verdict. A reading fixes what a file format leaves open."), words}})
	if len(reports) > 1 {
		files := page.Say("Files: ")
		for i, rep := range reports {
			files = page.Say(files, page.Link(fileID(i), rep.File), "  ")
		}
		p.Parts = append(p.Parts, files)
	}
	says := map[string]string{}
	for _, l := range axioms.Default() {
		says[l.Name] = l.Doc
	}
	for i, rep := range reports {
		f := &file{id: fileID(i), report: rep, says: says, sets: map[int]*sets{}}
		s, err := f.section()
		if err != nil {
			return fmt.Errorf("audit page: %s: %w", rep.File, err)
		}
		p.Parts = append(p.Parts, s)
	}
	if err := p.Write(w); err != nil {
		return fmt.Errorf("audit page: %w", err)
	}
	return nil
}

func fileID(i int) string { return "f" + strconv.Itoa(i) }

// answer is the first line of the page: what the report on the terminal says first.
func answer(reports []*audit.Report) string {
	if len(reports) == 1 {
		a := reports[0].Answer()
		return strings.ToUpper(a[:1]) + a[1:] + "."
	}
	var all []string
	for _, r := range reports {
		all = append(all, filepath.Base(r.File)+": "+r.Answer()+".")
	}
	return strings.Join(all, " ")
}

// file is a report that becomes a section.
type file struct {
	id     string
	report *audit.Report
	says   map[string]string // what each axiom says
	sets   map[int]*sets     // by index of rule
}

// sets is what the set as a whole says of one rule.
type sets struct {
	minimal   bool
	twins     []int // later rules that say the same
	instances []int // rules that are instances of it
	looping   []int // the others it loops with; itself, if alone
}

// signs and statuses of the outcomes.
var (
	signs    = map[audit.Outcome]string{audit.Proved: "✓", audit.Conditional: "◐", audit.UpTo: "◔", audit.Refuted: "✗", audit.Unknown: "?", audit.IllFormed: "⚠", audit.Unsupported: "∅"}
	statuses = map[audit.Outcome]page.Status{audit.Proved: page.Good, audit.Conditional: page.Partial, audit.UpTo: page.Partial, audit.Refuted: page.Bad, audit.Unknown: page.Open, audit.IllFormed: page.Invalid, audit.Unsupported: page.Invalid}
)

// verdictOf an outcome; that of a direction which is not claimed has no word.
func verdictOf(o audit.Outcome) rulepage.Verdict {
	v := rulepage.Verdict{Word: string(o), Sign: signs[o], Status: statuses[o], Rank: slices.Index(audit.Outcomes, o)}
	if o == "" {
		v.Rank = len(audit.Outcomes)
	}
	return v
}

// refs are links to the rules of these indices.
func (f *file) refs(indices []int) (t page.Text) {
	for k, i := range indices {
		if k > 0 {
			t = page.Say(t, ", ")
		}
		t = page.Say(t, page.Link(f.rowID(i), fmt.Sprintf("#%d", i)))
	}
	return t
}

func (f *file) rowID(index int) string { return fmt.Sprintf("%s-%d", f.id, index) }

// axioms are axioms with their sentences.
func (f *file) axioms(names []string) *page.Table {
	t := &page.Table{Columns: page.Columns("axiom", "meaning")}
	for _, n := range names {
		t.Rows = append(t.Rows, page.Row{Cells: page.Cells(page.Mono(n), f.says[n])})
	}
	return t
}

// set is what the set says of a rule; it may be filled in.
func (f *file) set(index int) *sets {
	if f.sets[index] == nil {
		f.sets[index] = &sets{}
	}
	return f.sets[index]
}

func (f *file) section() (*page.Section, error) {
	rep, s := f.report, f.report.Summary
	var verdicts []rulepage.Verdict
	var counts []int
	for _, o := range audit.Outcomes {
		if n := s.Verdicts[o]; n > 0 {
			verdicts, counts = append(verdicts, verdictOf(o)), append(counts, n)
		}
	}
	facts := page.Facts{{Name: "rules", Value: strconv.Itoa(s.Rules)}}
	facts = append(facts, rulepage.Facts(verdicts, counts)...)
	for _, c := range []struct {
		name string
		n    int
	}{{"certified", s.Certified}, {"duplicates", s.Duplicates}, {"derivable", s.Derivable}, {"in the minimal subset", len(rep.Set.Minimal)}} {
		facts = append(facts, page.Fact{Name: c.name, Value: strconv.Itoa(c.n)})
	}
	facts = append(facts, page.Fact{Name: "time", Value: strconv.FormatFloat(s.Seconds, 'f', 2, 64) + " s"})
	whole := f.whole()
	ops := map[string]bool{}
	for _, c := range rep.Set.Operators {
		ops[c.Operator] = true
	}
	t := &page.Table{Noun: "rules", Columns: page.Columns("##", "name", "rule", "left to right", "right to left", "condition", "sound as read by", "#time, ms")}
	t.Columns[5].Short = true
	for _, r := range rep.Rules {
		row, operators, err := f.rule(r)
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", r.Index, err)
		}
		for _, op := range operators {
			ops[op] = true
		}
		t.Rows = append(t.Rows, row)
	}
	t.Filters = []page.Filter{rulepage.VerdictFilter("Verdict, either direction", verdicts), rulepage.OperatorFilter(slices.Sorted(maps.Keys(ops))), kindFilter}
	return &page.Section{ID: f.id, Title: page.Say(rep.File, page.Soft(" "+rep.Format)), Parts: []page.Part{facts,
		&page.Section{Title: page.Say("Rules"), Small: true, Parts: []page.Part{t}}, whole}}, nil
}

// kindFilter is by how a rule stands to the others.
var kindFilter = page.Filter{Name: "Kind", Options: []page.Option{
	{Key: "minimal", Text: page.Say("in the minimal subset")}, {Key: "derivable", Text: page.Say("derivable")}, {Key: "duplicate", Text: page.Say("duplicate")},
	{Key: "subsumed", Text: page.Say("subsumed")}, {Key: "looping", Text: page.Say("looping")}, {Key: "differs", Text: page.Say("readings differ")}}}

// whole says what is to be said of the set.
func (f *file) whole() *page.Section {
	set := f.report.Set
	s := &page.Section{Title: page.Say("The set as a whole"), Small: true}
	add := func(p ...page.Part) { s.Parts = append(s.Parts, p...) }
	for _, i := range set.Minimal {
		f.set(i).minimal = true
	}
	for _, r := range f.report.Rules {
		if r.DuplicateOf >= 0 {
			f.set(r.DuplicateOf).twins = append(f.set(r.DuplicateOf).twins, r.Index)
		}
		if r.SubsumedBy >= 0 {
			f.set(r.SubsumedBy).instances = append(f.set(r.SubsumedBy).instances, r.Index)
		}
	}
	text := page.Say(fmt.Sprintf("Sound rules, up to renaming and direction: %d.", set.Classes))
	if len(set.Minimal) > 0 {
		text = page.Say(text, fmt.Sprintf(" Every sound rule follows from %s: ", page.Count(len(set.Minimal), "rule")), f.refs(set.Minimal), ".")
	}
	add(text)
	if len(set.Looping) > 0 {
		var loops page.Text
		for k, l := range set.Looping {
			if k > 0 {
				loops = page.Say(loops, "; ")
			}
			loops = page.Say(loops, f.refs(l))
			for _, i := range l {
				for _, j := range l {
					if i != j || len(l) == 1 {
						f.set(i).looping = append(f.set(i).looping, j)
					}
				}
			}
		}
		add(&page.Details{Title: page.Say(fmt.Sprintf("Rules that undo themselves or each other, used left to right: %d", len(set.Looping))), Parts: []page.Part{loops}})
	}
	if len(set.AxiomUse) > 0 {
		most := 1
		for _, u := range set.AxiomUse {
			most = max(most, u.Rules)
		}
		t := &page.Table{Columns: page.Columns("axiom", "#rules", "meaning")}
		for _, u := range set.AxiomUse {
			t.Rows = append(t.Rows, page.Row{Cells: page.Cells(page.Mono(u.Name), page.Cell{Text: page.Say(u.Rules), Percent: 100 * u.Rules / most}, page.Soft(f.says[u.Name]))})
		}
		add(page.Head(page.Say("Axioms by use")), t)
	}
	if len(set.Unused) > 0 {
		add(&page.Details{Title: page.Say(fmt.Sprintf("Axioms that no proof uses: %d", len(set.Unused))), Parts: []page.Part{f.axioms(set.Unused)}})
	}
	if len(set.Operators) > 0 {
		var verdicts []rulepage.Verdict
		counts := map[string][]int{}
		for _, o := range audit.Outcomes {
			verdicts = append(verdicts, verdictOf(o))
			for _, c := range set.Operators {
				counts[c.Operator] = append(counts[c.Operator], c.Rules[o])
			}
		}
		add(page.Head(page.Say("Rules by operator and verdict")), rulepage.Coverage(verdicts, counts))
	}
	return s
}

// named is a text with what it is of.
type named struct{ name, text string }

// condition joins the conditions of both directions.
func condition(r *audit.Rule) string {
	switch {
	case r.Condition == r.ConditionReverse || r.ConditionReverse == "":
		return r.Condition
	case r.Condition == "":
		return backward + ": " + r.ConditionReverse
	}
	return strings.Join([]string{forward + ": " + r.Condition, backward + ": " + r.ConditionReverse}, "; ")
}
