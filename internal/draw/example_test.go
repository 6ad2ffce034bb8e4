package draw_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/taso-go/taso/internal/draw"
)

func ExampleSVG() {
	g := draw.Graph{
		Nodes: []draw.Node{
			{ID: "x", Label: "X", Sub: "[m, k]", Class: draw.Input},
			{ID: "y", Label: "Y", Sub: "[k, n]", Class: draw.Input},
			{ID: "p", Label: "matmul", Sub: "[m, n]", Class: draw.Kind(0) + " " + draw.Output},
		},
		Edges: []draw.Edge{{From: "x", To: "p"}, {From: "y", To: "p"}},
	}
	var svg bytes.Buffer
	if err := draw.SVG(&svg, g, draw.Options{Title: "X times Y"}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(svg.String(), "<rect x="), "boxes")

	g.Edges = append(g.Edges, draw.Edge{From: "p", To: "x"})
	fmt.Println(draw.SVG(os.Stdout, g, draw.Options{}))
	// Output:
	// 3 boxes
	// draw: node "x" is on a cycle or below one
}

func ExampleStyle() {
	// A page states the colours once and draws the pictures inline.
	var page bytes.Buffer
	page.WriteString("<style>" + draw.Style() + "</style>")
	for _, name := range []string{"left", "right"} {
		g := draw.Graph{Nodes: []draw.Node{{ID: "x", Label: "X"}}}
		if err := draw.SVG(&page, g, draw.Options{Title: name, Inline: true}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(strings.Count(page.String(), "<style>"), strings.Count(page.String(), "<svg"))
	// Output: 1 2
}

func ExampleKind() {
	fmt.Println(draw.Kind(0), draw.Kind(7), draw.Kind(8))
	// Output: kind1 kind8 kind1
}

func ExamplePlot_SVG() {
	p := draw.Plot{Title: "Cost over time", X: draw.Axis{Name: "time", Unit: "s"}, Y: draw.Axis{Name: "cost", Unit: "ms", Zero: true},
		Curves: []draw.Curve{{Name: "best so far", Points: [][2]float64{{0, 9}, {1, 4}, {5, 3}}, Steps: true}}}
	var svg bytes.Buffer
	if err := p.SVG(&svg, draw.PlotOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(svg.String(), ">cost, ms</text>"), strings.Contains(svg.String(), ">best so far</text>"))
	// Output: true true
}

func ExampleTimeline_SVG() {
	t := draw.Timeline{Title: "a step", End: 4, Format: func(x float64) string { return fmt.Sprint(x, " ms") },
		Lanes: []draw.Lane{{Name: "gpu 0", Bars: []draw.Bar{{From: 0, To: 3, Name: "conv", Line: draw.Activity("forward")}}}}}
	var svg bytes.Buffer
	if err := t.SVG(&svg, false); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(svg.String(), "<title>conv: 0 ms to 3 ms</title>"))
	// Output: true
}
