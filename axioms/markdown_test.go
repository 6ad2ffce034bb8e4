package axioms

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/laws.md anew")

const lawsFile = "../docs/laws.md"

// docs/laws.md is what Markdown writes. After a change of the texts:
//
//	go test ./axioms -run LawsFile -update
func TestLawsFile(t *testing.T) {
	want := Markdown()
	if *update {
		if err := os.WriteFile(lawsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(lawsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/laws.md is stale; run: go test ./axioms -run LawsFile -update")
	}
}

// The contents at the head lead to headings, and every law has its sentence.
func TestMarkdownComplete(t *testing.T) {
	text := Markdown()
	for _, s := range sections() {
		if s.title == "" {
			t.Errorf("%s: law %s is in no section", s.laws[0].Pos, s.laws[0].Name)
		}
		if !strings.Contains(text, "\n## "+s.title+"\n") {
			t.Errorf("no heading for section %q", s.title)
		}
	}
	for _, l := range Default() {
		if !strings.Contains(text, "\n### "+l.Name+"\n\n"+l.Doc+"\n") || l.Doc == "" {
			t.Errorf("%s: law %s is not described", l.Pos, l.Name)
		}
	}
}
