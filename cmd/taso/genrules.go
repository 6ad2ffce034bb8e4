package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/collector"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/internal/wrap"
)

// genRules are the flags of gen-rules.
type genRules struct {
	opt               genrules.Options
	memory            size
	out, pb, unproved string
	html              string
	stages, json      bool
	parallel          bool
	define            defineFlag
	forModel          string
	model             modelFlags
}

func newGenRules() *cobra.Command {
	g := &genRules{}
	c := &cobra.Command{
		Use:        "gen-rules",
		SuggestFor: []string{"generate", "discover"},
		Short:      "Discover rewrite rules by enumeration, prove them, write a rule set",
		Long: `Graphs of up to --max-ops operators are enumerated and evaluated on random inputs. Two graphs
that agree become a candidate rule in its most general form. What is proved from what the operators
compute becomes a rule with a certificate for taso check.

Of equal graphs only one, the representative, is extended (--exhaustive extends all). From 4
operators on, convolutions and pools of weights or constants are left out (--ops taso keeps them).
--ops takes operators, or one preset and further operators:

` + presetHelp() + `

--for takes operators, attributes and constants from a model (an ONNX file, NAME.graph, or built
in), and ranks the rules by the modelled cost that they save there; --ops then adds operators.
The rules that save most come first in the file; those that match nowhere in the model come last.

--parallel discovers rules about sharded tensors, with the presets parallel-... (default all).
The same flags give the same files. Ctrl-C writes the rules that are proved so far; with
--checkpoint the same command continues. docs/rules.md has more, docs/scale.md about long runs.

Operators: ` + wrapped(strings.Join(enumerate.DefaultNames(), " "), len("Operators: ")) + `
On request: ` + wrapped(strings.Join(enumerate.OperatorNames()[len(enumerate.DefaultNames()):], " "), len("On request: ")),
		Example: `  taso gen-rules --max-ops 3 --out my.rules
  taso gen-rules --max-ops 4 --memory 8G --checkpoint state --out my.rules
  taso gen-rules --max-ops 3 --ops bert --out bert.rules --html bert.html
  taso gen-rules --max-ops 3 --ops matmul,ewadd,concat,split --minimal --out small.rules
  taso gen-rules --define docs/ops/textbook.ops --ops cumsum,ewadd,smul --out cumsum.rules
  taso gen-rules --for model.onnx --out model.rules
  taso optimize model.onnx --rules model.rules
  taso gen-rules --parallel --max-ops 4 --out parallel.rules`,
		Args: cobra.NoArgs,
		RunE: g.run,
	}
	f := c.Flags()
	f.IntVar(&g.opt.MaxOps, "max-ops", 3, "largest number of operators on each side of a rule")
	f.Var((*operatorList)(&g.opt.Ops), "ops", "`NAME,NAME`: operators or a preset (default those of TASO's generator)")
	f.StringVar(&g.forModel, "for", "", "`MODEL`: take the operators from a model, and rank the rules by what they save there")
	g.define.add(c, "`FILE`: operators defined by a text, for --ops (docs/rules.md); may be given again")
	f.BoolVar(&g.parallel, "parallel", false, "rules about sharded tensors; --ops then names parallel presets")
	f.StringVar(&g.out, "out", "", "write the rules to `FILE.rules` and the certificates to FILE.cert")
	f.StringVar(&g.pb, "pb", "", "also write the rules as TASO's protocol buffer to `FILE`")
	f.StringVar(&g.unproved, "unproved", "", "write refuted candidates, with counterexamples, and undecided ones as JSON to `FILE`")
	f.StringVar(&g.html, "html", "", "write a page with rules, proofs and counterexamples to `FILE`")
	f.BoolVar(&g.opt.Minimal, "minimal", false, "leave out rules that follow from the others")
	f.BoolVar(&g.opt.AxiomsOnly, "axioms-only", false, "prove from the axioms, as TASO does, not from what operators compute")
	f.IntVar(&g.opt.SemanticOps, "semantic-ops", 3, "largest number of operators for rules about the true relu and maximum; 0: none")
	f.BoolVar(&g.stages, "stages", false, "also print the counts of each stage, and why candidates are not proved")
	f.BoolVar(&g.json, "json", false, "print the report as JSON")

	f.BoolVar(&g.opt.Exhaustive, "exhaustive", false, "extend every distinct graph, not only representatives")
	f.IntVar(&g.opt.Workers, "workers", 0, "parallel workers (default one per processor)")
	f.Uint64Var(&g.opt.Seed, "seed", 1, "seed of the random inputs")
	f.Var(&g.memory, "memory", "`size` of memory that the process may use, such as 8G; graphs beyond it are kept on disk (default no limit)")
	f.StringVar(&g.opt.Spill, "spill", "", "`DIR`: folder for what --memory keeps on disk (default that of temporary files)")
	f.StringVar(&g.opt.Checkpoint, "checkpoint", "", "`DIR`: folder in which finished levels are saved, to continue from")
	f.BoolVar(&g.opt.Quantified, "quantified", false, "also run Z3 with quantified axioms and compare the times")
	under(c, "Run flags", "exhaustive", "workers", "seed", "memory", "spill", "checkpoint", "quantified")
	c.Flag("memory").DefValue = ""
	g.model.addFor(c)
	exclusive(c, "for", "parallel")
	return c
}

