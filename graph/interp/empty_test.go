package interp_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
)

// emptyGraphs are graphs with tensors without elements: their outputs' sizes, and what
// they hold where they hold something, for inputs of ones.
var emptyGraphs = []struct {
	name, text string
	sizes      []int
	want       []float64
}{
	{"slice", "x : float32[2, 3]\ny = slice[axis=1, lo=1, hi=1](x)\nreturn y", []int{2, 0}, nil},
	{"slice of nothing", "x : float32[2, 0]\ny = slice[axis=1, lo=0, hi=0](x)\nreturn y", []int{2, 0}, nil},
	{"split", "x : float32[3]\ny = split[axis=0, at=0](x)\nz = concat[axis=0](y.1, y.0)\nreturn z", []int{3}, []float64{1, 1, 1}},
	{"concat", "x : float32[0, 3]\ny : float32[2, 3]\nz = concat[axis=0](x, y)\nreturn z", []int{2, 3}, []float64{1, 1, 1, 1, 1, 1}},
	{"concat of nothing", "x : float32[0, 3]\nz = concat[axis=0](x, x)\nreturn z", []int{0, 3}, nil},
	{"concat beside", "x : float32[2, 0]\ny : float32[1, 0]\nz = concat[axis=0](x, y)\nreturn z", []int{3, 0}, nil},
	{"function", "x : float32[0, 3]\ny = relu(x)\nreturn y", []int{0, 3}, nil},
	{"sum of two", "x : float32[0, 3]\ny = ewadd(x, x)\nreturn y", []int{0, 3}, nil},
	{"sum", "x : float32[2, 0, 3]\ny = reducesum[axes=(1)](x)\nz = exp(y)\nreturn z", []int{2, 3}, []float64{1, 1, 1, 1, 1, 1}},
	{"sum beside", "x : float32[0, 2]\ny = reducesum[axes=(1)](x)\nreturn y", []int{0}, nil},
	{"average beside", "x : float32[0, 2]\ny = reducemean[axes=(1)](x)\nreturn y", []int{0}, nil},
	{"maximum", "x : float32[2, 0]\ny = reducemax[axes=(1)](x)\nreturn y", []int{2}, []float64{math.Inf(-1), math.Inf(-1)}},
	{"maximum beside", "x : float32[0, 2]\ny = reducemax[axes=(1), keep=1](x)\nreturn y", []int{0, 1}, nil},
	{"matmul", "x : float32[2, 0]\ny : float32[0, 3]\nz = matmul(x, y)\nreturn z", []int{2, 3}, []float64{0, 0, 0, 0, 0, 0}},
	{"matmul without rows", "x : float32[0, 2]\ny : float32[2, 3]\nz = matmul(x, y)\nreturn z", []int{0, 3}, nil},
	{"matmul of a batch", "x : float32[0, 2, 2]\ny : float32[0, 2, 3]\nz = matmul(x, y)\nreturn z", []int{0, 2, 3}, nil},
	{"conv2d of no image", "x : float32[0, 2, 4, 4]\nw : float32[3, 2, 2, 2]\ny = conv2d[pad=valid](x, w)\nreturn y", []int{0, 3, 3, 3}, nil},
	{"conv2d of no channels", "x : float32[1, 0, 2, 2]\nw : float32[1, 0, 2, 2]\ny = conv2d[pad=valid, act=sigmoid](x, w)\nreturn y", []int{1, 1, 1, 1}, []float64{0.5}},
	{"conv2d into no channels", "x : float32[1, 2, 4, 4]\nw : float32[0, 2, 2, 2]\ny = conv2d[pad=same_upper](x, w)\nreturn y", []int{1, 0, 4, 4}, nil},
	{"conv2d of a border", "x : float32[1, 1, 0, 2]\nw : float32[1, 1, 2, 2]\ny = conv2d[pad=(1, 1, 1, 1)](x, w)\nreturn y", []int{1, 1, 1, 3}, []float64{0, 0, 0}},
	{"poolmax", "x : float32[0, 2, 4, 4]\ny = poolmax[kh=2, kw=2, pad=valid](x)\nreturn y", []int{0, 2, 3, 3}, nil},
	{"poolavg", "x : float32[0, 2, 4, 4]\ny = poolavg[kh=2, kw=2, pad=same_upper, border=excluded](x)\nreturn y", []int{0, 2, 4, 4}, nil},
	{"reshape", "x : float32[0, 3]\ny = reshape[shape=[2, 0, 5]](x)\nreturn y", []int{2, 0, 5}, nil},
	{"reshape to one axis", "x : float32[0, 3]\ny = reshape[shape=[0]](x)\nreturn y", []int{0}, nil},
	{"reshape to more elements", "x : float32[2, 0]\ny = reshape[shape=[3, 0]](x)\nreturn y", []int{3, 0}, nil},
	{"transpose", "x : float32[0, 3]\ny = transpose[perm=(1, 0)](x)\nreturn y", []int{3, 0}, nil},
	{"broadcast", "x : float32[1, 3]\ny = broadcast[shape=[2, 0, 3]](x)\nreturn y", []int{2, 0, 3}, nil},
	{"gather of no positions", "x : float32[2, 3]\ni : int64[0]\ny = gather[axis=0](x, i)\nreturn y", []int{0, 3}, nil},
	{"gather of nothing", "x : float32[0, 3]\ni : int64[0]\ny = gather[axis=0](x, i)\nreturn y", []int{0, 3}, nil},
	{"gather beside", "x : float32[2, 0]\ni : int64[3]\ny = gather[axis=0](x, i)\nreturn y", []int{3, 0}, nil},
	{"scatteradd", "x : float32[0, 2]\ni : int64[0]\ny = scatteradd[axis=0, n=3](x, i)\nreturn y", []int{3, 2}, []float64{0, 0, 0, 0, 0, 0}},
	{"pick", "x : float32[0, 2]\nk : int64[0]\ni : int64[2]\ny = pick[n=5](x, k, i)\nreturn y", []int{2, 2}, []float64{0, 0, 0, 0}},
	{"softmax", "x : float32[2, 0]\ny = softmax[axis=1](x)\nreturn y", []int{2, 0}, nil},
	{"softmax beside", "x : float32[0, 2]\ny = softmax[axis=1](x)\nreturn y", []int{0, 2}, nil},
	{"layernorm", "x : float32[0, 3]\ns : float32[3]\ny = layernorm[axis=1, eps=1e-05](x, s, s)\nreturn y", []int{0, 3}, nil},
	{"batchnorm", "x : float32[0, 3, 2]\ns : float32[3]\ny = batchnorm[eps=1e-05](x, s, s, s, s)\nreturn y", []int{0, 3, 2}, nil},
	{"topk", "x : float32[2, 3]\ny = topk[axis=1, k=0](x)\nreturn y", []int{2, 0}, nil},
	{"topk of nothing", "x : float32[2, 0]\ny = topk[axis=1, k=0](x)\nreturn y", []int{2, 0}, nil},
	{"pad", "x : float32[0, 2]\ny = pad[before=(1, 0), after=(1, 0), value=7](x)\nreturn y", []int{2, 2}, []float64{7, 7, 7, 7}},
	{"pad beside", "x : float32[0, 2]\ny = pad[before=(0, 1), after=(0, 1)](x)\nreturn y", []int{0, 4}, nil},
	{"enlarge", "x : float32[1, 1, 0, 1]\ny = enlarge[kh=1, kw=3](x)\nreturn y", []int{1, 1, 1, 3}, []float64{0, 0, 0}},
	{"resize", "x : float32[0, 1, 2, 2]\ny = resize[sizes=(0, 1, 4, 4), mode=linear_half_pixel](x)\nreturn y", []int{0, 1, 4, 4}, nil},
	{"reverse", "x : float32[0, 2]\ny = reverse[axes=(0)](x)\nreturn y", []int{0, 2}, nil},
	{"constants", "a = iota[n=0]()\nb = one[shape=[0, 3]]()\nc = fill[shape=[0], value=1, den=2]()\nd = concat[axis=0](a, c)\ne = reducesum[axes=(0)](b)\nf = concat[axis=0](d, e)\nreturn f", []int{3}, []float64{0, 0, 0}},
	{"cast", "x : float32[0]\ny = cast[to=int64, mode=default](x)\nreturn y", []int{0}, nil},
	{"where", "c : float32[0]\nx : float32[0]\ny = ewwhere(c, x, x)\nreturn y", []int{0}, nil},
	{"scaled", "x : float32[0]\ns : float32[]\ny = smul(x, s)\nreturn y", []int{0}, nil},
}

