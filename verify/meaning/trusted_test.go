package meaning_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTrusted: doc.go lists all files of the package, and their lines are as many as
// it says, within one in twenty.
func TestTrusted(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`verify/meaning, ([\d,]+) lines`).FindSubmatch(doc)
	if said == nil {
		t.Fatal("doc.go does not say how many lines there are")
	}
	want, _ := strconv.Atoi(strings.ReplaceAll(string(said[1]), ",", ""))
	own, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range own {
		if strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		if !slices.Contains(strings.Fields(string(doc)), name) {
			t.Errorf("doc.go does not list %s", name)
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(src), "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
	}
	t.Logf("%d lines", n)
	if d := n - want; 20*max(d, -d) > want {
		t.Errorf("%d lines are trusted, doc.go says %d", n, want)
	}
}
