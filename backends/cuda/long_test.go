package cuda_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/graph"
)

// TestLongChain runs a chain with more operands than a launch takes arguments.
func TestLongChain(t *testing.T) {
	var text, lines strings.Builder
	text.WriteString("y0 : float32[3]\n")
	const n = 600
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&text, "x%d : float32[3]\n", i)
		fmt.Fprintf(&lines, "y%d = ewadd(y%d, x%d)\n", i, i-1, i)
	}
	g, err := graph.ParseText("long", fmt.Sprintf("%s%sreturn y%d", &text, &lines, n))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := open(t, cuda.Options{})
	if err := backendtest.Agree(t.Context(), b, g, backends.CompileOptions{}); err != nil {
		t.Error(err)
	}
}
