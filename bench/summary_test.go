package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// checkRow reports what a row of the summary lacks.
func checkRow(row []string) error {
	if len(row) != 7 {
		return fmt.Errorf("%d cells, want 7: %q", len(row), row)
	}
	for i, form := range map[int]string{
		0: `^[^|]+$`, 2: `[0-9a-z]`, 3: `^(counted|(measured|recorded|modelled)(, (measured|recorded))*)$`,
		4: "^`[^`]+`$", 5: `^[0-9a-f]{7}\+?$`, 6: `^(fresh|stale|archived)$`,
	} {
		if !regexp.MustCompile(form).MatchString(row[i]) {
			return fmt.Errorf("cell %d is %q, want %s: %q", i+1, row[i], form, row)
		}
	}
	return nil
}

// Every row of RESULTS.md has a figure, its basis, a command, a commit and a mark, and no
// row is missing. The document is short.
func TestSummary(t *testing.T) {
	r := checkout(t)
	records, err := LoadAll(r.Records)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, r.Results)
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("RESULTS.md has %d lines, want 150 at most", n)
	}
	rows := RowsOf(text)
	for _, row := range rows {
		if err := checkRow(row); err != nil {
			t.Error(err)
		}
	}
	papers, err := Papers()
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, p := range papers {
		for _, it := range p.Items {
			if it.Topic != "" && records[it.Benchmarks[0]] != nil {
				want++
			}
		}
	}
	if len(rows) != want || want == 0 {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	h, err := HeadlinesOf(records)
	if err != nil {
		t.Fatal(err)
	}
	if limit := HeadlineLimit.Seconds(); h.Seconds > limit || h.Rows == 0 {
		t.Errorf("%d headline rows take %.0f s, want %.0f at most: %v", h.Rows, h.Seconds, limit, h.Benchmarks)
	}
	for _, topic := range topics {
		if _, err := os.Stat(filepath.Join(r.Topics, topic.name+".md")); err != nil {
			t.Errorf("topic without a document: %v", err)
		}
		if file, _ := topic.picture(records); topic.benchmark != "" && file == "" {
			t.Errorf("topic %s: benchmark %s has no plot %d", topic.name, topic.benchmark, topic.index)
		}
	}
}

// A row without its commit or its mark is found.
func TestCheckRow(t *testing.T) {
	good := []string{"x", "–", "1 s", "measured", "`taso bench run x`", "0123abc+", "stale"}
	if err := checkRow(good); err != nil {
		t.Error(err)
	}
	for i, bad := range map[int]string{2: "–", 3: "guessed", 4: "x", 5: "–", 6: "none"} {
		row := slices.Clone(good)
		row[i] = bad
		if checkRow(row) == nil {
			t.Errorf("%q is accepted", row)
		}
	}
	if checkRow(good[:6]) == nil {
		t.Error("a row without a mark is accepted")
	}
	line := "| " + strings.Join([]string{`a \| b`, "–", "1", "counted", "`c`", "0123abc", "fresh"}, " | ") + " |\n"
	if rows := RowsOf("text\n" + summaryHead + line); len(rows) != 1 || rows[0][0] != "a | b" || rows[0][6] != "fresh" {
		t.Errorf("rows %q", rows)
	}
	if got := unmarked(line); strings.Contains(got, "fresh") || got != unmarked(strings.Replace(line, "fresh", "stale", 1)) {
		t.Errorf("without marks: %q", got)
	}
}

