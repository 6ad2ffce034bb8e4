package bench

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

func init() {
	Register(&Benchmark{Name: "code", What: "lines of Go by package, without tests and generated code",
		Takes: "1 s", Packages: []string{"cmd/taso", "internal/adversary"}, Run: codeLines})
}

// part is the group of packages that a file counts with.
func part(file string) string {
	p := strings.Split(file, "/")
	switch {
	case len(p) == 1:
		return "the root"
	case p[0] == "internal" && (p[1] == "adversary" || p[1] == "pipeline"):
		return "`internal/" + p[1] + "`"
	case p[0] == "internal":
		return "the rest of `internal`"
	}
	return "`" + p[0] + "`"
}

func codeLines(ctx context.Context, env *Env) (*Record, error) {
	if env.Root == "" {
		return nil, errors.New("there is no checkout to count in")
	}
	tree := os.DirFS(env.Root)
	lines := map[string]int{}
	sum := 0
	err := fs.WalkDir(tree, ".", func(p string, e fs.DirEntry, err error) error {
		name := e.Name()
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir():
			if p != "." && (name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, p)
		if err != nil || generated(text) {
			return err
		}
		n := bytes.Count(text, []byte("\n"))
		lines[part(p)] += n
		sum += n
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := NewTable("", Label("packages"), Counted("lines"))
	for _, p := range sortedKeys(lines) {
		t.Add(p, lines[p])
	}
	t.Add("sum", sum)
	return &Record{Tables: []*Table{t}}, nil
}

// generated reports the line that Go's tools agree on, before the package clause.
func generated(text []byte) bool {
	return slices.ContainsFunc(strings.Split(string(text[:min(len(text), 4096)]), "\n"), func(l string) bool {
		return strings.HasPrefix(l, "// Code generated ") && strings.HasSuffix(l, " DO NOT EDIT.")
	})
}
