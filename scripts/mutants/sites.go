package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"strconv"
)

// A Mutant is one change of one place in the source.
type Mutant struct {
	File string `json:"file"` // relative to the root of the module, with slashes
	Func string `json:"func"` // the function or method, such as "Parse" or "(*Graph).Add"
	Kind string `json:"kind"` // what is changed, such as "== to !="
	Nth  int    `json:"nth"`  // place among the mutants of this kind in the function, from 0
	Line int    `json:"line"` // line when the mutant was drawn, for people
}

func (m Mutant) name() string {
	return fmt.Sprintf("%s %s %s %d", m.File, m.Func, m.Kind, m.Nth)
}

var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL:  token.ADD,
	token.LAND: token.LOR, token.LOR: token.LAND,
}

// sites calls visit for each mutant of a file. The function apply changes the syntax tree of the
// file; it may be called for one mutant of a tree only.
func sites(set *token.FileSet, file *ast.File, path string, visit func(m Mutant, apply func())) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		function := functionName(f)
		count := map[string]int{}
		report := func(n ast.Node, kind string, apply func()) {
			visit(Mutant{path, function, kind, count[kind], set.Position(n.Pos()).Line}, apply)
			count[kind]++
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if to, ok := swapped[n.Op]; ok {
					report(n, n.Op.String()+" to "+to.String(), func() { n.Op = to })
				}
			case *ast.BasicLit:
				if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
					report(n, "integer plus 1", func() { n.Value = strconv.Itoa(v + 1) })
				}
			case *ast.Ident:
				switch n.Name {
				case "true":
					report(n, "true to false", func() { n.Name = "false" })
				case "false":
					report(n, "false to true", func() { n.Name = "true" })
				}
			case *ast.IfStmt:
				report(n, "condition negated", func() {
					n.Cond = &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: n.Cond}}
				})
			case *ast.BlockStmt:
				for i, s := range n.List {
					if kind := removable(s); kind != "" {
						report(s, kind, func() { n.List = append(n.List[:i:i], n.List[i+1:]...) })
					}
				}
			}
			return true
		})
	}
}

// removable returns the kind of the mutant that removes a statement, or "".
func removable(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return "call removed"
	case *ast.IncDecStmt:
		return "increment removed"
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			return "assignment removed"
		}
	case *ast.BranchStmt:
		if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
			return s.Tok.String() + " removed"
		}
	}
	return ""
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), f.Recv.List[0].Type); err != nil {
		return f.Name.Name
	}
	return "(" + b.String() + ")." + f.Name.Name
}

// mutants returns all mutants of a file.
func mutants(path string) ([]Mutant, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	var all []Mutant
	sites(set, file, path, func(m Mutant, _ func()) { all = append(all, m) })
	return all, nil
}

// source returns the source of m's file with the change of m, and false if the file has no such
// place.
func source(m Mutant) ([]byte, bool, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, m.File, nil, parser.ParseComments)
	if os.IsNotExist(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var change func()
	sites(set, file, m.File, func(other Mutant, apply func()) {
		if other.name() == m.name() {
			change = apply
		}
	})
	if change == nil {
		return nil, false, nil
	}
	change()
	var b bytes.Buffer
	err = printer.Fprint(&b, set, file)
	return b.Bytes(), true, err
}
