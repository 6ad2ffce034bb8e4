package meaning

import (
	"runtime"
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

// A refutation with many rows and many cases takes no more than in proportion to its
// numbers: rows are not copied for each case.
func TestBushyRefutation(t *testing.T) {
	b := &Engine{Space: &graph.Space{}}
	v := b.Space.Var("v")
	b.assume(graph.Guard{E: v.Index()})
	var proof []int64
	for range maxRows - 20 {
		proof = append(proof, Derive, 1, -1, 1)
	}
	var cases func(depth int)
	cases = func(depth int) {
		if depth == 0 {
			proof = append(proof, Derive, 1, 0, 1)
			return
		}
		proof = append(proof, Cut, 1, int64(v), 1, 0)
		cases(depth - 1)
		cases(depth - 1)
	}
	cases(14)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := &reader{in: proof}
	if err := r.refute(b, []graph.Guard{{E: graph.IndexInt(-1)}}); err != nil || r.at != len(proof) {
		t.Fatalf("%d of %d numbers were read: %v", r.at, len(proof), err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 100*uint64(len(proof)) {
		t.Errorf("%d bytes for %d numbers", n, len(proof))
	}
}