// Each graph gives the same in floating point, and in exact arithmetic.
func TestEmpty(t *testing.T) {
	for _, c := range emptyGraphs {
		t.Run(c.name, func(t *testing.T) {
			g := parse(t, c.text)
			if got := g.Sizes(g.Outputs()[0]); !slices.Equal(got, c.sizes) {
				t.Fatalf("sizes %v, want %v", got, c.sizes)
			}
			floats, err := interp.EvalGraph(context.Background(), interp.Float{}, g, ones(g, 1.0))
			if err != nil {
				t.Fatal(err)
			}
			if got := floats[0]; !slices.Equal(got.Sizes, c.sizes) || !slices.Equal(got.Data, c.want) {
				t.Errorf("got %v %v, want %v %v", got.Sizes, got.Data, c.sizes, c.want)
			}
			exact, err := interp.EvalGraph(context.Background(), interp.Rational{}, g, ones(g, interp.Q{Num: 1, Den: 1}))
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range exact[0].Data {
				if c.name != "sum" && c.name != "maximum" && c.name != "conv2d of no channels" && float64(q.Num)/float64(q.Den) != c.want[i] {
					t.Errorf("exact: element %d is %v, want %v", i, q, c.want[i])
				}
			}
			if len(exact[0].Data) != len(c.want) {
				t.Errorf("exact: %d elements, want %d", len(exact[0].Data), len(c.want))
			}
		})
	}
}

