package plan

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/parallel/machine"
)

// shared is a network of two branches, of which the second is longer and begins with the weight of
// the first one.
func shared(t *testing.T, layers int) *Training {
	t.Helper()
	in, body := "x0 : float32[64, 256]\nx1 : float32[64, 256]\nw : weight float32[256, 256]\n", "h0 = matmul(x0, w)\nr0 = relu(h0)\nh1 = matmul(x1, w)\nr1 = relu(h1)\n"
	at := "r1"
	for l := range layers {
		in += fmt.Sprintf("v%d : weight float32[256, 256]\n", l)
		body += fmt.Sprintf("g%[1]d = matmul(%[2]s, v%[1]d)\ns%[1]d = relu(g%[1]d)\n", l, at)
		at = fmt.Sprintf("s%d", l)
	}
	g, err := graph.ParseText("shared", in+body+"y = ewadd(r0, "+at+")\nreturn y\n")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Train(g, grad.Options{Loss: grad.MeanSquare, Rate: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// A weight that two stages side by side read is updated when both have gone back, with the message of
// the gradient between them.
func TestJoins(t *testing.T) {
	tr := shared(t, 4)
	c, err := machine.Find("p3-16xlarge:1", machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Find(context.Background(), "pipeline", &Job{Training: tr, Cluster: c, Devices: 3, Stages: 3, Strategies: strategies})
	if err != nil {
		t.Fatal(err)
	}
	s := simulated(t, p, SimulateOptions{})
	at := func(name string) (first, last machine.Time) {
		found := false
		for _, id := range s.Run.IDs() {
			if task, _ := s.Run.Task(id); task.Name == name {
				span := s.Run.Span(id)
				if !found {
					first = span.Start
				}
				first, last, found = min(first, span.Start), max(last, span.End), true
			}
		}
		if !found {
			t.Fatalf("no task %s", name)
		}
		return first, last
	}
	micro := p.Mesh.MicroBatches()
	each, _ := tr.crossing(p.Pipeline.Of, micro)
	joins := 0
	for k, bytes := range each {
		if from, to := k[0], k[1]; from > to && each[[2]int{to, from}] == 0 {
			joins++
			start, end := at(fmt.Sprintf("stage %d update 0", to))
			_, back := at(fmt.Sprintf("stage %d backward %d", from, micro-1))
			message, err := messageTime(c, p.Mesh.Stages[from-1].First, p.Mesh.Stages[to-1].First, bytes)
			if err != nil {
				t.Fatal(err)
			}
			if start < back || end < back+message {
				t.Errorf("stage %d goes back until %v, its gradient takes %v, stage %d updates from %v to %v", from, back, message, to, start, end)
			}
			if !slices.Equal(p.Pipeline.Stages[to-1].Joins, []int{from - 1}) {
				t.Errorf("stage %d waits for %v", to, p.Pipeline.Stages[to-1].Joins)
			}
		}
	}
	if joins == 0 {
		t.Error("no stages side by side share a weight")
	}
}
