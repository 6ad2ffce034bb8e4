package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// trusted are the names of other packages of this module that the checker uses,
// beside the methods of their types: what reads laws and holds what was read.
var trusted = map[string][]string{
	"graph": {
		// What was read.
		"Atom", "AtomAxisRun", "AtomVar", "Dim", "Shape", "Value", "ValueKind",
		"KindAxis", "KindDim", "KindName", "KindNumber", "KindPerm", "KindShape", "KindTuple", "KindVar",
		"SameLower", "SameUpper", "Valid",
		"SortAct", "SortBorder", "SortNumber", "SortPadding", "SortPerm", "SortSame", "SortStride",
		// The registry, and names that are read.
		"EachPrefix", "IsActivation", "Lookup", "Op", "ParseDType", "ParseFunctionName",
	},
	"law": {
		"Axiom", "CertRule", "CheckStated", "HashText", "Instance", "IsFuncSort", "Law", "Lemma", "NewCertReader", "Parse",
		"Pred", "Proof", "Rule", "SortPointwise1", "SortZero1", "Term",
	},
}

// TestUses: the checker names nothing of packages graph and law but what doc.go
// says it trusts, and that is declared in the files that doc.go lists; z3.go is
// no part of it.
func TestUses(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || name == "z3.go" {
			continue
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	used := map[string][]string{}
	for name, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && trusted[x.Name] != nil {
				used[x.Name] = append(used[x.Name], s.Sel.Name)
				if !slices.Contains(trusted[x.Name], s.Sel.Name) {
					t.Errorf("%s uses %s.%s", name, x.Name, s.Sel.Name)
				}
			}
			return true
		})
	}
	lists := trustedFiles(t)
	for pkg, names := range trusted {
		declared := map[string]bool{}
		for _, name := range lists[pkg].files {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", pkg, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for name := range f.Scope.Objects {
				declared[name] = true
			}
		}
		for _, n := range names {
			if !slices.Contains(used[pkg], n) {
				t.Errorf("%s.%s is not used", pkg, n)
			}
			if !declared[n] {
				t.Errorf("%s.%s is in no file that doc.go lists", pkg, n)
			}
		}
	}
}

// trustedPart is a package in doc.go's list of what is trusted.
type trustedPart struct {
	lines int
	files []string
}

// trustedFiles reads that list.
func trustedFiles(t *testing.T) map[string]trustedPart {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(doc), "// # What is trusted\n")
	if !ok {
		t.Fatal("doc.go does not list what is trusted")
	}
	head := regexp.MustCompile(`^//\t([a-z/]+), ([\d,]+) lines$`)
	file := regexp.MustCompile(`[a-z0-9_]+\.go`)
	parts := map[string]trustedPart{}
	pkg := ""
	for _, line := range strings.Split(list, "\n") {
		if m := head.FindStringSubmatch(line); m != nil {
			pkg = m[1]
			n, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
			if err != nil {
				t.Fatal(err)
			}
			parts[pkg] = trustedPart{lines: n}
		} else if strings.HasPrefix(line, "//\t  ") && pkg != "" {
			p := parts[pkg]
			p.files = append(p.files, file.FindAllString(line, -1)...)
			parts[pkg] = p
		}
	}
	return parts
}

// TestTrusted: doc.go lists all files of the checker, and the lines of what is
// trusted are as many as it says, within one in twenty.
func TestTrusted(t *testing.T) {
	parts := trustedFiles(t)
	for _, pkg := range []string{"verify/check", "internal/lex", "law", "graph/define", "graph/bounds", "graph"} {
		p := parts[pkg]
		n := 0
		for _, name := range p.files {
			src, err := os.ReadFile(filepath.Join("../..", pkg, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(string(src), "\n") {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
					n++
				}
			}
		}
		if d := n - p.lines; n == 0 || 20*max(d, -d) > p.lines {
			t.Errorf("%s: %d lines are trusted, doc.go says %d", pkg, n, p.lines)
		}
		t.Logf("%s: %d lines", pkg, n)
	}
	own, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range own {
		part := !strings.HasSuffix(name, "_test.go") && name != "z3.go" && name != "doc.go"
		if part != slices.Contains(parts["verify/check"].files, name) {
			t.Errorf("%s: a part of the checker: %v; doc.go says otherwise", name, part)
		}
	}
}
