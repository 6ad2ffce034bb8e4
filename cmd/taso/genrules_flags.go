package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/rules"
)

// validate finds out before a long run what would fail after it.
func (g *genRules) validate() error {
	if g.opt.MaxOps < 1 || g.opt.MaxOps > enumerate.MaxOps {
		return fmt.Errorf("--max-ops %d: must be 1 to %d", g.opt.MaxOps, enumerate.MaxOps)
	}
	if g.opt.Workers < 0 || g.opt.SemanticOps < 0 {
		return fmt.Errorf("--workers and --semantic-ops must not be negative")
	}
	if _, err := enumerate.New(g.opt.Ops); err != nil {
		return fmt.Errorf("--ops: %w", err)
	}
	var seen []string
	for _, f := range []struct{ flag, path string }{{"--out", g.out}, {"--out", certOf(g.out)}, {"--pb", g.pb}, {"--unproved", g.unproved}} {
		if f.path == "" {
			continue
		}
		if f.path == "-" {
			return fmt.Errorf("%s -: name a file, the standard output holds the report", f.flag)
		}
		if slices.Contains(seen, f.path) {
			return fmt.Errorf("%s %s: another flag writes that file too", f.flag, f.path)
		}
		seen = append(seen, f.path)
		probe, err := atomicfile.Create(f.path)
		if err != nil {
			var cause *fs.PathError
			if errors.As(err, &cause) { // without the temporary name
				err = cause.Err
			}
			return fmt.Errorf("%s %s: %w", f.flag, f.path, err)
		}
		probe.Abort()
	}
	return nil
}

// certOf is the certificate file that rules.Save writes beside path, "" if none.
func certOf(path string) string {
	if path == "" || path == "-" || formatOf(path) == formatJSON {
		return ""
	}
	return rules.CertPath(path)
}
