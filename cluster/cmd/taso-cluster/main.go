// Command taso-cluster generates rules as taso gen-rules does, by Apache Beam pipelines:
// on this machine, or on a cluster. docs/scale.md says how to start it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/taso-go/taso/cluster"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/rules"
)

// command is the flags beside those of Beam.
type command struct {
	opt       genrules.Options
	cluster   cluster.Options
	ops       string
	runner    string
	processes bool
	pool      string
	out       string
	unproved  string
	json      bool
	verbose   bool
}

func main() {
	c := &command{}
	c.flags(flag.CommandLine)
	flag.Parse()
	if !c.verbose {
		cluster.Quiet()
	}
	beam.Init() // as a worker it does not return
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.run(ctx, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "taso-cluster: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func (c *command) flags(f *flag.FlagSet) {
	f.IntVar(&c.opt.MaxOps, "max-ops", 3, "most operators on a side of a rule")
	f.StringVar(&c.ops, "ops", "", "operators to use, separated by commas, or a preset")
	f.BoolVar(&c.opt.Exhaustive, "exhaustive", false, "visit every distinct graph, not only extensions of representatives")
	f.Uint64Var(&c.opt.Seed, "seed", 1, "seed of the random inputs")
	f.BoolVar(&c.opt.AxiomsOnly, "axioms-only", false, "prove all from the axioms, nothing from what operators compute")
	f.BoolVar(&c.opt.Minimal, "minimal", false, "leave out rules that follow from the others")
	f.IntVar(&c.opt.Workers, "workers", 0, "goroutines of this process (default one a processor)")
	f.Int64Var(&c.opt.Memory, "memory", 0, "`bytes` of heap above which graphs are kept on disk (default no bound)")
	f.StringVar(&c.opt.Spill, "spill", "", "folder for them (default that of temporary files)")
	f.StringVar(&c.opt.Checkpoint, "checkpoint", "", "save each finished level in the folder `DIR`, and go on from what is there")
	f.StringVar(&c.out, "out", "", "write the rules to `FILE.rules` and the certificates to FILE.cert")
	f.StringVar(&c.unproved, "unproved", "", "write what was refuted or not decided to `FILE` as JSON")
	f.BoolVar(&c.json, "json", false, "print the report as JSON")
	f.StringVar(&c.runner, "runner", "prism", "prism, in this process, or universal, the job server at --endpoint")
	f.StringVar(&c.cluster.Dir, "dir", "", "folder that all workers see (required): a path, or gs://bucket/folder")
	f.IntVar(&c.cluster.Shares, "shares", 0, "parts of a walk (default 64)")
	f.IntVar(&c.cluster.Parts, "parts", 0, "files of a kind (default 16)")
	f.IntVar(&c.cluster.Pipelines, "pipelines", 1, "pipelines that answer questions at a time")
	f.IntVar(&c.cluster.Attempts, "attempts", 0, "how often a pipeline is tried (default 3)")
	f.BoolVar(&c.processes, "processes", false, "start workers as processes of their own")
	f.StringVar(&c.pool, "pool", "", "do nothing but start workers for runners that ask for them at `HOST:PORT`")
	f.BoolVar(&c.verbose, "verbose", false, "print what Beam says")
}

func (c *command) run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q: there are no arguments, only flags", args[0])
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if c.pool != "" {
		p, err := cluster.NewPool(c.pool, self)
		if err != nil {
			return err
		}
		defer p.Close()
		fmt.Println("workers are started at", p.Addr())
		<-ctx.Done()
		return nil
	}
	if err := c.validate(); err != nil {
		return err
	}
	if c.cluster.Run, err = cluster.Runner(c.runner); err != nil {
		return err
	}
	var restore func()
	if c.processes {
		p, err := cluster.NewPool("localhost:0", self)
		if err != nil {
			return err
		}
		defer p.Close()
		restore, err = cluster.OnPool(p)
		if err != nil {
			return err
		}
	} else if restore, err = cluster.Program(self); err != nil {
		return err
	}
	defer restore()
	c.cluster.Failed = func(what string, attempt int, err error) {
		line, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(os.Stderr, "taso-cluster: %s, attempt %d: %s\n", what, attempt, line)
	}
	cl, err := cluster.New(c.opt, c.cluster)
	if err != nil {
		return err
	}
	c.opt.Cluster = cl
	rep, err := genrules.Run(ctx, c.opt)
	if err != nil {
		return err
	}
	return c.write(os.Stdout, rep)
}

// validate finds out before a long run what would fail after it.
func (c *command) validate() error {
	if c.opt.MaxOps < 1 || c.opt.MaxOps > enumerate.MaxOps {
		return fmt.Errorf("--max-ops %d: must be 1 to %d", c.opt.MaxOps, enumerate.MaxOps)
	}
	if c.cluster.Dir == "" {
		return errors.New("--dir: name a folder that all workers see")
	}
	if c.ops != "" {
		c.opt.Ops = enumerate.SplitList(c.ops)
	}
	_, err := enumerate.New(c.opt.Ops)
	if err != nil {
		return fmt.Errorf("--ops: %w", err)
	}
	return nil
}

// write writes the files asked for, and the report.
func (c *command) write(w io.Writer, rep *genrules.Report) error {
	if c.out != "" {
		if err := rules.Save(c.out, rep.Set); err != nil {
			return err
		}
	}
	if c.unproved != "" {
		err := atomicfile.WriteFile(c.unproved, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(rep.Unproved)
		})
		if err != nil {
			return err
		}
	}
	if c.json {
		if err := json.NewEncoder(w).Encode(rep); err != nil {
			return err
		}
	} else {
		for _, s := range rep.Stages {
			fmt.Fprintf(w, "%-50s %12d %10.2f s\n", s.Name, s.Count, s.Seconds)
		}
		r := rep.Rules
		fmt.Fprintf(w, "%d proved, %d derivable, %d kept, %d refuted, %d unknown; %.1f s\n",
			r.Proved, r.Derivable, r.Kept, r.Refuted, r.Unknown, rep.Seconds)
	}
	if rep.Stopped != "" {
		return fmt.Errorf("stopped before the end: %s", rep.Stopped)
	}
	return nil
}
