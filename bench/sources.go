package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Tree is the source code of a module, of which it takes digests. Digests are
// taken once; a Tree is not safe for concurrent use.
type Tree struct {
	Root   string // the folder of go.mod
	Module string // the module's path
	cache  map[string]*pack
}

// pack is what is known of a package.
type pack struct {
	digest  string
	imports []string // of this module, sorted
	files   []string // that went into the digest, as paths from the root
}

// OpenTree reads the go.mod of a folder.
func OpenTree(root string) (*Tree, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("source tree: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "module" {
			module := f[1]
			if u, err := strconv.Unquote(module); err == nil {
				module = u
			}
			return &Tree{Root: root, Module: module, cache: map[string]*pack{}}, nil
		}
	}
	return nil, fmt.Errorf("source tree: %s: no module line", filepath.Join(root, "go.mod"))
}

// Digests are those of packages and of all packages of the module that they
// import, directly or not, by path relative to the root ("." for the root). A
// digest is over the package's files of Go (whatever their build tags, without
// tests), C and assembler, and what Go files embed: names and contents. A package
// that is not there is an error.
func (t *Tree) Digests(packages []string) (map[string]string, error) {
	out := map[string]string{}
	err := t.visit(packages, func(name string, p *pack) { out[name] = p.digest })
	return out, err
}

// Files are the files that Digests reads, as paths from the root, sorted.
func (t *Tree) Files(packages []string) ([]string, error) {
	var out []string
	err := t.visit(packages, func(_ string, p *pack) { out = append(out, p.files...) })
	slices.Sort(out)
	return out, err
}

func (t *Tree) visit(packages []string, f func(string, *pack)) error {
	seen := map[string]bool{}
	todo := slices.Clone(packages)
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		p, err := t.pack(name)
		if err != nil {
			return err
		}
		f(name, p)
		todo = append(todo, p.imports...)
	}
	return nil
}

// sourceEnds are the ends of names of files that become code.
var sourceEnds = []string{".go", ".c", ".h", ".s", ".S"}

// pack reads a package.
func (t *Tree) pack(name string) (*pack, error) {
	if p := t.cache[name]; p != nil {
		return p, nil
	}
	fail := func(err error) (*pack, error) { return nil, fmt.Errorf("sources of package %s: %w", name, err) }
	if !fs.ValidPath(name) {
		return fail(errors.New("not a path within the module"))
	}
	dir := filepath.Join(t.Root, filepath.FromSlash(name))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fail(err)
	}
	p := &pack{}
	found := false
	for _, e := range entries {
		file := e.Name()
		if !e.Type().IsRegular() || strings.HasSuffix(file, "_test.go") || !slices.Contains(sourceEnds, filepath.Ext(file)) {
			continue
		}
		p.files = append(p.files, path.Join(name, file))
		if filepath.Ext(file) != ".go" {
			continue
		}
		found = true
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return fail(err)
		}
		imports, err := t.imports(file, text)
		if err != nil {
			return fail(err)
		}
		p.imports = append(p.imports, imports...)
		embedded, err := embeds(dir, text)
		if err != nil {
			return fail(fmt.Errorf("%s: %w", file, err))
		}
		for _, e := range embedded {
			p.files = append(p.files, path.Join(name, e))
		}
	}
	if !found {
		return fail(errors.New("no Go files"))
	}
	p.imports = slices.Compact(slices.Sorted(slices.Values(p.imports)))
	p.files = slices.Compact(slices.Sorted(slices.Values(p.files)))
	if p.digest, err = t.digest(p.files); err != nil {
		return fail(err)
	}
	t.cache[name] = p
	return p, nil
}

// imports are the packages of the module that a file imports.
func (t *Tree) imports(file string, text []byte) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", file, spec.Path.Value, err)
		}
		if imp == t.Module {
			out = append(out, ".")
		} else if rest, ok := strings.CutPrefix(imp, t.Module+"/"); ok {
			out = append(out, rest)
		}
	}
	return out, nil
}

// embeds are the files that a Go file embeds, as paths from its folder.
func embeds(dir string, text []byte) ([]string, error) {
	var out []string
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:embed ")
		if !ok {
			continue
		}
		for _, pattern := range strings.Fields(rest) {
			if u, err := strconv.Unquote(pattern); err == nil {
				pattern = u
			}
			files, err := fs.Glob(os.DirFS(dir), strings.TrimPrefix(pattern, "all:"))
			if err != nil {
				return nil, fmt.Errorf("embed %s: %w", pattern, err)
			}
			for _, f := range files {
				err := fs.WalkDir(os.DirFS(dir), f, func(p string, e fs.DirEntry, err error) error {
					if err == nil && e.Type().IsRegular() {
						out = append(out, p)
					}
					return err
				})
				if err != nil {
					return nil, fmt.Errorf("embed %s: %w", pattern, err)
				}
			}
		}
	}
	return out, nil
}

// shownDigest is how many bytes of a hash make a digest: chance does not meet them.
const shownDigest = 8

// digest is over names and contents, each with its length.
func (t *Tree) digest(files []string) (string, error) {
	h := sha256.New()
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(t.Root, filepath.FromSlash(f)))
		if err != nil {
			return "", err
		}
		_, _ = io.WriteString(h, fmt.Sprintf("%d %s %d\n", len(f), f, len(text)))
		_, _ = h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)[:shownDigest]), nil
}
