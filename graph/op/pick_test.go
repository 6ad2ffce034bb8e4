package op_test

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// Look-ups by key and the numbers that keys are, in the tables of the other tests.

// drawPick draws a table, its keys, some of them twice or nobody's, and positions.
func drawPick(t *rapid.T) (table, keys, at tensor, all int) {
	all = rapid.IntRange(1, 5).Draw(t, "n")
	keys, at = fill(2, drawSize(t, "rows")), fill(3, drawShape(t, 0, 2)...)
	for i := range keys.Data {
		keys.Data[i] = float64(rapid.IntRange(0, all-1).Draw(t, "key"))
	}
	for i := range at.Data {
		at.Data[i] = float64(rapid.IntRange(-all, all-1).Draw(t, "position"))
	}
	return fill(1, append([]int{keys.Sizes[0]}, drawShape(t, 0, 2)...)...), keys, at, all
}

func init() {
	modelMeanings = append(modelMeanings,
		modelMeaning{op.Pick, func(t *rapid.T) {
			x, keys, idx, all := drawPick(t)
			want := tensor{Sizes: append(append([]int{}, idx.Sizes...), x.Sizes[1:]...)}
			row := product(x.Sizes[1:])
			for _, p := range idx.Data {
				found := make([]float64, row)
				for k, key := range keys.Data {
					if int(key) == (int(p)+all)%all {
						for j := range found {
							found[j] += x.Data[k*row+j]
						}
					}
				}
				want.Data = append(want.Data, found...)
			}
			compare(t, op.Pick, named{"n": n(int64(all))}, []tensor{x, keys, idx}, want)
		}},
		modelMeaning{op.Iota, func(t *rapid.T) {
			size := drawSize(t, "n")
			compare(t, op.Iota, named{"n": n(int64(size))}, nil, build(func(i []int) float64 { return float64(i[0]) }, size))
		}})
	modelEntries["pick"] = func(t *rapid.T) {
		x, keys, idx, all := drawPick(t)
		checkEntry(t, op.Pick, named{"n": n(int64(all))}, x, keys, idx)
	}
	modelEntries["iota"] = func(t *rapid.T) { checkEntry(t, op.Iota, named{"n": n(int64(drawSize(t, "n")))}) }

	d, a, k := graph.DimValue, v("a"), v("k")
	rows := func(n graph.Dim) graph.Shape { return graph.Shape{graph.Axis(n), graph.AxisRun("S")} }
	inferCases = append(inferCases, []inferCase{
		{op.Pick, named{"n": d(v("n"))}, in(rows(a), graph.ShapeOf(a), graph.ShapeOf(k, v("l"))), "[k, l, S..]"},
		{op.Pick, named{"n": n(7)}, in(s(3, 2), s(3), s()), "[2]"},
		{op.Pick, named{"n": n(1)}, in(s(3), s(3), s(4)), "[4]"},
		{op.Pick, named{"n": n(0)}, in(s(3), s(3), s(4)), "error: operator pick: number of keys: 1 is more than 0"},
		{op.Pick, named{"n": n(7)}, in(s(3, 2), s(2), s()), "error: operator pick: keys of shape [2] for a table of shape [3, 2]: shape [3] is not [2]: size 3 is not 2"},
		{op.Pick, named{"n": n(7)}, in(s(3, 2), s(3, 2), s()), "error: operator pick: keys of shape [3, 2] for a table of shape [3, 2]: shape [3] is not [3, 2]"},
		{op.Pick, named{"n": n(7)}, in(s(), s(), s()), "error: operator pick: table of shape []: want rows"},
		{op.Pick, named{"n": n(7)}, in(run("P", a), graph.ShapeOf(a), s()), "error: operator pick: table of shape [P.., a]: want rows"},
		{op.Pick, named{"n": n(7)}, in(s(3), s(3), run("P")), "error: operator pick: positions of shape [P..]: want no axis runs"},
		{op.Iota, named{"n": d(a.Mul(k))}, nil, "[a*k]"},
		{op.Iota, named{"n": n(3)}, nil, "[3]"},
		{op.Iota, named{"n": n(0)}, nil, "error: operator iota: 1 is more than 0"},
	}...)
	modelCarried = append(modelCarried,
		carriedCase{op.Pick, named{"n": n(5)}, named{"n": n(5)}, named{"n": d(v("n"))},
			[]tensor{fill(1, 4, 2, 3), {Sizes: []int{4}, Data: []float64{1, 4, 3, 1}}, {Sizes: []int{2}, Data: []float64{-4, 2}}},
			[]graph.Shape{{graph.Axis(a), graph.AxisRun("P")}, {graph.Axis(a)}, {graph.Axis(k)}}, 1})
}

// pickTemplates are well-typed applications to symbolic shapes.
func pickTemplates() []template {
	d, a, k := graph.DimValue, v("a"), v("k")
	return []template{
		{op.Pick, named{"n": d(a.Mul(v("g")))}, in(graph.Shape{graph.Axis(a), graph.AxisRun("S")}, graph.ShapeOf(a), graph.ShapeOf(k))},
		{op.Pick, named{"n": d(v("n").Sub(k))}, in(graph.ShapeOf(a, k), graph.ShapeOf(a), s())},
		{op.Iota, named{"n": d(a.Sub(v("b")))}, nil},
		{op.Iota, named{"n": d(a.Mul(v("b")))}, nil},
	}
}
