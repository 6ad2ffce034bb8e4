package optimize_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/pipeline/optimize"
)

// A run that is cancelled during the proof or the comparison ends with the error of its
// context, and has reported what was finished.
func TestCancelledProof(t *testing.T) {
	machine, err := cost.FindMachine("laptop")
	if err != nil {
		t.Fatal(err)
	}
	m := written(t, "x : float32[8, 8]\nv : weight float32[8, 8]\nw : weight float32[8, 8]\np = matmul(x, v)\nq = matmul(x, w)\ny = ewadd(p, q)\nreturn y")
	for _, at := range []string{"search", "proof", ""} {
		ctx, cancel := context.WithCancel(t.Context())
		var parts []string
		res, err := optimize.Run(ctx, optimize.Options{Model: m, Cost: machine, Method: optimize.Descend, Tries: 100, Workers: 1, Finished: func(part string) {
			name, _, _ := strings.Cut(part, " ")
			if parts = append(parts, name); name == at {
				cancel()
			}
		}})
		cancel()
		want := map[string]string{"search": "search", "proof": "search proof", "": "search proof comparison"}[at]
		if got := strings.Join(parts, " "); got != want {
			t.Errorf("cancelled at %q: finished %s, want %s", at, got, want)
		}
		if at != "" && (!errors.Is(err, context.Canceled) || res != nil) || at == "" && err != nil {
			t.Errorf("cancelled at %q: a result: %v, error %v", at, res != nil, err)
		}
	}
}
