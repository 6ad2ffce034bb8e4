package op_test

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// Names of layout operators one behind the other, in the tables of the other tests: what
// each member has is said with places along an axis of all members put together.

// drawCollective draws members of x, each of which has g*n places along axis i, and n
// along axis j.
func drawCollective(t *rapid.T, o *graph.Op) parts {
	g, n1 := rapid.IntRange(1, 3).Draw(t, "members"), rapid.IntRange(1, 2).Draw(t, "part")
	x := drawShape(t, 2, 3)
	i := rapid.IntRange(0, len(x)-1).Draw(t, "axis")
	j := (i + 1 + rapid.IntRange(0, len(x)-2).Draw(t, "other")) % len(x)
	x = moved(x, i, g*n1)
	part := moved(x, i, n1)
	family := func(x []int) []int { return append([]int{g}, x...) }
	axis, on := n(int64(i)), n(int64(g))
	sum := func(y tensor, at []int) float64 {
		s := 0.0
		for d := range g {
			s += atPlace(y, d, at)
		}
		return s
	}
	switch o {
	case op.AllReduce:
		y := fill(1, family(x)...)
		return parts{o, nil, y, build(func(k []int) float64 { return sum(y, k[1:]) }, family(x)...)}
	case op.ReduceScatter:
		y := fill(1, family(x)...)
		return parts{o, named{"axis": axis}, y, build(func(k []int) float64 {
			return sum(y, moved(k[1:], i, k[0]*n1+k[1+i]))
		}, family(part)...)}
	case op.AllGather:
		y := fill(1, family(part)...)
		return parts{o, named{"axis": axis}, y, build(func(k []int) float64 {
			return atPlace(y, k[1+i]/n1, moved(k[1:], i, k[1+i]%n1))
		}, family(x)...)}
	case op.AllToAll: // parts along j become parts along i
		y, size := fill(1, family(x)...), x[j]
		return parts{o, named{"split": axis, "concat": n(int64(j))}, y, build(func(k []int) float64 {
			from := moved(k[1:], i, k[0]*n1+k[1+i])
			return atPlace(y, k[1+j]/size, moved(from, j, k[1+j]%size))
		}, family(moved(part, j, g*size))...)}
	case op.Pipeline:
		y := fill(1, x...)
		return parts{o, named{"axis": axis, "on": on}, y, build(func(k []int) float64 {
			return at(y, moved(k[1:], i, k[0]*n1+k[1+i])...)
		}, family(part)...)}
	}
	y := fill(1, family(part)...)
	return parts{o, named{"axis": axis}, y, build(func(k []int) float64 {
		return atPlace(y, k[i]/n1, moved(k, i, k[i]%n1))
	}, x...)}
}

func atPlace(y tensor, d int, k []int) float64 { return at(y, append([]int{d}, k...)...) }

var collectives = []*graph.Op{op.AllReduce, op.ReduceScatter, op.AllGather, op.AllToAll, op.Pipeline, op.Batch}

