package op_test

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// The operators that lay tensors out over a mesh, in the tables of the other tests.

// parts is an application of one of them to numbers, and what comes of it, said with
// places along an axis of all members put together.
type parts struct {
	op   *graph.Op
	a    named
	x    tensor
	want tensor
}

// drawParts draws operands whose axis is dealt out in g parts of n places.
func drawParts(t *rapid.T, o *graph.Op) parts {
	g, n1 := rapid.IntRange(1, 4).Draw(t, "members"), rapid.IntRange(1, 3).Draw(t, "part")
	x := drawShape(t, 1, 3)
	axis := rapid.IntRange(0, len(x)-1).Draw(t, "axis")
	x = moved(x, axis, n1)
	whole := moved(x, axis, g*n1)
	family := append([]int{g}, x...)
	one := func(to ...int) tensor { return fill(1, to...) }
	switch o {
	case op.Partition:
		y := one(whole...)
		return parts{o, named{"axis": n(int64(axis)), "on": n(int64(g))}, y, build(func(i []int) float64 {
			return at(y, moved(i[1:], axis, i[0]*n1+i[1+axis])...)
		}, family...)}
	case op.Combine:
		y := one(family...)
		return parts{o, named{"axis": n(int64(axis))}, y, build(func(i []int) float64 {
			return at(y, append([]int{i[axis] / n1}, moved(i, axis, i[axis]%n1)...)...)
		}, whole...)}
	case op.Halo:
		y := one(family...)
		before, after := rapid.IntRange(0, n1).Draw(t, "before"), rapid.IntRange(0, n1).Draw(t, "after")
		return parts{o, named{"axis": n(int64(axis)), "before": n(int64(before)), "after": n(int64(after))}, y, build(func(i []int) float64 {
			p := i[0]*n1 + i[1+axis] - before // along the members put together
			if p < 0 || p >= g*n1 {
				return 0
			}
			return at(y, append([]int{p / n1}, moved(i[1:], axis, p%n1)...)...)
		}, append([]int{g}, moved(x, axis, n1+before+after)...)...)}
	case op.Replicate, op.Lift:
		y := one(x...)
		return parts{o, named{"on": n(int64(g))}, y, build(func(i []int) float64 {
			if o == op.Lift && i[0] > 0 {
				return 0
			}
			return at(y, i[1:]...)
		}, family...)}
	}
	y := one(family...)
	return parts{o, nil, y, build(func(i []int) float64 {
		if o == op.Drop {
			return at(y, append([]int{0}, i...)...)
		}
		sum := 0.0
		for d := range g {
			sum += at(y, append([]int{d}, i...)...)
		}
		return sum
	}, x...)}
}

var layouts = []*graph.Op{op.Partition, op.Combine, op.Replicate, op.Reduce, op.Lift, op.Drop, op.Halo}

