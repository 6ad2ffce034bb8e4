package taso_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// modulePath is the import path of the root; the picture names packages
// relative to it.
const modulePath = "github.com/taso-go/taso"

// picture is the package picture of docs/architecture.md. A package may import
// only packages of lower lines. Reading it:
//
//   - "p" is one package, "p/*" every package below p, at any depth, and not p;
//     where both an exact name and a "/*" fit, the exact name, then the longest
//     prefix counts;
//   - the line "leaf" is below line 0: its packages import nothing of this
//     module and every other package may import them;
//   - "allow A -> B" permits an import within one line;
//   - "only A -> B C" narrows a package further: of this module it may import
//     nothing but B and C.
//
// A package that the picture does not name fails the test, and so does a name
// without a package, so that the picture stays true when packages come and go.
// Test files are not looked at.
const picture = `
line 5     cmd/taso bench internal/adversary internal/modelpairs scripts/mutants cluster cluster/cmd/taso-cluster
line 4     bench/* internal/randplan internal/pipeline/* internal/pipeline/verifymodels internal/pipeline/theory internal/pipeline/weightfacts internal/pipeline/audit internal/pipeline/audit/page internal/pipeline/doctor internal/pipeline/rulepage internal/pipeline/genrules internal/pipeline/genrules/page internal/pipeline/measure internal/pipeline/runmodel internal/pipeline/optimize internal/pipeline/optimize/page internal/pipeline/parallelize internal/pipeline/runpcg internal/pipeline/selftest internal/pipeline/showmodel
line 3     internal/judge search/saturate enumerate enumerate/general verify verify/check verify/network verify/bounded verify/explain verify/refute verify/smt verify/spread backends backends/* backends/cuda parallel parallel/machine parallel/sim parallel/schedule parallel/pad parallel/plan parallel/export
line 2     search model/fold model/feed internal/lawtext internal/roundtrip internal/randnet internal/adversary/eval law/instance law/mutate fingerprint axioms rules rules/taso rules/builtin rules/sets rules/broadcast rules/tasopb rules/peer rules/egglog egraph/tensor verify/sums verify/prove verify/assume onnx cost
line 1     graph/interp graph/bank law law/rewrite verify/meaning model lower
line 0     . graph graph/op graph/define graph/grad graph/intern graph/bounds egraph egraph/extract internal/z3
line leaf  internal/suggest internal/lex internal/golden internal/atomicfile internal/exactjson internal/must
line leaf  onnx/onnxpb internal/npy internal/ort internal/eggrun internal/fetch internal/jax
line leaf  internal/sweep internal/wrap internal/invariants internal/collector internal/draw internal/memo internal/parallel internal/progress internal/procstat internal/spill internal/hostile internal/page internal/page/pagetest

# A parent may import the parts that were taken out of it, or the reverse.
allow  internal/pipeline/*   -> internal/pipeline/theory
allow  internal/pipeline/optimize -> internal/pipeline/weightfacts
allow  internal/pipeline/genrules -> internal/pipeline/weightfacts
allow  internal/pipeline/audit -> internal/pipeline/theory
allow  internal/pipeline/audit/page -> internal/pipeline/audit
allow  internal/pipeline/audit/page -> internal/pipeline/rulepage
allow  internal/pipeline/genrules -> internal/pipeline/theory
allow  internal/pipeline/genrules/page -> internal/pipeline/genrules
allow  internal/pipeline/genrules/page -> internal/pipeline/rulepage
allow  verify/smt            -> verify
allow  verify/prove          -> axioms
allow  verify/prove          -> verify/sums
allow  verify/spread      -> verify
allow  verify/spread      -> verify/refute
allow  internal/pipeline/doctor -> internal/pipeline/selftest
allow  internal/pipeline/measure -> internal/pipeline/runmodel
allow  internal/pipeline/optimize -> internal/pipeline/runmodel
allow  internal/pipeline/optimize -> internal/pipeline/verifymodels
allow  internal/pipeline/optimize -> internal/pipeline/theory
allow  internal/pipeline/optimize/page -> internal/pipeline/optimize
allow  internal/pipeline/parallelize -> internal/pipeline/optimize
allow  internal/pipeline/parallelize -> internal/pipeline/runpcg
allow  internal/pipeline/optimize/page -> internal/pipeline/showmodel
allow  internal/pipeline/optimize/page -> internal/pipeline/rulepage
allow  backends/*            -> backends
allow  backends/cuda         -> backends
allow  backends/cuda         -> backends/*
allow  cmd/taso              -> bench
allow  internal/adversary    -> internal/modelpairs
allow  cluster/cmd/taso-cluster -> cluster
allow  enumerate             -> enumerate/general
allow  internal/memo         -> internal/parallel
allow  internal/page         -> internal/draw
allow  internal/page/pagetest -> internal/draw
allow  internal/page/pagetest -> internal/page
allow  internal/ort          -> internal/atomicfile
allow  parallel/machine      -> parallel
allow  parallel/sim          -> parallel
allow  parallel/sim          -> parallel/machine
allow  parallel/schedule     -> parallel
allow  parallel/schedule     -> parallel/machine
allow  parallel/schedule     -> parallel/sim
allow  parallel/plan         -> parallel
allow  parallel/plan         -> parallel/machine
allow  parallel/plan         -> parallel/pad
allow  parallel/plan         -> parallel/schedule
allow  parallel/plan         -> parallel/sim
allow  parallel/export       -> parallel
allow  parallel/export       -> parallel/plan
allow  rules/taso            -> rules
allow  rules/taso            -> rules/tasopb
allow  rules/peer            -> rules/tasopb
allow  rules/egglog          -> rules
allow  rules/sets            -> rules
allow  graph/op              -> graph
allow  graph/define          -> graph
allow  graph/intern          -> graph
allow  graph/bounds          -> graph
allow  graph/grad            -> graph
allow  law/rewrite           -> law
allow  verify/meaning        -> law

# The simulator knows nothing of who makes task graphs.
only   parallel/sim          -> parallel parallel/machine internal/draw internal/page

# What pads a network knows nothing of devices.
only   parallel/pad          -> graph graph/op law verify/prove

# The checker of certificates is held to what reads and holds laws; its doc.go
# lists what it trusts.
only   verify/check          -> graph law internal/z3 verify/meaning

# The checker of proofs from what operators compute knows nothing that finds them.
only   verify/meaning        -> graph law

# What says that an equation is about two models knows no search.
only   verify/network        -> graph graph/interp graph/bounds law model

# Who judges all of them shares no code with any: it reads laws and values.
only   internal/adversary/eval -> graph law
`

