package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/taso-go/taso/internal/pipeline/audit"
)

// Rules that are not proved come first, by their names; no line is wider than the screen.
func TestPrintAudit(t *testing.T) {
	long := strings.Repeat("X1[1] = X2[1], ", 20)
	rule := func(i int, name string, v audit.Outcome) *audit.Rule {
		return &audit.Rule{Index: i, ID: "r_0123456789", Name: name, Verdict: v, VerdictReverse: audit.Proved, DuplicateOf: -1,
			Source: strings.Repeat("matmul(x, y) ", 20), Readings: []audit.Reading{{Semantics: "strict"}}}
	}
	sound, unsound := rule(0, "reassociate", audit.Proved), rule(1, "swap_operands", audit.Refuted)
	narrow, nameless := rule(2, "rule 2", audit.Conditional), rule(3, strings.Repeat("long_name_", 10), audit.Unknown)
	narrow.Condition, nameless.Reason = long, long
	nameless.DuplicateOf = 1
	rep := &audit.Report{File: "my.rules", Format: "text", Rules: []*audit.Rule{sound, unsound, narrow, nameless},
		Summary: audit.Summary{Rules: 4, Verdicts: map[audit.Outcome]int{audit.Proved: 1, audit.Refuted: 1, audit.Conditional: 1, audit.Unknown: 1}}}
	var b bytes.Buffer
	if err := printAudit(&b, []*audit.Report{rep}, false); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > screenWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	at := -1
	for _, want := range []string{"my.rules (text): ", "\ntotal            4\n", "\nRULE  NAME ", "\n   1  swap_operands ", "\n   2  r_0123456789 ", "\n   3  long_name_long_name…", "\n   0  reassociate ",
		"\nunknown, rule 3 (long_name_long_name…): X1[1]", "\nduplicates (rule=earlier rule): 3=1\n"} {
		i := strings.Index(text, want)
		if i <= at {
			t.Fatalf("%q is not there, or too early:\n%s", want, text)
		}
		at = i
	}
}
