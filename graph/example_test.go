package graph_test

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

func ExampleBuilder() {
	var b graph.Builder
	x, _ := b.AddInput("x", graph.Float32, 2, 3)
	w, _ := b.AddInput("w", graph.Float32, 3, 4)
	y, _ := b.Apply("y", op.MatMul, nil, x, w)
	z, _ := b.Apply("z", op.Relu, nil, y.Out(0))
	g, err := b.Finish(z.Out(0)) // the first error of any call
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(g)
	fmt.Println(g.Sizes(z.Out(0)), g.Work().FLOPs)

	b.AddInput("x", graph.Float32, 2, 3)
	b.Apply("y", op.MatMul, nil, x, x)
	_, err = b.Finish(y.Out(0))
	fmt.Println(err)
	// Output:
	// x : float32[2, 3]
	// w : float32[3, 4]
	// y = matmul(x, w)
	// z = relu(y)
	// return z
	// [2 4] 56
	// node y: operator matmul: shapes [2, 3] and [2, 3]: inner sizes differ: size 3 is not 2
}

func ExampleParseText() {
	g, err := graph.ParseText("block.graph", `
x : float32[1, 8, 14, 14]
w : float32[16, 8, 3, 3]
y = conv2d[stride=(2, 2), pad=same_upper, act=relu](x, w)
return y`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Sizes(g.Outputs()[0]))

	_, err = graph.ParseText("bad.graph", "x : float32[2]\ny = relux(x)")
	fmt.Println(err)
	// Output:
	// [1 16 7 7]
	// bad.graph:2:5: unknown operator relux; did you mean relu?
}

func ExampleGraph_Hash() {
	a, _ := graph.ParseText("a", "x : float32[2]\ny : float32[2]\np = relu(x)\nq = relu(y)\ns = ewadd(p, q)\nreturn s")
	b, _ := graph.ParseText("b", "y : float32[2]\nx : float32[2]\nl = relu(y)\nr = relu(x)\nt = ewadd(l, r)\nreturn t")
	fmt.Println(a.Hash() == b.Hash(), a.Equal(b))
	// Output: true false
}

func ExampleGraph_DOT() {
	g, _ := graph.ParseText("g", "x : float32[2]\ny = relu(x)\nreturn y")
	fmt.Println(strings.Count(g.DOT(), "->"))
	// Output: 2
}

func ExampleGraph_WithoutDead() {
	g, _ := graph.ParseText("g", "x : float32[2]\ny = relu(x)\nz = ewadd(x, x)\nreturn y")
	fmt.Print(g.WithoutDead())
	// Output:
	// x : float32[2]
	// y = relu(x)
	// return y
}

func ExampleDim() {
	m, n := graph.Var("m"), graph.Var("n")
	d := m.Add(n).Mul(n)
	fmt.Println(d, d == n.Mul(n).Add(n.Mul(m)))
	fmt.Println(d.Subst(&graph.Substitution{Dims: map[string]graph.Dim{"m": graph.Int(2)}}))
	// Output:
	// m*n+n*n true
	// n*n+2*n
}

func ExampleSolver() {
	// Which shapes can be multiplied, in general?
	f := graph.Solver()
	x := graph.ShapeOf(graph.Var("a"), graph.Var("b"))
	y := graph.ShapeOf(graph.Var("c"), graph.Var("d"))
	out, err := op.MatMul.InferShapes(f, nil, []graph.Shape{x, y})
	fmt.Println(f.NormShape(x), f.NormShape(y), out[0], err)
	// Output: [a, c] [c, d] [a, d] <nil>
}

func ExampleOp_InferShapes() {
	// Both symbolic and concrete shapes go through the same inference.
	attrs := op.Concat.MustAttr(map[string]graph.Value{"axis": graph.DimValue(graph.AxisRunLen("P"))})
	var f graph.Unifier
	out, err := op.Concat.InferShapes(&f, attrs, []graph.Shape{
		{graph.AxisRun("P"), graph.Axis(graph.Var("a"))},
		{graph.AxisRun("P"), graph.Axis(graph.Var("b"))},
	})
	fmt.Println(out[0], err)
	// Output: [P.., a+b] <nil>
}

func ExampleWindowOut() {
	stride, pad := graph.TupleValue(2, 2), graph.NameValue(graph.SameUpper)
	fmt.Println(graph.WindowOut(graph.Int(7), graph.Int(3), stride, pad, 0))
	fmt.Println(graph.WindowOut(graph.Var("h"), graph.Int(3), stride, pad, 0))
	// Output:
	// 4
	// strided(h,(2, 2),0)
}

// A softmax of each of the 2*3 members of a family: its axis counts theirs.
func ExampleOp_Each() {
	softmax, _ := graph.Lookup("softmax")
	each := softmax.Each()
	over := graph.ShapeValue(graph.Sizes(2, 3))
	var f graph.Unifier
	for _, axis := range []int64{1, 2} {
		out, err := each.InferShapes(&f, graph.Attrs{over, graph.IntValue(axis)}, []graph.Shape{graph.Sizes(2, 3, 4, 5)})
		fmt.Println(out, err)
	}
	one, attrs, mesh := each.Member(graph.Attrs{over, graph.IntValue(1)})
	fmt.Println(each.Name, one.Name, attrs, mesh)
	matmul, _ := graph.Lookup("matmul")
	fmt.Println(matmul.Each() == matmul)
	// Output:
	// [[2, 3, 4, 5]] <nil>
	// [] operator each_softmax: operator softmax: axis 2 of shape [4, 5]: no such axis
	// each_softmax softmax [1] [2, 3]
	// true
}

// Whether a size can be dealt out: what is known to divide it, and what is solved for.
func ExampleUnifier_Quotient() {
	g, n := graph.Var("g"), graph.Var("n")
	var f graph.Unifier
	fmt.Println(f.Quotient(g.Mul(n), g))
	_, err := f.Quotient(n, g)
	fmt.Println(err)
	s := graph.Solver()
	q, err := s.Quotient(n, g)
	fmt.Println(q, s.Norm(n), s.Quotients(), err)
	// Output:
	// n <nil>
	// n is not g times a size
	// q1m g*q1m [q1m] <nil>
}

func ExampleLifted() {
	for _, op := range graph.Lifted() {
		if op.Class == "softmax" {
			fmt.Println(op.Name, op.Params[0].Name, op.Params[1].Name)
		}
	}
	// Output: each_softmax over axis
}