// leafLine is the number that stands for "line leaf".
const leafLine = -1

// deps is the parsed picture.
type deps struct {
	line  map[string]int      // pattern to line number
	allow map[[2]string]bool  // pairs of patterns
	only  map[string][]string // pattern to the patterns it may import
}

// parsePicture reads the text form described at picture.
func parsePicture(text string) (*deps, error) {
	d := &deps{line: map[string]int{}, allow: map[[2]string]bool{}, only: map[string][]string{}}
	for i, raw := range strings.Split(text, "\n") {
		f := strings.Fields(raw)
		switch {
		case len(f) == 0 || strings.HasPrefix(f[0], "#"):
		case f[0] == "line" && len(f) > 2:
			n := leafLine
			if f[1] != "leaf" {
				var err error
				if n, err = strconv.Atoi(f[1]); err != nil {
					return nil, fmt.Errorf("picture line %d: %w", i+1, err)
				}
			}
			for _, p := range f[2:] {
				if _, twice := d.line[p]; twice {
					return nil, fmt.Errorf("picture line %d: %s is on two lines", i+1, p)
				}
				d.line[p] = n
			}
		case f[0] == "allow" && len(f) == 4 && f[2] == "->":
			d.allow[[2]string{f[1], f[3]}] = true
		case f[0] == "only" && len(f) > 3 && f[2] == "->":
			d.only[f[1]] = f[3:]
		default:
			return nil, fmt.Errorf("picture line %d: cannot read %q", i+1, raw)
		}
	}
	for pair := range d.allow {
		for _, p := range pair {
			if _, ok := d.line[p]; !ok {
				return nil, fmt.Errorf("picture: an exception names %s, which is on no line", p)
			}
		}
	}
	for p, targets := range d.only {
		for _, q := range append([]string{p}, targets...) {
			if _, ok := d.line[q]; !ok {
				return nil, fmt.Errorf("picture: an exception names %s, which is on no line", q)
			}
		}
	}
	return d, nil
}

// pattern returns the entry of the picture that fits a package.
func (d *deps) pattern(pkg string) (string, bool) {
	if _, ok := d.line[pkg]; ok {
		return pkg, true
	}
	for dir := path.Dir(pkg); dir != "."; dir = path.Dir(dir) {
		if _, ok := d.line[dir+"/*"]; ok {
			return dir + "/*", true
		}
	}
	return "", false
}

// lineName writes a line number as the picture does.
func lineName(n int) string {
	if n == leafLine {
		return "line leaf"
	}
	return "line " + strconv.Itoa(n)
}

// check returns what is wrong with an import, or "".
func (d *deps) check(from, to string) string {
	fp, ok := d.pattern(from)
	if !ok {
		return fmt.Sprintf("package %s is not in the picture: put it on a line of deps_test.go and docs/architecture.md", from)
	}
	tp, ok := d.pattern(to)
	if !ok {
		return fmt.Sprintf("package %s, imported by %s, is not in the picture", to, from)
	}
	if targets, ok := d.only[fp]; ok {
		for _, t := range targets {
			if t == tp {
				return ""
			}
		}
		return fmt.Sprintf("import %s -> %s: %s may import only %s", from, to, fp, strings.Join(targets, ", "))
	}
	if d.line[tp] < d.line[fp] || d.allow[[2]string{fp, tp}] {
		return ""
	}
	return fmt.Sprintf("import %s (%s) -> %s (%s): only lower lines may be imported",
		from, lineName(d.line[fp]), to, lineName(d.line[tp]))
}

// edge is an import of one package of the module by another.
type edge struct{ from, to, file string }