// operatorList is a flag: operators, perhaps with attributes in brackets, between commas.
type operatorList []string

func (l *operatorList) String() string { return strings.Join(*l, ",") }

func (l *operatorList) Type() string { return "NAME,NAME" }

func (l *operatorList) Set(text string) error {
	*l = append(*l, enumerate.SplitList(text)...)
	return nil
}

// presetHelp lists the presets, a line each.
func presetHelp() string {
	var b strings.Builder
	for _, p := range enumerate.Presets() {
		fmt.Fprintf(&b, "  %-18s %s\n", p.Name, wrapped(p.Doc, 21))
	}
	return strings.TrimRight(b.String(), "\n")
}

// wrapped is a text of help in lines that are indented, but for the first.
func wrapped(text string, indent int) string {
	return wrap.Hanging(text, strings.Repeat(" ", indent), screenWidth)
}

func (g *genRules) run(c *cobra.Command, _ []string) error {
	defined, err := g.define.load()
	if err != nil {
		return err
	}
	if len(defined) > 0 && !slices.ContainsFunc(defined, func(name string) bool { return slices.Contains(g.opt.Ops, name) }) {
		return fmt.Errorf("--define: no operator of the text is in --ops: name some of %s", strings.Join(defined, ", "))
	}
	if err := g.validate(); err != nil {
		return err
	}
	g.opt.Memory = int64(g.memory)
	if g.opt.SemanticOps == 0 {
		g.opt.SemanticOps = -1 // the library's zero means its default
	}
	run := genrules.Run
	switch {
	case g.forModel != "":
		if !g.model.builtin(g.forModel) {
			g.model.others = -1 // a file that is no argument
		}
		m, _, err := g.model.readBeside(g.forModel, g.outputs())
		if err != nil {
			return err
		}
		ops, chosen, err := genrules.Choose(m, g.opt.Ops)
		if err != nil {
			return fmt.Errorf("--for: %w", err)
		}
		g.opt.Ops = ops
		if !g.json {
			printChosen(c.ErrOrStderr(), chosen, ops)
		}
		run = func(ctx context.Context, opt genrules.Options) (*genrules.Report, error) {
			return genrules.RunFor(ctx, opt, chosen)
		}
	case g.parallel:
		run = func(ctx context.Context, opt genrules.Options) (*genrules.Report, error) {
			return genrules.Several(ctx, opt, opt.Ops)
		}
	}
	if !g.json {
		printPlan(c.ErrOrStderr(), g)
	}
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		g.opt.Progress = progress.New(os.Stderr, progress.Options{})
	}
	defer collector.Lazily(collector.Generation, int64(g.memory))()
	savesResults(c.Context())
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
		err = printReport(c.OutOrStdout(), g, rep, wrote)
		if err == nil && g.stages {
			fmt.Fprintln(c.OutOrStdout())
			err = printStages(c.OutOrStdout(), rep)
		}
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
