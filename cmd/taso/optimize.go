package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/lower"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/rules"
)

// optimizeFlags are the flags of optimize.
type optimizeFlags struct {
	model         modelFlags
	opt           optimize.Options
	method        string
	backend       string
	machine       string
	out, proof    string
	rules         []string
	unproved      bool
	only, disable []string
	budget        time.Duration
	steps, json   bool
	noMeasure     bool
	noFuse        bool
	ordered       bool
	top           int
}

func newOptimize() *cobra.Command {
	k := &optimizeFlags{}
	c := &cobra.Command{
		Use:   "optimize MODEL",
		Short: "Rewrite a model by proved laws until it costs less",
		Long: `Optimize looks for a network that computes the same as a model and costs less. It
makes moves, uses of laws that are proved, and keeps those that pay. What depends
on weights only is computed ahead. The result comes with a proof: the laws that
were used, where, from the model to the result. The proof is checked by the checker
of certificates (taso check PROOF MODEL RESULT), and both models are run; a result
that fails either is not written.

The cost is that of what would run on --backend: for cpu a formula of --machine, or
one that is fitted to the times of taso measure where there are enough. Both models
are run then, and a result that takes longer is not kept (--no-measure).

Laws are the axioms and lemmas (taso axioms list), and those of --rules, a file of
taso gen-rules or in our text form; laws without a proof are refused.

A search tries --tries moves and finds the same every time. --budget ends it
earlier; so does Ctrl-C, and the best network so far is the result.
` + modelHelp,
		Example: `  taso optimize model.onnx --out faster.onnx
  taso optimize bert --backend analytic:v100 --steps
  taso optimize model.onnx --out faster.onnx --proof faster.proof
  taso check faster.proof model.onnx faster.onnx
  taso optimize nasneta --search backtrack --budget 60s --json`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	f.StringVar(&k.out, "out", "", "write the result to `FILE.onnx`")
	f.StringVar(&k.proof, "proof", "", "write the certificate to `FILE`")
	f.StringVar(&k.method, "search", string(optimize.Auto), "how to search: auto, descend or backtrack")
	f.StringVar(&k.backend, "backend", "cpu", "what the model is for: cpu, analytic:MACHINE or recorded:FILE")
	f.StringVar(&k.machine, "machine", "zen5", "the machine whose formula gives costs that were not measured")
	f.BoolVar(&k.noFuse, "no-fuse", false, "price each operator as a kernel of its own, as TASO and Tensat do")
	f.StringArrayVar(&k.rules, "rules", nil, "also use the laws of `FILE`; may be repeated")
	f.BoolVar(&k.ordered, "ordered", false, "also use laws of the true relu and maximum, which arithmetic modulo a prime does not know")
	f.StringSliceVar(&k.only, "only", nil, "use these laws alone, by name")
	f.StringSliceVar(&k.disable, "disable", nil, "do not use these laws")
	f.IntVar(&k.opt.Tries, "tries", 0, "moves to try (default 300,000)")
	f.DurationVar(&k.budget, "budget", 0, "time for the search (default: as long as its tries take)")
	f.IntVar(&k.opt.Workers, "workers", 0, "searches that run at a time (default one a processor)")
	f.Float64Var(&k.opt.Alpha, "alpha", 0, "how much dearer than the best a network may be on the way, for backtrack (default 1.05)")
	f.IntVar(&k.opt.Depth, "depth", 0, "moves of a chain, for descend (default 3)")
	f.BoolVar(&k.noMeasure, "no-measure", false, "do not run the models to measure them")
	f.IntVar(&k.opt.Repeat, "repeat", 0, "runs of each model to measure it (default 20)")
	f.BoolVar(&k.steps, "steps", false, "print every step: the law, what it changed, the cost before and after, why it is true")
	f.IntVar(&k.top, "top", 12, "laws to list")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	return c
}

func (k *optimizeFlags) run(c *cobra.Command, args []string) (err error) {
	if k.opt.Tries < 0 || k.budget < 0 || k.opt.Repeat < 0 || k.opt.Depth < 0 || k.opt.Alpha != 0 && k.opt.Alpha < 1 {
		return errors.New("--tries, --budget, --repeat and --depth must not be below 0, --alpha not below 1")
	}
	if k.opt.Model, _, err = k.model.read(args[0]); err != nil {
		return err
	}
	if err := checkOutputs(k.model.inputs, output{"--out", k.out}, output{"--proof", k.proof}); err != nil {
		return err
	}
	k.opt.Method, k.opt.Budget, k.opt.Seed = optimize.Method(k.method), k.budget, k.model.seed
	if err := k.costs(c.ErrOrStderr()); err != nil {
		return err
	}
	defer k.opt.Runner.Close()
	if err := k.laws(); err != nil {
		return err
	}
	k.opt.Progress = newProgress(c)
	res, err := optimize.Run(c.Context(), k.opt)
	k.opt.Progress.Close()
	if err != nil {
		return err
	}
	if err := k.write(res); err != nil {
		return err
	}
	out := c.OutOrStdout()
	if k.json {
		err = writeJSON(out, &res.Report)
	} else {
		err = printOptimized(out, &res.Report, k.steps, k.top)
	}
	if err == nil && res.Interrupted {
		return finding("the search was interrupted; this is the best network so far")
	}
	return err
}

// costs opens what tells costs.
func (k *optimizeFlags) costs(w io.Writer) error {
	b, runs, err := openTimer(k.backend, w)
	if err != nil {
		return err
	}
	k.opt.Target = b.Target()
	if k.noFuse {
		k.opt.Target = lower.Separate()
	}
	if runs {
		k.opt.Runner, k.opt.Measure = b, !k.noMeasure
		k.opt.Cost, k.opt.CostName, err = costOfRunner(b, k.machine)
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
		set, err := rules.Load(path, rules.LoadOptions{Axioms: axioms.Text()})
		if err != nil {
			return err
		}
		for _, r := range set.Rules {
			laws = append(laws, r.Law)
			if r.Proof != nil {
				k.opt.Proofs[r.Law.Name] = r.Proof
			}
		}
	}
	k.opt.Laws, err = optimize.Select(laws, k.only, k.disable)
	return err
}

// write writes the result, and sees to it that what is read from the file is what
// the proof speaks of.
func (k *optimizeFlags) write(res *optimize.Result) error {
	if k.proof != "" {
		f, err := atomicfile.Create(k.proof)
		if err != nil {
			return err
		}
		defer f.Abort()
		if _, err := f.Write(res.Proof); err != nil {
			return err
		}
		if err := f.Commit(); err != nil {
			return err
		}
	}
	if k.out == "" {
		return nil
	}
	tmp, err := os.MkdirTemp(filepath.Dir(k.out), ".optimize-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	again := filepath.Join(tmp, filepath.Base(k.out))
	if err := onnx.Write(again, res.Model, onnx.WriteOptions{}); err != nil {
		return err
	}
	m, _, err := onnx.Read(again, onnx.ReadOptions{})
	if err != nil {
		return fmt.Errorf("read the result again: %w", err)
	}
	if m.Graph.Hash() != res.Model.Graph.Hash() {
		return errors.New("the result, written and read again, is another network; this is a mistake in the program")
	}
	return onnx.Write(k.out, res.Model, onnx.WriteOptions{})
}
