package meaning

import (
	"testing"

	"github.com/taso-go/taso/graph"
)

// A refutation of no end is refused, and does not use up the stack.
func TestDeepRefutation(t *testing.T) {
	b := &Engine{Space: &graph.Space{}}
	v := b.Space.Var("v")
	b.assume(graph.Guard{E: v.Index()})
	proof := make([]int64, 0, 1<<20)
	for len(proof) < cap(proof) {
		proof = append(proof, Branch, -1)
	}
	r := &reader{in: proof}
	if err := r.refute(b, nil); err == nil || r.at > 3*maxRows {
		t.Errorf("%d numbers were read: %v", r.at, err)
	}
}
