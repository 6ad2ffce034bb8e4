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

func ExamplePageTemplate() {
	t, err := draw.PageTemplate("page", `{{template "opening" .}}
</header>
<p>{{.Says}}</p>
{{template "closing" .}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	var page bytes.Buffer
	err = t.Execute(&page, struct {
		draw.Page
		Says string
	}{draw.NewPage("a < b", "p{margin:0}", "go()"), "<script>stop()</script>"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range strings.Split(page.String(), "\n") {
		if strings.HasPrefix(line, "<title>") || strings.HasPrefix(line, "<p>") || strings.HasPrefix(line, "<script>") {
			fmt.Println(line)
		}
	}
	// Output:
	// <title>a &lt; b</title>
	// <p>&lt;script&gt;stop()&lt;/script&gt;</p>
	// <script>go()</script>
}
