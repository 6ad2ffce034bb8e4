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
		Long: `Without NAME, the list: models on which the papers measured, then models that papers train on
many devices, with operators, parameters and multiply-adds. NAME is compared with the published
network, operator by operator. --out writes ONNX files with random weights.

NAME-tiny is a small variant with the same operators; in families of trained models it has fewer
layers. NAME+FORM is a rewritten form that computes the same (--variants lists these).
docs/models.md says where the dimensions are from.`,
		Example: `  taso models
  taso models resnet50
  taso models resnet50 bert --out .
  taso models gpt-2.6b --batch 8
  taso models --variants bert`,
		RunE:              k.run,
		ValidArgsFunction: completeBuiltin,
	}
	f := c.Flags()
	f.StringVar(&k.out, "out", "", "write ONNX files to the folder `DIR`")
	f.BoolVar(&k.all, "all", false, "write all listed models (with --out)")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "write" { // its first name
			name = "out"
		}
		return pflag.NormalizedName(name)
	})
	f.Uint64Var(&k.seed, "seed", 1, "seed of the random weights")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	f.IntVar(&k.batch, "batch", 0, "batch `size` of the named models (default that of the papers)")
	f.BoolVar(&k.variants, "variants", false, "list the rewritten forms of the named models, or of all")
	return c
}

func (k *modelsFlags) run(c *cobra.Command, names []string) error {
	switch {
	case k.all && (k.out == "" || len(names) > 0):
		return errors.New("--all needs --out DIR, and no NAME")
	case k.variants && k.batch != 0:
		return errors.New("--batch: rewritten forms have a fixed batch")
	case k.variants:
		return k.listVariants(c, names)
	}
	if k.batch < 0 || k.batch > graph.MaxSize || k.batch == 0 && c.Flags().Changed("batch") {
		return fmt.Errorf("--batch %d: must be 1 to %d", k.batch, graph.MaxSize)
	}
	if k.batch > 0 && len(names) == 0 {
		return errors.New("--batch needs the NAME of a model")
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
		return fmt.Errorf("--out %s: name the models to write, or use --all (%d files, %.1f GB)", k.out, len(list), float64(bytes)/1e9)
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
		return errors.New("--variants only lists; to write a form: taso models NAME+FORM --out DIR")
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
	return writeTable(c.OutOrStdout(), []column{{"form", false}, {"operators", true}, {"of the model", true},
		{"multiply-adds", true}, {"of the model", true}, {"description", false}}, rows)
}