// ones are inputs of a graph.
func ones[T any](g *graph.Graph, one T) []interp.Tensor[T] {
	var in []interp.Tensor[T]
	for _, id := range g.Inputs() {
		x := interp.Tensor[T]{Sizes: g.Sizes(id.Out(0))}
		x.Data = slices.Repeat([]T{one}, graph.NumElements(x.Sizes))
		in = append(in, x)
	}
	return in
}

// What has no value without elements, or is refused by ONNX Runtime, is refused.
func TestEmptyRefused(t *testing.T) {
	for text, want := range map[string]string{
		"x : float32[2, 0]\ny = reducemean[axes=(1)](x)":                                            "the average of no elements has no value",
		"x : float32[2, 0]\ny = topk[axis=1, k=1](x)":                                               "1 is more than 0",
		"x : float32[0, 3]\ni : int64[1]\ny = gather[axis=0](x, i)":                                 "which has no elements",
		"x : float32[1, 3]\ni : int64[1]\ny = scatteradd[axis=0, n=0](x, i)":                        "a result without elements",
		"x : float32[2, 0]\ns : float32[0]\ny = layernorm[axis=1, eps=1e-05](x, s, s)":              "no elements to normalize",
		"x : float32[1, 2, 0, 4]\ny = poolmax[kh=1, kw=2, pad=same_upper](x)":                       "the batch alone may be empty",
		"x : float32[1, 0, 4, 4]\ny = poolavg[kh=2, kw=2, pad=valid](x)":                            "the batch alone may be empty",
		"x : float32[1, 2, 0, 4]\nw : float32[3, 2, 1, 1]\ny = conv2d[pad=same_upper](x, w)":        "does not fit into 0",
		"x : float32[1, 2, 0, 4]\nw : float32[3, 2, 1, 1]\ny = conv2d[pad=valid](x, w)":             "does not fit into 0",
		"x : float32[1, 2, 4, 4]\nw : float32[3, 2, 0, 1]\ny = conv2d[pad=valid](x, w)":             "has no cells",
		"x : float32[0, 3]\ny = reshape[shape=[3]](x)":                                              "size 0 is not 1",
		"x : float32[0, 3]\ny : float32[2, 3]\nz = ewadd(x, y)":                                     "size 0 is not 2",
		"x : float32[0, 3]\ny = broadcast[shape=[2, 3]](x)":                                         "size 0 is not 2",
		"x : float32[1, 1, 0, 2]\ny = resize[sizes=(1, 1, 4, 4), mode=nearest_floor_half_pixel](x)": "which has size 0",
		"x : float32[0, 2]\ny = partition[axis=0, on=2](x)":                                         "sizes are at least 1 here",
	} {
		if _, err := graph.ParseText("f", text+"\nreturn y"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v, want %s", text, err, want)
		}
	}
}

// A sum that Dot would make, of no terms, is 0 however large the result is.
func TestEmptySumOfMany(t *testing.T) {
	g := parse(t, "x : float32[300, 0]\ny : float32[0, 200]\nz = matmul(x, y)\nreturn z")
	out, err := interp.EvalGraph(context.Background(), interp.Float{}, g, ones(g, math.Pi))
	if err != nil {
		t.Fatal(err)
	}
	if len(out[0].Data) != 60000 || slices.ContainsFunc(out[0].Data, func(x float64) bool { return x != 0 }) {
		t.Errorf("%d elements, not all 0", len(out[0].Data))
	}
}
