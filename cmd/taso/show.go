package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/draw"
	"github.com/taso-go/taso/model"
)

// showModelFlags are the flags of show.
type showModelFlags struct {
	model          modelFlags
	svg, dot, html string
}

func newShow() *cobra.Command {
	k := &showModelFlags{}
	c := &cobra.Command{
		Use:   "show MODEL",
		Short: "Print or draw a model's graph",
		Long: `Show prints a model's graph in the text form, or draws it: --svg, --dot and
--html write files. Weights are left out of pictures; the sizes of an operator's
results stand under its name.
` + modelHelp,
		Example: `  taso show bert-tiny
  taso show model.onnx --svg model.svg
  taso show resnet50 --html resnet50.html`,
		Args: cobra.ExactArgs(1),
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	f.StringVar(&k.svg, "svg", "", "write a picture to `FILE.svg`")
	f.StringVar(&k.dot, "dot", "", "write the graph for Graphviz to `FILE.dot`")
	f.StringVar(&k.html, "html", "", "write a page with the picture to `FILE.html`")
	return c
}

func (k *showModelFlags) run(c *cobra.Command, args []string) error {
	m, _, err := k.model.read(args[0])
	if err != nil {
		return err
	}
	if k.svg == "" && k.dot == "" && k.html == "" {
		_, err := io.WriteString(c.OutOrStdout(), m.Graph.String())
		return err
	}
	pic := pictureOf(m)
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{k.svg, func(w io.Writer) error { return draw.SVG(w, pic, draw.Options{Title: m.Name}) }},
		{k.dot, func(w io.Writer) error { _, err := io.WriteString(w, m.Graph.DOT()); return err }},
		{k.html, func(w io.Writer) error { return writePicturePage(w, m.Name, pic) }},
	} {
		if f.path == "" {
			continue
		}
		if err := atomicfile.WriteFile(f.path, f.write); err != nil {
			return err
		}
		fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", f.path)
	}
	return nil
}

// pictureOf is the graph to draw: operators and inputs, not the weights.
func pictureOf(m *model.Model) draw.Graph {
	g := m.Graph
	var pic draw.Graph
	id := func(n graph.NodeID) string { return fmt.Sprintf("n%d", n) }
	colour := map[string]int{}
	isOut := map[graph.NodeID]bool{}
	for _, t := range g.Outputs() {
		isOut[t.Node] = true
	}
	for n := range g.Nodes() {
		if g.IsWeight(n) {
			continue
		}
		node := draw.Node{ID: id(n), Label: g.Name(n), Sub: sizesText(g.Sizes(n.Out(0))), Class: draw.Input, Tooltip: g.Name(n)}
		if op := g.Op(n); op != nil {
			node.Label = op.Name
			if _, ok := colour[op.Name]; !ok {
				colour[op.Name] = len(colour)
			}
			node.Class = draw.Kind(colour[op.Name])
			node.Tooltip = g.Name(n) + " " + op.FormatAttrs(g.Attrs(n))
			if isOut[n] {
				node.Class += " " + draw.Output
			}
		}
		pic.Nodes = append(pic.Nodes, node)
		for _, t := range g.Operands(n) {
			if g.IsWeight(t.Node) {
				continue
			}
			e := draw.Edge{From: id(t.Node), To: id(n)}
			if g.NumOut(t.Node) > 1 {
				e.Port = fmt.Sprint(t.Out)
			}
			pic.Edges = append(pic.Edges, e)
		}
	}
	return pic
}

func writePicturePage(w io.Writer, title string, pic draw.Graph) error {
	var svg strings.Builder
	if err := draw.SVG(&svg, pic, draw.Options{Title: title}); err != nil {
		return err
	}
	esc := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(title)
	_, err := fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title></head>\n<body><h1>%s</h1>\n%s\n</body></html>\n",
		esc, esc, svg.String())
	return err
}
