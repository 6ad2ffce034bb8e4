package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx"
)

// modelsFlags are the flags of models.
type modelsFlags struct {
	out      string
	seed     uint64
	all      bool
	json     bool
	variants bool
	batch    int
}

func newModels() *cobra.Command {
	k := &modelsFlags{}
	c := &cobra.Command{
		Use:   "models [NAME...]",
		Short: "List the built-in models, or write them as ONNX files",
		Long: `Models lists the networks on which the papers measured, in their dimensions,
and the networks as published that they stand for; beside our counts of
operators, learned parameters and multiply-adds are those of the sources. NAME
is compared operator by operator, with what differs and why. Each has a small
variant, NAME-tiny, with the same nodes. Some have rewritten forms, NAME+FORM,
which compute the same by other operators, as optimizers of graphs rewrite them:
--variants lists these. --out DIR writes the models named (or --all) as
DIR/NAME.onnx, with random weights that the seed decides.

Then come networks that papers train on many devices, in families of sizes, with the
batches of the papers; --batch gives those named another one, as in other commands. Their
small variants have fewer layers. docs/models.md says where dimensions are from.`,
		Example: `  taso models
  taso models resnet50
  taso models gpt-2.6b --batch 8
  taso models resnet50 bert --out .
  taso models --variants bert
  taso models --json`,
		RunE:              k.run,
		ValidArgsFunction: completeBuiltin,
	}
	f := c.Flags()
	f.StringVar(&k.out, "out", "", "write ONNX files into the folder `DIR`")
	f.BoolVar(&k.all, "all", false, "with --out: all models of the list")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "write" { // its first name
			name = "out"
		}
		return pflag.NormalizedName(name)
	})
	f.Uint64Var(&k.seed, "seed", 1, "seed of the weights")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	f.IntVar(&k.batch, "batch", 0, "samples of the models named, of those that take any number (default those of the papers)")
	f.BoolVar(&k.variants, "variants", false, "list the rewritten forms of the models named, or of all")
	return c
}

func (k *modelsFlags) run(c *cobra.Command, names []string) error {
	switch {
	case k.all && (k.out == "" || len(names) > 0):
		return errors.New("--all goes with --out DIR, and without names")
	case k.variants && k.batch != 0:
		return errors.New("--batch: the sizes of rewritten forms are fixed")
	case k.variants:
		return k.listVariants(c, names)
	}
	if k.batch < 0 || k.batch > graph.MaxSize || k.batch == 0 && c.Flags().Changed("batch") {
		return fmt.Errorf("--batch %d: it is not a size", k.batch)
	}
	if k.batch > 0 && len(names) == 0 {
		return errors.New("--batch: name the models that are to have it")
	}
	list, further := models.List(), models.ListFurther()
	if len(names) > 0 {
		var err error
		if list, err = k.named(names, append(list, further...)); err != nil {
			return err
		}
	}
	switch {
	case k.out != "" && len(names) == 0 && !k.all:
		var bytes int64
		for _, info := range list {
			bytes += 4 * info.Params
		}
		return fmt.Errorf("--out %s: name the models to write, or say --all: %d files of %.1f GB together", k.out, len(list), float64(bytes)/1e9)
	case k.out != "":
		return k.write(c, list)
	case k.json && len(names) == 0:
		return writeJSON(c.OutOrStdout(), append(list, further...))
	case k.json:
		return writeJSON(c.OutOrStdout(), list)
	case len(names) > 0:
		return k.printModels(c.OutOrStdout(), list)
	}
	if err := listModels(c.OutOrStdout(), list); err != nil {
		return err
	}
	return listFurther(c.OutOrStdout(), further)
}

// named describes the models of these names, with what is published of those that are
// listed.
func (k *modelsFlags) named(names []string, listed []models.Info) (list []models.Info, err error) {
	published := map[string]models.Info{}
	for _, info := range listed {
		published[info.Name] = info
	}
	for _, name := range names {
		m, err := k.build(name)
		if err != nil {
			return nil, err
		}
		info := models.Describe(m.Model)
		p := published[name]
		info.Name, info.Source, info.Published = name, p.Source, p.Published
		info.Batch, info.Layers = m.Batch, len(m.Layers)
		list = append(list, info)
	}
	return list, nil
}

// build builds a model with the batch that is asked for.
func (k *modelsFlags) build(name string) (*models.Network, error) {
	return models.BuildNetwork(name, models.Options{Batch: k.batch, Seed: k.seed})
}

// write writes models as files.
func (k *modelsFlags) write(c *cobra.Command, list []models.Info) error {
	if err := os.MkdirAll(k.out, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w", k.out, err)
	}
	bar := newProgress(c)
	defer bar.Close()
	stage := bar.Stage("write", int64(len(list)))
	for i, info := range list {
		if c.Context().Err() != nil {
			return finding(fmt.Sprintf("interrupted: %d of %s written", i, plural(len(list), "file")))
		}
		m, err := k.build(info.Name)
		if err != nil {
			return err
		}
		path := filepath.Join(k.out, info.Name+".onnx")
		if err := onnx.Write(path, m.Model, onnx.WriteOptions{}); err != nil {
			return err
		}
		stage.Add(1)
		fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", path)
	}
	return nil
}

// listVariants prints the rewritten forms of models, each beside its model.
func (k *modelsFlags) listVariants(c *cobra.Command, names []string) error {
	if k.out != "" {
		return errors.New("--variants lists models; to write some, name them: taso models NAME+FORM --out DIR")
	}
	list := models.Variants("")
	if len(names) > 0 {
		list = nil
	}
	for _, n := range names {
		if _, err := models.Build(n, k.seed); err != nil {
			return err
		}
		list = append(list, models.Variants(n)...)
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), list)
	}
	var rows [][]string
	for _, v := range list {
		was, err := models.Build(v.Of, k.seed)
		if err != nil {
			return err
		}
		m, err := models.Build(v.Name, k.seed)
		if err != nil {
			return err
		}
		a, b := models.Describe(was), models.Describe(m)
		rows = append(rows, []string{v.Name, count(b.Operators), count(a.Operators), big(float64(b.MACs)), big(float64(a.MACs)), v.Doc})
	}
	return writeTable(c.OutOrStdout(), []column{{"form", false}, {"operators", true}, {"before", true},
		{"multiply-adds", true}, {"before", true}, {"what it is", false}}, rows)
}
