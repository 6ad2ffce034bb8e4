package verifymodels_test

import (
	"context"
	"slices"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/verify/assume"
)

// TestDefaultsAreAssumed: that an input keeps the default of its file is an assumption,
// also of models that are equal by structure.
func TestDefaultsAreAssumed(t *testing.T) {
	const text = "x : float32[2]\nw : weight float32[2]\ny = ewadd(x, w)\nreturn y\n"
	for _, names := range [][]string{nil, {"w"}} {
		a, b := parse(t, "a", text, map[string][]float32{"w": {1, 2}}), parse(t, "b", text, map[string][]float32{"w": {1, 2}})
		b.Defaults = names
		rep, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(rep.Assumptions, assume.Defaults); !rep.Agree || got != (names != nil) {
			t.Errorf("defaults %v: agree %t, assuming %v", names, rep.Agree, rep.Assumptions)
		}
	}
}