// readImports parses every Go file below root, whatever its build tags, except
// tests, vendor, testdata and hidden folders. It returns the packages and the
// imports within the module, both sorted.
func readImports(root string) (pkgs []string, edges []edge, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if p != root && (name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return fmt.Errorf("parse imports: %w", err)
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		from := path.Dir(rel)
		seen[from] = true
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("parse imports of %s: %w", rel, err)
			}
			if imp == modulePath {
				edges = append(edges, edge{from, ".", rel})
			} else if to, ok := strings.CutPrefix(imp, modulePath+"/"); ok {
				edges = append(edges, edge{from, to, rel})
			}
		}
		return nil
	})
	for p := range seen {
		pkgs = append(pkgs, p)
	}
	sort.Strings(pkgs)
	sort.Slice(edges, func(i, j int) bool {
		a, b := edges[i], edges[j]
		if a.file != b.file {
			return a.file < b.file
		}
		return a.to < b.to
	})
	return pkgs, edges, err
}

// TestPackagePicture fails on every import that the picture does not allow.
func TestPackagePicture(t *testing.T) {
	d, err := parsePicture(picture)
	if err != nil {
		t.Fatal(err)
	}
	pkgs, edges, err := readImports(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 2 {
		t.Fatalf("found only the packages %v: is this the root of the module?", pkgs)
	}
	used := map[string]bool{}
	for _, p := range pkgs {
		pattern, ok := d.pattern(p)
		if !ok {
			t.Errorf("package %s is not in the picture: put it on a line of deps_test.go and docs/architecture.md", p)
		}
		used[pattern] = true
	}
	for pattern := range d.line {
		if !used[pattern] {
			t.Errorf("the picture names %s, and no package is there", pattern)
		}
	}
	for _, e := range edges {
		if msg := d.check(e.from, e.to); msg != "" {
			t.Errorf("%s: %s", e.file, msg)
		}
	}
}

// TestPictureRejects shows that the check can fail: each edge is judged as said.
func TestPictureRejects(t *testing.T) {
	d, err := parsePicture(picture)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to string
		want     string // part of the message, "" for allowed
	}{
		{"cmd/taso", "internal/pipeline/genrules", ""},
		{"internal/pipeline/genrules", "enumerate", ""},
		{"enumerate", "fingerprint", ""},
		{"fingerprint", "graph/interp", ""},
		{"rules/taso", "rules/tasopb", ""},
		{"rules", "law", ""},
		{"graph/op", "graph", ""},
		{"cost", "internal/atomicfile", ""},
		{"egraph/tensor", "egraph", ""},
		{"verify", "axioms", ""},
		{"verify/check", "law", ""},
		{"verify/explain", "law", ""},
		{"verify/explain", "verify", "only lower lines"},
		{"verify/check", "internal/z3", ""},
		{"graph", "graph/op", "import graph (line 0) -> graph/op (line 0)"},
		{"egraph", "graph", "import egraph (line 0) -> graph (line 0)"},
		{"graph", "egraph", "only lower lines"},
		{"law", "rules", "import law (line 1) -> rules (line 2)"},
		{"enumerate", "verify", "import enumerate (line 3) -> verify (line 3)"},
		{"verify", "verify/check", "only lower lines"},
		{"rules/tasopb", "rules", "only lower lines"},
		{"verify/check", "verify", "may import only"},
		{"verify/check", "graph/op", "may import only"},
		{"verify/check", "axioms", "may import only"},
		{"internal/progress", "internal/procstat", "line leaf"},
		{"internal/golden", "graph", "line leaf"},
		{"util", "graph", "package util is not in the picture"},
		{"verify/smt", "verify", ""},
		{"verify", "verify/smt", "only lower lines"},
		{"verify", "verify/helpers", "not in the picture"},
	} {
		got := d.check(c.from, c.to)
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s -> %s: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// TestPictureErrors: a picture that contradicts itself is refused.
func TestPictureErrors(t *testing.T) {
	for text, want := range map[string]string{
		"line 1 a\nline 2 a":         "a is on two lines",
		"line x a":                   "invalid syntax",
		"lines 1 a":                  "cannot read",
		"line 1 a\nallow a -> b":     "names b",
		"line 1 a\nonly a -> b":      "names b",
		"line 1 a\nallow a -> b -> ": "cannot read",
	} {
		if _, err := parsePicture(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

// TestReadImports: tests, vendor and testdata are skipped, build tags are not.
func TestReadImports(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go":          "package a\nimport (\n\"fmt\"\n_ \"" + modulePath + "/b\"\n_ \"" + modulePath + "\"\n)",
		"a/other.go":      "//go:build never\n\npackage a\nimport _ \"" + modulePath + "/c\"",
		"a/a_test.go":     "package a\nimport _ \"" + modulePath + "/d\"",
		"vendor/v/v.go":   "package v\nimport _ \"" + modulePath + "/e\"",
		"a/testdata/x.go": "package x\nimport _ \"" + modulePath + "/f\"",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, edges, err := readImports(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(pkgs, edges)
	want := "[a] [{a . a/a.go} {a b a/a.go} {a c a/other.go}]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
