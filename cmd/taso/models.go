package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/onnx"
)

// modelsFlags are the flags of models.
type modelsFlags struct {
	write    string
	seed     uint64
	json     bool
	variants bool
}

func newModels() *cobra.Command {
	k := &modelsFlags{}
	c := &cobra.Command{
		Use:   "models [NAME...]",
		Short: "List the built-in models, or write them as ONNX files",
		Long: `Models lists the networks on which the papers measured, in their dimensions,
and the networks as published that they stand for. Each has a small variant,
NAME-tiny, with the same nodes. Some have rewritten forms, NAME+FORM, which
compute the same by other operators, as optimizers of graphs report them:
--variants lists these. --write DIR writes the models named (or all) as
DIR/NAME.onnx, with random weights that the seed decides.`,
		Example: `  taso models
  taso models resnet50 bert --write .
  taso models --variants bert
  taso models --json`,
		RunE: k.run,
	}
	f := c.Flags()
	f.StringVar(&k.write, "write", "", "write ONNX files into the folder `DIR`")
	f.Uint64Var(&k.seed, "seed", 1, "seed of the weights")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	f.BoolVar(&k.variants, "variants", false, "list the rewritten forms of the models named, or of all")
	return c
}

func (k *modelsFlags) run(c *cobra.Command, names []string) error {
	if k.variants {
		return k.listVariants(c, names)
	}
	list := models.List()
	if len(names) > 0 {
		var some []models.Info
		for _, n := range names {
			m, err := models.Build(n, k.seed)
			if err != nil {
				return err
			}
			info := models.Describe(m)
			info.Name = n
			some = append(some, info)
		}
		list = some
	}
	if k.write != "" {
		if err := os.MkdirAll(k.write, 0o755); err != nil {
			return err
		}
		for _, info := range list {
			if err := c.Context().Err(); err != nil {
				return err
			}
			m, err := models.Build(info.Name, k.seed)
			if err != nil {
				return err
			}
			path := filepath.Join(k.write, info.Name+".onnx")
			if err := onnx.Write(path, m, onnx.WriteOptions{}); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", path)
		}
		return nil
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), list)
	}
	var rows [][]string
	for _, m := range list {
		rows = append(rows, []string{m.Name, count(m.Operators), count(m.Weights), big(float64(m.Params)), big(float64(m.MACs)), m.Doc})
	}
	return writeTable(c.OutOrStdout(), []column{{"model", false}, {"operators", true}, {"weights", true}, {"parameters", true},
		{"multiply-adds", true}, {"what it is", false}}, rows)
}

// listVariants prints the rewritten forms of models, each beside its model.
func (k *modelsFlags) listVariants(c *cobra.Command, names []string) error {
	if k.write != "" {
		return errors.New("--variants lists models; to write some, name them: taso models NAME+FORM --write DIR")
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
