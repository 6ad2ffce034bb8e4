package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/graph/define"
)

// defineFlag is --define: files that define operators.
type defineFlag struct{ paths []string }

func (d *defineFlag) add(c *cobra.Command, help string) {
	c.Flags().StringSliceVar(&d.paths, "define", nil, help)
}

// load makes the operators of the files known to the program and returns their names.
func (d *defineFlag) load() ([]string, error) {
	var names []string
	for _, path := range d.paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("--define: %w", err)
		}
		ds, err := define.Parse(path, string(text))
		if err == nil && len(ds) == 0 {
			err = fmt.Errorf("%s: defines no operator", path)
		}
		if err == nil {
			err = define.Register(ds)
		}
		if err != nil {
			return nil, fmt.Errorf("--define: %w", err)
		}
		for _, x := range ds {
			names = append(names, x.Name)
		}
	}
	return names, nil
}
