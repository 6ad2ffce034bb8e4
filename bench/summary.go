package bench

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// summary is the name of the section of RESULTS.md that [Repository.Render] fills with a
// row for each covered item of the index. No benchmark may have it.
const summary = "summary"

// HeadlineLimit is how long the benchmarks of all headline rows may take together.
const HeadlineLimit = time.Hour

// topic is a section of the summary, and a file results/NAME.md with the whole tables.
type topic struct {
	name, title string
	// plot is drawn in the section: plot number index of a record. benchmark "": none.
	benchmark string
	index     int
}

// topics in the order of the summary.
var topics = []topic{
	{"rules", "Rule generation", "growth", 0},
	{"audit", "Audits and proofs", "certificates", 0},
	{"egraph", "E-graphs and extraction", "egraph", 0},
	{"optimize", "Optimized models", "optimize-kernels", 0},
	{"cpu", "ONNX Runtime and CPU backend", "optimize-cpu", 0},
	{"gpu", "GPU", "", 0},
	{"plans", "Parallel training plans", "plans-alpa", 0},
	{"jax", "Plans run by JAX", "", 0},
	{"models", "Models", "", 0},
	{"code", "Code size", "", 0},
}

func topicOf(name string) *topic {
	for i := range topics {
		if topics[i].name == name {
			return &topics[i]
		}
	}
	return nil
}

// picture is the file of the plot of a topic, "" if there is none.
func (t *topic) picture(records map[string]*Record) (file, title string) {
	rec := records[t.benchmark]
	if rec == nil || t.index >= len(rec.Plots) {
		return "", ""
	}
	return rec.Picture(t.index), rec.Plots[t.index].Title
}

// Estimate is what a benchmark takes by its own account, 0 if that is no time such as
// "20 s" or "5 min".
func (b *Benchmark) Estimate() time.Duration {
	number, unit, _ := strings.Cut(b.Takes, " ")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0
	}
	switch unit {
	case "s":
		return time.Duration(n * float64(time.Second))
	case "min":
		return time.Duration(n * float64(time.Minute))
	}
	return 0
}

// Headlines are what the benchmarks of the headline rows take together: by their records,
// and by their own estimates where a record has no duration.
type Headlines struct {
	Rows       int
	Benchmarks []string
	Seconds    float64
	Estimated  []string // benchmarks counted by their estimate
}

// HeadlinesOf sums up the headline rows of the index.
func HeadlinesOf(records map[string]*Record) (Headlines, error) {
	var h Headlines
	papers, err := Papers()
	if err != nil {
		return h, err
	}
	seen := map[string]bool{}
	for _, p := range papers {
		for _, it := range p.Items {
			if !it.Headline {
				continue
			}
			h.Rows++
			name := it.Benchmarks[0]
			if seen[name] {
				continue
			}
			seen[name] = true
			h.Benchmarks = append(h.Benchmarks, name)
			if rec := records[name]; rec != nil && rec.Seconds > 0 {
				h.Seconds += rec.Seconds
				continue
			}
			b, err := Find(name)
			if err != nil {
				return h, err
			}
			h.Seconds += b.Estimate().Seconds()
			h.Estimated = append(h.Estimated, name)
		}
	}
	return h, nil
}

// Mark says in RESULTS.md how a record stands to the code: fresh, stale or archived.
func (s State) Mark() string {
	switch s.Age {
	case Fresh:
		return "fresh"
	case Dated:
		return "archived"
	case None:
		return "none"
	}
	return "stale"
}

// summaryHead is the heading of the tables of the summary.
const summaryHead = "| source | published | ours | basis | command | commit | record |\n|---|---|---|---|---|---|---|\n"