func init() {
	for _, o := range layouts {
		modelMeanings = append(modelMeanings, modelMeaning{o, func(t *rapid.T) {
			c := drawParts(t, o)
			compare(t, o, c.a, []tensor{c.x}, c.want)
		}})
		modelEntries[o.Name] = func(t *rapid.T) {
			c := drawParts(t, o)
			checkEntry(t, o, c.a, c.x)
		}
	}
	g, a, b, c := v("g"), v("a"), v("b"), v("c")
	d := graph.DimValue
	family := func(rest ...graph.Dim) graph.Shape { return append(graph.ShapeOf(g), run("P", rest...)...) }
	inferCases = append(inferCases, []inferCase{
		{op.Partition, named{"axis": n(1), "on": n(3)}, in(s(2, 6)), "[3, 2, 2]"},
		{op.Partition, named{"axis": p, "on": d(g)}, in(run("P", g.Mul(a), b)), "[g, P.., a, b]"},
		{op.Partition, named{"axis": p, "on": d(g)}, in(run("P", g)), "[g, P.., 1]"},
		{op.Partition, named{"axis": p, "on": d(g.Mul(c))}, in(run("P", a.Mul(c).Mul(g))), "[c*g, P.., a]"},
		{op.Partition, named{"axis": n(0), "on": n(4)}, in(s(6)), "error: operator partition: shape [6] in 4 parts along axis 0: 6 is not 4 times a size"},
		{op.Partition, named{"axis": n(0), "on": n(6)}, in(s(3)), "error: operator partition: shape [3] in 6 parts along axis 0: 3 is not 6 times a size"},
		{op.Partition, named{"axis": n(0), "on": n(0)}, in(s(6)), "error: operator partition: number of members: 1 is more than 0"},
		{op.Partition, named{"axis": n(0), "on": n(-2)}, in(s(6)), "error: operator partition: number of members: 1 is more than -2"},
		{op.Partition, named{"axis": n(2), "on": n(1)}, in(s(6, 2)), "error: operator partition: axis 2 of shape [6, 2]: no such axis"},
		{op.Partition, named{"axis": n(0), "on": d(g)}, in(graph.ShapeOf(a)), "error: operator partition: shape [a] in g parts along axis 0: a is not g times a size"},

		{op.Combine, named{"axis": n(1)}, in(s(3, 2, 2)), "[2, 6]"},
		{op.Combine, named{"axis": p}, in(family(a, b)), "[P.., a*g, b]"},
		{op.Combine, named{"axis": n(2)}, in(s(3, 2, 2)), "error: operator combine: axis 2 of shape [2, 2]: no such axis"},
		{op.Combine, named{"axis": n(0)}, in(s(3)), "error: operator combine: axis 0 of shape []: no such axis"},
		{op.Combine, named{"axis": n(0)}, in(run("P", a)), "error: operator combine: shape [P.., a]: want an axis of a mesh in front"},
		{op.Combine, named{"axis": n(0)}, in(s()), "error: operator combine: shape []: want an axis of a mesh in front"},

		{op.Replicate, named{"on": n(3)}, in(s(2, 2)), "[3, 2, 2]"},
		{op.Replicate, named{"on": d(g)}, in(run("P")), "[g, P..]"},
		{op.Replicate, named{"on": n(0)}, in(s(2)), "error: operator replicate: number of members: 1 is more than 0"},
		{op.Lift, named{"on": n(3)}, in(s()), "[3]"},
		{op.Lift, named{"on": d(a.Sub(b))}, in(run("P")), "[a-b, P..] if 1 <= a-b"},
		{op.Lift, named{"on": n(-1)}, in(s(2)), "error: operator lift: number of members: 1 is more than -1"},
		{op.Reduce, nil, in(s(3, 2)), "[2]"},
		{op.Reduce, nil, in(family()), "[P..]"},
		{op.Reduce, nil, in(s()), "error: operator reduce: shape []: want an axis of a mesh in front"},
		{op.Reduce, nil, in(run("P")), "error: operator reduce: shape [P..]: want an axis of a mesh in front"},
		{op.Drop, nil, in(s(3)), "[]"},
		{op.Drop, nil, in(s()), "error: operator drop: shape []: want an axis of a mesh in front"},

		{op.Halo, named{"axis": n(0), "before": n(1), "after": n(2)}, in(s(3, 2, 2)), "[3, 5, 2]"},
		{op.Halo, named{"axis": n(1), "before": n(0), "after": n(0)}, in(s(3, 2, 2)), "[3, 2, 2]"},
		{op.Halo, named{"axis": p, "before": d(b), "after": d(c)}, in(family(a)), "[g, P.., a+b+c] if b <= a and c <= a"},
		{op.Halo, named{"axis": n(0), "before": n(3), "after": n(0)}, in(s(3, 2)), "error: operator halo: halo of a part of 2 places: 3 is more than 2"},
		{op.Halo, named{"axis": n(0), "before": n(0), "after": n(-1)}, in(s(3, 2)), "error: operator halo: places of a neighbour: 0 is more than -1"},
		{op.Halo, named{"axis": n(1), "before": n(0), "after": n(0)}, in(s(3, 2)), "error: operator halo: axis 1 of shape [2]: no such axis"},
	}...)
	two := []tensor{fill(1, 2, 3, 4)}
	families := []tensor{fill(1, 2, 2, 3, 4)}
	modelCarried = append(modelCarried,
		carriedCase{op.Partition, named{"axis": n(2), "on": n(2)}, named{"axis": n(1), "on": n(2)}, named{"axis": p, "on": d(g)}, two, []graph.Shape{run("P", g.Mul(a))}, 0},
		carriedCase{op.Combine, named{"axis": n(2)}, named{"axis": n(1)}, named{"axis": p}, families, []graph.Shape{family(a)}, 1},
		carriedCase{op.Replicate, named{"on": n(2)}, named{"on": n(2)}, named{"on": d(g)}, two, []graph.Shape{run("P", a)}, 0},
		carriedCase{op.Lift, named{"on": n(2)}, named{"on": n(2)}, named{"on": d(g)}, two, []graph.Shape{run("P", a)}, 0},
		carriedCase{op.Reduce, nil, nil, nil, families, []graph.Shape{family(a)}, 1},
		carriedCase{op.Drop, nil, nil, nil, families, []graph.Shape{family(a)}, 1},
		carriedCase{op.Halo, named{"axis": n(2), "before": n(1), "after": n(2)}, named{"axis": n(1), "before": n(1), "after": n(2)},
			named{"axis": p, "before": n(1), "after": d(b)}, families, []graph.Shape{family(a)}, 1})
}

// layoutTemplates are well-typed applications to symbolic shapes.
func layoutTemplates() []template {
	d := graph.DimValue
	around := func(front []graph.Dim, x graph.Dim) graph.Shape {
		return slices.Concat(graph.ShapeOf(front...), graph.Shape{graph.AxisRun("P"), graph.Axis(x), graph.AxisRun("S")})
	}
	g, a, b := v("g"), v("a"), v("b")
	mesh := []graph.Dim{g}
	return []template{
		{op.Partition, named{"axis": p, "on": d(g)}, in(around(nil, g.Mul(a)))},
		{op.Partition, named{"axis": p, "on": d(g.Mul(b))}, in(around(nil, g.Mul(b)))},
		{op.Partition, named{"axis": p, "on": n(3)}, in(around(nil, a.Scale(6)))},
		{op.Combine, named{"axis": p}, in(around(mesh, a))},
		{op.Combine, named{"axis": p}, in(around([]graph.Dim{g.Mul(b)}, a.Add(b)))},
		{op.Replicate, named{"on": d(g.Mul(b))}, in(around(nil, a))},
		{op.Lift, named{"on": d(g.Sub(b))}, in(around(nil, a))},
		{op.Reduce, nil, in(around(mesh, a))},
		{op.Drop, nil, in(around(mesh, a))},
		{op.Halo, named{"axis": p, "before": d(v("k")), "after": d(v("l"))}, in(around(mesh, a))},
		{op.Halo, named{"axis": p, "before": n(0), "after": n(1)}, in(around(mesh, a))},
	}
}
