package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// trusted are the names of other packages of this module that the checker uses,
// beside the methods of their types: what reads laws and holds what was read.
var trusted = map[string][]string{
	"graph": {
		// What was read.
		"Atom", "AtomRun", "AtomVar", "Dim", "Shape", "Value", "ValueKind",
		"KindDim", "KindName", "KindNumber", "KindShape", "KindTuple", "KindVar",
		"SameLower", "SameUpper", "Valid",
		"SortAct", "SortBorder", "SortNumber", "SortPadding", "SortSame", "SortStride",
		// The registry, and names that are read.
		"IsActivation", "Lookup", "Op", "ParseDType", "ParseFunctionName",
	},
	"law": {
		"Axiom", "CertRule", "HashText", "Instance", "IsFuncSort", "Law", "Lemma", "NewCertReader", "Parse",
		"Pred", "Proof", "Rule", "SortPointwise1", "SortZero1", "Term",
	},
}

// TestUses: the checker names nothing of packages graph and law but what doc.go
// says it trusts; z3.go and what makes corruptions are no part of it.
func TestUses(t *testing.T) {
	pkgs, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go") && f.Name() != "z3.go" && !strings.HasPrefix(f.Name(), "corrupt")
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string][]string{}
	for name, f := range pkgs["check"].Files {
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
	for pkg, names := range trusted {
		for _, n := range names {
			if !slices.Contains(used[pkg], n) {
				t.Errorf("%s.%s is not used", pkg, n)
			}
		}
	}
}
