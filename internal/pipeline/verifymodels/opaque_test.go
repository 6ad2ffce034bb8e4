package verifymodels_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
)

// opaque is relu(kind(x*w)), or kind(x*w) twice relu.
func opaque(t *testing.T, kind, payload string, w float32, twice bool) *model.Model {
	t.Helper()
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2)
	v, _ := b.AddWeight("w", graph.Float32, 2)
	mul, _ := graph.Lookup("ewmul")
	relu, _ := graph.Lookup("relu")
	y, err := b.Apply("y", mul, nil, x, v)
	if err != nil {
		t.Fatal(err)
	}
	o, err := b.Opaque("o", kind, payload, []graph.Tensor{y.Out(0)}, []graph.TensorType{{DType: graph.Float32, Sizes: []int{2}}})
	if err != nil {
		t.Fatal(err)
	}
	z, err := b.Apply("z", relu, nil, o.Out(0))
	if err == nil && twice {
		z, err = b.Apply("z2", relu, nil, z.Out(0))
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Finish(z.Out(0))
	if err != nil {
		t.Fatal(err)
	}
	return &model.Model{Name: "m", Graph: g, Weights: map[graph.NodeID]*model.Weight{v.Node: model.FromFloat32([]int{2}, []float32{w, 2})}}
}

// A node of which nothing is known is a function of its operands, and nothing
// else is assumed of it.
func TestOpaque(t *testing.T) {
	a := opaque(t, "onnx.NonMaxSuppression", "p", 1, false)
	for _, c := range []struct {
		name    string
		b       *model.Model
		exact   verifymodels.Verdict
		verdict verifymodels.Conclusion
	}{
		{"itself", opaque(t, "onnx.NonMaxSuppression", "p", 1, false), verifymodels.Equal, verifymodels.ModelsEqual},
		{"another weight before it", opaque(t, "onnx.NonMaxSuppression", "p", 1.5, false), verifymodels.Undecided, verifymodels.ModelsDiffer},
		{"another payload", opaque(t, "onnx.NonMaxSuppression", "q", 1, false), verifymodels.Undecided, verifymodels.NotKnown},
		{"another kind", opaque(t, "onnx.Other", "p", 1, false), verifymodels.Undecided, verifymodels.NotKnown},
		{"something behind it", opaque(t, "onnx.NonMaxSuppression", "p", 1, true), verifymodels.Undecided, verifymodels.NotKnown},
	} {
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: c.b})
		if err != nil {
			t.Fatal(err)
		}
		if r.Exact.Verdict != c.exact || r.Verdict != c.verdict || r.Agree != (c.verdict == verifymodels.ModelsEqual) ||
			r.Numbers.Outputs != nil || !strings.Contains(strings.Join(r.Notes, ""), "opaque nodes are treated as functions of their operands: onnx.NonMaxSuppression") {
			t.Errorf("%s: %s\n%s", c.name, r.Verdict, r)
		}
	}
	// What draws random numbers is not equal to itself.
	a = opaque(t, "onnx.RandomNormalLike", "p", 1, false)
	r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: a})
	if err != nil {
		t.Fatal(err)
	}
	if want := "model m: node o: operator onnx.RandomNormalLike: it draws random numbers"; r.Verdict != verifymodels.NotCompared || r.Exact.Why != want {
		t.Errorf("%s, %s", r.Verdict, r.Exact.Why)
	}
}
