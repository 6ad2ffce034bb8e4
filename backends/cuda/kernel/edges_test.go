package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/graph"
)

// unary is a graph of an operator on x and weights.
func unary(op, x string, weights ...string) string {
	text, args := "x : float32["+x+"]\n", "x"
	for i, w := range weights {
		text += fmt.Sprintf("w%d : weight float32[%s]\n", i, w)
		args += fmt.Sprintf(", w%d", i)
	}
	return text + "y = " + op + "(" + args + ")\nz = tanh(y)\nreturn z"
}

// edges are graphs at sizes at which kernels do something else than at those beside.
func edges() map[string]string {
	out := map[string]string{}
	add := func(name, text string) { out[name] = text }
	// Lines: of a warp, of a block, held or not, in parts; and columns.
	for _, n := range []int{1, 31, 33, 1023, 1025, 8192, 8193} {
		add(fmt.Sprintf("softmax of %d", n), unary("softmax[axis=1]", fmt.Sprint("9, ", n)))
		add(fmt.Sprintf("layernorm of %d", n), unary("layernorm[axis=1, eps=1e-05]", fmt.Sprint("3, ", n), fmt.Sprint(n), fmt.Sprint(n)))
		add(fmt.Sprintf("dots of %d", n), unary("conv2d[pad=valid, groups=3]", fmt.Sprintf("2, 3, 1, %d", n), fmt.Sprintf("3, 1, 1, %d", n)))
	}
	for _, n := range []int{1, 63, 64, 65} {
		for _, inner := range []int{2, 31, 32, 33, 257} {
			add(fmt.Sprintf("softmax of columns, %d by %d", n, inner), unary("softmax[axis=1]", fmt.Sprintf("2, %d, %d", n, inner)))
			add(fmt.Sprintf("largest of columns, %d by %d", n, inner), unary("reducemax[axes=(1)]", fmt.Sprintf("2, %d, %d", n, inner)))
		}
	}
	for x, axis := range map[string]int{"16383": 0, "16384": 0, "20001": 0, "3, 20001": 1, "40000, 3": 0, "2, 16411, 33": 1} {
		for _, op := range []string{"reducesum", "reducemean", "reducemax"} {
			add(op+" of "+x, unary(fmt.Sprintf("%s[axes=(%d)]", op, axis), x))
		}
	}
	// Chains of four elements a thread: operands of all kinds, rows of odd length, an operand
	// that does not lie at a multiple of four.
	for sizes, channels := range map[string]int{"2, 8, 45, 47": 8, "1, 128, 16, 16": 128} {
		add("chain of "+sizes, `
x : float32[`+sizes+`]
z : float32[`+sizes+`]
b : weight float32[1, `+fmt.Sprint(channels)+`, 1, 1]
s : float32[]
bb = broadcast[shape=[`+sizes+`]](b)
a = ewadd(x, z)
c = ewmul(a, bb)
d = smul(c, s)
e = ewsub(z, d)
f = relu(e)
return f`)
	}
	add("chains on parts", `
x : float32[3, 32769]
z : float32[2, 32768]
a = split[axis=0, at=1](x)
b = tanh(a.1)
u = split[axis=0, at=1](z)
c = ewadd(u.0, u.1)
d = relu(c)
return b, d`)
	// Tiles and one more or less.
	for _, n := range [][3]int{{1, 7, 1}, {1, 17, 65}, {65, 16, 1}, {15, 15, 15}, {16, 16, 16}, {17, 17, 17}, {31, 33, 64}, {32, 15, 33}, {63, 1, 65}, {64, 32, 64}, {65, 31, 63}} {
		add(fmt.Sprintf("product %v", n), unary("matmul", fmt.Sprintf("%d, %d", n[0], n[1]), fmt.Sprintf("%d, %d", n[1], n[2])))
	}
	add("large tiles", unary("matmul", "32, 129, 2", "32, 2, 130"))
	add("products at no one distance", `
x : float32[3, 7, 4, 5]
y : float32[3, 9, 4, 5]
q = transpose[perm=(0, 2, 1, 3)](x)
k = transpose[perm=(0, 2, 3, 1)](y)
s = matmul(q, k)
r : float32[3, 4, 7, 9]
t = ewadd(s, r)
b : weight float32[9]
bb = broadcast[shape=[3, 4, 7, 9]](b)
u = ewadd(t, bb)
v = relu(u)
w = tanh(v)
return w`)
	add("products at no one distance, most of them apart", `
x : float32[5, 7, 2, 4]
y : float32[5, 9, 2, 4]
q = transpose[perm=(0, 2, 1, 3)](x)
k = transpose[perm=(0, 2, 3, 1)](y)
s = matmul(q, k)
r : float32[5, 2, 7, 9]
t = ewadd(s, r)
v = relu(t)
return v`)
	add("one first matrix for a batch", `
x : float32[6, 5]
y : float32[4, 5, 7]
b = broadcast[shape=[4, 6, 5]](x)
z = matmul(b, y)
return z`)
	add("rows that are all the same", `
x : float32[5]
y : float32[5, 7]
b = broadcast[shape=[6, 5]](x)
z = matmul(b, y)
c : float32[6, 1]
d = broadcast[shape=[6, 5]](c)
u = matmul(d, y)
return z, u`)
	add("a column out of a matrix", `
x : float32[6, 5]
y : float32[5, 7]
a = slice[axis=1, lo=2, hi=3](x)
c = slice[axis=0, lo=1, hi=2](y)
z = matmul(a, c)
d = slice[axis=1, lo=1, hi=2](y)
u = matmul(x, d)
return z, u`)
	add("parts of matrices", `
x : float32[2, 20, 24]
y : float32[2, 24, 20]
a = slice[axis=2, lo=3, hi=20](x)
b = slice[axis=1, lo=1, hi=18](y)
z = matmul(a, b)
at = transpose[perm=(0, 2, 1)](a)
u = matmul(at, x)
return z, u`)
	// Windows: groups of odd counts, pads on one side only, strides that leave cells over.
	for _, c := range [][3]string{
		{"1, 9, 5, 5", "15, 3, 3, 3", "pad=(0, 2, 1, 0), groups=3"},
		{"2, 21, 4, 3", "7, 3, 2, 2", "pad=same_lower, groups=7"},
		{"2, 5, 9, 9", "5, 1, 3, 3", "pad=(2, 0, 0, 1), groups=5, stride=(2, 3)"},
		{"1, 3, 17, 16", "2, 3, 5, 4", "pad=(4, 0, 0, 3), stride=(3, 5)"},
		{"3, 2, 8, 7", "17, 2, 1, 1", "pad=valid, act=relu"},
		{"3, 6, 4, 5", "9, 2, 1, 1", "pad=valid, groups=3"},
		{"3, 2, 8, 8", "17, 2, 1, 1", "pad=valid, stride=(3, 3)"},
		{"1, 1, 1, 1", "1, 1, 3, 3", "pad=same_upper"},
		{"2, 3, 5, 1", "6, 1, 3, 2", "pad=same_upper, stride=(1, 3), groups=3"}, // wider than the image and the padding left of it
		{"2, 16, 3, 11", "33, 16, 3, 2", "pad=(1, 1, 1, 1)"},
		{"2, 3, 9, 11", "6, 1, 3, 2", "pad=same_upper, stride=(1, 3), groups=3, dilation=(2, 4)"},
		{"1, 3, 9, 11", "5, 3, 2, 3", "pad=(0, 4, 2, 4), dilation=(3, 2)"},
		{"2, 4, 7, 8", "4, 1, 3, 3", "pad=same_lower, groups=4, stride=(2, 1), dilation=(2, 3)"},
		{"1, 2, 3, 4", "3, 2, 2, 3", "pad=same_upper, dilation=(1000, 20)"},
	} {
		add("convolution "+c[2]+" of "+c[0], unary("conv2d["+c[2]+"]", c[0], c[1]))
	}
	add("sums into many columns", `
x : float32[4, 1100]
idx3 : int64[4]
y = scatteradd[axis=0, n=3](x, idx3)
return y`)
	add("integers, by their meaning", `
i : int64[3, 4]
j : int64[1, 2, 3, 4]
a = reducesum[axes=(1)](i)
b = reducemax[axes=(0)](i)
c = ewmax(i, i)
d = poolmax[kh=1, kw=2, pad=valid](j)
return a, b, c, d`)
	add("kernels of one cell with all that may be added", `
x : float32[2, 3, 6, 7]
y : float32[2, 4, 6, 7]
w : weight float32[4, 3, 1, 1]
b : weight float32[1, 4, 1, 1]
i : float32[1, 1, 6, 7]
bb = broadcast[shape=[2, 4, 6, 7]](b)
ii = broadcast[shape=[2, 4, 6, 7]](i)
c = conv2d[pad=valid](x, w)
d = ewadd(c, ii)
e = ewadd(d, y)
f = ewadd(bb, e)
g = relu(f)
return g`)
	add("special numbers in lines and windows", `
specx : float32[3, 2, 7, 11]
a = softmax[axis=3](specx)
b = softmax[axis=1](specx)
c = poolmax[kh=2, kw=2, pad=(1, 1, 0, 0), stride=(2, 2)](specx)
d = poolavg[kh=3, kw=2, pad=same_upper, border=excluded](specx)
e = reducemax[axes=(1, 3)](specx)
f = reducemean[axes=(0)](specx)
g = reducemax[axes=(2)](specx)
return a, b, c, d, e, f, g`)
	add("all of a line is hidden", `
maskm : float32[4, 5]
s = slice[axis=1, lo=2, hi=3](maskm)
p = softmax[axis=1](s)
q = softmax[axis=0](s)
m = reducemax[axes=(0)](s)
return p, q, m`)
	return out
}

// TestEdges runs them by kernels, and those with products or convolutions by libraries.
func TestEdges(t *testing.T) {
	skipWithoutCgo(t)
	for name, text := range edges() {
		t.Run(name, func(t *testing.T) {
			g, err := graph.ParseText("edge", text)
			if err != nil {
				t.Fatalf("%v in:\n%s", err, text)
			}
			for i, lib := range []kernel.Libraries{{}, {CublasLt: true, Cudnn: true}, {CublasLt: true}} {
				conv := strings.Contains(text, "conv2d")
				if i > 0 && !conv && (i > 1 || !strings.Contains(text, "matmul")) {
					break // there is nothing else that a library is asked for
				}
				d := device{lib: lib, calls: map[string]int{}}
				if err := backendtest.Agree(t.Context(), d, g, backends.CompileOptions{}); err != nil {
					t.Errorf("%v: %v", d.lib, err)
				}
			}
		})
	}
}
