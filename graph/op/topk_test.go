package op_test

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// Positions of the largest elements, in the tables of the other tests.

// drawTopK draws elements, of which some are equal.
func drawTopK(t *rapid.T) (x tensor, a named, axis, k int, smallest bool) {
	x = fill(1, drawShape(t, 1, 3)...)
	for i := range x.Data {
		x.Data[i] = float64(rapid.IntRange(-2, 2).Draw(t, "element"))
	}
	axis = rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")
	k = rapid.IntRange(1, x.Sizes[axis]).Draw(t, "k")
	flag := rapid.IntRange(0, 1).Draw(t, "smallest")
	return x, named{"axis": n(int64(axis)), "k": n(int64(k)), "smallest": n(int64(flag))}, axis, k, flag == 1
}

// best is the position of the t-th of a line: the best of those that were not taken before.
func best(line []float64, smallest bool, t int) (at int) {
	taken := make([]bool, len(line))
	for range t + 1 {
		at = -1
		for i, v := range line {
			if !taken[i] && (at < 0 || !smallest && v > line[at] || smallest && v < line[at]) {
				at = i
			}
		}
		taken[at] = true
	}
	return at
}

func init() {
	modelMeanings = append(modelMeanings, modelMeaning{op.TopK, func(t *rapid.T) {
		x, a, axis, k, smallest := drawTopK(t)
		to := append([]int{}, x.Sizes...)
		to[axis] = k
		compare(t, op.TopK, a, []tensor{x}, build(func(i []int) float64 {
			line := make([]float64, x.Sizes[axis])
			for j := range line {
				line[j] = at(x, moved(i, axis, j)...)
			}
			return float64(best(line, smallest, i[axis]))
		}, to...))
	}})
	modelEntries["topk"] = func(t *rapid.T) {
		x, a, _, _, _ := drawTopK(t)
		checkEntry(t, op.TopK, a, x)
	}
	d, a, b := graph.DimValue, v("a"), v("b")
	inferCases = append(inferCases, []inferCase{
		{op.TopK, named{"axis": n(0), "k": n(2)}, in(s(4, 3)), "[2, 3]"},
		{op.TopK, named{"axis": n(1), "k": n(3), "smallest": n(1)}, in(s(2, 3, 2)), "[2, 3, 2]"},
		{op.TopK, named{"axis": p, "k": n(1)}, in(run("P", a.Add(graph.Int(1)))), "[P.., 1]"},
		{op.TopK, named{"axis": n(0), "k": d(a)}, in(graph.Shape{graph.Axis(a.Add(b)), graph.AxisRun("S")}), "[a, S..]"},
		{op.TopK, named{"axis": n(1), "k": n(4)}, in(s(4, 3)), "error: operator topk: axis 1 of shape [4, 3]: 4 is more than 3"},
		{op.TopK, named{"axis": n(1), "k": n(0)}, in(s(4, 3)), "error: operator topk: number of elements: 1 is more than 0"},
		{op.TopK, named{"axis": n(1), "k": n(1), "smallest": n(2)}, in(s(4, 3)), "error: operator topk: smallest is 2, want 0 or 1"},
		{op.TopK, named{"axis": n(0), "k": n(1)}, in(s()), "error: operator topk: axis 0 of shape []: no such axis"},
	}...)
	carried := func(axis graph.Value) named { return named{"axis": axis, "k": n(2), "smallest": n(1)} }
	modelCarried = append(modelCarried,
		carriedCase{op.TopK, carried(n(2)), carried(n(1)), carried(d(graph.AxisRunLen("P"))), []tensor{fill(1, 2, 3, 4, 2)},
			[]graph.Shape{run("P", a.Add(graph.Int(1)), b)}, 0})
}

// topkTemplates are well-typed applications to symbolic shapes.
func topkTemplates() []template {
	d, a, k := graph.DimValue, v("a"), v("k")
	return []template{
		{op.TopK, named{"axis": n(0), "k": d(k)}, in(graph.Shape{graph.Axis(a.Add(k)), graph.AxisRun("S")})},
		{op.TopK, named{"axis": p, "k": d(k), "smallest": n(1)}, in(run("P", k, v("b")))},
	}
}

// What is not a number is the largest, behind infinity, and alike to its kind: an order of
// all numbers, so that every position comes once.
func TestTopKOrder(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := tensor{Sizes: []int{8}, Data: []float64{1, nan, inf, math.Copysign(0, -1), nan, 0, -inf, 1}}
	for _, c := range []struct {
		smallest int64
		want     []float64
	}{{0, []float64{1, 4, 2, 0, 7, 3, 5, 6}}, {1, []float64{6, 3, 5, 0, 7, 2, 1, 4}}} {
		a := op.TopK.MustAttr(named{"axis": n(0), "k": n(8), "smallest": n(c.smallest)})
		out, err := interp.Apply(interp.Float{}, op.TopK, a, []tensor{x})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range c.want {
			if out[0].Data[i] != w {
				t.Errorf("smallest %d: %v, want %v", c.smallest, out[0].Data, c.want)
				break
			}
		}
	}
}

// Operators with the mark give integers whatever their operands are.
func TestCounts(t *testing.T) {
	seen := 0
	for _, o := range graph.Ops() {
		if !o.Counts {
			continue
		}
		for _, d := range graph.DTypes() {
			in := make([]graph.DType, o.In)
			for i := range in {
				in[i] = d
			}
			seen++
			if o.DTypes == nil {
				t.Errorf("operator %s: its results are of the type of its operands", o.Name)
				break
			}
			out, err := o.DTypes(o.MustAttr(named{"axis": n(0), "k": n(1)}), in)
			for _, r := range out {
				if err == nil && !r.IsInt() {
					t.Errorf("operator %s of %s gives %s", o.Name, d, r)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no operator has the mark")
	}
}
