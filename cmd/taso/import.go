package main

import (
	"fmt"
	"io"
	"sort"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// importFlags are the flags of import.
type importFlags struct {
	model modelFlags
	out   string
	json  bool
}

func newImport() *cobra.Command {
	k := &importFlags{}
	c := &cobra.Command{
		Use:   "import MODEL",
		Short: "Say what is in a model: operators, shapes, parameters, work",
		Long: `Import reads a model and says what is in it: inputs and outputs with their
sizes, the operators with their number, parameters and work, what was folded, and
the nodes that are kept as they are because they are not modelled (opaque).
--out writes it back as ONNX.
` + modelHelp,
		Example: `  taso import model.onnx
  taso import model.onnx --shape input=1,3,224,224 --out fixed.onnx
  taso import resnet50 --json`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	c.Flags().StringVar(&k.out, "out", "", "write the model to `FILE.onnx`")
	c.Flags().BoolVar(&k.json, "json", false, "print as JSON")
	return c
}

// contents is what import reports.
type contents struct {
	Name      string            `json:"name"`
	Producer  string            `json:"producer,omitempty"`
	Opset     int64             `json:"opset,omitempty"`
	Inputs    []tensorText      `json:"inputs"`
	Outputs   []tensorText      `json:"outputs"`
	Operators []operatorCount   `json:"operators"`
	Weights   int               `json:"weights"`
	Params    int64             `json:"params"`
	FLOPs     int64             `json:"flops"`
	Folded    int               `json:"folded"`
	Opaque    []onnx.OpaqueNode `json:"opaque,omitempty"`
}

type tensorText struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Sizes []int  `json:"sizes"`
}

type operatorCount struct {
	Op    string `json:"op"`
	Nodes int    `json:"nodes"`
	FLOPs int64  `json:"flops"`
}

func describe(m *model.Model, rep *onnx.Report) *contents {
	g := m.Graph
	out := &contents{Name: m.Name, Producer: m.Producer, Weights: len(m.Weights), Params: m.Params(), FLOPs: m.FLOPs(),
		Inputs: []tensorText{}, Outputs: []tensorText{}}
	if rep != nil {
		out.Opset, out.Folded, out.Opaque = rep.Opset, rep.Folded, rep.Opaque
	}
	text := func(t graph.Tensor) tensorText {
		return tensorText{g.Name(t.Node), g.DType(t).String(), append([]int{}, g.Sizes(t)...)}
	}
	for _, id := range m.Inputs() {
		out.Inputs = append(out.Inputs, text(id.Out(0)))
	}
	for _, t := range g.Outputs() {
		out.Outputs = append(out.Outputs, text(t))
	}
	byOp := map[string]*operatorCount{}
	for id := range g.Nodes() {
		op := g.Op(id)
		if op == nil {
			continue
		}
		name := op.Name
		if kind, _, ok := g.Opaque(id); ok {
			name = "opaque " + kind
		}
		n := byOp[name]
		if n == nil {
			n = &operatorCount{Op: name}
			byOp[name] = n
		}
		n.Nodes++
		var in, outs [][]int
		for _, t := range g.Operands(id) {
			in = append(in, g.Sizes(t))
		}
		for i := range g.NumOut(id) {
			outs = append(outs, g.Sizes(id.Out(i)))
		}
		n.FLOPs += op.WorkOf(g.Attrs(id), in, outs).FLOPs
	}
	for _, n := range byOp {
		out.Operators = append(out.Operators, *n)
	}
	sort.Slice(out.Operators, func(i, j int) bool {
		a, b := out.Operators[i], out.Operators[j]
		return a.FLOPs > b.FLOPs || a.FLOPs == b.FLOPs && a.Op < b.Op
	})
	return out
}

func (k *importFlags) run(c *cobra.Command, args []string) error {
	m, rep, err := k.model.read(args[0])
	if err != nil {
		return err
	}
	d := describe(m, rep)
	if k.json {
		err = writeJSON(c.OutOrStdout(), d)
	} else {
		err = printContents(c.OutOrStdout(), d)
	}
	if err != nil || k.out == "" {
		return err
	}
	if err := onnx.Write(k.out, m, onnx.WriteOptions{}); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s\n", k.out)
	return nil
}

func printContents(w io.Writer, d *contents) error {
	fmt.Fprintf(w, "%s", d.Name)
	if d.Opset > 0 {
		fmt.Fprintf(w, " (opset %d, %s)", d.Opset, d.Producer)
	}
	fmt.Fprintf(w, "\n%s in %d weights, %s FLOPs a run, %s computed while reading\n\n",
		big(float64(d.Params))+" parameters", d.Weights, big(float64(d.FLOPs)), plural(d.Folded, "node"))
	var rows [][]string
	for _, t := range d.Inputs {
		rows = append(rows, []string{"input", t.Name, t.Type, sizesText(t.Sizes)})
	}
	for _, t := range d.Outputs {
		rows = append(rows, []string{"output", t.Name, t.Type, sizesText(t.Sizes)})
	}
	if err := writeTable(w, []column{{"", false}, {"tensor", false}, {"type", false}, {"sizes", false}}, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	rows = nil
	for _, o := range d.Operators {
		rows = append(rows, []string{o.Op, count(o.Nodes), big(float64(o.FLOPs))})
	}
	if err := writeTable(w, []column{{"operator", false}, {"nodes", true}, {"FLOPs", true}}, rows); err != nil {
		return err
	}
	for i, o := range d.Opaque {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "kept as it is: %s (%s): %s\n", o.Name, o.Op, o.Reason)
	}
	return nil
}
