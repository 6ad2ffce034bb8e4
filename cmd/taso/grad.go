package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/pipeline/training"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/onnx"
)

// gradFlags are the flags of grad.
type gradFlags struct {
	model           modelFlags
	opt             grad.Options
	loss, optimizer string
	train           []string
	out             string
	json            bool
}

func newGrad() *cobra.Command {
	k := &gradFlags{}
	c := &cobra.Command{
		Use:   "grad MODEL",
		Short: "Build the training step of a model as a model of its own",
		Long: `The step maps inputs, labels, weights and optimizer state to the loss, and to the next value,
NAME_next, of each weight and state tensor. It consists of ordinary operators, so it can be shown,
run, optimized, verified and exported like any model. An operator without a derivative is an error.

Losses: crossentropy, of class scores along --axis with distributions as labels; classes, the same
with class numbers as labels; meansquare. All weights with at least one dimension are trained, but
for statistics of batch normalization: the step normalizes by the statistics of the batch, and
updates the stored ones (--stored uses and keeps those). docs/training.md has more.
` + modelHelp,
		Example: `  taso grad resnet50 --loss classes --optimizer adam --out step.onnx
  taso grad model.onnx --loss meansquare --rate 0.01 --momentum 0.9
  taso grad mlp-tiny --json`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	f.StringVar(&k.loss, "loss", "crossentropy", "`function`: "+strings.Join(grad.LossNames(), ", "))
	f.IntVar(&k.opt.Axis, "axis", 1, "axis of the classes; negative: from the end")
	f.StringVar(&k.optimizer, "optimizer", "sgd", "`optimizer`: "+strings.Join(grad.OptimizerNames(), ", "))
	f.Float64Var(&k.opt.Rate, "rate", 0, "learning rate; 0: an input of the step")
	f.Float64Var(&k.opt.Momentum, "momentum", 0, "momentum of sgd, 0 to 1")
	f.Float64Var(&k.opt.Beta1, "beta1", 0, "adam: decay of the first moment (default 0.9)")
	f.Float64Var(&k.opt.Beta2, "beta2", 0, "adam: decay of the second moment (default 0.999)")
	f.Float64Var(&k.opt.Epsilon, "epsilon", 0, "adam: added to the denominator (default 1e-08)")
	f.BoolVar(&k.opt.Stored, "stored", false, "use the stored statistics of batch normalization, and keep them")
	f.StringSliceVar(&k.train, "train", nil, "`NAME,NAME`: train only these weights")
	f.StringVar(&k.out, "out", "", "write the step to `FILE.onnx`")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	_ = c.RegisterFlagCompletionFunc("loss", cobra.FixedCompletions(grad.LossNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("optimizer", cobra.FixedCompletions(grad.OptimizerNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (k *gradFlags) run(c *cobra.Command, args []string) (err error) {
	if k.opt.Loss, err = grad.ParseLoss(k.loss); err != nil {
		return fmt.Errorf("--loss: %w", err)
	}
	if k.opt.Optimizer, err = grad.ParseOptimizer(k.optimizer); err != nil {
		return fmt.Errorf("--optimizer: %w", err)
	}
	if k.opt.Momentum != 0 && k.opt.Optimizer != grad.SGD {
		return fmt.Errorf("--momentum needs --optimizer sgd")
	}
	out := []output{{"--out", k.out}, {"--out", onnx.DataPath(k.out)}}
	if err := checkOutputs(args, out[0]); err != nil {
		return err
	}
	m, _, err := k.model.readBeside(args[0], out)
	if err != nil {
		return err
	}
	for _, name := range k.train {
		id, ok := m.Graph.Find(name)
		if !ok || !m.Graph.IsWeight(id) {
			var weights []string
			for _, id := range m.Graph.Inputs() {
				if m.Graph.IsWeight(id) {
					weights = append(weights, m.Graph.Name(id))
				}
			}
			return fmt.Errorf("--train %s: the model has no such weight%s", name, suggest.DidYouMean(name, weights))
		}
		if k.opt.Weights == nil {
			k.opt.Weights = []graph.NodeID{}
		}
		k.opt.Weights = append(k.opt.Weights, id)
	}
	step, rep, err := training.Make(m, k.opt)
	if err != nil {
		return err
	}
	if k.json {
		err = writeJSON(c.OutOrStdout(), rep)
	} else {
		err = printStep(c.OutOrStdout(), rep)
	}
	if err != nil || k.out == "" {
		return err
	}
	if err := onnx.Write(k.out, step, onnx.WriteOptions{}); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s\n", k.out)
	return nil
}

func printStep(w io.Writer, r *training.Report) error {
	fmt.Fprintf(w, "training step of %s: loss %s, optimizer %s\n", r.Model, r.Loss, r.Optimizer)
	fmt.Fprintf(w, "%s trained, %s parameters; %s of statistics, %s of state\n",
		plural(r.Weights, "weight"), big(float64(r.Params)), plural(r.Statistics, "tensor"), plural(r.State, "tensor"))
	for _, t := range r.Labels {
		fmt.Fprintf(w, "label %s: %s %s\n", t.Name, t.Type, sizesText(t.Sizes))
	}
	fmt.Fprintln(w)
	line := func(name string, s training.Size) []string {
		return []string{name, count(s.Operators), big(float64(s.FLOPs)), big(float64(s.Products))}
	}
	rest := training.Size{Operators: r.Step.Operators - r.Forward.Operators, FLOPs: r.Step.FLOPs - r.Forward.FLOPs, Products: r.Step.Products - r.Forward.Products}
	rows := [][]string{line("model", r.Forward), line("step", r.Step), line("step - model", rest),
		{"(step - model) / model", times(rest.Operators, r.Forward.Operators), times(rest.FLOPs, r.Forward.FLOPs), times(rest.Products, r.Forward.Products)}}
	if err := writeTable(w, []column{{"graph", false}, {"operators", true}, {"FLOP", true}, {"FLOP of products", true}}, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	rows = nil
	for _, o := range r.Operators {
		rows = append(rows, []string{o.Op, count(o.Forward), count(o.Step)})
	}
	return writeTable(w, []column{{"operator", false}, {"model", true}, {"step", true}}, rows)
}

// times is how many times b goes into a.
func times[T int | int64](a, b T) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}
