package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tree writes a module of four packages: a imports b, b embeds a text and imports
// c, d stands alone.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "// a comment\nmodule " + modulePath + "\n",
		"a/a.go":           "package a\n\nimport (\n\t\"fmt\"\n\t_ \"" + modulePath + "/b\"\n)\n\nvar _ = fmt.Sprint\n",
		"a/a_test.go":      "package a\n",
		"a/README.md":      "text\n",
		"b/b.go":           "package b\n\nimport _ \"embed\"\nimport _ \"" + modulePath + "/c\"\n\n//go:embed x.axioms data\nvar X string\n",
		"b/x.axioms":       "axiom\n",
		"b/data/1.json":    "1\n",
		"b/other.txt":      "x\n",
		"c/c.go":           "package c\n",
		"c/k.c":            "int x;\n",
		"c/k.h":            "int x;\n",
		"c/c_other_os.go":  "//go:build never\n\npackage c\n\nimport _ \"" + modulePath + "\"\n",
		"root.go":          "package root\n",
		"d/d.go":           "package d\n",
		"RESULTS.md":       "x\n",
		"bad/bad.go":       "package\n",
		"empty/readme.txt": "x\n",
	} {
		write(t, root, name, text)
	}
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, root string) *Repository {
	t.Helper()
	r, err := OpenRepository(root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDigests(t *testing.T) {
	root := tree(t)
	r := open(t, root)
	digests, err := r.Tree.Digests([]string{"a"})
	if err != nil || strings.Join(sortedKeys(digests), " ") != ". a b c" {
		t.Fatalf("%v, %v", digests, err)
	}
	files, err := r.Tree.Files([]string{"a"})
	if want := "a/a.go b/b.go b/data/1.json b/x.axioms c/c.go c/c_other_os.go c/k.c c/k.h root.go"; err != nil || strings.Join(files, " ") != want {
		t.Errorf("files %v, %v; want %s", files, err, want)
	}
	for pkg, want := range map[string]string{"bad": "package bad", "empty": "no Go files", "none": "package none", "../x": "not a path within"} {
		if _, err := r.Tree.Digests([]string{pkg}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pkg, err)
		}
	}
}

// A record is older when a source changes that it depends on, and only then.
func TestState(t *testing.T) {
	b := &Benchmark{Name: "x", What: "x", Packages: []string{"a"}, Run: modelCounts}
	for _, c := range []struct {
		file, text, want string // want: the state in words
	}{
		{"a/a_test.go", "package a // changed\n", "fresh"},
		{"a/README.md", "changed\n", "fresh"},
		{"b/other.txt", "changed\n", "fresh"},
		{"d/d.go", "package d // changed\n", "fresh"},
		{"RESULTS.md", "changed\n", "fresh"},
		{"a/new.go", "package a\n", "stale: a"},
		{"b/x.axioms", "changed\n", "stale: b"},
		{"b/data/2.json", "2\n", "stale: b"},
		{"c/k.c", "int y;\n", "stale: c"},
		{"c/c.go", "package c\n\nimport _ \"" + modulePath + "/d\"\n", "stale: c, d"},
		{"a/a.go", "package a\n", "stale: ., a, b, c"},
		{"a/a.go", "package\n", "stale: sources of package a: a.go:1:9: expected 'IDENT', found 'EOF'"},
	} {
		root := tree(t)
		digests, err := open(t, root).Tree.Digests(b.Packages)
		if err != nil {
			t.Fatal(err)
		}
		rec := &Record{Sources: digests}
		if got := open(t, root).State(b, rec).String(); got != "fresh" {
			t.Errorf("nothing changed: %s", got)
		}
		write(t, root, c.file, c.text)
		if got := open(t, root).State(b, rec).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.file, got, c.want)
		}
	}
	r := open(t, tree(t))
	if got := r.State(b, nil).Age; got != None {
		t.Errorf("no record: %s", got)
	}
	if got := r.State(b, &Record{}).String(); !strings.HasPrefix(got, "stale: ") {
		t.Errorf("no digests: %s", got)
	}
	if got := r.State(&Benchmark{Name: "x", What: "x"}, &Record{}).Age; got != Dated {
		t.Errorf("of the past: %s", got)
	}
	if got := (State{Age: Older, Changed: strings.Fields("a b c d e f")}).String(); got != "stale: a, b, c, d and 2 more" {
		t.Error(got)
	}
}

// A program is refused once a source that it would speak of is newer.
func TestOutdated(t *testing.T) {
	root := tree(t)
	r := open(t, root)
	program := filepath.Join(root, "program")
	write(t, root, "program", "x")
	b := &Benchmark{Name: "x", What: "x", Packages: []string{"a"}, Run: modelCounts}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(root, "d", "d.go"), later, later); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(program, later.Add(-time.Minute), later.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := r.Outdated(program, b); err != nil {
		t.Errorf("nothing of it is newer: %v", err)
	}
	if err := os.Chtimes(filepath.Join(root, "b", "x.axioms"), later, later); err != nil {
		t.Fatal(err)
	}
	if err := r.Outdated(program, b); err == nil || !strings.Contains(err.Error(), "older than b/x.axioms: build it again") {
		t.Errorf("error %v", err)
	}
}

func TestFindRoot(t *testing.T) {
	root := tree(t)
	got, err := FindRoot(filepath.Join(root, "b", "data"))
	if err != nil || got != root {
		t.Errorf("%s, %v; want %s", got, err, root)
	}
	if _, err := FindRoot(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not in a checkout") {
		t.Errorf("error %v", err)
	}
	write(t, root, "go.mod", "go 1.25\n")
	if _, err := OpenTree(root); err == nil || !strings.Contains(err.Error(), "no module line") {
		t.Errorf("error %v", err)
	}
}
