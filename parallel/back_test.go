package parallel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
)

// floatInputs are the inputs by which derivatives can be taken.
func floatInputs(g *graph.Graph) (by []graph.NodeID) {
	for _, id := range g.Inputs() {
		if g.DType(id.Out(0)).IsFloat() {
			by = append(by, id)
		}
	}
	return by
}

// backDiffers compares the derivatives of a PCG on devices with those of the sequential
// network on one. Both have the inputs of the networks, then those by the outputs.
func backDiffers(p *PCG, sequential *graph.Graph) (*PCG, error) {
	want, err := grad.Pullback(sequential, floatInputs(sequential))
	if err != nil {
		return nil, nil // it has none
	}
	g, err := p.Pullback(floatInputs(p.Graph))
	if err != nil {
		return nil, err
	}
	q, err := New(ctx, g)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, g)
	}
	if err := differs(q, want); err != nil {
		return nil, fmt.Errorf("derivatives: %w\n%s", err, g)
	}
	return q, nil
}

// Derivatives of networks on devices are those of the networks on one.
func TestPullback(t *testing.T) {
	for _, n := range networks {
		p := pcgOf(t, parse(t, n.text))
		q, err := backDiffers(p, parse(t, n.sequential))
		if err != nil {
			t.Errorf("%s: %v", n.name, err)
			continue
		}
		if q == nil {
			t.Errorf("%s: it has no derivatives", n.name)
			continue
		}
		// Roles do not say what parts of derivatives are that reach into a neighbour's.
		for _, f := range q.Findings {
			if s := q.Graph.String(); !strings.Contains(s, "halo") {
				t.Errorf("%s: %s\n%s", n.name, f.Text, q.Graph)
			}
		}
	}
}

// Gradients of weights that all devices have a copy of are added up, and nothing else is
// sent for them: data parallelism follows.
func TestGradientsAddUp(t *testing.T) {
	p := pcgOf(t, parse(t, networks[0].text))
	w, _ := p.Graph.Find("w")
	h, err := p.Pullback([]graph.NodeID{w})
	if err != nil {
		t.Fatal(err)
	}
	q := pcgOf(t, h)
	var kinds []string
	for _, c := range q.Collectives {
		kinds = append(kinds, c.Kind.String())
	}
	if got := strings.Join(kinds, " "); got != "scatter broadcast gather scatter reduce" {
		t.Errorf("%s\n%s", got, h)
	}
	last := q.Collectives[4]
	if d := q.Graph.Operands(last.Nodes[0])[0]; q.LayoutText(q.Layout(d)) != "a=4 sum" || q.Graph.Outputs()[1] != last.Nodes[0].Out(0) {
		t.Errorf("%s: %s\n%s", last.text(q.Graph), q.LayoutText(q.Layout(d)), h)
	}
}

func TestPullbackRefuses(t *testing.T) {
	p := pcgOf(t, parse(t, networks[0].text))
	y, _ := p.Graph.Find("y")
	for _, id := range []graph.NodeID{0, 99, y} {
		if _, err := p.Pullback([]graph.NodeID{id}); err == nil || !strings.Contains(err.Error(), "is no input of a floating-point type") {
			t.Errorf("%d: %v", id, err)
		}
	}
}
