package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/collector"
	"github.com/taso-go/taso/internal/pipeline/parallelize"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// parallelizeFlags are the flags of parallelize.
type parallelizeFlags struct {
	model     modelFlags
	machine   string
	planner   string
	beside    []string
	recipe    plan.Recipe
	inference bool
	devices   int
	memory    size
	steps     int64
	workers   int
	budget    time.Duration
	even      bool
	out, html string
	export    []string
	top       int
	json      bool
}

func newParallelize() *cobra.Command {
	k := &parallelizeFlags{}
	c := &cobra.Command{
		Use:        "parallelize MODEL",
		SuggestFor: []string{"shard", "partition"},
		Short:      "Plan how to train a model on a cluster, with a certificate of equality",
		Long: `The training step of the model (with --inference the model itself) is sharded over the devices
of a cluster. Each sharding is an instance of a rule that is proved for all shapes and device
counts, so "taso check PLAN" can check that the devices compute the same. Step time and memory are
simulated from a description of the cluster. Nothing runs on devices.

Planners:
` + plannerHelp() + `
--beside compares with other planners. Where the device count does not divide an important
dimension, data, fsdp, megatron and auto also try padding it (--even: not). Plans that need too
much memory rematerialize or offload activations. The same flags give the same plan, unless
--budget or Ctrl-C ends the search. docs/parallel.md has more.

Exit status: 0 a plan; 1 no plan that fits, or interrupted; 2 bad input.
` + modelHelp + "\n" + machineHelp,
		Example: `  taso parallelize mlp --machine dgx-a100:1 --batch 1024 --out plan.json
  taso check plan.json
  taso parallelize bert-large-128 --machine summit:2 --batch 96 --beside data,fsdp
  taso parallelize model.onnx --machine my.yaml --loss classes --optimizer adam --json`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	f.StringVar(&k.machine, "machine", "", "cluster, by `name` or file (taso machine show)")
	f.StringVar(&k.planner, "planner", "auto", "`planner`: "+strings.Join(plannerNames(), ", "))
	f.StringSliceVar(&k.beside, "beside", nil, "`NAME,NAME`: also run these planners, or all, and compare")
	f.BoolVar(&k.inference, "inference", false, "plan the model, not its training step")
	f.IntVar(&k.devices, "devices", 0, "`number` of devices to use, the first ones (default all)")
	f.Var(&k.memory, "memory", "memory `size` per device, such as 16G (default that of the machine)")
	f.BoolVar(&k.even, "even", false, "do not pad dimensions")
	f.StringVar(&k.out, "out", "", "write the plan to `FILE.json`")
	f.StringArrayVar(&k.export, "export", nil, "also write the plan as `FORMAT=FILE`: "+strings.Join(exportFormats(), ", ")+" (taso plan export); repeatable")
	f.StringVar(&k.html, "html", "", "write a page with tables to `FILE`")
	f.IntVar(&k.top, "top", 24, "number of operators to list; 0: all")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")

	f.StringVar(&k.recipe.Loss, "loss", "crossentropy", "`function`: "+strings.Join(grad.LossNames(), ", "))
	f.IntVar(&k.recipe.Axis, "axis", 1, "axis of the classes; negative: from the end")
	f.StringVar(&k.recipe.Optimizer, "optimizer", "sgd", "`optimizer`: "+strings.Join(grad.OptimizerNames(), ", "))
	f.Float64Var(&k.recipe.Rate, "rate", 0, "learning rate; 0: an input of the step")
	f.Float64Var(&k.recipe.Momentum, "momentum", 0, "momentum of sgd, 0 to 1")
	under(c, "Training flags", "loss", "axis", "optimizer", "rate", "momentum")

	f.Int64Var(&k.steps, "steps", 0, "work per choice, in `units` of tens of nanoseconds (default 4194304)")
	f.IntVar(&k.workers, "workers", 0, "parallel workers (default one per processor); changes no plan")
	f.DurationVar(&k.budget, "budget", 0, "time limit of the search (default none)")
	under(c, "Search flags", "steps", "workers", "budget")
	_ = c.RegisterFlagCompletionFunc("machine", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return machine.Names(), cobra.ShellCompDirectiveDefault
	})
	_ = c.RegisterFlagCompletionFunc("planner", cobra.FixedCompletions(plannerNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func plannerNames() (names []string) {
	for _, p := range plan.Planners() {
		names = append(names, p.Name)
	}
	return names
}

// plannerHelp lists the planners.
func plannerHelp() string {
	var b strings.Builder
	for _, p := range plan.Planners() {
		fmt.Fprintf(&b, "  %-10s %s\n", p.Name, wrapped(p.About, 13))
	}
	return b.String()
}

func (k *parallelizeFlags) run(c *cobra.Command, args []string) error {
	switch {
	case k.machine == "":
		return fmt.Errorf("--machine is missing; want one of %s, or a file", strings.Join(machine.Names(), ", "))
	case k.devices < 0 || k.steps < 0 || k.budget < 0 || k.top < 0 || k.workers < 0:
		return fmt.Errorf("--devices, --steps, --workers, --budget and --top must be at least 0")
	}
	beside := k.beside
	if len(beside) == 1 && beside[0] == "all" {
		beside = plannerNames()
	}
	if !slices.Contains(plannerNames(), k.planner) {
		return unknownValue("--planner", k.planner, plannerNames())
	}
	for _, name := range beside {
		if !slices.Contains(plannerNames(), name) {
			return unknownValue("--beside", name, plannerNames())
		}
	}
	cluster, err := machine.Find(k.machine, machine.Options{})
	if err != nil {
		return err
	}
	m, _, err := k.model.read(args[0])
	if err != nil {
		return err
	}
	outs := []output{{"--out", k.out}, {"--html", k.html}}
	for _, x := range k.export {
		format, path, ok := strings.Cut(x, "=")
		if !ok || path == "" || !slices.Contains(exportFormats(), format) {
			return fmt.Errorf("--export %s: want FORMAT=FILE, with one of the formats %s", x, strings.Join(exportFormats(), ", "))
		}
		outs = append(outs, output{"--export", path})
	}
	if err := checkOutputs(append(k.model.inputs, k.machine), outs...); err != nil {
		return err
	}
	o := parallelize.Options{Name: args[0], Batch: k.model.batch, Graph: m.Graph, Machine: k.machine, Cluster: cluster,
		Planner: k.planner, Beside: beside, Devices: k.devices, Memory: int64(k.memory), Steps: k.steps, Workers: k.workers, Seed: k.model.seed, Even: k.even}
	if !k.inference {
		o.Recipe = &k.recipe
	}
	defer collector.Lazily(collector.Plans, 0)()
	ctx := c.Context()
	if k.budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, k.budget)
		defer cancel()
	}
	bar := newProgress(c)
	var stage *progress.Stage
	o.Progress = func(what string) {
		if stage != nil {
			stage.Done()
		}
		stage = bar.Stage(what, progress.Unknown)
	}
	res, err := parallelize.Make(ctx, o)
	bar.Close()
	switch {
	case plan.IsNone(err), errors.Is(err, plan.ErrLarge):
		return finding(err.Error() + k.wouldDo(err, cluster))
	case errors.Is(err, context.DeadlineExceeded):
		return finding(fmt.Sprintf("planner %s found no plan within --budget %s", k.planner, k.budget))
	case err != nil:
		return err
	}
	if k.out != "" {
		if err := atomicfile.WriteFile(k.out, res.File.Write); err != nil {
			return err
		}
	}
	for _, x := range k.export {
		format, path, _ := strings.Cut(x, "=")
		if err := exportTo(path, format, res.Plan); err != nil {
			return fmt.Errorf("--export %s: %w", x, err)
		}
	}
	rep, err := res.Report(context.WithoutCancel(c.Context())) // of the best so far, too
	if err != nil {
		return err
	}
	if k.html != "" {
		if err := atomicfile.WriteFile(k.html, rep.WriteHTML); err != nil {
			return err
		}
	}
	if k.json {
		err = writeJSON(c.OutOrStdout(), rep)
	} else {
		err = printParallel(c.OutOrStdout(), rep, k.top)
	}
	if err != nil {
		return err
	}
	if k.out != "" && !k.json {
		fmt.Fprintf(c.ErrOrStderr(), "wrote %s\n", k.out)
	}
	if c.Context().Err() != nil {
		return finding("interrupted; this is the best plan found so far")
	}
	return nil
}

// wouldDo says what would make a plan, as far as that is plain from why there is none.
func (k *parallelizeFlags) wouldDo(err error, c *machine.Cluster) string {
	devices := k.devices
	if devices == 0 {
		devices = c.Devices()
	}
	var over *plan.MemoryError
	switch {
	case errors.Is(err, plan.ErrMeans) && k.model.batch == 0:
		return "; set --batch, which the devices share"
	case errors.Is(err, plan.ErrMeans) && k.model.batch%devices != 0:
		return fmt.Sprintf("; --batch %d is no multiple of %s", k.model.batch, plural(devices, "device"))
	case errors.Is(err, plan.ErrLarge):
		return "; auto, soap and alpa do not enumerate them"
	case !errors.As(err, &over):
		return ""
	}
	need := over.Need
	if over.Least > 0 {
		need = over.Least
	}
	text := fmt.Sprintf("; devices with %d bytes would do", need)
	if over.Lies < over.Have {
		text += ", or a smaller --batch, or more devices to share it"
	}
	if k.planner == "data" {
		text += "; fsdp, megatron, pipeline and alpa shard weights and state"
	}
	return text
}
