package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/optimize/page"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model/feed"
)

// optimizeFlags are the flags of optimize.
type optimizeFlags struct {
	model         modelFlags
	judge         judgeFlags
	opt           optimize.Options
	method        string
	extract       string
	backend       string
	machine       string
	out, proof    string
	html, svg     string
	rules         ruleFlags
	inputs        []string
	unproved      bool
	memory        size
	only, disable []string
	budget        time.Duration
	steps, json   bool
	explain       bool
	noMeasure     bool
	noFuse        bool
	ordered       bool
	strict        bool
	top           int
}

func newOptimize() *cobra.Command {
	k := &optimizeFlags{}
	c := &cobra.Command{
		Use:   "optimize MODEL",
		Short: "Make an ONNX model faster with proved rewrite rules",
		Long: `The search applies rewrite rules until it finds no cheaper graph. Every rule is proved, and
what depends on weights only is computed in advance. The result comes with a certificate, over
real numbers: "taso check PROOF MODEL RESULT" checks it again. Both models are also run and
compared. A result that fails a check is not written.

--backend says where the model will run, and so what is fast:

  onnxruntime     ONNX Runtime times the original and the result, interleaved. The result is kept
                  if it is faster by more than 1 % (95 % confidence). Default if installed.
  cpu, cuda       the cost model of the device guides the search, and both models are timed
                  (--no-measure: the cost model alone decides)
  analytic:NAME   the roofline of a machine, such as analytic:v100; nothing is timed
  recorded:FILE   a cost model fitted to a table of taso measure, perhaps of another device

--rules adds rules from taso gen-rules, from a rule set that ships with taso (--rules @bert; see
"taso rules list") or from a text file. A rule without a certificate is proved first, and is an
error if that fails.

With --tries the search is deterministic. At a limit (--budget, --memory) the best model so far is
proved and written, and the exit status is 1. "-" reads the model from standard input; "--out -"
writes it to standard output. docs/optimizing.md explains how it works.
` + dynamicHelp,
		Example: `  taso optimize model.onnx --out faster.onnx
  taso optimize model.onnx --out faster.onnx --proof faster.proof --html faster.html
  taso check faster.proof model.onnx faster.onnx
  taso optimize bert --backend analytic:v100 --steps
  taso optimize model.onnx --rules my.rules --budget 60s --explain
  taso optimize model.onnx --rules @bert --rules @llama
  cat model.onnx | taso optimize - --out - > faster.onnx`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	k.model.addDynamic(c)
	k.model.addCostShape(c)
	k.model.typical = true
	f := c.Flags()
	f.StringVar(&k.out, "out", "", "write the result to `FILE.onnx`")
	f.StringVar(&k.proof, "proof", "", "write the certificate to `FILE`")
	f.StringVar(&k.html, "html", "", "write a page that shows each rewrite step to `FILE.html`")
	f.StringVar(&k.svg, "svg", "", "write a picture of both models, with the changes marked, to `FILE.svg`")
	addBackend(c, &k.backend, "", "`backend` on which the model will run: "+inRuntime+", "+forms(families()), families(), inRuntime)
	k.rules.add(c, "")
	f.BoolVar(&k.strict, "strict", false, "write no result that needs an assumption (docs/trust.md), and exit with status 1")
	f.BoolVar(&k.steps, "steps", false, "print every rewrite step: the rule, the change, the cost before and after, the proof")
	f.BoolVar(&k.explain, "explain", false, "print how much each rule saved, and which rules were tried or rejected")
	f.IntVar(&k.top, "top", 12, "`number` of rules to list")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")

	f.StringVar(&k.method, "search", string(optimize.Auto), "search `method`: "+strings.Join(optimize.Methods(), ", "))
	f.IntVar(&k.opt.Tries, "tries", 0, "rewrites to try (default 210000); makes the search deterministic")
	f.DurationVar(&k.budget, "budget", 0, "time limit of the search (default 15s, more above 1,000 operators; none with --tries)")
	f.Var(&k.memory, "memory", "heap `size` at which the search stops, such as 2G (default no limit)")
	f.IntVar(&k.opt.Workers, "workers", 0, "parallel searches (default one per processor)")
	f.StringSliceVar(&k.only, "only", nil, "`NAME,NAME`: use only these rules")
	f.StringSliceVar(&k.disable, "disable", nil, "`NAME,NAME`: do not use these rules")
	f.BoolVar(&k.unproved, "unproved", false, "also use rules that cannot be proved; the result then has no certificate")
	f.BoolVar(&k.ordered, "ordered", false, "also use rules about the true relu and maximum, which cannot be tested modulo a prime")
	f.StringVar(&k.extract, "extract", "", "e-graph extraction `method`: "+strings.Join(optimize.Extractions(), ", ")+" (default all but mip, which needs cbc or highs)")
	f.Float64Var(&k.opt.Alpha, "alpha", 0, "backtrack: `factor` by which a candidate may cost more than the best one (default 1.05)")
	f.IntVar(&k.opt.Depth, "depth", 0, "descend: rewrites in one chain (default 3)")
	f.BoolVar(&k.noFuse, "no-fuse", false, "cost model without kernel fusion, as in TASO and Tensat")
	f.StringVar(&k.machine, "machine", "", "cost model of this machine, by `name` (zen5, v100, laptop) or file (default the one that matches the device, else "+anyProcessor+" or "+anyGPU+")")
	under(c, "Search flags", "search", "tries", "budget", "memory", "workers", "rules-only", "only", "disable", "unproved", "ordered", "extract", "alpha", "depth", "no-fuse", "machine")

	f.BoolVar(&k.noMeasure, "no-measure", false, "do not time the models; the cost model decides")
	f.IntVar(&k.opt.Repeat, "repeat", 0, "cpu, cuda: timed runs of each model (default 20)")
	f.StringArrayVar(&k.inputs, "input", nil, "`NAME=SOURCE`: fill an input from FILE.npy, random, ones, zeros or range; repeatable")
	under(c, "Timing flags", "no-measure", "repeat", "input")
	k.judge.add(c)

	exclusive(c, "unproved", "proof")
	exclusive(c, "unproved", "strict")
	exclusive(c, "json", "steps")
	exclusive(c, "json", "explain")
	return c
}

func (k *optimizeFlags) run(c *cobra.Command, args []string) (err error) {
	if k.opt.Tries < 0 || k.budget < 0 || k.opt.Repeat < 0 || k.opt.Depth < 0 || k.opt.Alpha != 0 && k.opt.Alpha < 1 {
		return errors.New("--tries, --budget, --repeat and --depth must be at least 0, --alpha at least 1")
	}
	if !slices.Contains(optimize.Methods(), k.method) {
		return unknownValue("--search", k.method, optimize.Methods())
	}
	if k.extract != "" && !slices.Contains(optimize.Extractions(), k.extract) {
		return unknownValue("--extract", k.extract, optimize.Extractions())
	}
	if err := k.rules.check(); err != nil {
		return err
	}
	if k.opt.Workers < 0 || k.top < 0 {
		return errors.New("--workers and --top must be at least 0")
	}
	if err := k.judge.check(); err != nil {
		return err
	}
	sources, err := feed.ParseSources(k.inputs)
	if err != nil {
		return fmt.Errorf("--input %w", err)
	}
	// The rules first: a rule file may define operators that the model has.
	if err := k.laws(); err != nil {
		return err
	}
	file, removeFile, err := modelFile(c, args[0])
	if err != nil {
		return err
	}
	defer removeFile()
	read, rep, err := k.model.read(file)
	if err != nil {
		if args[0] == stdin {
			err = inStdin(err)
		}
		return err
	}
	if read.Graph.Sizing() != nil {
		if why := optimize.Provable(c.Context(), read); why != nil {
			if read, rep, err = k.model.readFixed(file, fmt.Errorf("the checker of proofs does not follow its sizes: %w", why)); err != nil {
				return err
			}
		}
	}
	k.opt.Model, k.opt.Fixed = read, k.model.fixed
	if k.out != "" {
		for id := range read.Graph.Nodes() {
			if o := read.Graph.Op(id); o != nil && o.Definition != nil {
				return fmt.Errorf("--out: the model has operator %s, which a text defines and which has no form in ONNX; leave out --out", o.Name)
			}
		}
	}
	fed, err := feed.Make(feed.Of(read), sources, k.model.seed)
	if err != nil {
		return fmt.Errorf("--input: %w", err)
	}
	if len(sources) > 0 {
		k.opt.Feed = fed
	}
	if k.opt.CostSizes, err = k.model.furtherSizes(read); err != nil {
		return err
	}
	named := k.out
	if k.out == stdout {
		if named = ""; rep != nil && len(rep.Files) > 0 {
			return otherFiles("--out "+stdout, rep.Files[0])
		}
	}
	if err := checkOutputs(append(k.model.inputs, k.rules.files...), output{"--out", named}, output{"--proof", k.proof}, output{"--html", k.html}, output{"--svg", k.svg}); err != nil {
		return err
	}
	if rep != nil {
		k.opt.Source, k.opt.KeepDead = rep.Source, len(k.only) > 0
		folder := os.TempDir()
		if named != "" { // files of numbers beside the model are linked, not copied
			folder = filepath.Dir(named)
		}
		var done func()
		if k.opt.Folder, done, err = atomicfile.Folder(folder, ".optimize-*"); err != nil {
			return err
		}
		defer done()
	}
	k.opt.Method, k.opt.Budget, k.opt.Seed = optimize.Method(k.method), k.budget, k.model.seed
	k.opt.Extract = extract.Method(k.extract)
	k.opt.Memory, k.opt.Unproved = int64(k.memory), k.unproved
	if k.backend, err = k.judge.choose(c.Context(), k.backend, !k.noMeasure, c.ErrOrStderr()); err != nil {
		return err
	}
	if err := k.costs(c.ErrOrStderr()); err != nil {
		return err
	}
	defer k.opt.Runner.Close()
	if k.judge.runtime != nil && !k.noMeasure {
		if k.opt.Measure = false; !k.noFuse {
			k.opt.Target = lower.ONNXRuntime()
		}
		further, err := k.model.fedElsewhere(read, sources, rep)
		if err != nil {
			return err
		}
		k.opt.Judge = k.judge.judges(c.Context(), file, fed, k.model.seed, read, rep, further)
	}
	if k.budget == 0 && k.opt.Tries == 0 {
		k.judge.start, k.judge.limit = time.Now(), limitFor(read.Graph)
		k.opt.Budget = k.judge.limit / 2
	}
	k.opt.Progress = newProgress(c)
	if os.Getenv("GOGC") == "" {
		// Weights are loaded and dropped by the gigabyte: the heap is not to be twice
		// what they take.
		k.opt.Searched = func() { debug.SetGCPercent(20) }
	}
	k.opt.Finished = func(part string) { finishedPart(c.Context(), part, false) }
	res, err := optimize.Run(c.Context(), k.opt)
	k.opt.Progress.Close()
	if differs := (*optimize.Differs)(nil); errors.As(err, &differs) && !differs.Proved {
		return finding(err.Error())
	}
	if err != nil {
		return err
	}
	if k.strict && res.Checked != nil {
		if err := strict(res.Checked.Assumptions); err != nil {
			return err
		}
	}
	unjudged := res.Interrupted && k.opt.Judge != nil && res.StepCount == 0 && c.Context().Err() != nil
	if !unjudged {
		if err := k.write(c, res); err != nil {
			return err
		}
	}
	out := c.OutOrStdout()
	if k.out == stdout {
		out = c.ErrOrStderr()
	}
	if k.json {
		err = writeJSON(out, &res.Report)
	} else {
		err = k.print(out, &res.Report)
	}
	if err == nil && unjudged {
		return finding("interrupted before a rewritten model was accepted; no file was written")
	}
	if err == nil && res.Interrupted {
		return finding("search stopped early (" + res.Why + "); this is the best model so far")
	}
	return err
}

// limitFor is the time of search and measurement together, unless flags say otherwise: 30 s
// for up to 1,000 operators, and as much more as there are more operators.
func limitFor(g *graph.Graph) time.Duration {
	n := 0
	for id := range g.Nodes() {
		if g.Op(id) != nil {
			n++
		}
	}
	const limit, operators = 30 * time.Second, 1000
	return limit * time.Duration(max(n, operators)) / operators
}

// costs opens what tells costs.
func (k *optimizeFlags) costs(w io.Writer) error {
	b, runs, err := openTimer(k.backend, w)
	if err != nil {
		return err
	}
	if k.machine == "" {
		k.machine = machineFor(b)
	}
	k.opt.Target = b.Target()
	if k.noFuse {
		k.opt.Target = lower.Separate()
	}
	if runs {
		k.opt.Runner, k.opt.Measure = b, !k.noMeasure
		k.opt.Cost, k.opt.CostName, err = costOfRunner(b, k.machine)
		if err == nil && b.Info().Math != "" { // rounds too much to compare numbers
			k.opt.Numbers, err = openRunner("cpu")
		}
		if err != nil {
			b.Close()
		}
		return err
	}
	defer b.Close()
	if k.opt.Runner, err = openRunner("cpu"); err != nil {
		return err
	}
	if a, ok := b.(*analytic.Backend); ok {
		k.opt.Cost, k.opt.CostName = a.Machine(), k.backend
		return nil
	}
	m, err := cost.FindMachine(k.machine)
	if err != nil {
		return err
	}
	k.opt.Cost, k.opt.CostName, err = costOfRecording(b, k.backend, m)
	return err
}

// laws chooses the laws of the search.
func (k *optimizeFlags) laws() error {
	laws, proofs, err := k.rules.laws(k.ordered)
	if err != nil {
		return err
	}
	k.opt.Proofs = proofs
	k.opt.Laws, err = optimize.Select(laws, k.only, k.disable)
	return err
}

// write writes the files that were asked for.
func (k *optimizeFlags) write(c *cobra.Command, res *optimize.Result) error {
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{k.proof, func(w io.Writer) error { _, err := w.Write(res.Proof); return err }},
		{k.html, func(w io.Writer) error { return page.Write(w, k.opt.Model, res) }},
		{k.svg, func(w io.Writer) error { return page.SVG(w, k.opt.Model, res) }},
	} {
		if f.path == "" {
			continue
		}
		if err := atomicfile.WriteFile(f.path, f.write); err != nil {
			return err
		}
		finishedPart(c.Context(), f.path, true)
	}
	switch k.out {
	case "":
		return nil
	case stdout:
		return writeStdout(c, res.Write)
	}
	return res.Write(k.out)
}
