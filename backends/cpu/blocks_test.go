package cpu

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// runText runs a graph with given numbers for its inputs and weights, in order.
func runText(t *testing.T, k table, text string, numbers ...[]float32) []backends.Tensor {
	t.Helper()
	g, err := graph.ParseText("case", text)
	if err != nil {
		t.Fatal(err)
	}
	m := &model.Model{Name: "case", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	var in []backends.Tensor
	for i, id := range g.Inputs() {
		s := g.Sizes(id.Out(0))
		if g.IsWeight(id) {
			m.Weights[id] = model.FromFloat32(s, numbers[i])
		} else {
			in = append(in, backends.Float32s(numbers[i], s...))
		}
	}
	ctx := context.Background()
	p, err := (&Backend{t: k}).Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := p.Run(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// near fails unless got is want up to the rounding of sums of n terms of size 1.
func near(t *testing.T, name string, got []float32, want []float64, n int) {
	t.Helper()
	bound := 1e-6 * math.Sqrt(float64(n)) * 4
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= bound) {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], w)
		}
	}
}

// TestMatMulBlocks: products that end just before, at and behind the blocks of
// all three loops, against three loops in float64.
func TestMatMulBlocks(t *testing.T) {
	for _, c := range [][3]int{ // m, k, n
		{257, 3, 17}, {255, 5, 16}, {193, 2, 49}, {129, 4, 5}, // rows
		{3, 256, 5}, {9, 257, 33}, {5, 511, 49}, {2, 769, 7}, // inner
		{2, 3, 479}, {3, 2, 480}, {9, 5, 481}, {7, 257, 500}, {1, 300, 961}, // columns
		{2, 3, 3073}, {1, 257, 3100}, // columns of a packed weight
		{258, 258, 482},
	} {
		m, k, n := c[0], c[1], c[2]
		x, w, b := random(m*k), random(k*n), random(n)
		want := make([]float64, m*n)
		for i := range m {
			for j := range n {
				s := float64(b[j])
				for l := range k {
					s += float64(x[i*k+l]) * float64(w[l*n+j])
				}
				want[i*n+j] = math.Max(s, -0.5)
			}
		}
		flip := func(a []float32, r, c int) []float32 { // a[r, c] transposed
			out := make([]float32, r*c)
			for i := range r {
				for j := range c {
					out[j*r+i] = a[i*c+j]
				}
			}
			return out
		}
		for _, tab := range allTables() {
			for _, weight := range []string{"", "weight "} {
				text := fmt.Sprintf("x : %sfloat32[%d, %d]\nw : %sfloat32[%d, %d]\nb : float32[%d]\n", map[string]string{"": "weight ", "weight ": ""}[weight], m, k, weight, k, n, n) +
					fmt.Sprintf("bb = broadcast[shape=[%d, %d]](b)\ny = matmul(x, w)\nz = ewadd(y, bb)\nr = clip[lo=-0.5, hi=1e30](z)\nreturn r", m, n)
				got := runText(t, tab, text, x, w, b)
				near(t, fmt.Sprintf("%s %v %sw", tab.name(), c, weight), got[0].F32, want, k)
				text = fmt.Sprintf("x : float32[%d, %d]\nw : %sfloat32[%d, %d]\nb : float32[%d]\nxt = transpose(x)\nwt = transpose(w)\n", k, m, weight, n, k, n) +
					fmt.Sprintf("bb = broadcast[shape=[%d, %d]](b)\ny = matmul(xt, wt)\nz = ewadd(y, bb)\nr = clip[lo=-0.5, hi=1e30](z)\nreturn r", m, n)
				got = runText(t, tab, text, flip(x, m, k), flip(w, k, n), b)
				near(t, fmt.Sprintf("%s %v %sw, transposed", tab.name(), c, weight), got[0].F32, want, k)
			}
		}
	}
}

