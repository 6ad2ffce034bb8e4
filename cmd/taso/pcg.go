package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/runpcg"
)

// pcgFlags are the flags of pcg.
type pcgFlags struct {
	model   modelFlags
	against string
	noRun   bool
	json    bool
}

func newPCG() *cobra.Command {
	k := &pcgFlags{}
	c := &cobra.Command{
		Use:   "pcg MODEL",
		Short: "Run a graph that is partitioned over devices on virtual devices",
		Long: `MODEL is a parallel computation graph (PCG): a graph with the operators partition, combine,
replicate, reduce, lift, drop and halo (docs/parallel.md). The report lists the sharding of each
tensor and the collectives, and marks shardings that do not fit, such as the relu of a partial sum.

The graph then runs on virtual devices that exchange messages, on random inputs, exactly modulo
2^61 - 1 and in float32. The outputs are compared with those on one device, and with those of
--against, a sequential model whose inputs have the same names.

Exit status: 0 equal; 1 outputs differ or shardings do not fit; 2 no devices can run the graph.
` + modelHelp,
		Example: `  taso pcg mlp-2x4.graph
  taso pcg mlp-2x4.graph --against mlp.graph
  taso pcg mlp-2x4.graph --no-run --json`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	f.StringVar(&k.against, "against", "", "compare with this sequential `MODEL`")
	f.BoolVar(&k.noRun, "no-run", false, "report shardings and collectives only")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	return c
}

func (k *pcgFlags) run(c *cobra.Command, args []string) error {
	m, _, err := k.model.read(args[0])
	if err != nil {
		return err
	}
	opt := runpcg.Options{Name: m.Name, Graph: m.Graph, Seed: k.model.seed, NoRun: k.noRun}
	if k.against != "" {
		if k.noRun {
			return fmt.Errorf("--against and --no-run: give only one of them")
		}
		a, _, err := k.model.read(k.against)
		if err != nil {
			return fmt.Errorf("--against: %w", err)
		}
		opt.Against, opt.AgainstName = a.Graph, a.Name
	}
	r, err := runpcg.Do(c.Context(), opt)
	if err != nil {
		return err
	}
	if k.json {
		err = writeJSON(c.OutOrStdout(), r)
	} else {
		err = printPCG(c.OutOrStdout(), r)
	}
	if err == nil && !r.Good() {
		return finding(r.Verdict())
	}
	return err
}

func printPCG(w io.Writer, r *runpcg.Report) error {
	var mesh []string
	for _, d := range r.Mesh {
		mesh = append(mesh, fmt.Sprintf("%s=%d", d.Name, d.Size))
	}
	writeLines(w, "%s: %s", r.Name, r.Verdict())
	if len(mesh) > 0 {
		fmt.Fprintf(w, "%s, mesh %s\n\n", plural(r.Devices, "device"), strings.Join(mesh, ", "))
	}
	var rows [][]string
	for _, t := range r.Tensors {
		sizes := "scalar"
		if len(t.Member) > 0 {
			parts := make([]string, len(t.Member))
			for i, n := range t.Member {
				parts[i] = strconv.Itoa(n)
			}
			sizes = strings.Join(parts, "×")
		}
		rows = append(rows, []string{t.Name, t.Op, sizes, t.Layout})
	}
	if len(rows) > 0 {
		if err := writeTable(w, []column{{"tensor", false}, {"operator", false}, {"shape on a device", false}, {"placement", false}}, rows); err != nil {
			return err
		}
		writeLines(w, placements)
	}
	rows = nil
	for _, x := range r.Collectives {
		kind, devices, messages := x.Kind, strconv.Itoa(x.Degree), "-"
		if x.Input && x.Bytes > 0 {
			kind += " (input)"
		}
		if x.Groups > 1 {
			devices = fmt.Sprintf("%d × %d", x.Groups, x.Degree)
		}
		if r.Run != nil {
			messages = count(x.Messages)
		}
		rows = append(rows, []string{kind, strings.Join(x.Nodes, ", "), devices, count(x.Bytes), count(x.Busiest), messages})
	}
	if len(rows) > 0 {
		fmt.Fprintln(w)
		cols := []column{{"collective", false}, {"nodes", false}, {"devices", true}, {"bytes sent", true}, {"bytes of busiest", true}, {"messages", true}}
		if err := writeTable(w, cols, rows); err != nil {
			return err
		}
		fmt.Fprintf(w, "\ncommunication: %s bytes to distribute inputs and weights, %s bytes in the step\n", count(r.Loaded), count(r.Sent))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "found: %s\n", f)
	}
	if r.Run == nil {
		_, err := fmt.Fprintf(w, "not run: %s\n", r.NotRun)
		return err
	}
	says := map[bool]string{true: "equal", false: "NOT EQUAL"}
	fmt.Fprintf(w, "run on %s, modulo 2^61 - 1: outputs %s to those on one device\n", plural(r.Devices, "device"), says[r.Run.Equal])
	if r.Run.Against != "" {
		fmt.Fprintf(w, "modulo 2^61 - 1: outputs %s to those of %s\n", says[r.Run.EqualAgainst], r.Run.Against)
	}
	if d := r.Run.Deviation; d != nil {
		_, err := fmt.Fprintf(w, "in float32: outputs deviate by at most %.1e of the largest element\n", *d)
		return err
	}
	_, err := fmt.Fprintln(w, "in float32: outputs cannot be compared")
	return err
}
