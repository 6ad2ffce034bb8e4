package taso_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
)

// A list of operators in the code is a property of operators that the registry
// does not know: a new operator would have to be added to each. Properties are
// fields of graph.Op. What remains are places that say something of their own
// about every operator they name; they are these.
var listsOfOperators = map[string]string{
	"graph/interp/":                          "functions in exact arithmetic and in intervals",
	"verify/bounded/ring.go":                 "functions of polynomials",
	"verify/check/":                          "the checker's own account of the operators",
	"internal/adversary/":                    "the evaluator's own account of the operators",
	"onnx/":                                  "what ONNX calls them",
	"rules/taso":                             "what TASO's file format calls them, and what it makes of them",
	"graph/formula.go":                       "the operations that formulas are made of",
	"backends/cpu/":                          "kernels",
	"backends/cuda/kernel/":                  "kernels, and what C calls the operations of formulas",
	"backends/backendtest/":                  "cases of tests",
	"parallel/":                              "what the layout operators send",
	"lower/":                                 "which kernels there are, what each reads, and how views lie over operands",
	"enumerate/families":                     "which attributes are tried",
	"enumerate/presets.go":                   "what a preset is",
	"enumerate/presets_settings.go":          "what a preset is",
	"internal/pipeline/widen/axes.go":        "where operators have an axis run of their result in their operands",
	"internal/pipeline/widen/permutation.go": "which operators a permutation of all axes goes through",
	"enumerate/general/broaden.go":           "which operators of a law are alike at any rank",
	"enumerate/general/pair.go":              "which attributes become variables",
	"verify/explain/picture.go":              "colours",
	"law/mutate/mutate.go":                   "which mistakes are worth trying",
	"internal/pipeline/genrules/model.go":    "what is enumerated for an operator of a model",
}

// fewest is how many operators make a list.
const fewest = 4

// operatorList is a switch, a table or a chain of comparisons that names some.
type operatorList struct {
	at    token.Position
	names []string
}

// findLists are the lists in a file.
func findLists(set *token.FileSet, f *ast.File) (out []operatorList) {
	add := func(n ast.Node, xs []ast.Expr) {
		var names []string
		for _, x := range xs {
			if name := operatorNamed(x); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) >= fewest {
			out = append(out, operatorList{set.Position(n.Pos()), names})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			var xs []ast.Expr
			for _, c := range n.Body.List {
				for _, x := range c.(*ast.CaseClause).List {
					xs = append(xs, compared(x)...)
				}
			}
			add(n, xs)
		case *ast.CompositeLit:
			var xs []ast.Expr
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Key
				}
				xs = append(xs, e)
			}
			add(n, xs)
		case *ast.BinaryExpr:
			if xs := compared(n); n.Op == token.LOR && len(xs) >= fewest {
				add(n, xs)
				return false
			}
		}
		return true
	})
	return out
}

// compared are the operands of equations in a condition, or the expression.
func compared(x ast.Expr) []ast.Expr {
	b, ok := x.(*ast.BinaryExpr)
	if !ok {
		return []ast.Expr{x}
	}
	return append(compared(b.X), compared(b.Y)...)
}

// operatorNamed is the operator that an expression is the name of, as a string or
// as a variable of package op; "" if none.
func operatorNamed(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(x.Value); err == nil {
			if _, ok := graph.Lookup(s); ok {
				return s
			}
		}
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok && pkg.Name == "op" {
			if _, ok := graph.Lookup(strings.ToLower(x.Sel.Name)); ok {
				return strings.ToLower(x.Sel.Name)
			}
		}
	}
	return ""
}

// TestNoListsOfOperators fails on every list outside the places above, and on
// places that have none any more.
func TestNoListsOfOperators(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && p != "." && (e.Name() == "vendor" || e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".")) {
			return filepath.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, p, nil, 0)
		if err != nil {
			return fmt.Errorf("parse: %w", err)
		}
		for _, l := range findLists(set, f) {
			where := ""
			for prefix := range listsOfOperators {
				if strings.HasPrefix(filepath.ToSlash(p), prefix) {
					where = prefix
				}
			}
			used[where] = true
			if where == "" {
				t.Errorf("%s: a list of operators (%s): make what they have in common a field of graph.Op", l.at, strings.Join(l.names, ", "))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for prefix := range listsOfOperators {
		if !used[prefix] {
			t.Errorf("%s has no list of operators any more: take it out here", prefix)
		}
	}
}

// TestFindLists shows that the search finds lists in all forms, and counts names.
func TestFindLists(t *testing.T) {
	const head = "package p\nvar name string\n"
	for text, want := range map[string]int{
		`var x = map[string]bool{"relu": true, "matmul": true, "concat": true, "conv2d": true}`:                        1,
		`var x = []string{"relu", "matmul", "concat", "conv2d"}`:                                                       1,
		`var x = []*graph.Op{op.Relu, op.MatMul, op.Concat, op.Conv2D}`:                                                1,
		`var x = []string{"relu", "matmul", "relu", "matmul"}`:                                                         0,
		`var x = []string{"relu", "matmul", "concat", "axis"}`:                                                         0,
		`var x = name == "relu" || name == "matmul" || name == "concat" || name == "conv2d"`:                           1,
		`func f() { switch name { case "relu", "matmul": case "concat": case "conv2d": } }`:                            1,
		`func f() { switch { case name == "relu": case name == "matmul": case name == "concat" || name == "sqrt": } }`: 1,
		`func f() { if name == "relu" { } }`:                                                                           0,
	} {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, "p.go", head+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := findLists(set, f); len(got) != want {
			t.Errorf("%s: %d lists, want %d", text, len(got), want)
		}
	}
}
