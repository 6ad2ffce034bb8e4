package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// TestTopK: the kernel gives the positions that the definition says, for few and for many
// of a line, equal elements, infinite ones and such that are no numbers.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	special := []float32{inf, -inf, nan, 0, 1, -1}
	for range 60 {
		sizes := []int{1 + r.IntN(3), 1 + r.IntN(100), 1 + r.IntN(3)}
		x := make([]float32, graph.NumElements(sizes))
		for i := range x {
			if x[i] = float32(r.IntN(12)); r.IntN(4) == 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
		attrs := graph.Named{"axis": graph.IntValue(1), "k": graph.IntValue(1 + r.IntN(sizes[1])), "smallest": graph.IntValue(r.IntN(2))}
		a := op.TopK.MustAttr(attrs)
		wide := make([]float64, len(x))
		for i, v := range x {
			wide[i] = float64(v)
		}
		want, err := interp.Apply(interp.Float{}, op.TopK, a, []interp.Tensor[float64]{{Sizes: sizes, Data: wide}})
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("x : float32%s\ny = topk%s(x)\nreturn y", graph.Sizes(sizes...), op.TopK.FormatAttrs(a))
		got := runText(t, goTable{}, text, x)[0].I64
		if !slices.EqualFunc(got, want[0].Data, func(a int64, b float64) bool { return float64(a) == b }) {
			t.Fatalf("topk%s of %v: %v, want %v", op.TopK.FormatAttrs(a), x, got, want[0].Data)
		}
	}
}
