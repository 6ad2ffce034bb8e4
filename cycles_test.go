package taso_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// acyclic are the packages whose files call each other without cycles.
var acyclic = []string{"enumerate", "parallel/plan"}

func TestNoCyclesOfFiles(t *testing.T) {
	for _, dir := range acyclic {
		calls, err := fileCalls(dir)
		if err != nil {
			t.Fatalf("%s: %v", dir, err)
		}
		if len(calls) == 0 {
			t.Errorf("%s: no calls from file to file", dir)
		}
		for _, c := range cyclic(calls) {
			t.Errorf("%s: %s is in a cycle of files; a call there: %s", dir, c, calls[c])
		}
	}
}

// fileCall says that functions of one file call some of another one.
type fileCall struct{ from, to string }

func (c fileCall) String() string { return c.from + " -> " + c.to }

// fileCalls are the calls between the files of a package, without tests, and where one of them is.
func fileCalls(dir string) (map[fileCall]string, error) {
	p, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	exports, err := exportData(dir)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := &types.Config{Importer: importer.ForCompiler(fset, "gc", exports)}
	pkg, err := config.Check(dir, fset, files, info)
	if err != nil {
		return nil, err
	}
	calls := map[fileCall]string{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fn, ok := info.Uses[called(call.Fun)].(*types.Func)
			if !ok || fn.Pkg() != pkg {
				return true
			}
			if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				return true // who is called is not known
			}
			at, to := fset.Position(call.Pos()), filepath.Base(fset.Position(fn.Origin().Pos()).Filename)
			if c := (fileCall{filepath.Base(at.Filename), to}); c.from != c.to && calls[c] == "" {
				calls[c] = fmt.Sprintf("line %d, %s", at.Line, fn.Name())
			}
			return true
		})
	}
	return calls, nil
}

// called is the name of a function that is called, nil if it has none.
func called(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return called(fun.X)
	case *ast.IndexListExpr:
		return called(fun.X)
	}
	return nil
}

// exportData finds what the compiler wrote of the packages that one imports.
func exportData(dir string) (importer.Lookup, error) {
	out, err := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}", "./"+dir).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("%s was not compiled", path)
		}
		return os.Open(files[path])
	}, nil
}

// cyclic lists the calls whose caller can be reached from the file that is called.
func cyclic(calls map[fileCall]string) []fileCall {
	next := map[string][]string{}
	for c := range calls {
		next[c.from] = append(next[c.from], c.to)
	}
	var out []fileCall
	for c := range calls {
		seen := map[string]bool{}
		var visit func(file string)
		visit = func(file string) {
			if !seen[file] {
				seen[file] = true
				for _, to := range next[file] {
					visit(to)
				}
			}
		}
		if visit(c.to); seen[c.from] {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b fileCall) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// The search for cycles finds some, and calls of the right files.
func TestCyclesAreFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package p\n\ntype T[E any] struct{}\n\nfunc (T[E]) m() { g[int]() }\n",
		"b.go": "package p\n\nimport \"slices\"\n\nfunc g[E any]() { slices.Clone([]T[E]{{}})[0].m() }\n\ntype i interface{ m() }\n",
		"c.go": "package p\n\nfunc h(x i) { x.m(); g[bool]() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	if err := os.WriteFile("go.mod", []byte("module p\n\ngo 1.23\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls, err := fileCalls(".")
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := fileCall{"a.go", "b.go"}, fileCall{"b.go", "a.go"}, fileCall{"c.go", "b.go"}
	if got := slices.SortedFunc(maps.Keys(calls), func(x, y fileCall) int { return strings.Compare(x.String(), y.String()) }); !slices.Equal(got, []fileCall{a, b, c}) {
		t.Errorf("calls %v", got)
	}
	if got := cyclic(calls); !slices.Equal(got, []fileCall{a, b}) {
		t.Errorf("cycles %v", got)
	}
}
