package main

import (
	"bytes"
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

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/optimize/page"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/model/feed"
	"github.com/taso-go/taso/rules"
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
	rules         []string
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
		Short: "Rewrite a model by proved laws until it costs less",
		Long: `Optimize looks for a network that computes the same as a model and costs less. It
makes moves: in one place of the network it uses a law, an equation that is proved,
such as ewadd(matmul(X, V), matmul(X, W)) == matmul(X, ewadd(V, W)). Moves that pay
are kept; what depends on weights only is computed ahead. The result comes with a
proof: the laws that were used, and where. A checker that knows nothing of the search
accepts it, and "taso check PROOF MODEL RESULT" runs that again for anybody. Both
models are run, modulo a prime where that is not too much work, and in floating
point. A result that fails is not written. docs/optimizing.md says how it works, how
to read the proof, and what is trusted.

With --backend onnxruntime, the default where it is installed, ONNX Runtime times the
original and the result as files, interleaved, with --threads and at --ort-level. The
result is kept if it is faster by more than 1 % at 95 % confidence, and not slower with
ONNX Runtime's optimizations off; otherwise the model stays as it is. The decision is
kept for the next run (--remeasure). The search itself uses the cost of cpu.

The cost is that of what would run on --backend: for cpu and cuda a formula of --machine,
or one that is fitted to the times of taso measure where there are enough. Both models
are run then, and a result that takes longer is not kept (--no-measure). For
recorded:FILE it is the formula fitted to a table of taso measure, perhaps of a device
that this machine has not (recorded:FILE@TEXT: of the setting whose text contains TEXT).

Laws are the axioms and lemmas (taso axioms list), a few more about networks, and
those of --rules: a file of taso gen-rules, or laws in our text form. A law without a
certificate is proved before the search; one that cannot be is refused. --unproved
uses it all the same: a result that it leads to has no proof, and is only compared by
running.

A search tries --tries moves and finds the same every time. --budget and --memory end
it earlier. The best network so far is then proved, checked and written as any other, and
the exit status is 1. Ctrl-C ends the command within about a second: the best network is
written only if it is proved and checked by then. Else the error lists what was finished.

MODEL - is a model on the standard input. --out - writes the result to the standard output
and the report to the standard error.
` + modelHelp + "\n" + modesHelp,
		Example: `  taso optimize model.onnx --out faster.onnx
  cat model.onnx | taso optimize - --out - >faster.onnx
  taso optimize bert --backend analytic:v100 --steps
  taso optimize bert --backend recorded:gpu.costs
  taso optimize model.onnx --out faster.onnx --proof faster.proof --html faster.html
  taso check faster.proof model.onnx faster.onnx
  taso optimize model.onnx --batch 8 --rules my.rules --explain
  taso optimize nasneta --search backtrack --budget 60s --json`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	k.judge.add(c)
	f := c.Flags()
	f.StringVar(&k.out, "out", "", "write the result to `FILE.onnx`; -: to the standard output, and the report to the standard error")
	f.StringVar(&k.proof, "proof", "", "write the certificate to `FILE`")
	f.StringVar(&k.html, "html", "", "write a page to step through to `FILE.html`")
	f.StringVar(&k.svg, "svg", "", "write a picture of the model and the result, with what changed marked, to `FILE.svg`")
	f.StringVar(&k.method, "search", string(optimize.Auto), "how to search: "+strings.Join(optimize.Methods(), ", "))
	f.StringVar(&k.extract, "extract", "", "how to take networks out of e-graphs: "+strings.Join(optimize.Extractions(), ", ")+" (default all but mip, one after the other); mip needs cbc or highs")
	addBackend(c, &k.backend, "", "where the model will run: "+inRuntime+", "+forms(families())+" (default "+inRuntime+" if it is installed, else cpu)", families(), inRuntime)
	f.StringVar(&k.machine, "machine", "", "the machine, by name (zen5, v100, laptop) or file, whose formula gives the costs (default the one whose name is in the device's, or "+anyProcessor+", for GPUs "+anyGPU+")")
	f.BoolVar(&k.noFuse, "no-fuse", false, "price each operator as a kernel of its own, as TASO and Tensat do")
	f.StringArrayVar(&k.inputs, "input", nil, "`NAME=SOURCE`: what an input holds when models are timed and compared: FILE.npy, random, ones, zeros or range; may be repeated")
	f.StringArrayVar(&k.rules, "rules", nil, "also use the laws of `FILE`; may be repeated")
	f.BoolVar(&k.strict, "strict", false, "write no result that needs an assumption (docs/trust.md), and exit with status 1")
	f.BoolVar(&k.unproved, "unproved", false, "use laws that cannot be proved, too: what they lead to has no proof")
	f.BoolVar(&k.ordered, "ordered", false, "also use laws of the true relu and maximum, which arithmetic modulo a prime does not know")
	f.StringSliceVar(&k.only, "only", nil, "use these laws alone, `NAME,NAME`")
	f.StringSliceVar(&k.disable, "disable", nil, "do not use these laws, `NAME,NAME`")
	f.IntVar(&k.opt.Tries, "tries", 0, "moves that the search tries (default 210,000)")
	f.DurationVar(&k.budget, "budget", 0, "time for the search (default, without --tries: 15 s for up to 1,000 operators, 15 ms for each one more; measuring has about as much)")
	f.Var(&k.memory, "memory", "heap at which the search ends with what it has, such as 2G (default no bound)")
	f.IntVar(&k.opt.Workers, "workers", 0, "searches that run at a time (default one a processor)")
	f.Float64Var(&k.opt.Alpha, "alpha", 0, "how much dearer than the best a network may be on the way, for backtrack (default 1.05)")
	f.IntVar(&k.opt.Depth, "depth", 0, "moves of a chain, for descend (default 3)")
	f.BoolVar(&k.noMeasure, "no-measure", false, "do not run the models to measure them")
	f.IntVar(&k.opt.Repeat, "repeat", 0, "runs of each model to measure it (default 20)")
	f.BoolVar(&k.steps, "steps", false, "print every step: the law, what it changed, the cost before and after, why it is true")
	f.BoolVar(&k.explain, "explain", false, "print what each law paid, which were tried and never kept, what was refused")
	f.IntVar(&k.top, "top", 12, "laws to list")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	c.MarkFlagsMutuallyExclusive("unproved", "proof")
	c.MarkFlagsMutuallyExclusive("unproved", "strict")
	c.MarkFlagsMutuallyExclusive("json", "steps")
	c.MarkFlagsMutuallyExclusive("json", "explain")
	return c
}