var (
	spanForm  = regexp.MustCompile("`[^`]*`")
	linkForm  = regexp.MustCompile(`\]\([^)]*\)`)
	wordForm  = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}_./+-]*`)
	venueForm = regexp.MustCompile(`\b(ASPLOS|EuroSys|ICPP|MLSys|NSDI|OSDI|POPL|PLDI|SOSP|VLDB) (19|20)[0-9]{2}\b|\b[Ss]ections? [0-9.]+\b`)
)

// typed lists the numbers in text written by hand. Digits are allowed in code, in names,
// which begin with a letter (Z3, PP-OCRv4, V100), in the year of a conference (OSDI 2022) and
// in the number of a section.
func typed(text string) (out []string) {
	for _, form := range []*regexp.Regexp{spanForm, linkForm, venueForm} {
		text = form.ReplaceAllString(text, " ")
	}
	for _, w := range wordForm.FindAllString(text, -1) {
		if strings.ContainsAny(w, "0123456789") && w[0] >= '0' && w[0] <= '9' {
			out = append(out, w)
		}
	}
	return out
}

// byHand is a document without its sections.
func byHand(t *testing.T, file, text string) string {
	t.Helper()
	sections, err := Sections(file, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range slices.Backward(sections) {
		text = text[:s.start] + text[s.end:]
	}
	return text
}

// Text outside the sections of RESULTS.md and of results/ holds no numbers: these come from
// records.
func TestNoNumbersByHand(t *testing.T) {
	r := checkout(t)
	paths, err := r.Documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if path == r.History {
			continue
		}
		if found := typed(byHand(t, path, read(t, path))); len(found) > 0 {
			t.Errorf("%s: numbers outside the sections: %s", path, strings.Join(found, ", "))
		}
	}
	for text, want := range map[string]string{
		"Z3, PP-OCRv4 and ResNet-50 on a V100": "",
		"Unger et al., OSDI 2022, section 6":   "",
		"`--max-ops 4` and [x](results/9.md)":  "",
		"took 35 s in 2022":                    "35 2022",
		"2.5x and 7%":                          "2.5x 7",
		"3x3 kernels, 1,024 devices":           "3x3 1 024",
	} {
		if got := strings.Join(typed(text), " "); got != want {
			t.Errorf("%q: numbers %q, want %q", text, got, want)
		}
	}
	doc := "a 1\n\n<!-- bench:x -->\n\n| 2 |\n\n<!-- /bench:x -->\nb\n"
	if got := typed(byHand(t, "f", doc)); len(got) != 1 || got[0] != "1" {
		t.Errorf("outside the section: %q", got)
	}
}

// A figure is read by heading and row; what a record does not have is an error.
func TestReading(t *testing.T) {
	tab := NewTable("", Label("model"), Counted("n"), Measured("time", "s").Decimals(1), Modelled("cost", "s"))
	tab.Add("a", 1000, 2.04, 1)
	tab.Add("b", 3, 0.5, nil)
	rec := &Record{Name: "x", Tables: []*Table{tab}}
	r := &reading{rec: rec}
	for got, want := range map[string]string{
		r.show(0, "time, s", "model=a"):                        "2.0",
		r.show(0, "model", "n=1,000"):                          "a",
		r.span(0, "time, s"):                                   "0.5 to 2.0",
		r.span(0, "time, s", "model=b"):                        "0.5",
		r.largest(0, "n", "model=a|b"):                         "1,000",
		between("%.2f", r.ratios(0, "time, s", "cost, s")):     "2.04",
		fmt.Sprint(r.sum(0, "n"), len(r.values(0, "cost, s"))): "1003 1",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if r.err != nil {
		t.Fatal(r.err)
	}
	for want, f := range map[string]func(r *reading){
		`no table 2`:                     func(r *reading) { r.show(1, "n") },
		`table 1 has no column "time"`:   func(r *reading) { r.span(0, "time") },
		`table 1 has no row with`:        func(r *reading) { r.values(0, "n", "model=c") },
		`table 1: 2 rows with`:           func(r *reading) { r.show(0, "n") },
		`column "cost, s": no number`:    func(r *reading) { r.largest(0, "cost, s", "model=b") },
		`table 1 has no column "colour"`: func(r *reading) { r.sum(0, "n", "colour=red") },
	} {
		r := &reading{rec: rec}
		f(r)
		if r.err == nil || !strings.Contains(r.err.Error(), "record x: ") || !strings.Contains(r.err.Error(), want) {
			t.Errorf("error %v, want %q", r.err, want)
		}
	}
	if got := r.basis(); got != "modelled, measured" {
		t.Errorf("basis %q", got)
	}
	tab.AddFrom(FromBefore, "c", 7, nil, nil)
	r = &reading{rec: rec}
	r.show(0, "model", "model=b")
	if got := r.basis(); got != "counted" {
		t.Errorf("basis of words %q", got)
	}
	r.show(0, "n", "model=c")
	if got := r.basis(); got != "recorded" {
		t.Errorf("basis of a recorded row %q", got)
	}
	if _, _, err := (&Item{ID: "none"}).Figure(rec); err == nil || !strings.Contains(err.Error(), "no figure of ours") {
		t.Errorf("error %v", err)
	}
}

func TestEstimate(t *testing.T) {
	for takes, want := range map[string]time.Duration{"20 s": 20 * time.Second, "5 min": 5 * time.Minute, "": 0, "long": 0, "2 h": 0} {
		if got := (&Benchmark{Takes: takes}).Estimate(); got != want {
			t.Errorf("%q: %v, want %v", takes, got, want)
		}
	}
	for _, b := range All() {
		if !b.Past() && b.Estimate() == 0 {
			t.Errorf("benchmark %s takes %q: want a number of s or min", b.Name, b.Takes)
		}
	}
}
