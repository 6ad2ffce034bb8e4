package op

import "github.com/taso-go/taso/graph"

// Softmax is exp(x) over the sum of exp(x) along an axis. Arithmetic that
// rounds takes the largest x along the axis off first, which cancels.
var Softmax = graph.Register(&graph.Op{
	Name: "softmax", In: 1, Out: 1,
	Class:  "softmax",
	Doc:    "Exponentials divided by their sum along an axis.",
	Params: []graph.Param{{Name: "axis", Sort: axisSort, Doc: "axis along which the results sum to 1"}},
	Infer: func(f *graph.Facts, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if _, err := in[0].Index(dim(a, 0)); err != nil {
			return nil, err
		}
		return one(f.NormShape(in[0]))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		axis, err := in[0].Index(dim(a, 0))
		if err != nil {
			return nil, err
		}
		k := s.Var("k")
		along := append([]graph.Index{}, at...)
		along[axis] = k.Index()
		exp := func(at []graph.Index) *graph.Expr { return graph.EntryFn(text("exp"), graph.EntryRead(0, at...)) }
		sum := graph.EntrySum(exp(along), []graph.Bound{{Var: k, N: s.Size(in[0][axis].Dim)}})
		return graph.EntryMul(exp(at), graph.EntryFn(text("reciprocal"), sum)), nil
	},
	Mean: func(a graph.Attrs, in, _ [][]int) (*graph.Meaning, error) {
		g := groupsOf(in[0], over(len(in[0]), num(a, 0)))
		n, k := len(g.cells), len(g.start)-1
		var p program
		shift := p.neg(p.push(graph.Step{Kind: graph.StepShift, N: k, X: 0, Start: g.start, A: g.cells}), k)
		e := p.fn("exp", p.add(0, p.gather(shift, g.of), n), n)
		inv := p.fn("reciprocal", p.fold(graph.StepSum, e, g, 1), k)
		p.mul(e, p.gather(inv, g.of), n)
		return p.done(), nil
	},
	FLOPs: perElement(5),
})
