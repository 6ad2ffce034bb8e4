package parallel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// Laws of layouts are about sizes of at least 1: a node with an operand without elements
// is not laid out.
func TestEmpty(t *testing.T) {
	g, err := graph.ParseText("g", "x : float32[8, 16]\ne : float32[0, 16]\nz = concat[axis=0](e, x)\ny = relu(z)\nreturn y")
	if err != nil {
		t.Fatal(err)
	}
	l := parallel.NewLaying(g, parallel.NewStrategies())
	z, _ := g.Find("z")
	if _, err := l.Strategies(context.Background(), z, 2); err == nil || !strings.Contains(err.Error(), "node z: an operand or a result has no elements") {
		t.Errorf("got %v", err)
	}
	y, _ := g.Find("y")
	if all, err := l.Strategies(context.Background(), y, 2); err != nil || len(all) == 0 {
		t.Errorf("%d strategies, %v", len(all), err)
	}
}
