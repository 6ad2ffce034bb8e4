package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func gitIn(dir string, args ...string) error {
	return exec.Command("git", append([]string{"-C", dir}, args...)...).Run()
}

// checkout is that of the test.
func checkout(t *testing.T) *Repository {
	t.Helper()
	root, err := FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenRepository(root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The documents are what the records say, but for the marks of the summary, which follow the
// code: taso bench report writes these. Every benchmark has a section, and the plots of every
// record are drawn. Stale records are listed: go test -run Results -v ./bench.
func TestResults(t *testing.T) {
	r := checkout(t)
	records, err := LoadAll(r.Records)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) == 0 {
		t.Fatal("no records")
	}
	texts, err := r.Render(records, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for path, text := range texts {
		switch have := read(t, path); {
		case unmarked(have) != unmarked(text):
			t.Errorf("%s is out of date: run taso bench report", path)
		case have != text:
			t.Logf("marks of %s are out of date: run taso bench report", path)
		}
		list, err := Sections(path, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			sections[s.Name] = true
		}
	}
	for _, b := range All() {
		if !sections[b.Name] {
			t.Errorf("benchmark %s has no section in results/", b.Name)
		}
	}
	if !sections[summary] {
		t.Error("RESULTS.md has no summary")
	}
	drawn := t.TempDir()
	pictures := map[string]bool{}
	for _, b := range All() {
		rec := records[b.Name]
		if rec == nil {
			continue
		}
		if s := r.State(b, rec); s.Age == Older {
			t.Logf("section %s is %s", b.Name, s)
		}
		// A commit that was rewritten since says nothing to others.
		if rec.Commit != "" && gitIn(r.Tree.Root, "rev-parse", "HEAD") == nil && gitIn(r.Tree.Root, "merge-base", "--is-ancestor", rec.Commit, "HEAD") != nil {
			t.Logf("section %s is of %s, which is not in the history of this checkout", b.Name, shortCommit(rec.Commit))
		}
		if err := Draw(drawn, rec); err != nil {
			t.Fatal(err)
		}
		for i := range rec.Plots {
			name := rec.Picture(i)
			pictures[name] = true
			if read(t, filepath.Join(drawn, name)) != read(t, filepath.Join(r.Pictures, name)) {
				t.Errorf("picture %s is not what its record says: run taso bench report", name)
			}
		}
	}
	entries, err := os.ReadDir(r.Pictures)
	if err != nil && len(pictures) > 0 {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !pictures[e.Name()] {
			t.Errorf("picture %s belongs to no record", e.Name())
		}
	}
}

// Every benchmark names packages that there are, and what it takes; what can not
// be run has a record.
func TestRegistry(t *testing.T) {
	r := checkout(t)
	if len(All()) == 0 {
		t.Fatal("no benchmarks")
	}
	records, err := LoadAll(r.Records)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range All() {
		if i > 0 && All()[i-1].Name >= b.Name {
			t.Errorf("%s is not listed by name", b.Name)
		}
		if found, err := Find(b.Name); err != nil || found != b {
			t.Errorf("%s: found %v, %v", b.Name, found, err)
		}
		if b.Past() {
			if records[b.Name] == nil {
				t.Errorf("%s is archived and has no record", b.Name)
			}
			continue
		}
		if b.Takes == "" {
			t.Errorf("%s: how long does it take?", b.Name)
		}
		if _, err := r.Tree.Digests(b.Packages); err != nil {
			t.Errorf("%s: %v", b.Name, err)
		}
	}
	if _, err := Find("model"); err == nil || !strings.Contains(err.Error(), "did you mean models") {
		t.Errorf("error %v", err)
	}
}

// The record of compare-optimizers says what the report of the script says.
func TestCompareOptimizers(t *testing.T) {
	r := checkout(t)
	rec, err := Load(r.Records, "compare-optimizers")
	if err != nil {
		t.Fatal(err)
	}
	report := read(t, filepath.Join(r.Topics, "compare-optimizers.txt"))
	if !strings.Contains(report[:strings.Index(report, "\n")], shortCommit(rec.Commit)) {
		t.Fatalf("the report is not of commit %s, of which the record is", shortCommit(rec.Commit))
	}
	text, basis, err := (&Item{ID: "own-compare"}).Figure(rec)
	if err != nil || basis != "recorded" {
		t.Errorf("basis %q, %v", basis, err)
	}
	for _, opt := range []string{"on", "off"} {
		m := regexp.MustCompile(`(?m)^taso, optimizations ` + opt + `: faster (\d+),.* slower (\d+);`).FindStringSubmatch(report)
		if m == nil {
			t.Fatalf("the report has no line of optimizations %s", opt)
		}
		if want := fmt.Sprintf("%s: %s of %d faster, %s slower", opt, m[1], len(rec.Tables[0].Rows)/2, m[2]); !strings.Contains(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
