package op

import (
	"fmt"
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
	Doc:   "An image sampled at another size: nearest cells or linear interpolation along each axis.",
	Params: []graph.Param{
		{Name: "sizes", Sort: "tuple", Doc: "sizes of the result, of all axes"},
		{Name: "mode", Sort: "name", Doc: "method and coordinates, such as nearest_floor_asymmetric or linear_half_pixel"},
	},
	Infer: func(_ *graph.Facts, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
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
		for _, n := range sizes {
			if n < 1 {
				return nil, fmt.Errorf("size %d of the result", n)
			}
		}
		return one(graph.Sizes(sizes...))
	},
	Mean: func(a graph.Attrs, in, out [][]int) (*graph.Meaning, error) {
		name, _ := a[1].Name()
		method, coord, err := resizeMode(name)
		if err != nil {
			return nil, err
		}
		x, y := in[0], out[0]
		axes := make([][]sample, len(x))
		den := int64(1)
		for i := range x {
			var d int64
			if axes[i], d, err = samples(method, coord, x[i], y[i]); err != nil {
				return nil, err
			}
			if den > maxWeight/d {
				return nil, fmt.Errorf("sizes %v to %v: the weights are too fine", x, y)
			}
			den *= d
		}
		st := graph.Strides(x)
		sum := graph.Step{Kind: graph.StepSumProd, N: graph.NumElements(y), X: 0, Start: []int32{0}, Num: 1, Den: 1}
		weights := graph.Step{Kind: graph.StepConst, Den: den}
		at, rows := map[int64]int32{}, false
		graph.Each(y, func(_ int, idx []int) {
			cells := []sample{{0, 1}}
			for i, v := range idx {
				var next []sample
				two := axes[i][2*v : 2*v+2]
				for _, c := range cells {
					for _, s := range two {
						if s.weight != 0 {
							next = append(next, sample{c.cell + s.cell*st[i], c.weight * s.weight})
						}
					}
				}
				cells = next
			}
			rows = rows || len(cells) != 1
			for _, c := range cells {
				w, ok := at[c.weight]
				if !ok {
					w = int32(len(weights.C))
					at[c.weight] = w
					weights.C = append(weights.C, c.weight)
				}
				sum.A, sum.B = append(sum.A, int32(c.cell)), append(sum.B, w)
			}
			sum.Start = append(sum.Start, int32(len(sum.A)))
		})
		if !rows { // one cell each, whose weight is 1
			return graph.Gather(sum.A), nil
		}
		var p program
		weights.N = len(weights.C)
		sum.Y = p.push(weights)
		p.push(sum)
		return p.done(), nil
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

// maxWeight bounds the common denominator of weights.
const maxWeight = 1 << 50

// sample is a cell along one axis, or of the tensor, and its weight in units of
// one over a common denominator.
type sample struct {
	cell   int
	weight int64
}

// samples are the two cells, 2*i and 2*i+1, that each of out cells takes along
// an axis of n cells, and what their weights are divided by. The weight of a
// cell that is not needed is 0.
func samples(method, coord string, n, out int) ([]sample, int64, error) {
	// The coordinate of cell i is (a*i + b)/d.
	a, b, d := int64(n), int64(0), int64(out)
	switch coord {
	case "half_pixel", "pytorch_half_pixel":
		if a, b, d = 2*int64(n), int64(n)-int64(out), 2*int64(out); coord != "half_pixel" && out == 1 {
			a, b, d = 0, 0, 1
		}
	case "align_corners":
		if a, d = int64(n-1), int64(out-1); out == 1 {
			a, d = 0, 1
		}
	}
	if n > 1<<24 || out > 1<<24 {
		return nil, 0, fmt.Errorf("size %d to %d is too large to interpolate", n, out)
	}
	if n == out && (coord != "pytorch_half_pixel" || out > 1) {
		a, b, d = 1, 0, 1
	}
	last := int64(n - 1)
	within := func(k int64) int { return int(min(max(k, 0), last)) }
	cells := make([]sample, 2*out)
	unit := int64(1)
	if method == "linear" {
		unit = d
	}
	for i := range out {
		x := a*int64(i) + b // times 1/d
		low := x / d
		if x < low*d {
			low--
		}
		rest := x - low*d
		two := cells[2*i:]
		switch method {
		case "linear":
			if x <= 0 || x >= last*d {
				two[0] = sample{within(low), unit}
				break
			}
			two[0], two[1] = sample{within(low), d - rest}, sample{within(low + 1), rest}
			continue
		case "nearest_floor":
			two[0] = sample{within(low), unit}
		case "nearest_ceil":
			two[0] = sample{within(low + min(rest, 1)), unit}
		default:
			if 2*rest > d || 2*rest == d && method == "nearest_roundup" {
				low++
			}
			two[0] = sample{within(low), unit}
		}
	}
	return cells, unit, nil
}
