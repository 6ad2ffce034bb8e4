package onnx

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// mentions are the strings and the names in a piece of code.
type mentions struct{ texts, names map[string]bool }

func mentionsOf(n ast.Node) mentions {
	m := mentions{map[string]bool{}, map[string]bool{}}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(x.Value); err == nil {
				m.texts[text] = true
			}
		case *ast.Ident:
			m.names[x.Name] = true
		}
		return true
	})
	return m
}

// packageFunctions are the functions and methods of the package by name.
func packageFunctions(t *testing.T) map[string][]*ast.FuncDecl {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	funcs := map[string][]*ast.FuncDecl{}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		p, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range p.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				funcs[fn.Name.Name] = append(funcs[fn.Name.Name], fn)
			}
		}
	}
	return funcs
}

// reachable are the strings in a piece of code and in all that it names: functions of the
// package, and variables. Names are looked up as they are, so there may be too many.
func reachable(m mentions, code map[string][]mentions) map[string]bool {
	texts, seen, next := map[string]bool{}, map[string]bool{}, []mentions{m}
	for len(next) > 0 {
		m, next = next[len(next)-1], next[:len(next)-1]
		maps.Copy(texts, m.texts)
		for name := range m.names {
			if !seen[name] {
				seen[name] = true
				next = append(next, code[name]...)
			}
		}
	}
	return texts
}

// TestUnderstoodAttributesAreRead: each attribute that a record names as understood is
// named in the code that reads the operator, too, unless it is marked to have no effect.
func TestUnderstoodAttributesAreRead(t *testing.T) {
	funcs, code := packageFunctions(t), map[string][]mentions{}
	isTable := func(name string) bool { return strings.HasSuffix(name, "Operators") && name != "Operators" }
	for name, list := range funcs {
		for _, fn := range list {
			if !isTable(name) {
				code[name] = append(code[name], mentionsOf(fn.Body))
			}
		}
	}
	checked := 0
	for name, list := range funcs {
		if !isTable(name) {
			continue
		}
		within := maps.Clone(code) // with the variables of the function
		ast.Inspect(list[0].Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Lhs) == 1 {
				if v, ok := a.Lhs[0].(*ast.Ident); ok && v.Name != "all" {
					within[v.Name] = append(within[v.Name], mentionsOf(a.Rhs[0]))
				}
			}
			return true
		})
		ast.Inspect(list[0].Body, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			fields := map[string]ast.Expr{}
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok {
						fields[key.Name] = kv.Value
					}
				}
			}
			named, ok := fields["name"].(*ast.BasicLit)
			if !ok {
				return true
			}
			domain := ""
			if d, ok := fields["domain"].(*ast.Ident); ok {
				domain = map[string]string{"learning": learning, "training": training}[d.Name]
			} else if name == "contributedOperators" {
				domain = contributed
			}
			text, _ := strconv.Unquote(named.Value)
			o := lookup(domain, text)
			if o == nil {
				t.Fatalf("no record of %s %q", domain, text)
			}
			if !o.reads() {
				return false
			}
			all := map[string]bool{}
			for _, field := range []string{"lower", "fold", "move", "types"} {
				if e := fields[field]; e != nil {
					maps.Copy(all, reachable(mentionsOf(e), within))
				}
			}
			for _, attr := range strings.Fields(o.attrs) {
				if strings.ContainsAny(attr[:1], "!~") {
					continue
				}
				if checked++; !all[attr] {
					t.Errorf("%s: the record says that %s is understood, and nothing reads it", o.fullName(), attr)
				}
			}
			return false
		})
	}
	if checked < 300 {
		t.Errorf("only %d attributes were checked", checked)
	}
}
