package taso_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/law"
)

// newOperator is the operator that CONTRIBUTING.md adds.
const newOperator = "softplus"

// operatorTests are the tests that a new function of one element must satisfy, by package.
// With its declaration alone each package has one that fails. With the build tag example
// (make example) there are more, which compile most of the module.
var operatorTests = map[string]string{
	"./graph/op": "TestInfer|TestFormulas|TestMeanings|TestNonNegative|TestSymbolicAgreesWithConcrete|TestEveryOperatorIsDocumented",
}

// operatorChecks are further tests, run with all changes only.
var operatorChecks = map[string]string{}

// change is a block of CONTRIBUTING.md that changes a file: lines that are there, and the
// same lines with others added.
type change struct{ file, old, new string }

// changesOf returns the diffs in a document. A diff begins with "--- FILE"; its other lines
// begin with a space, "+" or "-".
func changesOf(text string) (all []change, err error) {
	for _, m := range regexp.MustCompile("(?s)\n```diff\n(.*?)\n```\n").FindAllStringSubmatch(text, -1) {
		lines := strings.Split(m[1], "\n")
		name, ok := strings.CutPrefix(lines[0], "--- ")
		if !ok {
			return nil, fmt.Errorf("a diff begins with %q; want --- FILE", lines[0])
		}
		c := change{file: name}
		for _, l := range lines[1:] {
			switch {
			case strings.HasPrefix(l, " "):
				c.old += l[1:] + "\n"
				c.new += l[1:] + "\n"
			case strings.HasPrefix(l, "+"):
				c.new += l[1:] + "\n"
			case strings.HasPrefix(l, "-"):
				c.old += l[1:] + "\n"
			default:
				return nil, fmt.Errorf("%s: a line of its diff begins with none of space, + and -: %q", name, l)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// apply returns the text of a file with the change.
func (c change) apply(text string) (string, error) {
	var at []int // where lines begin that are the old ones
	for i := range text {
		if (i == 0 || text[i-1] == '\n') && strings.HasPrefix(text[i:], c.old) {
			at = append(at, i)
		}
	}
	if c.old == "" || len(at) != 1 {
		return "", fmt.Errorf("%s: the lines around the change are there %d times:\n%s", c.file, len(at), c.old)
	}
	text = text[:at[0]] + c.new + text[at[0]+len(c.old):]
	if strings.HasSuffix(c.file, ".go") {
		tidy, err := format.Source([]byte(text))
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.file, err)
		}
		if string(tidy) != text {
			return "", fmt.Errorf("%s is not formatted as gofmt does it", c.file)
		}
	}
	return text, nil
}

// overlay writes changed files, and the file that tells "go test -overlay" of them.
func overlay(t *testing.T, changes []change) string {
	t.Helper()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	texts, replace := map[string]string{}, map[string]string{}
	for i, c := range changes {
		if _, ok := texts[c.file]; !ok {
			text, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			texts[c.file] = string(text)
			replace[filepath.Join(root, c.file)] = filepath.Join(dir, fmt.Sprint(i)+path.Ext(c.file))
		}
		text, err := c.apply(texts[c.file])
		if err != nil {
			t.Fatal(err)
		}
		texts[c.file] = text
	}
	for file, text := range texts {
		if err := os.WriteFile(replace[filepath.Join(root, file)], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// runChanged runs tests of packages with an overlay, and returns what failed, by package.
func runChanged(t *testing.T, overlay string, tests ...map[string]string) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	var names, packages []string
	for _, m := range tests {
		for p, n := range m {
			packages, names = append(packages, p), append(names, n)
		}
	}
	slices.Sort(packages)
	slices.Sort(names)
	args := append([]string{"test", "-json", "-overlay", overlay, "-run", "^(" + strings.Join(names, "|") + ")$"}, packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	failed, output, ran := map[string]string{}, map[string]string{}, map[string]bool{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var e struct{ Action, Package, Test, Output string }
		if err := d.Decode(&e); err != nil {
			t.Fatalf("go test -json: %v\n%s", err, errs.String())
		}
		p := strings.Replace(e.Package, modulePath, ".", 1)
		output[p] += e.Output
		switch {
		case e.Action == "run":
			ran[p] = true
		case e.Action == "fail" && e.Test == "":
			failed[p] = output[p]
		}
	}
	for _, p := range packages {
		if !ran[p] {
			t.Fatalf("go test: no test of %s was run: %v\n%s%s", p, err, errs.String(), output[p])
		}
	}
	return failed
}

// TestContributing applies the changes with which CONTRIBUTING.md adds an operator. With its
// declaration alone tests fail in each package that wants more of it; with all changes
// they succeed.
func TestContributing(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	changes, err := changesOf(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var declaration []change
	for _, c := range changes {
		if strings.HasPrefix(c.file, "graph/op/") && !strings.HasSuffix(c.file, "_test.go") {
			declaration = append(declaration, c)
		}
	}
	if len(declaration) == 0 || len(changes) < 9 {
		t.Fatalf("CONTRIBUTING.md has %d changes, %d of them declare the operator", len(changes), len(declaration))
	}
	failed := runChanged(t, overlay(t, declaration), operatorTests)
	for p := range operatorTests {
		if !strings.Contains(failed[p], newOperator) {
			t.Errorf("%s wants nothing of a new operator; take it out of the list:\n%s", p, failed[p])
		}
	}
	for _, c := range changes {
		if path.Ext(c.file) != ".axioms" {
			continue
		}
		// The operator is not registered here: another function of one element stands for it.
		text := strings.ReplaceAll(strings.TrimSuffix(c.new, c.old), newOperator, "sigmoid")
		if _, err := law.ParseLaw(text); err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
	}
	for p, output := range runChanged(t, overlay(t, changes), operatorTests, operatorChecks) {
		t.Errorf("with the changes of CONTRIBUTING.md %s fails:\n%s", p, output)
	}
}

// TestChanges: a change that does not fit is an error.
func TestChanges(t *testing.T) {
	list, err := changesOf("a\n```diff\n--- f.txt\n one\n+two\n-three\n```\n")
	if err != nil || len(list) != 1 || list[0] != (change{"f.txt", "one\nthree\n", "one\ntwo\n"}) {
		t.Fatal(list, err)
	}
	for text, want := range map[string]string{
		"zero\none\nthree\nfour\n":     "zero\none\ntwo\nfour\n",
		"one\nfour\n":                  "",
		"one\nthree\nand one\nthree\n": "one\ntwo\nand one\nthree\n",
		"one\nthree\none\nthree\n":     "",
	} {
		if got, err := list[0].apply(text); got != want || (want == "") != (err != nil) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := (change{"f.go", "package a\n", "package a\nvar  x int\n"}).apply("package a\n"); err == nil {
		t.Error("a change that gofmt would change is accepted")
	}
	if _, err := changesOf("\n```diff\n--- f\n one\nx\n```\n"); err == nil {
		t.Error("a line without a mark is accepted")
	}
}

// fileRow is a row of the lists of files in CONTRIBUTING.md.
type fileRow struct {
	patterns []string
	when     string
}

// fileLists returns the lists of files by the sentence before them.
func fileLists(text string) map[string][]fileRow {
	lists, title := map[string][]fileRow{}, ""
	_, text, _ = strings.Cut(text, "\n### Files that an operator touches\n")
	text, _, _ = strings.Cut(text, "\n### ")
	name := regexp.MustCompile("`([^`]+)`")
	for _, line := range strings.Split(text, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			if t, ok := strings.CutSuffix(line, ":"); ok {
				title = t
			}
			continue
		}
		row, dir := fileRow{when: strings.TrimSpace(cells[3])}, ""
		for _, m := range name.FindAllStringSubmatch(cells[1], -1) {
			p := m[1]
			if !strings.Contains(p, "/") {
				p = path.Join(dir, p) // of the folder of the one before
			}
			dir = path.Dir(p)
			row.patterns = append(row.patterns, p)
		}
		if len(row.patterns) > 0 {
			lists[title] = append(lists[title], row)
		}
	}
	return lists
}

// naming lists the files of the repository that name an operator, by operator. Documents, benchmarks,
// scripts and test data are not among them.
func naming(t *testing.T, operators ...string) map[string][]string {
	t.Helper()
	files, words := map[string][]string{}, map[string]*regexp.Regexp{}
	for _, o := range operators {
		words[o] = regexp.MustCompile(`\bop\.(?i:` + o + `)\b|\b` + o + `\b`)
	}
	skip := []string{"vendor", "testdata", "docs", "bench", "scripts", "bin", "node_modules"}
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && p != "." && (slices.Contains(skip, e.Name()) || strings.HasPrefix(e.Name(), ".")):
			return filepath.SkipDir
		case e.IsDir() || !slices.Contains([]string{".go", ".c", ".h", ".py", ".axioms", ".rules"}, path.Ext(p)):
			return nil
		}
		text, err := os.ReadFile(p)
		for o, word := range words {
			if bytes.Contains(bytes.ToLower(text), []byte(o)) && word.Match(text) {
				files[o] = append(files[o], filepath.ToSlash(p))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestOperatorFiles: the lists of CONTRIBUTING.md have every file that names an operator,
// and each file that an operator always touches names one.
func TestOperatorFiles(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	lists, named := fileLists(string(text)), naming(t, "erf", "topk")
	for title, operator := range map[string]string{"A function of one element": "erf", "Any other operator": "topk"} {
		rows, files := lists[title], named[operator]
		if len(rows) < 8 || len(files) < 8 {
			t.Fatalf("%s: %d rows, %d files that name %s", title, len(rows), len(files), operator)
		}
		always := map[int]bool{}
		for _, f := range files {
			in := false
			for i, r := range rows {
				for _, p := range r.patterns {
					ok, err := path.Match(strings.ReplaceAll(p, "NAME", operator), f)
					if err != nil {
						t.Fatal(err)
					}
					in, always[i] = in || ok, always[i] || ok
				}
			}
			forTests := strings.HasSuffix(f, "_test.go") || strings.HasPrefix(f, "internal/randnet/")
			if !in && !forTests {
				t.Errorf("%s names %s, and the list %q of CONTRIBUTING.md does not have it", f, operator, title)
			}
		}
		for i, r := range rows {
			if r.when == "always" && !always[i] {
				t.Errorf("the list %q has %v, which %s does not touch", title, r.patterns, operator)
			}
			for _, p := range r.patterns {
				if list, err := filepath.Glob(strings.ReplaceAll(p, "NAME", operator)); err != nil || len(list) == 0 {
					t.Errorf("the list %q has %s, and there is no such file", title, p)
				}
			}
		}
	}
}