// TestConvBlocks is the same for convolutions, with a residual, a bias and a
// bound, against loops in float64.
func TestConvBlocks(t *testing.T) {
	for _, c := range []struct{ b, c, h, w, o, groups, k, s, pad, more int }{ // more: the dilation, less 1
		{1, 2, 9, 53, 130, 1, 3, 1, 1, 0},  // packed, 477 cells
		{1, 2, 10, 48, 129, 1, 3, 1, 1, 0}, // packed, 480 cells
		{1, 2, 7, 69, 258, 1, 2, 1, 0, 0},  // packed, rows beyond a block
		{1, 29, 5, 6, 131, 1, 3, 1, 1, 0},  // packed, inner 261
		{2, 3, 45, 44, 5, 1, 3, 2, 1, 0},   // packed by its stride
		{1, 3, 41, 43, 6, 1, 2, 3, 1, 0},
		{1, 30, 11, 50, 9, 1, 3, 1, 1, 0},  // direct, inner 270, several pieces of rows
		{1, 2, 6, 600, 3, 1, 3, 1, 1, 0},   // direct, rows longer than a piece
		{2, 3, 22, 25, 128, 1, 3, 1, 1, 0}, // direct, the widest
		{1, 3, 23, 24, 16, 1, 1, 1, 0, 0},  // direct, one long row
		{1, 3, 23, 24, 17, 1, 1, 1, 0, 0},  // packed 1x1
		{1, 300, 4, 5, 20, 1, 1, 2, 0, 0},
		{2, 12, 9, 23, 20, 4, 3, 1, 1, 0},
		{2, 9, 9, 70, 9, 9, 5, 1, 2, 0}, // depthwise
		{1, 7, 31, 33, 7, 7, 3, 2, 1, 0},
		{1, 5, 9, 9, 5, 5, 4, 3, 2, 0},
		{2, 3, 1, 1, 3, 3, 3, 1, 1, 0}, // depthwise in place: one cell, narrow rows, several vectors, strips of rows
		{1, 3, 4, 4, 3, 3, 3, 1, 1, 0},
		{1, 2, 1, 2, 2, 2, 7, 1, 3, 0},
		{1, 2, 130, 70, 2, 2, 3, 1, 1, 0},
		{1, 2, 70, 33, 2, 2, 7, 1, 3, 0},
		{1, 2, 9, 700, 2, 2, 5, 1, 2, 0},
		{1, 3, 2, 3, 3, 3, 5, 2, 2, 0},
		{1, 2, 140, 67, 2, 2, 5, 2, 2, 0},
		{1, 3, 17, 32, 3, 3, 3, 2, 1, 0},
		{1, 2, 12, 66, 2, 2, 3, 2, 0, 0},
		{1, 3, 20, 19, 3, 3, 3, 1, 2, 1}, // depthwise and dilated
		{2, 3, 20, 37, 3, 3, 5, 1, 6, 2},
		{1, 3, 20, 19, 3, 3, 3, 2, 2, 1},
		{1, 3, 21, 35, 3, 3, 5, 2, 4, 1},
		{1, 3, 20, 19, 4, 1, 3, 1, 2, 1}, // dilated
		{2, 7, 3, 3, 7, 7, 3, 1, 0, 0},   // depthwise, kernels as large as the image
		{2, 5, 9, 9, 5, 5, 9, 1, 0, 0},
		{1, 4, 16, 16, 4, 4, 16, 2, 0, 0},
		{1, 3, 2, 2, 3, 3, 2, 1, 0, 0},
	} {
		d := c.more + 1
		reach := (c.k-1)*d + 1
		oh, ow := (c.h+2*c.pad-reach)/c.s+1, (c.w+2*c.pad-reach)/c.s+1
		cg, og := c.c/c.groups, c.o/c.groups
		x, w, b, r := random(c.b*c.c*c.h*c.w), random(c.o*cg*c.k*c.k), random(c.o), random(c.b*c.o*oh*ow)
		want := make([]float64, len(r))
		for at := range want {
			j, i, o, n := at%ow, at/ow%oh, at/ow/oh%c.o, at/ow/oh/c.o
			s := float64(b[o]) + float64(r[at])
			for ch := range cg {
				for p := range c.k {
					for q := range c.k {
						y, z := i*c.s+p*d-c.pad, j*c.s+q*d-c.pad
						if y >= 0 && y < c.h && z >= 0 && z < c.w {
							s += float64(x[((n*c.c+o/og*cg+ch)*c.h+y)*c.w+z]) * float64(w[((o*cg+ch)*c.k+p)*c.k+q])
						}
					}
				}
			}
			want[at] = math.Max(s, 0)
		}
		for _, tab := range allTables() {
			text := "x : float32" + sizes([]int{c.b, c.c, c.h, c.w}) + "\nw : weight float32" + sizes([]int{c.o, cg, c.k, c.k}) +
				"\nb : weight float32" + sizes([]int{1, c.o, 1, 1}) + "\nr : float32" + sizes([]int{c.b, c.o, oh, ow}) +
				fmt.Sprintf("\ny = conv2d[stride=(%d, %d), pad=(%d, %d, %d, %d), groups=%d, dilation=(%d, %d)](x, w)\n", c.s, c.s, c.pad, c.pad, c.pad, c.pad, c.groups, d, d) +
				"bb = broadcast[shape=" + sizes([]int{c.b, c.o, oh, ow}) + "](b)\nz = ewadd(y, bb)\nq = ewadd(z, r)\nv = relu(q)\nreturn v"
			got := runText(t, tab, text, x, w, b, r)
			near(t, fmt.Sprintf("%s %+v", tab.name(), c), got[0].F32, want, cg*c.k*c.k)
		}
	}
}