func init() {
	for _, o := range collectives {
		modelMeanings = append(modelMeanings, modelMeaning{o, func(t *rapid.T) {
			c := drawCollective(t, o)
			compare(t, o, c.a, []tensor{c.x}, c.want)
		}})
		modelEntries[o.Name] = func(t *rapid.T) {
			c := drawCollective(t, o)
			checkEntry(t, o, c.a, c.x)
		}
	}
	g, a, b := v("g"), v("a"), v("b")
	d := graph.DimValue
	family := func(rest ...graph.Dim) graph.Shape { return append(graph.ShapeOf(g), run("P", rest...)...) }
	inferCases = append(inferCases, []inferCase{
		{op.AllReduce, nil, in(family(a)), "[g, P.., a]"},
		{op.AllReduce, nil, in(s(3, 2)), "[3, 2]"},
		{op.AllReduce, nil, in(s()), "error: operator allreduce: shape []: want an axis of a mesh in front"},
		{op.ReduceScatter, named{"axis": p}, in(family(g.Mul(a), b)), "[g, P.., a, b]"},
		{op.ReduceScatter, named{"axis": n(0)}, in(s(3, 6)), "[3, 2]"},
		{op.ReduceScatter, named{"axis": n(0)}, in(s(3, 4)), "error: operator reducescatter: operator partition: shape [4] in 3 parts along axis 0: 4 is not 3 times a size"},
		{op.AllGather, named{"axis": p}, in(family(a, b)), "[g, P.., a*g, b]"},
		{op.AllGather, named{"axis": n(0)}, in(s(3, 2)), "[3, 6]"},
		{op.AllGather, named{"axis": n(1)}, in(s(3, 2)), "error: operator allgather: operator combine: axis 1 of shape [2]: no such axis"},
		{op.AllToAll, named{"split": p, "concat": d(graph.AxisRunLen("P").Add(graph.Int(1)))}, in(family(g.Mul(a), b)), "[g, P.., a, b*g]"},
		{op.AllToAll, named{"split": n(0), "concat": n(1)}, in(s(3, 6, 2)), "[3, 2, 6]"},
		{op.AllToAll, named{"split": n(0), "concat": n(1)}, in(s(3, 4, 2)), "error: operator alltoall: operator partition: shape [4, 6] in 3 parts along axis 0: 4 is not 3 times a size"},
		{op.Pipeline, named{"axis": p, "on": d(g)}, in(run("P", g.Mul(a), b)), "[g, P.., a, b]"},
		{op.Pipeline, named{"axis": n(0), "on": n(3)}, in(s(6, 2)), "[3, 2, 2]"},
		{op.Pipeline, named{"axis": n(0), "on": n(4)}, in(s(6)), "error: operator pipeline: operator partition: shape [6] in 4 parts along axis 0: 6 is not 4 times a size"},
		{op.Batch, named{"axis": p}, in(family(a, b)), "[P.., a*g, b]"},
		{op.Batch, named{"axis": n(0)}, in(s(3, 2, 2)), "[6, 2]"},
		{op.Batch, named{"axis": n(0)}, in(s(3)), "error: operator batch: operator combine: axis 0 of shape []: no such axis"},
	}...)
	two, families := []tensor{fill(1, 2, 3, 4)}, []tensor{fill(1, 2, 2, 3, 4)}
	modelCarried = append(modelCarried,
		carriedCase{op.AllReduce, nil, nil, nil, families, []graph.Shape{family(a)}, 1},
		carriedCase{op.ReduceScatter, named{"axis": n(2)}, named{"axis": n(1)}, named{"axis": p}, families, []graph.Shape{family(g.Mul(a))}, 1},
		carriedCase{op.AllGather, named{"axis": n(2)}, named{"axis": n(1)}, named{"axis": p}, families, []graph.Shape{family(a)}, 1},
		carriedCase{op.AllToAll, named{"split": n(2), "concat": n(3)}, named{"split": n(1), "concat": n(2)}, named{"split": p, "concat": d(graph.AxisRunLen("P").Add(graph.Int(1)))},
			[]tensor{fill(1, 2, 2, 3, 4, 5)}, []graph.Shape{family(g.Mul(a), b)}, 1},
		carriedCase{op.Pipeline, named{"axis": n(2), "on": n(2)}, named{"axis": n(1), "on": n(2)}, named{"axis": p, "on": d(g)}, two, []graph.Shape{run("P", g.Mul(a))}, 0},
		carriedCase{op.Batch, named{"axis": n(2)}, named{"axis": n(1)}, named{"axis": p}, families, []graph.Shape{family(a)}, 1})
}

// collectiveTemplates are well-typed applications to symbolic shapes.
func collectiveTemplates() []template {
	d, g, a := graph.DimValue, v("g"), v("a")
	around := func(front []graph.Dim, xs ...graph.Dim) graph.Shape {
		out := append(graph.ShapeOf(front...), graph.AxisRun("P"))
		return append(append(out, graph.ShapeOf(xs...)...), graph.AxisRun("S"))
	}
	mesh := []graph.Dim{g}
	next := d(graph.AxisRunLen("P").Add(graph.Int(1)))
	return []template{
		{op.AllReduce, nil, in(around(mesh, a))},
		{op.ReduceScatter, named{"axis": p}, in(around(mesh, g.Mul(a)))},
		{op.AllGather, named{"axis": p}, in(around(mesh, a))},
		{op.AllToAll, named{"split": p, "concat": next}, in(around(mesh, g.Mul(a), v("b")))},
		{op.Pipeline, named{"axis": p, "on": d(g)}, in(around(nil, g.Mul(a)))},
		{op.Batch, named{"axis": p}, in(around(mesh, a))},
	}
}