func (k *optimizeFlags) run(c *cobra.Command, args []string) (err error) {
	if k.opt.Tries < 0 || k.budget < 0 || k.opt.Repeat < 0 || k.opt.Depth < 0 || k.opt.Alpha != 0 && k.opt.Alpha < 1 {
		return errors.New("--tries, --budget, --repeat and --depth must not be below 0, --alpha not below 1")
	}
	if !slices.Contains(optimize.Methods(), k.method) {
		return fmt.Errorf("--search %s: want %s", k.method, strings.Join(optimize.Methods(), ", "))
	}
	if k.extract != "" && !slices.Contains(optimize.Extractions(), k.extract) {
		return fmt.Errorf("--extract %s: want %s", k.extract, strings.Join(optimize.Extractions(), ", "))
	}
	if k.opt.Workers < 0 || k.top < 0 {
		return errors.New("--workers and --top must not be below 0")
	}
	if err := k.judge.check(); err != nil {
		return err
	}
	sources, err := feed.ParseSources(k.inputs)
	if err != nil {
		return fmt.Errorf("--input %w", err)
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
	k.opt.Model = read
	fed, err := feed.Make(feed.Of(read), sources, k.model.seed)
	if err != nil {
		return fmt.Errorf("--input: %w", err)
	}
	if len(sources) > 0 {
		k.opt.Feed = fed
	}
	named := k.out
	if k.out == stdout {
		if named = ""; rep != nil && len(rep.Files) > 0 {
			return otherFiles("--out "+stdout, rep.Files[0])
		}
	}
	if err := checkOutputs(append(k.model.inputs, k.rules...), output{"--out", named}, output{"--proof", k.proof}, output{"--html", k.html}, output{"--svg", k.svg}); err != nil {
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
		k.opt.Judge = k.judge.judges(c.Context(), file, fed, k.model.seed, read, rep)
	}
	if err := k.laws(); err != nil {
		return err
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
		return finding("interrupted: no rewritten model had been accepted; the model stays as it is, and no file was written")
	}
	if err == nil && res.Interrupted {
		return finding("the search was stopped before its end (" + res.Why + "): this is the best network so far")
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

// laws reads the files of laws.
func (k *optimizeFlags) laws() error {
	laws, err := optimize.DefaultLaws(k.ordered)
	if err != nil {
		return err
	}
	k.opt.Proofs = map[string]*law.Proof{}
	for _, path := range k.rules {
		more, err := readLaws(path, k.opt.Proofs)
		if err != nil {
			return err
		}
		laws = append(laws, more...)
	}
	k.opt.Laws, err = optimize.Select(laws, k.only, k.disable)
	return err
}

// readLaws reads a file of laws: a set of rules, whose certificates go into proofs, by
// name, or laws that somebody wrote.
func readLaws(path string, proofs map[string]*law.Proof) (laws []*law.Law, err error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--rules: %w", err)
	}
	if formatOf(path) == formatJSON || bytes.HasPrefix(src, []byte("# "+rules.TextFormat)) {
		// What has no certificate may have a proof that is found now.
		set, err := rules.Load(path, rules.LoadOptions{Axioms: axioms.Text(), Unproved: true})
		if err != nil {
			return nil, err
		}
		for _, r := range set.Rules {
			if r.Status == rules.Refuted {
				return nil, fmt.Errorf("%s: law %s is refuted: %s", path, r.Law.Name, r.Reason)
			}
			laws = append(laws, r.Law)
			if r.Proof != nil {
				proofs[r.Law.Name] = r.Proof
			}
		}
		return laws, nil
	}
	if laws, err = law.Parse(path, src); err != nil {
		return nil, err
	}
	for _, l := range laws {
		if l.Kind == law.Refute {
			return nil, fmt.Errorf("%s: law %s is called refuted", l.Pos, l.Name)
		}
		l.Kind = law.Rule // whatever the file calls it
	}
	return laws, nil
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
