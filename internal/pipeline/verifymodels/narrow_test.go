package verifymodels_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
)

// chain is a model of one input: operators one after another, "add" being the sum
// of a tensor with itself and the others casts.
func chain(t *testing.T, from graph.DType, steps ...string) *model.Model {
	t.Helper()
	var b graph.Builder
	x, err := b.AddInput("x", from, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range steps {
		name, args := "cast", []graph.Tensor{x}
		var named graph.Named
		if s == "add" {
			name, args = "ewadd", []graph.Tensor{x, x}
		} else if to, err := graph.ParseDType(s); err == nil {
			named = graph.Named{"to": graph.NameValue(s), "mode": graph.NameValue(graph.CastMode(from, to))}
			from = to
		}
		op, _ := graph.Lookup(name)
		attrs, err := op.Attr(named)
		if err != nil {
			t.Fatal(err)
		}
		id, err := b.Apply(string(rune('a'+i)), op, attrs, args...)
		if err != nil {
			t.Fatal(err)
		}
		x = id.Out(0)
	}
	g, err := b.Finish(x)
	if err != nil {
		t.Fatal(err)
	}
	return &model.Model{Name: "m", Graph: g}
}

// Integer types are told apart: a cast to one is not a cast to another, and sums
// of bytes are not those of numbers.
func TestIntegerTypes(t *testing.T) {
	for _, c := range []struct {
		name  string
		a, b  *model.Model
		equal bool
	}{
		{"casts to int8 and to int64", chain(t, graph.Float32, "add", "int8", "float32"), chain(t, graph.Float32, "add", "int64", "float32"), false},
		{"casts to int8", chain(t, graph.Float32, "add", "int8", "float32"), chain(t, graph.Float32, "add", "int8", "float32"), true},
		{"a sum of bytes and one of numbers", chain(t, graph.Uint8, "add", "float32"), chain(t, graph.Uint8, "float32", "add"), false},
		{"sums of bytes", chain(t, graph.Uint8, "add", "float32"), chain(t, graph.Uint8, "add", "float32"), true},
		{"a cast to float16", chain(t, graph.Float32, "add", "float16", "float32"), chain(t, graph.Float32, "add", "float32"), false},
		{"casts to float16", chain(t, graph.Float32, "float16", "add", "float16", "float64"), chain(t, graph.Float32, "float16", "add", "float16", "float32", "float64"), true},
		{"casts to float16 and to bfloat16", chain(t, graph.Float32, "float16", "float32"), chain(t, graph.Float32, "bfloat16", "float32"), false},
		{"casts to int8 and to int32", chain(t, graph.Int64, "int8", "float32"), chain(t, graph.Int64, "int32", "float32"), false},
		{"a sum of words and one of numbers", chain(t, graph.Int64, "add", "float32"), chain(t, graph.Int64, "float32", "add"), false},
		{"a sum of words and one of numbers that hold them", chain(t, graph.Int32, "add", "float64"), chain(t, graph.Int32, "float64", "add"), true},
		{"a cast to float32 and back", chain(t, graph.Float64, "float32", "float64"), chain(t, graph.Float64, "float64"), false},
		{"words as float32", chain(t, graph.Int32, "float32", "float64"), chain(t, graph.Int32, "float64"), false},
		{"words as float64", chain(t, graph.Int64, "float64"), chain(t, graph.Int64, "float64"), true},
		{"a sum of unsigned words and one of numbers", chain(t, graph.Uint32, "add", "float32"), chain(t, graph.Uint32, "float32", "add"), false},
		{"casts to bfloat16", chain(t, graph.Float32, "add", "bfloat16", "float32"), chain(t, graph.Float32, "add", "bfloat16", "float32"), true},
	} {
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: c.a, B: c.b, Seed: 1})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if equal := r.Verdict == verifymodels.ModelsEqual; equal != c.equal || r.Agree && !c.equal && len(r.Unreached) > 0 {
			t.Errorf("%s: %s, %v", c.name, r.Verdict, r.Unreached)
		}
		t.Logf("%s: %s %v", c.name, r.Verdict, r.Unreached)
	}
}
