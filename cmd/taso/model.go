package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// modelFlags say how a model that is named on the command line is read.
type modelFlags struct {
	shapes []string
	seed   uint64
}

// modelHelp is said by every command that takes a model.
const modelHelp = `
MODEL is an ONNX file, or the name of a built-in model (taso models). Inputs
whose sizes the file leaves open are given theirs by --shape.`

func (k *modelFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&k.shapes, "shape", nil, "sizes of an input, or of a named dimension, such as `input=1,3,224,224` or batch=1; may be repeated")
	c.Flags().Uint64Var(&k.seed, "seed", 1, "seed of random weights and inputs")
}

// read reads the model of a name. The report is nil for built-in models.
func (k *modelFlags) read(name string) (*model.Model, *onnx.Report, error) {
	if !strings.HasSuffix(strings.ToLower(name), ".onnx") {
		if _, err := os.Stat(name); err != nil && slices.Contains(builtin(), name) {
			m, err := models.Build(name, k.seed)
			return m, nil, err
		} else if err != nil {
			return nil, nil, fmt.Errorf("%s: neither a file nor a built-in model (taso models lists these)", name)
		}
	}
	shapes, err := parseShapes(k.shapes)
	if err != nil {
		return nil, nil, err
	}
	m, rep, err := onnx.Read(name, onnx.ReadOptions{Shapes: shapes})
	if m != nil {
		m.Name = filepath.Base(name) // the names in files are their producers'
	}
	return m, rep, err
}

// builtin lists the names that models.Build knows.
func builtin() []string {
	var out []string
	for _, n := range models.Names() {
		out = append(out, n, n+"-tiny")
	}
	for _, v := range models.Variants("") {
		out = append(out, v.Name, v.Name+"-tiny")
	}
	return out
}

// parseShapes reads NAME=SIZE,SIZE,... .
func parseShapes(list []string) (map[string][]int, error) {
	out := map[string][]int{}
	for _, s := range list {
		name, sizes, ok := strings.Cut(s, "=")
		if !ok || name == "" || sizes == "" {
			return nil, fmt.Errorf("--shape %s: want NAME=SIZE,SIZE,... such as input=1,3,224,224", s)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("--shape %s: %s is given twice", s, name)
		}
		for _, text := range strings.Split(sizes, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil || n < 1 {
				return nil, fmt.Errorf("--shape %s: %q is not a size", s, text)
			}
			out[name] = append(out[name], n)
		}
	}
	return out, nil
}

// big writes 25557032 as 25.6 M.
func big(n float64) string {
	for _, u := range []struct {
		f    float64
		unit string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= u.f {
			return strconv.FormatFloat(n/u.f, 'f', 2, 64) + " " + u.unit
		}
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func sizesText(sizes []int) string {
	if len(sizes) == 0 {
		return "scalar"
	}
	var parts []string
	for _, n := range sizes {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, "x")
}
