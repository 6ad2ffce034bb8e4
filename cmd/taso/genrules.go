package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/collector"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/progress"
)

// genRules are the flags of gen-rules.
type genRules struct {
	opt               genrules.Options
	memory            size
	out, pb, unproved string
	html              string
	stages, json      bool
	parallel          bool
}

func newGenRules() *cobra.Command {
	g := &genRules{}
	c := &cobra.Command{
		Use:   "gen-rules",
		Short: "Enumerate graphs, find equal ones, prove them, write a rule set",
		Long: `Gen-rules enumerates all graphs up to --max-ops operators, finds those that agree
on random inputs, states each pair as a law in its most general form, and proves
it from the axioms (taso axioms list) or from what its operators compute. Only what
is proved becomes a rule, and each rule gets a certificate, which taso check checks.

What it will do and how long that takes is said at once, on the standard error; the
estimate is from recorded runs. The report names the kept rules that save most time
and that no axiom, lemma or law of the program says by itself, the first of each kind.
What a rule saves is modelled: the time that its cheaper side takes less, by the
formula of zen5 for operators by themselves, all sizes 64, windows 3x3, strides 1.
Rules about constants, those that leave nothing but an input, and those in which an
operator has one tensor twice are not named.

The same flags give the same files, whatever the number of workers. Ctrl-C stops
the run cleanly: what is proved so far is written, and the exit status is 1. With
--checkpoint the same command goes on later. With --memory the graphs of a level
that do not fit are sorted on disk, in the folder --spill.

With --parallel rules are about tensors on meshes of devices: a family of equal shapes,
whose mesh axes stand in front of them, made and ended by partition, combine, replicate,
reduce, lift and drop; each_NAME[over=[g]] applies an operator to each member. The size of
each mesh axis is a variable of the rule. Without --ops all presets for meshes are run,
one after the other, for one set.

Operators: ` + strings.Join(enumerate.DefaultNames(), " ") + `;
when asked for: ` + strings.Join(enumerate.OperatorNames()[len(enumerate.DefaultNames()):], " ") + `

Presets, operators with inputs that suit them:
` + presetHelp(),
		Example: `  taso gen-rules --max-ops 3 --out my.rules
  taso gen-rules --max-ops 4 --memory 8G --checkpoint state --out my.rules --pb my.pb
  taso gen-rules --max-ops 3 --ops matmul,ewadd,concat,split --minimal --out small.rules
  taso gen-rules --max-ops 3 --ops bert --out bert.rules
  taso gen-rules --parallel --max-ops 4 --out parallel.rules
  taso gen-rules --parallel --ops parallel-attention --out heads.rules
  taso gen-rules --max-ops 3 --stages --unproved open.json
  taso gen-rules --max-ops 3 --out my.rules --html my.html
  taso gen-rules --max-ops 3 --exhaustive --json > report.json`,
		Args: cobra.NoArgs,
		RunE: g.run,
	}
	f := c.Flags()
	f.IntVar(&g.opt.MaxOps, "max-ops", 3, "most operators on a side of a rule")
	f.StringSliceVar(&g.opt.Ops, "ops", nil, "operators to use, separated by commas, or a preset (default those of TASO's generator)")
	f.BoolVar(&g.parallel, "parallel", false, "rules about tensors on meshes of devices; --ops then names presets for meshes (default all of them)")
	f.BoolVar(&g.opt.Exhaustive, "exhaustive", false, "visit every distinct graph, not only extensions of representatives")
	f.IntVar(&g.opt.Workers, "workers", 0, "parallel workers (default one a processor)")
	f.Uint64Var(&g.opt.Seed, "seed", 1, "seed of the random inputs")
	f.Var(&g.memory, "memory", "heap above which graphs are kept on disk, such as 8G (default no bound)")
	f.StringVar(&g.opt.Spill, "spill", "", "folder `DIR` for what --memory keeps on disk (default that of temporary files)")
	f.StringVar(&g.opt.Checkpoint, "checkpoint", "", "save each finished level in the folder `DIR`, and go on from what is there")
	f.StringVar(&g.out, "out", "", "write the rules to `FILE.rules` and the certificates to FILE.cert")
	f.StringVar(&g.pb, "pb", "", "write the rules to `FILE` as TASO's protocol buffer, as far as it can hold them")
	f.StringVar(&g.unproved, "unproved", "", "write what was refuted (with counterexamples) or not decided to `FILE` as JSON")
	f.BoolVar(&g.opt.Minimal, "minimal", false, "leave out rules that follow from the others")
	f.BoolVar(&g.opt.AxiomsOnly, "axioms-only", false, "prove all from the axioms, nothing from what operators compute")
	f.BoolVar(&g.opt.Quantified, "quantified", false, "also run the prover with quantified axioms and compare the times")
	f.IntVar(&g.opt.SemanticOps, "semantic-ops", 3, "most operators for laws of the true relu and maximum; 0: none")
	f.StringVar(&g.html, "html", "", "write a page with the rules, their proofs and the counterexamples to `FILE`")
	f.BoolVar(&g.stages, "stages", false, "also print what each stage came to, and why candidates are not proved")
	f.BoolVar(&g.json, "json", false, "print the report as JSON instead of tables")
	c.Flag("memory").DefValue = ""
	return c
}

// presetHelp lists the presets, a line each.
func presetHelp() string {
	var b strings.Builder
	for _, p := range enumerate.Presets() {
		fmt.Fprintf(&b, "  %-7s %s:\n          %s\n", p.Name, p.Doc, strings.Join(p.Ops, " "))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (g *genRules) run(c *cobra.Command, _ []string) error {
	if err := g.validate(); err != nil {
		return err
	}
	g.opt.Memory = int64(g.memory)
	if g.opt.SemanticOps == 0 {
		g.opt.SemanticOps = -1 // the library's zero means its default
	}
	if !g.json {
		printPlan(c.ErrOrStderr(), g)
	}
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		g.opt.Progress = progress.New(os.Stderr, progress.Options{})
	}
	defer collector.Lazily(collector.Generation, int64(g.memory))()
	run := genrules.Run
	if g.parallel {
		run = func(ctx context.Context, opt genrules.Options) (*genrules.Report, error) {
			return genrules.Several(ctx, opt, opt.Ops)
		}
	}
	rep, err := run(c.Context(), g.opt)
	g.opt.Progress.Close()
	if err != nil {
		return err
	}
	wrote, err := g.write(rep)
	if err != nil {
		return err
	}
	if g.json {
		err = writeJSON(c.OutOrStdout(), rep)
	} else {
		if g.stages {
			if err := printStages(c.OutOrStdout(), rep); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout())
		}
		err = printReport(c.OutOrStdout(), g, rep, wrote)
	}
	if err != nil || rep.Stopped == "" {
		return err
	}
	kept := "no --out was given"
	if len(wrote) > 0 {
		kept = "they are in " + wrote[0].path
	}
	why := rep.Stopped
	if c.Context().Err() != nil {
		why = "interrupted"
	}
	return finding(fmt.Sprintf("stopped before the end (%s): %s proved until then; %s", why, plural(rep.Rules.Proved, "rule"), kept))
}
