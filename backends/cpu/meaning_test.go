package cpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Two operators for which there are no kernels: running sums of the rows of a
// matrix, and a function of one element.
func init() {
	graph.Register(&graph.Op{
		Name: "runningsum", In: 1, Out: 1, Class: "reduce",
		Doc: "Sums of the elements of a row up to each.",
		Infer: func(_ *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			if len(in[0]) != 2 || in[0].HasAxisRun() {
				return nil, fmt.Errorf("shape %s: want a matrix", in[0])
			}
			return in, nil
		},
		Entry: func(s *graph.Space, _ graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			k := s.Var("k")
			return graph.EntrySum(graph.EntryRead(0, at[0], k.Index()),
				[]graph.Bound{{Var: k, N: s.Size(in[0][1].Dim)}}, graph.GuardLe(k.Index(), at[1])), nil
		},
	})
	graph.Register(&graph.Op{
		Name: "softsign", In: 1, Out: 1, Pointwise: true,
		Doc:   "x / (1 + |x|), element by element.",
		Value: func([]float64) func(float64) float64 { return func(x float64) float64 { return x / (1 + math.Abs(x)) } },
		Infer: func(_ *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return in, nil },
		Entry: func(_ *graph.Space, _ graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			return graph.EntryFn(graph.NameValue("softsign"), graph.EntryRead(0, at...)), nil
		},
	})
}

// TestMeaning: operators without kernels are run, between operators that are fused,
// on views, and on weights only.
func TestMeaning(t *testing.T) {
	const text = `
x : float32[2, 3]
w : weight float32[3, 2]
v = transpose[perm=(1, 0)](w)
a = ewadd(x, v)
s = runningsum(a)
f = softsign(s)
y = relu(f)
u = runningsum(v)
z = ewmul(y, u)
return z, s
`
	x, w := []float32{1, 1, 1, 1, 1, 1}, []float32{1, -4, -2, 5, 3, -6}
	soft := func(x float64) float32 { return float32(max(0, x/(1+math.Abs(x)))) }
	want := [][]float32{
		{soft(2) * 1, soft(1) * -1, soft(5) * 2, soft(-3) * -4, soft(3) * 1, soft(-2) * -5},
		{2, 1, 5, -3, 3, -2},
	}
	for _, tab := range allTables() {
		for i, o := range runText(t, tab, text, x, w) {
			for j, got := range o.F32 {
				if math.Abs(float64(got-want[i][j])) > 1e-6 {
					t.Errorf("%s: output %d is %v, want %v", tab.name(), i, o.F32, want[i])
					break
				}
			}
		}
	}
}

// TestMeaningOfIntegers: integers that are no float64 are refused, not rounded.
func TestMeaningOfIntegers(t *testing.T) {
	for x, ok := range map[int64]bool{0: true, -7: true, 1 << 53: true, 1<<53 + 1: false, math.MinInt64: false} {
		mem, err := newBlock(8)
		if err != nil {
			t.Fatal(err)
		}
		v := &value{Value: &lower.Value{Sizes: []int{1}, Strides: []int{1}, DType: graph.Int64, Type: graph.Int64}, buf: &buffer{bytes: 8, mem: mem, base: mem.p}}
		all[int64](v.ptr(), 1)[0] = x
		xs, err := v.float64s()
		if (err == nil) != ok {
			t.Errorf("%d: %v", x, err)
		}
		if err == nil && (v.put(xs) != nil || all[int64](v.ptr(), 1)[0] != x) {
			t.Errorf("%d became %d", x, all[int64](v.ptr(), 1)[0])
		}
		if v.put([]float64{math.NaN()}) == nil {
			t.Error("what is not a number is put as an integer")
		}
		mem.free()
	}
}
