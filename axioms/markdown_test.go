package axioms

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
)

// docs/laws.md is what Markdown writes. After a change of the texts:
//
//	go test ./axioms -run LawsFile -update
func TestLawsFile(t *testing.T) { golden.Equal(t, "../docs/laws.md", Markdown()) }

// The contents at the head lead to headings, and every law has its sentence.
func TestMarkdownComplete(t *testing.T) {
	text := Markdown()
	anchors := map[string]bool{}
	for _, s := range sections() {
		if a := anchor(s.title); anchors[a] {
			t.Errorf("two headings have the anchor %s", a)
		} else {
			anchors[a] = true
		}
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
