package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/rules"
)

// leastMemory is the smallest --memory that is accepted.
var leastMemory = genrules.LeastMemory

// validate finds out before a long run what would fail after it.
func (g *genRules) validate() error {
	if g.opt.MaxOps < 1 || g.opt.MaxOps > enumerate.MaxOps {
		return fmt.Errorf("--max-ops %d: must be 1 to %d", g.opt.MaxOps, enumerate.MaxOps)
	}
	if g.opt.Workers < 0 || g.opt.SemanticOps < 0 {
		return fmt.Errorf("--workers and --semantic-ops must not be negative")
	}
	if g.forModel == "" {
		for _, name := range []string{"shape", "batch", "constant", "defaults"} {
			if g.model.cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is for the model of --for, which is not given", name)
			}
		}
	}
	if d := g.opt.Spill; d != "" {
		if st, err := os.Stat(d); err != nil {
			return fmt.Errorf("--spill %s: %w", d, errors.Unwrap(err))
		} else if !st.IsDir() {
			return fmt.Errorf("--spill %s: not a folder", d)
		}
	}
	if g.parallel {
		all := genrules.MeshPresets()
		if len(g.opt.Ops) == 0 {
			g.opt.Ops = all
		}
		for _, name := range g.opt.Ops {
			if !slices.Contains(all, name) {
				return fmt.Errorf("--parallel --ops: %q is no preset for meshes (%s)", name, strings.Join(all, ", "))
			}
		}
	} else if _, err := enumerate.New(g.opt.Ops); err != nil {
		return fmt.Errorf("--ops: %w", err)
	}
	if n, m := leastMemory(g.opt), int64(g.memory); m > 0 && m < n {
		n = (n + 1<<20 - 1) >> 20 << 20 // whole megabytes
		return fmt.Errorf("--memory %s: the run needs at least %s", &g.memory, (*size)(&n))
	}
	return checkOutputs(nil, g.outputs()...)
}

// outputs are the files that a run writes.
func (g *genRules) outputs() []output {
	return []output{{"--out", g.out}, {"--out", certOf(g.out)}, {"--pb", g.pb}, {"--unproved", g.unproved}, {"--html", g.html}}
}

// certOf is the certificate file that rules.Save writes beside path, "" if none.
func certOf(path string) string {
	if path == "" || path == "-" || formatOf(path) == formatJSON {
		return ""
	}
	return rules.CertPath(path)
}
