package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

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
and the networks as published that they stand for; beside our counts of
operators, learned parameters and multiply-adds are those of the sources
(--json says where they differ and why). Each has a small variant,
NAME-tiny, with the same nodes. Some have rewritten forms, NAME+FORM, which
compute the same by other operators, as optimizers of graphs rewrite them:
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
		var err error
		if list, err = k.describe(names, list); err != nil {
			return err
		}
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
		p := m.Published
		rows = append(rows, []string{m.Name, count(m.Operators), orNothing(float64(p.Total), count(p.Total)),
			big(float64(m.Learned)), orNothing(float64(p.Learned), big(float64(p.Learned))),
			big(float64(m.MACs)), orNothing(p.GMAC, big(p.GMAC*1e9)), m.Doc, p.Cite})
	}
	return writeTable(c.OutOrStdout(), []column{{"model", false}, {"operators", true}, {"source", true}, {"parameters", true}, {"published", true},
		{"multiply-adds", true}, {"published", true}, {"what it is", false}, {"published by", false}}, rows)
}

// orNothing is the text of a figure, "-" if it is 0: not published.
func orNothing(figure float64, text string) string {
	if figure == 0 {
		return "-"
	}
	return text
}

// describe describes the models named; all is the list of models, whose entries
// have what is published.
func (k *modelsFlags) describe(names []string, all []models.Info) ([]models.Info, error) {
	var some []models.Info
	for _, n := range names {
		if i := slices.IndexFunc(all, func(m models.Info) bool { return m.Name == n }); i >= 0 {
			some = append(some, all[i])
			continue
		}
		m, err := models.Build(n, k.seed)
		if err != nil {
			return nil, err
		}
		some = append(some, models.Describe(m))
	}
	return some, nil
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
