package interp

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// words is arithmetic modulo 2^64, in which sums have one value in any order.
type words struct{}

func (words) Rat(num, _ int64) uint64      { return uint64(num) }
func (words) Add(a, b uint64) uint64       { return a + b }
func (words) Mul(a, b uint64) uint64       { return a * b }
func (words) Max(xs []uint64) uint64       { return slices.Max(xs) }
func (words) Fn(_ string, x uint64) uint64 { return x*x + 1 }
func (words) Dot(x, y []uint64) uint64 {
	if len(x) != len(y) {
		panic("rows of two lengths")
	}
	sum := uint64(0)
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// Rows give what lists give.
func TestDots(t *testing.T) {
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		size := func(name string, most int) int { return rapid.IntRange(1, most).Draw(t, name) }
		var o *graph.Op
		a := graph.Attrs{}
		var in [][]int
		switch kind := rapid.SampledFrom([]string{"conv", "matmul", "norm", "resize"}).Draw(t, "kind"); kind {
		case "conv":
			o = op.Conv2D
			groups, c := rapid.SampledFrom([]int{1, 2, 3, 9, 10}).Draw(t, "groups"), size("c", 3)
			in = [][]int{{size("b", 2), groups * c, size("h", 7), size("w", 7)}, {groups * size("per", 2), c, size("kh", 3), size("kw", 4)}}
			pad := rapid.SampledFrom([]graph.Value{graph.NameValue(graph.SameUpper), graph.NameValue(graph.SameLower),
				graph.NameValue(graph.Valid), graph.TupleValue(1, 0, 0, 1)}).Draw(t, "pad")
			a = o.MustAttr(map[string]graph.Value{"pad": pad, "groups": graph.IntValue(int64(groups)),
				"stride": graph.TupleValue(int64(size("sv", 3)), int64(size("sh", 3))),
				"act":    graph.NameValue(rapid.SampledFrom([]string{"none", "relu"}).Draw(t, "act"))})
		case "matmul":
			o = op.MatMul
			b := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(t, "batch")
			m, k, n := size("m", 5), size("k", 70), size("n", 5)
			in = [][]int{append(slices.Clone(b), m, k), append(slices.Clone(b), k, n)}
		case "norm":
			o = op.LayerNorm
			x := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 3).Draw(t, "shape")
			axis := rapid.IntRange(0, len(x)-1).Draw(t, "axis")
			a = o.MustAttr(map[string]graph.Value{"axis": graph.IntValue(int64(axis)), "eps": graph.NumberValue(1)})
			in = [][]int{x, x[axis:], x[axis:]}
		default:
			o = op.Resize
			a = o.MustAttr(map[string]graph.Value{"sizes": graph.TupleValue(2, int64(size("h", 6)), int64(size("w", 6))),
				"mode": graph.NameValue("linear_half_pixel")})
			in = [][]int{{2, size("x", 4), size("y", 4)}}
		}
		shapes, data := make([]graph.Shape, len(in)), make([][]uint64, len(in))
		for i, s := range in {
			shapes[i], data[i] = graph.Sizes(s...), make([]uint64, graph.NumElements(s))
			for j := range data[i] {
				data[i][j] = uint64(j*j*j+7*i+3) * 0x9e3779b97f4a7c15
			}
		}
		var f graph.Unifier
		outs, err := o.InferShapes(&f, a, shapes)
		if err != nil {
			t.Skip(err) // the window does not fit
		}
		out := make([][]int, len(outs))
		for i := range outs {
			out[i], _ = outs[i].Concrete()
		}
		lists, err := o.Program(a, in, out)
		if err != nil {
			t.Fatal(err)
		}
		loops, err := o.Loops(a, in, out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := runLoops[uint64](words{}, words{}, loops, data)
		if err != nil {
			t.Fatal(err)
		}
		if want := Run[uint64](words{}, lists, data); !slices.Equal(got[0], want[0]) {
			t.Fatalf("%s%s of %v: %v, want %v", o.Name, o.FormatAttrs(a), in, got[0], want[0])
		}
		seen[o.Name] = true
	})
	if len(seen) < 4 {
		t.Errorf("only %v", seen)
	}
}
