package bench

import (
	"errors"
	"strings"
	"testing"
)

const document = "# Title\n\ntext\n\n<!-- bench:one -->\n<!-- /bench:one -->\n\nmore\n\n<!-- bench:two -->\n\nold\n\n<!-- /bench:two -->\nend\n"

func TestFill(t *testing.T) {
	bodies := map[string]string{"one": "| a |\n\nb\n", "two": "new\n"}
	old := map[string]string{"two": "old\n"}
	want := "# Title\n\ntext\n\n<!-- bench:one -->\n\n| a |\n\nb\n\n<!-- /bench:one -->\n\nmore\n\n<!-- bench:two -->\n\nnew\n\n<!-- /bench:two -->\nend\n"
	got, err := Fill("f", document, bodies, old, false)
	if err != nil || got != want {
		t.Fatalf("%v\n%s", err, got)
	}
	for _, force := range []bool{false, true} { // with what is there already
		again, err := Fill("f", want, bodies, nil, force)
		if err != nil || again != want {
			t.Errorf("filled twice: %v\n%s", err, again)
		}
	}
}

func TestEdited(t *testing.T) {
	bodies := map[string]string{"one": "x\n", "two": "new\n"}
	for _, old := range []map[string]string{nil, {"two": "other\n"}, {"one": "old\n"}} {
		_, err := Fill("f", document, bodies, old, false)
		var e *Edited
		if !errors.As(err, &e) || e.Name != "two" || e.Line != 10 || !strings.Contains(err.Error(), `f:10: section "two"`) {
			t.Errorf("error %v", err)
		}
	}
	both := strings.Replace(document, "<!-- /bench:one", "edited\n<!-- /bench:one", 1)
	_, err := Fill("f", both, bodies, nil, false)
	if err == nil || !strings.Contains(err.Error(), `"one"`) || !strings.Contains(err.Error(), `"two"`) {
		t.Errorf("two sections edited: %v", err)
	}
	if got, err := Fill("f", both, bodies, nil, true); err != nil || strings.Contains(got, "edited") {
		t.Errorf("forced: %v\n%s", err, got)
	}
}

func TestFillMatches(t *testing.T) {
	_, err := Fill("f", document, map[string]string{"two": "old\n", "three": "x"}, nil, true)
	if err == nil || !strings.Contains(err.Error(), `f:5: section "one" has no record`) || !strings.Contains(err.Error(), `f: no section "three": write <!-- bench:three -->`) {
		t.Errorf("error %v", err)
	}
}

func TestMarkers(t *testing.T) {
	for text, want := range map[string]string{
		"<!-- bench:a -->\n":                                      `f:1: section "a" has no end`,
		"x\n<!-- /bench:a -->\n":                                  `f:2: section "a" ends here`,
		"<!-- bench:a -->\n<!-- /bench:b -->\n":                   `f:2: section "b" ends here`,
		"<!-- bench:a -->\n<!-- bench:b -->\n":                    `f:2: section "b" begins within section "a" of line 1`,
		"<!-- bench:a -->\n<!-- bench:a -->\n":                    `f:2: section "a" begins within`,
		"<!-- bench:a -->\n<!-- /bench:a -->\n<!-- bench:a -->\n": `f:3: section "a" is there twice, first on line 1`,
		"<!-- bench:A b -->\n":                                    "is not a marker of the form",
		"<!--bench:a -->\n":                                       "is not a marker of the form",
		"  <!-- bench:a -->\n":                                    "is not a marker of the form",
		"<!-- bench:a --> x\n":                                    "is not a marker of the form",
		"<!-- bench:a\n":                                          "is not a marker of the form",
		"<!-- / bench:a -->\n":                                    "is not a marker of the form",
		"<!-- bench: -->\n":                                       "is not a marker of the form",
	} {
		if _, err := Sections("f", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"", "<!-- a comment -->\n", "`<!-- bench:a -->` in text\n"} {
		if s, err := Sections("f", text); err != nil || len(s) > 0 {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	s, err := Sections("f", document)
	if err != nil || len(s) != 2 || s[0].Name != "one" || s[0].Line != 5 || s[0].Body != "" || s[1].Body != "old" {
		t.Errorf("%+v, %v", s, err)
	}
}

// FuzzSections: a document is taken apart, or refused with its name; filling
// changes nothing outside of sections, and filling twice is filling once.
func FuzzSections(f *testing.F) {
	f.Add(document)
	f.Add("<!-- bench:a -->\r\nx\r\n<!-- /bench:a -->")
	f.Fuzz(func(t *testing.T, text string) {
		sections, err := Sections("f", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error %q names no file", err)
			}
			return
		}
		bodies := map[string]string{}
		outside, last := "", 0
		for _, s := range sections {
			bodies[s.Name] = "body of " + s.Name
			outside += text[last:s.start]
			last = s.end
		}
		outside += text[last:]
		once, err := Fill("f", text, bodies, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := Fill("f", once, bodies, nil, false)
		if err != nil || once != twice {
			t.Fatalf("%v\n%q\n%q", err, once, twice)
		}
		got := once
		for _, s := range sections {
			got = strings.Replace(got, "\n\nbody of "+s.Name+"\n\n", "", 1)
		}
		if got != outside {
			t.Fatalf("outside of sections %q became %q", outside, got)
		}
	})
}
