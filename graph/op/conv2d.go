package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Conv2D is two-dimensional cross-correlation, NCHW, with explicit groups:
// input [b, groups*c, h, w], kernel [o, c, kh, kw] with groups dividing o.
// Output channel q reads the input channels of group q / (o/groups). Borders
// are zeros. act is applied to the result.
//
//	out[b, q, i, j] = sum over c, r, s of w[q, c, r, s] *
//	    x[b, c + first channel of the group, i*stride_h + r*dilation_h - top, j*stride_w + s*dilation_w - left]
//
// Paddings are those of a window as large as the cells that are read reach.
var Conv2D = graph.Register(&graph.Op{
	Name: "conv2d", In: 2, Out: 1,
	Class: "conv", Weights: afterFirst,
	Doc: "Convolution of [b, groups*c, h, w] with kernels [o, c, kh, kw], with stride, zero padding and dilation, then the activation.",
	Params: []graph.Param{
		{Name: "stride", Sort: graph.SortStride, Default: unit, Doc: "(vertical, horizontal)"},
		{Name: "pad", Sort: graph.SortPadding, Doc: "same_upper, same_lower, valid or (top, left, bottom, right)"},
		{Name: "groups", Sort: intSort, Default: graph.IntValue(1), Doc: "number of channel groups"},
		{Name: "act", Sort: graph.SortAct, Default: none, Doc: "activation applied to the result"},
		{Name: "dilation", Sort: graph.SortStride, Default: unit, Late: true, Doc: "dilation of the kernel (vertical, horizontal)"},
	},
	AxisOf: func(_ graph.Attrs, _ []int, axis int) []graph.OperandAxis {
		if axis < 2 {
			return []graph.OperandAxis{{Operand: axis, Axis: 0}}
		}
		return nil
	},
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x, w := in[0], in[1]
		if len(x) != 4 || len(w) != 4 || x.HasAxisRun() || w.HasAxisRun() {
			return nil, fmt.Errorf("shapes %s and %s: want [b, c, h, w] and [o, c, kh, kw]", x, w)
		}
		g := f.Norm(dim(a, 2))
		if err := f.Le(graph.Int(1), g); err != nil {
			return nil, fmt.Errorf("groups: %w", err)
		}
		if err := f.Eq(x[1].Dim, g.Mul(w[1].Dim)); err != nil {
			return nil, fmt.Errorf("input %s, kernel %s, %s groups: channels differ: %w", x, w, g, err)
		}
		if err := f.Divides(g, w[0].Dim); err != nil {
			return nil, fmt.Errorf("kernel %s, %s groups: output channels: %w", w, g, err)
		}
		if err := checkAct(a[3]); err != nil {
			return nil, err
		}
		if err := graph.CheckSteps("dilation", a[4]); err != nil {
			return nil, err
		}
		if f.Empty(w[2:]) {
			return nil, fmt.Errorf("kernel %s has no cells", w)
		}
		out := graph.ShapeOf(f.Norm(x[0].Dim), f.Norm(w[0].Dim), x[2].Dim, x[3].Dim)
		for axis := range 2 {
			// The kernel has a cell: the extent of its axis is at least 1.
			extent := graph.Extent(f.Norm(w[2+axis].Dim), a[4], axis)
			if n, ok := extent.Const(); ok && n > graph.MaxSize {
				return nil, fmt.Errorf("kernel %s, dilation %s: it reaches over %d cells", w, a[4], n)
			}
			n, err := graph.CheckWindow(f, x[2+axis].Dim, extent, a[0], a[1], axis)
			if err != nil {
				return nil, fmt.Errorf("input %s, kernel %s: %w", x, w, err)
			}
			out[2+axis].Dim = n
		}
		return one(f.NormShape(out))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		x, w := in[0], in[1]
		c := s.Var("c")
		win := entryWindow(s, x[2].Dim, x[3].Dim, w[2].Dim, w[3].Dim, a[0], a[1], a[4], at)
		over := append([]graph.Bound{{Var: c, N: s.Size(w[1].Dim)}}, win.over...)
		var groups []*graph.Expr
		for _, g := range s.Groups(dim(a, 2), w[0].Dim, w[1].Dim, at[1]) {
			groups = append(groups, graph.EntryWhen(graph.EntryMul(
				graph.EntryRead(0, at[0], g.Start.Add(c.Index()), win.cell[0], win.cell[1]),
				graph.EntryRead(1, at[1], c.Index(), over[1].Var.Index(), over[2].Var.Index()),
			), g.If...))
		}
		return graph.EntryFn(a[3], graph.EntrySum(graph.EntryAdd(groups...), over, win.inside...)), nil
	},
	FLOPs: func(_ graph.Attrs, in, out [][]int) int64 {
		w := in[1]
		return graph.Product(2, graph.NumElements(out[0]), w[1], w[2], w[3])
	},
	Grad: gradConv,
})

// checkAct requires an activation: none, a pointwise operator's name, or a
// variable.
func checkAct(v graph.Value) error {
	if v == none || v.Kind() == graph.KindVar {
		return nil
	}
	if n, ok := v.Name(); ok && graph.IsActivation(n) {
		return nil
	}
	return fmt.Errorf("activation %s is not known", v)
}

// entryWin is a sliding window at a symbolic place: two bound variables, the
// cell of the image at them, and when that lies inside.
type entryWin struct {
	over   []graph.Bound
	cell   [2]graph.Index
	inside []graph.Guard
}

// entryWindow is the window of output cell (at[2], at[3]).
func entryWindow(s *graph.Space, h, w, kh, kw graph.Dim, stride, pad, dilation graph.Value, at []graph.Index) entryWin {
	var win entryWin
	image, kernel := [2]graph.Dim{h, w}, [2]graph.Dim{kh, kw}
	for axis, name := range []string{"kh", "kw"} {
		n, k, v := s.Size(image[axis]), s.Size(kernel[axis]), s.Var(name)
		extent := s.Size(graph.Extent(kernel[axis], dilation, axis))
		cell := s.Window(n, extent, stride, pad, axis, at[2+axis]).Add(s.Times(v.Index(), graph.StepOf(dilation, axis)))
		win.over = append(win.over, graph.Bound{Var: v, N: k})
		win.cell[axis] = cell
		win.inside = append(win.inside, graph.GuardLe(graph.IndexInt(0), cell), graph.GuardLt(cell, n))
	}
	return win
}
