package op

import (
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/graph"
)

// reduction declares an operator that folds axes, in ascending order, none twice,
// into one element; with keep=1 they stay with size 1. of is the fold of the
// elements over bound variables, and grad the derivative by the operand, given that by
// the result with the axes kept. nothing says that the fold of no elements has no value;
// "": it has one.
func reduction(name, doc, nothing string, of func(s *graph.Space, x *graph.Expr, over []graph.Bound) *graph.Expr,
	grad func(b *graph.Backward, d graph.Tensor, axes []int) graph.Tensor) *graph.Op {
	return &graph.Op{
		Name: name, In: 1, Out: 1,
		Class: "reduce",
		Doc:   doc,
		Params: []graph.Param{
			{Name: "axes", Sort: "tuple", Doc: "axes that are reduced, ascending"},
			{Name: "keep", Sort: "flag", Default: graph.IntValue(0), Doc: "1: keep the axes with size 1; 0: remove them"},
		},
		AxisOf: func(a graph.Attrs, ranks []int, axis int) []graph.OperandAxis {
			if slices.Contains(ints(a[0]), axis) {
				return nil
			}
			return sameAxis(a, ranks, axis)
		},
		Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
			out, err := inferReduce(f, a, in)
			if err == nil && nothing != "" && f.Empty(in[0]) && !f.Empty(out[0]) {
				return nil, fmt.Errorf("shape %s, axes %s: %s", in[0], a[0], nothing)
			}
			return out, err
		},
		Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
			from, over := entryReduce(s, a, in, at)
			return of(s, graph.EntryRead(0, from...), over), nil
		},
		FLOPs: perElement(1),
		Grad: func(b *graph.Backward) []graph.Tensor {
			return []graph.Tensor{grad(b, kept(b, b.D[0]), ints(b.Attrs[0]))}
		},
	}
}

var (
	// ReduceSum is the sum along axes.
	ReduceSum = graph.Register(reduction("reducesum", "Sum along axes.", "",
		func(_ *graph.Space, x *graph.Expr, over []graph.Bound) *graph.Expr { return graph.EntrySum(x, over) },
		func(b *graph.Backward, d graph.Tensor, _ []int) graph.Tensor {
			return b.Broadcast(d, b.Sizes(b.In[0])...)
		}))

	// ReduceMean is the average along axes.
	ReduceMean = graph.Register(reduction("reducemean", "Average along axes.", "the average of no elements has no value",
		func(s *graph.Space, x *graph.Expr, over []graph.Bound) *graph.Expr {
			return graph.EntryMul(graph.EntryInv(countOf(s, over)), graph.EntrySum(x, over))
		},
		func(b *graph.Backward, d graph.Tensor, axes []int) graph.Tensor {
			sizes := b.Sizes(b.In[0])
			var counts []int
			for _, a := range axes {
				counts = append(counts, sizes[a])
			}
			return b.Broadcast(b.Over(d, counts...), sizes...)
		}))

	// ReduceMax is the largest element along axes.
	ReduceMax = graph.Register(reduction("reducemax", "The largest element along axes; of no elements, minus infinity.", "",
		func(_ *graph.Space, x *graph.Expr, over []graph.Bound) *graph.Expr {
			if slices.ContainsFunc(over, func(b graph.Bound) bool { return b.N.Equal(graph.IndexInt(0)) }) {
				return entryNumber(graph.NumberValue(math.Inf(-1)))
			}
			return graph.EntryMax(x, over)
		},
		func(b *graph.Backward, d graph.Tensor, axes []int) graph.Tensor {
			return toLargest(b.Calc, d, b.In[0], kept(b, b.Out[0]), graph.Tensor{}, axes)
		}))
)

// kept is a result of a reduction with the axes that were folded, of size 1.
func kept(b *graph.Backward, y graph.Tensor) graph.Tensor {
	sizes := slices.Clone(b.Sizes(b.In[0]))
	for _, a := range ints(b.Attrs[0]) {
		sizes[a] = 1
	}
	return b.Reshape(y, sizes...)
}

// toLargest gives d, the derivative by y, the largest elements of x along axes, to where
// x has them, in equal parts to those that are equal. Only cells where inside is 1 take
// part; the zero Tensor: all do.
func toLargest(c *graph.Calc, d, x, y, inside graph.Tensor, axes []int) graph.Tensor {
	sizes := c.Sizes(x)
	less := c.Op("step", nil, c.Sub(c.Broadcast(y, sizes...), x))
	is := c.Sub(c.Alike(x, 1), less)
	if inside != (graph.Tensor{}) {
		is = c.Mul(is, c.Broadcast(inside, sizes...))
	}
	each := c.Div(d, c.Sum(is, true, axes...))
	return c.Mul(is, c.Broadcast(each, sizes...))
}

func inferReduce(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
	axes, err := listedAxes(a, in[0])
	if err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		return nil, fmt.Errorf("shape %s: no axes to reduce", in[0])
	}
	keep := dim(a, 1)
	if keep != graph.Int(0) && keep != graph.Int(1) {
		return nil, fmt.Errorf("keep is %s, want 0 or 1", keep)
	}
	folded := over(len(in[0]), axes...)
	out := graph.Shape{}
	for i, it := range f.NormShape(in[0]) {
		switch {
		case !folded[i]:
			out = append(out, it)
		case keep == graph.Int(1):
			out = append(out, graph.Axis(graph.Int(1)))
		}
	}
	return one(out)
}

// entryReduce is the index of the input inside the fold, and its bound
// variables.
func entryReduce(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) ([]graph.Index, []graph.Bound) {
	folded := over(len(in[0]), ints(a[0])...)
	from := make([]graph.Index, len(in[0]))
	var bounds []graph.Bound
	next := 0
	for i := range from {
		switch {
		case folded[i]:
			v := s.Var("k")
			from[i] = v.Index()
			bounds = append(bounds, graph.Bound{Var: v, N: s.Size(in[0][i].Dim)})
			if dim(a, 1) == graph.Int(1) {
				next++
			}
		default:
			from[i] = at[next]
			next++
		}
	}
	return from, bounds
}

// countOf is the number of elements that a fold takes, as a number.
func countOf(s *graph.Space, bounds []graph.Bound) *graph.Expr {
	n := graph.EntryNumber(graph.IndexInt(1))
	for _, b := range bounds {
		n = graph.EntryMul(n, graph.EntryNumber(b.N))
	}
	return n
}

// over marks axes.
func over(rank int, axes ...int) []bool {
	out := make([]bool, rank)
	for _, a := range axes {
		out[a] = true
	}
	return out
}
