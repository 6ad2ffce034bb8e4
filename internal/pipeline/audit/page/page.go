package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/internal/pipeline/rulepage"
)

var (
	//go:embed page.tmpl
	pageText string

	pageTemplate = sync.OnceValues(func() (*template.Template, error) {
		return rulepage.Template("audit", pageText)
	})
)

// Write writes the reports as one page that needs nothing else: no network,
// no other file. Its rules can be filtered and sorted; each opens to the graphs
// of its sides, the verdicts of all readings, the axioms, and counterexamples
// with every intermediate tensor. All text of the reports is escaped, and the
// page's policy lets no script run but its own. Nothing of the reports is
// changed. The error is that of w, or names the rule that cannot be drawn.
func Write(w io.Writer, reports []*audit.Report) error {
	t, err := pageTemplate()
	if err != nil {
		return fmt.Errorf("audit page: %w", err)
	}
	page := content{Page: draw.NewPage("Audit", rulepage.Style, rulepage.Script)}
	for _, o := range audit.Outcomes {
		page.Words = append(page.Words, word{string(o), o.Doc()})
	}
	if len(reports) == 1 {
		page.Title = "Audit of " + filepath.Base(reports[0].File)
	}
	says := map[string]string{}
	for _, l := range axioms.Default() {
		says[l.Name] = l.Doc
	}
	for i, rep := range reports {
		f, err := newFile(i, rep, says)
		if err != nil {
			return fmt.Errorf("audit page: %s: %w", rep.File, err)
		}
		page.Files = append(page.Files, f)
	}
	if err := t.ExecuteTemplate(w, "page", page); err != nil {
		return fmt.Errorf("audit page: %w", err)
	}
	return nil
}

// The types below are what the template reads.

// content is the page.
type content struct {
	draw.Page
	Words []word // what the verdicts mean
	Files []*file
}

// word is a verdict and what it means.
type word struct{ Word, Means string }

// file is the part of the page about one report.
type file struct {
	ID        string
	Report    *audit.Report
	Cards     []card
	Outcomes  []verdict
	Operators []string
	Rules     []*rule
	Minimal   []ref
	Looping   [][]ref
	Use       []use
	Unused    []axiom
	Matrix    []rulepage.Coverage

	says map[string]string // what each axiom says
	sets map[int]*sets     // by index of rule
}

// sets is what the set as a whole says of one rule.
type sets struct {
	minimal   bool
	twins     []int // later rules that say the same
	instances []int // rules that are instances of it
	looping   []int // the others it loops with; itself, if alone
}

// card is a number of the summary.
type card struct{ Name, Class, Value string }

// verdict is an outcome; the zero value is that of a direction that is not
// claimed.
type verdict = rulepage.Verdict

// ref is a link to a rule.
type ref struct {
	ID    string
	Index int
}

// axiom is an axiom with its sentence.
type axiom struct{ Name, Sentence string }

// use is a bar: how many rules use an axiom, also in percent of the most
// used one.
type use struct {
	axiom
	Rules, Percent int
}

// signs of the outcomes, so that nobody depends on colour.
var signs = map[audit.Outcome]string{audit.Proved: "✓", audit.Conditional: "◐", audit.UpTo: "◔", audit.Refuted: "✗", audit.Unknown: "?", audit.IllFormed: "⚠", audit.Unsupported: "∅"}

func newVerdict(o audit.Outcome) verdict {
	if o == "" {
		return verdict{Rank: len(audit.Outcomes)}
	}
	v := verdict{Word: string(o), Class: "other", Sign: "•", Rank: slices.Index(audit.Outcomes, o)}
	if v.Rank >= 0 {
		v.Class, v.Sign = strings.ReplaceAll(string(o), "-", ""), signs[o]
	}
	return v
}

// ref is a link to the rule of that index.
func (f *file) ref(index int) ref {
	return ref{ID: fmt.Sprintf("%s-%d", f.ID, index), Index: index}
}

func (f *file) refs(indices []int) []ref {
	var out []ref
	for _, i := range indices {
		out = append(out, f.ref(i))
	}
	return out
}

func (f *file) axioms(names []string) []axiom {
	var out []axiom
	for _, n := range names {
		out = append(out, axiom{n, f.says[n]})
	}
	return out
}

// set is what the set says of a rule; it may be filled in.
func (f *file) set(index int) *sets {
	if f.sets[index] == nil {
		f.sets[index] = &sets{}
	}
	return f.sets[index]
}

func newFile(number int, rep *audit.Report, says map[string]string) (*file, error) {
	f := &file{ID: "f" + strconv.Itoa(number), Report: rep, says: says, sets: map[int]*sets{}}
	s := rep.Summary
	count := func(name, class string, n int) {
		f.Cards = append(f.Cards, card{name, class, strconv.Itoa(n)})
	}
	count("rules", "", s.Rules)
	for _, o := range audit.Outcomes {
		v := newVerdict(o)
		count(v.Word, v.Class, s.Verdicts[o])
		f.Outcomes = append(f.Outcomes, v)
	}
	count("certified", "", s.Certified)
	count("duplicates", "", s.Duplicates)
	count("derivable", "", s.Derivable)
	count("in the minimal subset", "", len(rep.Set.Minimal))
	f.Cards = append(f.Cards, card{"seconds", "", strconv.FormatFloat(s.Seconds, 'f', 2, 64)})
	f.whole()
	ops := map[string]bool{}
	for _, c := range rep.Set.Operators {
		ops[c.Operator] = true
	}
	for _, r := range rep.Rules {
		h, err := f.rule(r)
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", r.Index, err)
		}
		for _, op := range h.operators {
			ops[op] = true
		}
		f.Rules = append(f.Rules, h)
	}
	f.Operators = slices.Sorted(maps.Keys(ops))
	return f, nil
}

// whole prepares what is said of the set.
func (f *file) whole() {
	rep := f.Report
	f.Minimal = f.refs(rep.Set.Minimal)
	for _, i := range rep.Set.Minimal {
		f.set(i).minimal = true
	}
	for _, r := range rep.Rules {
		if r.DuplicateOf >= 0 {
			f.set(r.DuplicateOf).twins = append(f.set(r.DuplicateOf).twins, r.Index)
		}
		if r.SubsumedBy >= 0 {
			f.set(r.SubsumedBy).instances = append(f.set(r.SubsumedBy).instances, r.Index)
		}
	}
	for _, l := range rep.Set.Looping {
		f.Looping = append(f.Looping, f.refs(l))
		for _, i := range l {
			for _, j := range l {
				if i != j || len(l) == 1 {
					f.set(i).looping = append(f.set(i).looping, j)
				}
			}
		}
	}
	most := 1
	for _, u := range rep.Set.AxiomUse {
		most = max(most, u.Rules)
	}
	for _, u := range rep.Set.AxiomUse {
		f.Use = append(f.Use, use{axiom{u.Name, f.says[u.Name]}, u.Rules, 100 * u.Rules / most})
	}
	f.Unused = f.axioms(rep.Set.Unused)
	for _, c := range rep.Set.Operators {
		var counts []int
		for _, o := range audit.Outcomes {
			counts = append(counts, c.Rules[o])
		}
		f.Matrix = append(f.Matrix, rulepage.CoverageOf(c.Operator, counts))
	}
}
