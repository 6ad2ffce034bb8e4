package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/onnx"
)

// modelsFlags are the flags of models.
type modelsFlags struct {
	write string
	seed  uint64
	json  bool
}

func newModels() *cobra.Command {
	k := &modelsFlags{}
	c := &cobra.Command{
		Use:   "models [NAME...]",
		Short: "List the built-in models, or write them as ONNX files",
		Long: `Models lists the networks on which the papers measured, in their dimensions,
and the networks as published that they stand for. Each has a small variant,
NAME-tiny, with the same nodes. --write DIR writes the models named (or all) as
DIR/NAME.onnx, with random weights that the seed decides.`,
		Example: `  taso models
  taso models resnet50 bert --write .
  taso models --json`,
		RunE: k.run,
	}
	f := c.Flags()
	f.StringVar(&k.write, "write", "", "write ONNX files into the folder `DIR`")
	f.Uint64Var(&k.seed, "seed", 1, "seed of the weights")
	f.BoolVar(&k.json, "json", false, "print as JSON")
	return c
}

func (k *modelsFlags) run(c *cobra.Command, names []string) error {
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