// summaryOf is the body of the summary: for each topic a row for each covered item with a
// record, and a plot. pictures is the folder of the plots, seen from the document.
func summaryOf(records map[string]*Record, state func(*Benchmark, *Record) State, pictures string) (string, error) {
	papers, err := Papers()
	if err != nil {
		return "", err
	}
	h, err := HeadlinesOf(records)
	if err != nil {
		return "", err
	}
	var parts []string
	line := fmt.Sprintf("%d headline rows (**bold**) take %.0f min together to make again, by their records", h.Rows, math.Ceil(h.Seconds/60))
	if len(h.Estimated) > 0 {
		line += "; by estimate where a record has no duration: `" + strings.Join(h.Estimated, "`, `") + "`"
	}
	parts = append(parts, wrap(line+"."))
	for _, t := range topics {
		var rows strings.Builder
		for _, p := range papers {
			for _, it := range p.Items {
				if it.Topic != t.name || !it.Covered() || records[it.Benchmarks[0]] == nil {
					continue
				}
				row, err := summaryRow(p, &it, records[it.Benchmarks[0]], state)
				if err != nil {
					return "", err
				}
				rows.WriteString(row)
			}
		}
		if rows.Len() == 0 {
			continue
		}
		parts = append(parts, fmt.Sprintf("## [%s](results/%s.md)", t.title, t.name),
			strings.TrimRight(summaryHead+rows.String(), "\n"))
		if file, title := t.picture(records); file != "" {
			parts = append(parts, fmt.Sprintf("![%s](%s/%s)", escapeLink(title), strings.TrimSuffix(pictures, "/"), file))
		}
	}
	return strings.Join(parts, "\n\n") + "\n", nil
}

// Figure is our figure for an item, from the record of its first benchmark, and where its
// numbers come from: "modelled, measured".
func (it *Item) Figure(rec *Record) (text, basis string, err error) {
	figure := figures[it.ID]
	if figure == nil {
		return "", "", fmt.Errorf("item %s of papers.json: no figure of ours", it.ID)
	}
	r := &reading{rec: rec}
	text = figure(r)
	if r.err != nil {
		return "", "", fmt.Errorf("item %s of papers.json: %w", it.ID, r.err)
	}
	return text, r.basis(), nil
}

// summaryRow is the row of an item.
func summaryRow(p *Paper, it *Item, rec *Record, state func(*Benchmark, *Record) State) (string, error) {
	b, err := Find(it.Benchmarks[0])
	if err != nil {
		return "", err
	}
	text, basis, err := it.Figure(rec)
	if err != nil {
		return "", err
	}
	source := it.What
	if p.Name != Own {
		source = p.Short() + ": " + it.What
	}
	if it.Headline {
		source = "**" + source + "**"
	}
	command := "`taso bench run " + b.Name + "`"
	if b.Past() {
		command = "`" + rec.Command + "`"
	}
	commit := shortCommit(rec.Commit)
	if rec.Changed {
		commit += "+"
	}
	cells := []string{source, it.Published, text, basis, command, commit, state(b, rec).Mark()}
	var line strings.Builder
	for _, c := range cells {
		if c == "" {
			c = "–"
		}
		line.WriteString("| " + escapeCell(c) + " ")
	}
	return line.String() + "|\n", nil
}

// Short is the name of the paper's system as papers write it: the first word of the title
// up to a colon, or the name in the index.
func (p *Paper) Short() string {
	if short, ok := shortNames[p.Name]; ok {
		return short
	}
	if short, _, ok := strings.Cut(p.Title, ": "); ok && !strings.Contains(short, " ") {
		return short
	}
	return p.Name
}

// shortNames are the systems whose title does not begin with their name.
var shortNames = map[string]string{"tensat": "Tensat", "metaflow": "MetaFlow", "flexflow": "FlexFlow", "korch": "Korch"}

// markForm is the last cell of a row of the summary.
var markForm = regexp.MustCompile(`(?m)\| (fresh|stale|archived) \|$`)

// unmarked is a summary without its marks. Marks change with the code and not with the
// records, so that a summary is as its records say whatever its marks are.
func unmarked(text string) string { return markForm.ReplaceAllString(text, "| ? |") }

// RowsOf are the rows of a summary as cells: source, published, ours, basis, command,
// commit, record.
func RowsOf(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| source |") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(line, `\|`, "\x00"), "| "), " |"), " | ")
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "\x00", "|")
		}
		rows = append(rows, cells)
	}
	return rows
}
