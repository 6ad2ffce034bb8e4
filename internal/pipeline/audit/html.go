package audit

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	text "text/template"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/draw"
)

//go:embed html.tmpl
var htmlText string

var htmlTemplate = sync.OnceValues(func() (*template.Template, error) {
	return template.New("audit").Parse(htmlText)
})

// htmlParts are the style sheet and the script. They are static text and no
// markup, so the template that escapes must not see them.
var htmlParts = sync.OnceValues(func() (parts [2]string, err error) {
	t, err := text.New("audit").Parse(htmlText)
	if err != nil {
		return parts, err
	}
	for i, name := range []string{"style", "script"} {
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, name, nil); err != nil {
			return parts, err
		}
		parts[i] = b.String()
	}
	return parts, nil
})

// WriteHTML writes the reports as one page that needs nothing else: no network,
// no other file. Its rules can be filtered and sorted; each opens to the graphs
// of its sides, the verdicts of all readings, the axioms, and counterexamples
// with every intermediate tensor. All text of the reports is escaped, and the
// page's policy lets no script run but its own. Nothing of the reports is
// changed. The error is that of w, or names the rule that cannot be drawn.
func WriteHTML(w io.Writer, reports []*Report) error {
	t, err := htmlTemplate()
	if err != nil {
		return fmt.Errorf("audit page: %w", err)
	}
	parts, err := htmlParts()
	if err != nil {
		return fmt.Errorf("audit page: %w", err)
	}
	sum := sha256.Sum256([]byte(parts[1]))
	page := htmlPage{
		Title:  "Audit",
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Style:  template.CSS(parts[0] + draw.Style()),
		Script: template.JS(parts[1]),
	}
	for _, o := range Outcomes {
		page.Words = append(page.Words, htmlWord{string(o), o.Doc()})
	}
	if len(reports) == 1 {
		page.Title = "Audit of " + filepath.Base(reports[0].File)
	}
	says := map[string]string{}
	for _, l := range axioms.Default() {
		says[l.Name] = l.Doc
	}
	for i, rep := range reports {
		f, err := newHTMLFile(i, rep, says)
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

// htmlPage is the page.
type htmlPage struct {
	Title, Policy string
	Words         []htmlWord // what the verdicts mean
	Style         template.CSS
	Script        template.JS
	Files         []*htmlFile
}

// htmlWord is a verdict and what it means.
type htmlWord struct{ Word, Means string }

// htmlFile is the part of the page about one report.
type htmlFile struct {
	ID        string
	Report    *Report
	Cards     []htmlCard
	Outcomes  []htmlVerdict
	Operators []string
	Rules     []*htmlRule
	Minimal   []htmlRef
	Looping   [][]htmlRef
	Use       []htmlUse
	Unused    []htmlAxiom
	Matrix    []htmlCoverage

	says map[string]string // what each axiom says
	sets map[int]*htmlSets // by index of rule
}

// htmlSets is what the set as a whole says of one rule.
type htmlSets struct {
	minimal   bool
	twins     []int // later rules that say the same
	instances []int // rules that are instances of it
	looping   []int // the others it loops with; itself, if alone
}

// htmlCard is a number of the summary.
type htmlCard struct{ Name, Class, Value string }

// htmlVerdict is an outcome; the zero value is that of a direction that is not
// claimed.
type htmlVerdict struct {
	Word, Class, Sign string
	Rank              int // for sorting
}

// htmlRef is a link to a rule.
type htmlRef struct {
	ID    string
	Index int
}

// htmlAxiom is an axiom with its sentence.
type htmlAxiom struct{ Name, Sentence string }

// htmlUse is a bar: how many rules use an axiom, also in percent of the most
// used one.
type htmlUse struct {
	htmlAxiom
	Rules, Percent int
}

// htmlCoverage is a row of the matrix of operators and verdicts.
type htmlCoverage struct {
	Operator string
	All      int
	Cells    []htmlShare
}

// htmlShare is a count, and as a share of its row.
type htmlShare struct {
	Rules int
	Share float64
}

// signs of the outcomes, so that nobody depends on colour.
var htmlSigns = map[Outcome]string{Proved: "✓", Conditional: "◐", UpTo: "◔", Refuted: "✗", Unknown: "?", IllFormed: "⚠", Unsupported: "∅"}

func newHTMLVerdict(o Outcome) htmlVerdict {
	if o == "" {
		return htmlVerdict{Rank: len(Outcomes)}
	}
	v := htmlVerdict{Word: string(o), Class: "other", Sign: "•", Rank: slices.Index(Outcomes, o)}
	if v.Rank >= 0 {
		v.Class, v.Sign = strings.ReplaceAll(string(o), "-", ""), htmlSigns[o]
	}
	return v
}

// ref is a link to the rule of that index.
func (f *htmlFile) ref(index int) htmlRef {
	return htmlRef{ID: fmt.Sprintf("%s-%d", f.ID, index), Index: index}
}

func (f *htmlFile) refs(indices []int) []htmlRef {
	var out []htmlRef
	for _, i := range indices {
		out = append(out, f.ref(i))
	}
	return out
}

func (f *htmlFile) axioms(names []string) []htmlAxiom {
	var out []htmlAxiom
	for _, n := range names {
		out = append(out, htmlAxiom{n, f.says[n]})
	}
	return out
}

// set is what the set says of a rule; it may be filled in.
func (f *htmlFile) set(index int) *htmlSets {
	if f.sets[index] == nil {
		f.sets[index] = &htmlSets{}
	}
	return f.sets[index]
}

func newHTMLFile(number int, rep *Report, says map[string]string) (*htmlFile, error) {
	f := &htmlFile{ID: "f" + strconv.Itoa(number), Report: rep, says: says, sets: map[int]*htmlSets{}}
	s := rep.Summary
	card := func(name, class string, n int) {
		f.Cards = append(f.Cards, htmlCard{name, class, strconv.Itoa(n)})
	}
	card("rules", "", s.Rules)
	for _, o := range Outcomes {
		v := newHTMLVerdict(o)
		card(v.Word, v.Class, s.Verdicts[o])
		f.Outcomes = append(f.Outcomes, v)
	}
	card("certified", "", s.Certified)
	card("duplicates", "", s.Duplicates)
	card("derivable", "", s.Derivable)
	card("in the minimal subset", "", len(rep.Set.Minimal))
	f.Cards = append(f.Cards, htmlCard{"seconds", "", strconv.FormatFloat(s.Seconds, 'f', 2, 64)})
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
func (f *htmlFile) whole() {
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
		f.Use = append(f.Use, htmlUse{htmlAxiom{u.Name, f.says[u.Name]}, u.Rules, 100 * u.Rules / most})
	}
	f.Unused = f.axioms(rep.Set.Unused)
	for _, c := range rep.Set.Operators {
		row := htmlCoverage{Operator: c.Operator}
		for _, o := range Outcomes {
			row.All += c.Rules[o]
		}
		for _, o := range Outcomes {
			row.Cells = append(row.Cells, htmlShare{c.Rules[o], float64(100*c.Rules[o]/max(1, row.All)) / 100})
		}
		f.Matrix = append(f.Matrix, row)
	}
}
