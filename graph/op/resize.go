package op

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
)

// Resize samples an image at another size, as ONNX's Resize does. A mode is a
// method and, behind it, how coordinates of the result become coordinates of
// the input:
//
//	half_pixel          (i + 1/2) * in/out - 1/2
//	pytorch_half_pixel  the same, but 0 where out is 1
//	align_corners       i * (in-1)/(out-1), 0 where out is 1
//	asymmetric          i * in/out
//
// The method linear weighs the two nearest cells along each axis; the others
// take one cell: nearest_floor and nearest_ceil the one below and above,
// nearest_round the nearest one, the lower of two that are equally near, and
// nearest_roundup the upper one. Coordinates outside the image are those of its
// border.
var Resize = graph.Register(&graph.Op{
	Name: "resize", In: 1, Out: 1,
	Class: "gather",
	Doc:   "An image resampled to another size: nearest or linear interpolation along each axis.",
	Params: []graph.Param{
		{Name: "sizes", Sort: "tuple", Doc: "sizes of the result, of all axes"},
		{Name: "mode", Sort: "name", Names: resizeModes(), Doc: "method and coordinates, such as nearest_floor_asymmetric or linear_half_pixel"},
	},
	Infer: func(_ *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		name, _ := a[1].Name()
		if _, _, err := resizeMode(name); err != nil {
			return nil, err
		}
		x, ok := in[0].Concrete()
		if !ok {
			return nil, fmt.Errorf("shape %s: want sizes that are numbers", in[0])
		}
		sizes := ints(a[0])
		if len(sizes) != len(x) {
			return nil, fmt.Errorf("shape %s: %d sizes", in[0], len(sizes))
		}
		for i, n := range sizes {
			if n < 0 || (n == 0) != (x[i] == 0) {
				return nil, fmt.Errorf("size %d of the result along axis %d, which has size %d", n, i, x[i])
			}
		}
		return one(graph.Sizes(sizes...))
	},
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		name, _ := a[1].Name()
		method, coord, err := resizeMode(name)
		if err != nil {
			return nil, err
		}
		sizes, ok := in[0].Concrete()
		if !ok {
			return nil, fmt.Errorf("shape %s: want sizes that are numbers", in[0])
		}
		from, weight := make([]graph.Index, len(at)), []*graph.Expr{}
		var over []graph.Bound
		var some []graph.Guard
		for i, to := range ints(a[0]) {
			x, d := coordinate(coord, sizes[i], to, at[i])
			// Within the image: x/d is from 0 to the last cell.
			x = s.Max0(x).Sub(s.Max0(x.AddInt(-d * int64(sizes[i]-1))))
			switch low := s.Div(x, d); {
			case d == 1 || method == "nearest_floor":
				from[i] = low
			case method == "nearest_ceil":
				from[i] = s.Div(x.Scale(-1), d).Scale(-1)
			case method == "nearest_round": // the ceiling of x/d - 1/2
				from[i] = s.Div(x.Scale(-2).AddInt(d), 2*d).Scale(-1)
			case method == "nearest_roundup":
				from[i] = s.Div(x.Scale(2).AddInt(d), 2*d)
			default: // linear: the cell below with weight 1-rest/d and the next one with rest/d
				k, rest := s.Var("k"), x.AddScaled(low, -d)
				from[i] = low.Add(k.Index())
				weight = append(weight, graph.EntryInv(graph.EntryNumber(graph.IndexInt(d))), graph.EntryAdd(
					graph.EntryWhen(graph.EntryNumber(rest.Scale(-1).AddInt(d)), graph.GuardEq(k.Index(), graph.IndexInt(0))),
					graph.EntryWhen(graph.EntryNumber(rest), graph.GuardEq(k.Index(), graph.IndexInt(1)))))
				over = append(over, graph.Bound{Var: k, N: graph.IndexInt(2)})
				some = append(some, graph.GuardLe(k.Index(), rest)) // no cell that counts for nothing
			}
		}
		if len(over) == 0 {
			return graph.EntryRead(0, from...), nil
		}
		return graph.EntrySum(graph.EntryMul(append(weight, graph.EntryRead(0, from...))...), over, some...), nil
	},
	// Along each axis the result is a matrix times x, the identity matrix resized: back,
	// its transpose times d.
	Grad: func(b *graph.Backward) []graph.Tensor {
		d, x := b.D[0], b.Sizes(b.In[0])
		for i, to := range ints(b.Attrs[0]) {
			if to == x[i] {
				continue
			}
			m := b.Const(d, "imatmul", graph.Named{"n": graph.IntValue(x[i])})
			m = b.Op("resize", graph.Named{"sizes": graph.TupleValue(to, x[i]), "mode": b.Attrs[1]}, m)
			sizes := slices.Clone(b.Sizes(d))
			front, back := graph.NumElements(sizes[:i]), graph.NumElements(sizes[i+1:])
			m = b.Broadcast(b.Matrix(m), front, x[i], to)
			sizes[i] = x[i]
			d = b.Reshape(b.MatMul(m, b.Reshape(d, front, to, back)), sizes...)
		}
		return []graph.Tensor{d}
	},
	FLOPs: func(a graph.Attrs, in, out [][]int) int64 {
		name, _ := a[1].Name()
		if !strings.HasPrefix(name, "linear") {
			return 0
		}
		per := 1
		for i, n := range in[0] {
			if out[0][i] != n {
				per *= 2
			}
		}
		return graph.Product(append([]int{2 * per}, out[0]...)...)
	},
})

var (
	resizeMethods = []string{"linear", "nearest_floor", "nearest_ceil", "nearest_roundup", "nearest_round"}
	resizeCoords  = []string{"pytorch_half_pixel", "half_pixel", "align_corners", "asymmetric"}
)

func resizeModes() (all []string) {
	for _, m := range resizeMethods {
		for _, c := range resizeCoords {
			all = append(all, m+"_"+c)
		}
	}
	return all
}

// resizeMode is the method and the coordinates of a mode.
func resizeMode(mode string) (method, coord string, err error) {
	for _, m := range resizeMethods {
		for _, c := range resizeCoords {
			if mode == m+"_"+c {
				return m, c, nil
			}
		}
	}
	return "", "", fmt.Errorf("mode %s is not known", mode)
}

// coordinate is x/d, the place along an axis of n cells that cell at of out takes.
func coordinate(coord string, n, out int, at graph.Index) (x graph.Index, d int64) {
	size, to := int64(n), int64(out)
	switch {
	case n == out && (coord != "pytorch_half_pixel" || out > 1):
		return at, 1
	case out == 1 && (coord == "align_corners" || coord == "pytorch_half_pixel"):
		return graph.IndexInt(0), 1
	case coord == "align_corners":
		return at.Scale(size - 1), to - 1
	case coord == "asymmetric":
		return at.Scale(size), to
	}
	return at.Scale(2 * size).AddInt(size - to), 2 * to
}
