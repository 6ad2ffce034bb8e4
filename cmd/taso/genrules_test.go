package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/rules"
)

// The report of the largest run fits one screen, whatever its rules look like.
func TestReportFits(t *testing.T) {
	g := &genRules{opt: genrules.Options{MaxOps: 6}}
	rep := &genrules.Report{MaxOps: 6, Mode: "representatives", Seed: 1 << 60, Workers: 128, Seconds: 123456.7, CPUSeconds: 12345678.9, PeakRSS: 1e12}
	for n := 1; n <= 6; n++ {
		rep.Levels = append(rep.Levels, genrules.Level{Operators: n, Graphs: 250_000_000, Pairs: 9_000_000, Candidates: 150_000})
	}
	rep.Rules = genrules.Counts{Proved: 123_456, Derivable: 77_778, Kept: 45_678, Refuted: 9_999, Unknown: 99_999}
	for i := range 10 {
		rep.Useful = append(rep.Useful, genrules.Useful{ID: fmt.Sprintf("r_%010d", i), Saves: 1, Words: strings.Repeat("removes a matmul ", 5),
			Before: strings.Repeat("ewadd(", 50), After: "A"})
	}
	rep.Unproved = []genrules.Unproved{{Status: "unknown", Reason: strings.Repeat("no general form of it, ", 9) + "\nmore"}}
	rep.Stages = []genrules.Stage{{Name: "level 3: " + genrules.OrderedStage, Count: 1_234_567}, {Name: genrules.JoinedStage, Count: 1_234_567}}
	rep.Exhaustive = &enumerate.Graphs{}
	wrote := []written{{"rules.rules", "123,456 rules"}, {"rules.cert", "123,456 certificates, 26 lemmas"}, {"rules.pb", "1,000,000 rules; 1,234 rules not expressible (taso rules convert names them)"},
		{"unproved.json", "109,998 candidates not proved"}, {"rules.html", "123,456 rules and 109,998 candidates"}}
	var b bytes.Buffer
	if err := printReport(&b, g, rep, wrote); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) > 24 {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
	for _, l := range lines {
		if n := utf8.RuneCountInString(l); n > screenWidth {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	for _, want := range []string{"123,456 rewrite rules proved: 45,678 independent + 77,778 derivable from those\n", " > 900,000 candidates (one rule", "of the rules: 1,234,567 from the order of numbers (relu, maximum), 1,234,567 with two outputs, join…\n",
		"not proved: 9,999 refuted, 99,999 unknown (mostly no general form of it, no…): see --unproved FILE\n", "r_0000000009", "wrote rules.html"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, b.String())
		}
	}
	// What a run without rules says.
	b.Reset()
	if err := printReport(&b, g, &genrules.Report{Set: &rules.Set{}}, nil); err != nil || !strings.Contains(b.String(), "0 rewrite rules proved\n") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
