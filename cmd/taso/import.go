package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/showmodel"
	"github.com/taso-go/taso/onnx"
)

// importFlags are the flags of import.
type importFlags struct {
	model modelFlags
	out   string
	nodes bool
	json  bool
}

func newImport() *cobra.Command {
	k := &importFlags{}
	c := &cobra.Command{
		Use:        "import MODEL",
		SuggestFor: []string{"info", "inspect", "summary"},
		Short:      "Summarize a model: inputs, outputs, operators, parameters, FLOPs",
		Long: `The summary also lists dynamic dimensions, and opaque nodes: those that are not modelled and
are kept as they are, with the reason. --out writes the model back as ONNX, with the dimensions
that --shape and --batch fix.
` + dynamicHelp,
		Example: `  taso import model.onnx
  taso import resnet50 --nodes
  taso import model.onnx --shape input=1,3,224,224 --out fixed.onnx`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	k.model.addDynamic(c)
	k.model.typical = true
	c.Flags().StringVar(&k.out, "out", "", "write the model to `FILE.onnx`")
	c.Flags().BoolVar(&k.nodes, "nodes", false, "also list every node")
	c.Flags().BoolVar(&k.json, "json", false, "print the summary as JSON")
	return c
}

func (k *importFlags) run(c *cobra.Command, args []string) error {
	out := []output{{"--out", k.out}, {"--out", onnx.DataPath(k.out)}}
	if err := checkOutputs(args, out[0]); err != nil {
		return err
	}
	m, rep, err := k.model.readBeside(args[0], out)
	if err != nil {
		return err
	}
	d := showmodel.Describe(m, rep)
	if !k.nodes {
		d.Nodes = nil
	}
	if k.json {
		err = writeJSON(c.OutOrStdout(), d)
	} else {
		err = printContents(c.OutOrStdout(), d)
	}
	if err != nil || k.out == "" {
		return err
	}
	if rep != nil {
		_, err = onnx.Rewrite(k.out, rep.Source, m, onnx.RewriteOptions{Fix: k.model.defaults || len(k.model.shapes)+len(k.model.constants)+k.model.batch > 0})
	} else {
		err = onnx.Write(k.out, m, onnx.WriteOptions{})
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s\n", k.out)
	return nil
}

func printContents(w io.Writer, d *showmodel.Contents) error {
	name, operators := d.Name, 0
	switch {
	case d.Opset > 0 && d.Producer != "":
		name += fmt.Sprintf(" (opset %d, %s)", d.Opset, d.Producer)
	case d.Opset > 0:
		name += fmt.Sprintf(" (opset %d)", d.Opset)
	}
	for _, o := range d.Operators {
		operators += o.Nodes
	}
	modelled := "all modelled"
	if n := len(d.Opaque); n > 0 {
		modelled = count(n) + " of them opaque (not modelled)"
	}
	writeLines(w, "%s: %s, %s", name, plural(operators, "operator"), modelled)
	filled := ""
	if d.Filled > 0 {
		filled = fmt.Sprintf(" and %d filled with one number", d.Filled)
	}
	fmt.Fprintf(w, "%s parameters in %d weights%s, %s FLOP per run, %s folded to constants\n\n",
		big(float64(d.Params)), d.Weights, filled, big(float64(d.FLOPs)), plural(d.Folded, "node"))
	var rows [][]string
	for _, t := range d.Inputs {
		rows = append(rows, []string{"input", t.Name, t.Type, shapeText(t)})
	}
	for _, t := range d.Outputs {
		rows = append(rows, []string{"output", t.Name, t.Type, shapeText(t)})
	}
	if err := writeTable(w, []column{{"role", false}, {"tensor", false}, {"type", false}, {"shape", false}}, rows); err != nil {
		return err
	}
	for _, v := range d.Dynamic {
		fmt.Fprintf(w, "dynamic dimension: %s; FLOP are for %d\n", v, v.Size(v.Sample))
	}
	for _, o := range d.Open {
		name := ""
		if o.Dim != "" {
			name = " (" + o.Dim + ")"
		}
		if o.Assumed {
			name += " is assumed to be"
		} else {
			name += " is set to"
		}
		fmt.Fprintf(w, "dynamic dimension: axis %d of %s%s %d\n", o.Axis, o.Input, name, o.Size)
	}
	fmt.Fprintln(w)
	rows = nil
	for _, o := range d.Operators {
		largest := sizesText(o.Largest)
		if o.Results > 1 {
			largest += fmt.Sprintf(" and %d smaller", o.Results-1)
		}
		rows = append(rows, []string{o.Op, count(o.Nodes), big(float64(o.Params)), big(float64(o.FLOPs)), largest})
	}
	if err := writeTable(w, []column{{"operator", false}, {"nodes", true}, {"parameters", true}, {"FLOP", true}, {"largest result", false}}, rows); err != nil {
		return err
	}
	for i, name := range slices.Sorted(maps.Keys(d.Fused)) {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "recognized in smaller operators of the file, with rounded constants: %s, %s\n", name, plural(d.Fused[name], "time"))
	}
	printOpaque(w, d.Opaque)
	return printNodes(w, d.Nodes)
}

// shapeText is a shape as the summary has it; dynamic sizes are variables.
func shapeText(t showmodel.Tensor) string { return cmp.Or(t.Shape, sizesText(t.Sizes)) }

// namedNodes is how many nodes are named of those that are kept for one reason.
const namedNodes = 3

// printOpaque lists the nodes that are kept as they are, those of one operator that are
// kept for the same reason in one line.
func printOpaque(w io.Writer, list []showmodel.Opaque) {
	type group struct{ op, reason string }
	nodes := map[group][]string{}
	var groups []group
	for _, o := range list {
		g := group{o.Op, o.Reason}
		if nodes[g] == nil {
			groups = append(groups, g)
		}
		nodes[g] = append(nodes[g], o.Node)
	}
	for i, g := range groups {
		if i == 0 {
			fmt.Fprintln(w)
		}
		names := nodes[g]
		text := fmt.Sprintf("%s (%s)", names[0], g.op)
		if n := len(names); n > 1 {
			text = fmt.Sprintf("%d nodes %s (%s", n, g.op, strings.Join(names[:min(n, namedNodes)], ", "))
			if n > namedNodes {
				text += fmt.Sprintf(" and %d more", n-namedNodes)
			}
			text += ")"
		}
		fmt.Fprintf(w, "opaque: %s: %s\n", text, g.reason)
	}
}

// printNodes lists the operator applications.
func printNodes(w io.Writer, nodes []showmodel.Node) error {
	if nodes == nil {
		return nil
	}
	fmt.Fprintln(w)
	var rows [][]string
	for _, n := range nodes {
		var in, out []string
		for _, t := range n.In {
			in = append(in, shapeText(t))
		}
		for _, t := range n.Out {
			out = append(out, shapeText(t))
		}
		rows = append(rows, []string{n.Name, n.Op + n.Attrs, strings.Join(in, ", "), strings.Join(out, ", "),
			big(float64(n.Params)), big(float64(n.FLOPs)), big(float64(n.Bytes))})
	}
	return writeTable(w, []column{{"node", false}, {"operator", false}, {"operands", false}, {"results", false},
		{"parameters", true}, {"FLOP", true}, {"bytes", true}}, rows)
}
