package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// goPackage is what go list reports about a package.
type goPackage struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
}

func (p goPackage) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// module holds the packages of the module in the working folder.
type module struct {
	root      string
	byFolder  map[string]goPackage // by path relative to the root, with slashes
	importers map[string][]string  // import path -> tested packages that import it, sorted
}

func readModule() (*module, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	list := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	m := &module{root, map[string]goPackage{}, map[string][]string{}}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		folder, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		m.byFolder[filepath.ToSlash(folder)] = p
		if !p.tested() {
			continue
		}
		imported := map[string]bool{}
		for _, list := range [][]string{p.Imports, p.TestImports, p.XTestImports} {
			for _, i := range list {
				imported[i] = true
			}
		}
		for i := range imported {
			m.importers[i] = append(m.importers[i], p.ImportPath)
		}
	}
	for _, list := range m.importers {
		sort.Strings(list)
	}
	return m, nil
}

// draw returns all mutants of the module but those of scripts.
func (m *module) draw() ([]Mutant, error) {
	var all []Mutant
	for folder, p := range m.byFolder {
		if strings.HasPrefix(folder, "scripts/") {
			continue
		}
		for _, f := range p.GoFiles {
			ms, err := mutants(path.Join(folder, f))
			if err != nil {
				return nil, err
			}
			all = append(all, ms...)
		}
	}
	return all, nil
}

// tests returns the packages whose tests a mutant is given to, in order. The package first, if it
// is not empty, is the one that killed the mutant before.
func (m *module) tests(mutant Mutant, first string) []string {
	p := m.byFolder[path.Dir(mutant.File)]
	var list []string
	seen := map[string]bool{}
	add := func(path string) {
		if path != "" && !seen[path] {
			seen[path] = true
			list = append(list, path)
		}
	}
	if _, there := m.byFolder[strings.TrimPrefix(strings.TrimPrefix(first, modulePath), "/")]; there {
		add(first)
	}
	if p.tested() {
		add(p.ImportPath)
	}
	for _, i := range m.importers[p.ImportPath] {
		add(i)
	}
	return list
}

const modulePath = "github.com/taso-go/taso"
