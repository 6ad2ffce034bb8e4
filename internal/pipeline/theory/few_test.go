package theory

import (
	"context"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// A lemma that follows from axioms about operators that are not there is proved from what
// its own operators compute.
func TestLoadFewOperators(t *testing.T) {
	th, err := Load(context.Background(), []*graph.Op{op.SMul, op.MatMul}, nil)
	if err != nil {
		t.Fatal(err)
	}
	meant := 0
	for _, l := range th.Lemmas {
		if l.Proof.Meaning != nil {
			meant++
		}
	}
	if meant == 0 {
		t.Error("no lemma is proved from what its operators compute")
	}
}
