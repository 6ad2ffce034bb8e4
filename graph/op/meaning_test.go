package op_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

type tensor = interp.Tensor[float64]

// fill makes a tensor of small whole numbers of both signs, so that sums are
// exact and no two neighbours agree.
func fill(seed int, sizes ...int) tensor {
	t := tensor{Sizes: sizes, Data: make([]float64, graph.NumElements(sizes))}
	for i := range t.Data {
		t.Data[i] = float64((i*37+seed*11+i*i*5)%23 - 11)
	}
	return t
}

// at reads an element by its index, 0 outside.
func at(t tensor, idx ...int) float64 {
	flat := 0
	for i, n := range idx {
		if n < 0 || n >= t.Sizes[i] {
			return 0
		}
		flat = flat*t.Sizes[i] + n
	}
	return t.Data[flat]
}

// build makes a tensor from a function of the index.
func build(f func(idx []int) float64, sizes ...int) tensor {
	t := tensor{Sizes: sizes}
	var rec func(idx []int)
	rec = func(idx []int) {
		if len(idx) == len(sizes) {
			t.Data = append(t.Data, f(idx))
			return
		}
		for i := 0; i < sizes[len(idx)]; i++ {
			rec(append(idx[:len(idx):len(idx)], i))
		}
	}
	rec(nil)
	return t
}

// moved is idx with axis a set to n.
func moved(idx []int, a, n int) []int {
	c := slices.Clone(idx)
	c[a] = n
	return c
}

// places is the geometry of a window along one axis, said anew: the number of
// output cells and the padding before, from the definitions in package graph.
func places(h, k, stride int, pad string, before, after int) (out, first int) {
	if strings.HasPrefix(pad, "same") {
		out = (h + stride - 1) / stride
		total := (out-1)*stride + k - h
		if total < 0 {
			total = 0
		}
		first = total / 2
		if pad == "same_lower" {
			first = total - total/2
		}
		return out, first
	}
	if pad == "valid" {
		before, after = 0, 0
	}
	return (h+before+after-k)/stride + 1, before
}

// geometry draws a window that fits into h by w.
type geometry struct {
	k, stride [2]int
	apart     [2]int // the dilation
	reach     [2]int // cells from the first to the last
	pad       string // "" is explicit
	pads      [4]int
	out       [2]int
	first     [2]int
}

func drawGeometry(t *rapid.T, size [2]int) geometry { return drawApart(t, size, 1) }

// drawApart draws windows whose cells are up to most apart.
func drawApart(t *rapid.T, size [2]int, most int) geometry {
	g := geometry{pad: rapid.SampledFrom([]string{"same_upper", "same_lower", "valid", ""}).Draw(t, "pad")}
	for a := 0; a < 2; a++ {
		for {
			g.k[a] = rapid.IntRange(1, 5).Draw(t, "kernel")
			g.stride[a] = rapid.IntRange(1, 3).Draw(t, "stride")
			g.apart[a] = rapid.IntRange(1, most).Draw(t, "dilation")
			g.reach[a] = (g.k[a]-1)*g.apart[a] + 1
			g.pads[a] = rapid.IntRange(0, g.reach[a]-1).Draw(t, "before")
			g.pads[a+2] = rapid.IntRange(0, g.reach[a]-1).Draw(t, "after")
			before, after := g.pads[a], g.pads[a+2]
			if g.pad == "valid" {
				before, after = 0, 0
			}
			if strings.HasPrefix(g.pad, "same") || size[a]+before+after >= g.reach[a] {
				break
			}
		}
		g.out[a], g.first[a] = places(size[a], g.reach[a], g.stride[a], g.pad, g.pads[a], g.pads[a+2])
	}
	return g
}

func (g geometry) padValue() graph.Value {
	if g.pad != "" {
		return name(g.pad)
	}
	return tuple(int64(g.pads[0]), int64(g.pads[1]), int64(g.pads[2]), int64(g.pads[3]))
}

func (g geometry) dilationValue() graph.Value { return tuple(int64(g.apart[0]), int64(g.apart[1])) }

func (g geometry) strideValue() graph.Value { return tuple(int64(g.stride[0]), int64(g.stride[1])) }

// compare applies an operator and compares what comes out.
func compare(t rapid.TB, o *graph.Op, a named, in []tensor, want ...tensor) {
	t.Helper()
	attrs, err := o.Attr(a)
	if err != nil {
		t.Fatal(err)
	}
	got, err := interp.Apply(interp.Float{}, o, attrs, in)
	if err != nil {
		t.Fatalf("%s%s: %v", o.Name, o.FormatAttrs(attrs), err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d outputs, want %d", o.Name, len(got), len(want))
	}
	for i := range got {
		if !slices.Equal(got[i].Sizes, want[i].Sizes) {
			t.Fatalf("%s%s output %d: sizes %v, want %v", o.Name, o.FormatAttrs(attrs), i, got[i].Sizes, want[i].Sizes)
		}
		for j := range got[i].Data {
			if d := math.Abs(got[i].Data[j] - want[i].Data[j]); !(d < 1e-9) {
				t.Fatalf("%s%s output %d, element %d: got %g, want %g", o.Name, o.FormatAttrs(attrs), i, j, got[i].Data[j], want[i].Data[j])
			}
		}
	}
	checked[o.Name] = true
}

// checked notes the operators whose meaning a test has compared.
var checked = map[string]bool{}

func TestMeanings(t *testing.T) {
	size := func(t *rapid.T, l string) int { return rapid.IntRange(1, 4).Draw(t, l) }
	shape := func(t *rapid.T, min int) []int {
		return rapid.SliceOfN(rapid.IntRange(1, 4), min, 4).Draw(t, "shape")
	}
	for _, c := range []struct {
		op    *graph.Op
		check func(t *rapid.T)
	}{
		{op.EWAdd, func(t *rapid.T) {
			x, y := fill(1, shape(t, 0)...), tensor{}
			y = fill(2, x.Sizes...)
			compare(t, op.EWAdd, nil, []tensor{x, y}, build(func(i []int) float64 { return at(x, i...) + at(y, i...) }, x.Sizes...))
		}},
		{op.EWMul, func(t *rapid.T) {
			x := fill(1, shape(t, 0)...)
			y := fill(2, x.Sizes...)
			compare(t, op.EWMul, nil, []tensor{x, y}, build(func(i []int) float64 { return at(x, i...) * at(y, i...) }, x.Sizes...))
		}},
		{op.SMul, func(t *rapid.T) {
			x, s := fill(1, shape(t, 0)...), tensor{Data: []float64{-3}}
			compare(t, op.SMul, nil, []tensor{x, s}, build(func(i []int) float64 { return -3 * at(x, i...) }, x.Sizes...))
		}},
		{op.Relu, func(t *rapid.T) {
			x := fill(1, shape(t, 0)...)
			compare(t, op.Relu, nil, []tensor{x}, build(func(i []int) float64 {
				if at(x, i...) > 0 {
					return at(x, i...)
				}
				return 0
			}, x.Sizes...))
		}},
		{op.MatMul, func(t *rapid.T) {
			batch := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(t, "batch")
			m, k, n := size(t, "m"), size(t, "k"), size(t, "n")
			x, y := fill(1, append(slices.Clone(batch), m, k)...), fill(2, append(slices.Clone(batch), k, n)...)
			r := len(batch)
			compare(t, op.MatMul, nil, []tensor{x, y}, build(func(i []int) float64 {
				sum := 0.0
				for l := 0; l < k; l++ {
					sum += at(x, moved(i, r+1, l)...) * at(y, moved(i, r, l)...)
				}
				return sum
			}, append(slices.Clone(batch), m, n)...))
		}},
		{op.Concat, func(t *rapid.T) {
			x := fill(1, shape(t, 1)...)
			a := rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")
			y := fill(2, moved(x.Sizes, a, size(t, "other"))...)
			compare(t, op.Concat, named{"axis": n(int64(a))}, []tensor{x, y}, build(func(i []int) float64 {
				if i[a] < x.Sizes[a] {
					return at(x, i...)
				}
				return at(y, moved(i, a, i[a]-x.Sizes[a])...)
			}, moved(x.Sizes, a, x.Sizes[a]+y.Sizes[a])...))
		}},
		{op.Slice, func(t *rapid.T) {
			x := fill(1, shape(t, 1)...)
			a := rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")
			lo := rapid.IntRange(0, x.Sizes[a]-1).Draw(t, "lo")
			hi := rapid.IntRange(lo+1, x.Sizes[a]).Draw(t, "hi")
			compare(t, op.Slice, named{"axis": n(int64(a)), "lo": n(int64(lo)), "hi": n(int64(hi))}, []tensor{x},
				build(func(i []int) float64 { return at(x, moved(i, a, i[a]+lo)...) }, moved(x.Sizes, a, hi-lo)...))
		}},
		{op.Split, func(t *rapid.T) {
			sizes := shape(t, 1)
			a := rapid.IntRange(0, len(sizes)-1).Draw(t, "axis")
			x := fill(1, moved(sizes, a, sizes[a]+1)...)
			cut := rapid.IntRange(1, sizes[a]).Draw(t, "at")
			compare(t, op.Split, named{"axis": n(int64(a)), "at": n(int64(cut))}, []tensor{x},
				build(func(i []int) float64 { return at(x, i...) }, moved(sizes, a, cut)...),
				build(func(i []int) float64 { return at(x, moved(i, a, i[a]+cut)...) }, moved(sizes, a, x.Sizes[a]-cut)...))
		}},
		{op.Transpose, func(t *rapid.T) {
			x := fill(1, shape(t, 0)...)
			axes := make([]int, len(x.Sizes))
			for i := range axes {
				axes[i] = i
			}
			perm := rapid.Permutation(axes).Draw(t, "perm")
			sizes, p64 := make([]int, len(perm)), make([]int64, len(perm))
			for i, q := range perm {
				sizes[i], p64[i] = x.Sizes[q], int64(q)
			}
			compare(t, op.Transpose, named{"perm": tuple(p64...)}, []tensor{x}, build(func(i []int) float64 {
				j := make([]int, len(i))
				for a, q := range perm {
					j[q] = i[a]
				}
				return at(x, j...)
			}, sizes...))
		}},
		{op.Enlarge, func(t *rapid.T) {
			w := fill(1, size(t, "o"), size(t, "c"), size(t, "h"), size(t, "w"))
			kh, kw := w.Sizes[2]+rapid.IntRange(0, 3).Draw(t, "dh"), w.Sizes[3]+rapid.IntRange(0, 3).Draw(t, "dw")
			compare(t, op.Enlarge, named{"kh": n(int64(kh)), "kw": n(int64(kw))}, []tensor{w}, build(func(i []int) float64 {
				return at(w, i[0], i[1], i[2]-(kh-w.Sizes[2])/2, i[3]-(kw-w.Sizes[3])/2)
			}, w.Sizes[0], w.Sizes[1], kh, kw))
		}},
		{op.Conv2D, checkConv},
		{op.PoolMax, func(t *rapid.T) { checkPool(t, op.PoolMax, "") }},
		{op.PoolAvg, func(t *rapid.T) {
			checkPool(t, op.PoolAvg, rapid.SampledFrom([]string{"counted", "excluded"}).Draw(t, "border"))
		}},
		{op.One, func(t *rapid.T) {
			sizes := shape(t, 0)
			compare(t, op.One, named{"shape": graph.ShapeValue(s(sizes...))}, nil, build(func([]int) float64 { return 1 }, sizes...))
		}},
		{op.Broadcast, func(t *rapid.T) {
			sizes := shape(t, 0)
			front := rapid.IntRange(0, len(sizes)).Draw(t, "missing")
			small := slices.Clone(sizes[front:])
			for i := range small {
				if rapid.Bool().Draw(t, "single") {
					small[i] = 1
				}
			}
			x := fill(1, small...)
			compare(t, op.Broadcast, named{"shape": graph.ShapeValue(s(sizes...))}, []tensor{x}, build(func(i []int) float64 {
				j := slices.Clone(i[front:])
				for a := range j {
					j[a] = min(j[a], small[a]-1)
				}
				return at(x, j...)
			}, sizes...))
		}},
		{op.IMatMul, func(t *rapid.T) {
			m := size(t, "n")
			compare(t, op.IMatMul, named{"n": n(int64(m))}, nil, build(func(i []int) float64 {
				if i[0] == i[1] {
					return 1
				}
				return 0
			}, m, m))
		}},
		{op.IConv, func(t *rapid.T) {
			c, kh, kw := size(t, "c"), size(t, "kh"), size(t, "kw")
			compare(t, op.IConv, named{"c": n(int64(c)), "kh": n(int64(kh)), "kw": n(int64(kw))}, nil, build(func(i []int) float64 {
				if i[0] == i[1] && i[2] == kh/2 && i[3] == kw/2 {
					return 1
				}
				return 0
			}, c, c, kh, kw))
		}},
		{op.CPool, func(t *rapid.T) {
			c, kh, kw := size(t, "c"), size(t, "kh"), size(t, "kw")
			compare(t, op.CPool, named{"c": n(int64(c)), "kh": n(int64(kh)), "kw": n(int64(kw))}, nil,
				build(func([]int) float64 { return 1 / float64(kh*kw) }, c, 1, kh, kw))
		}},
	} {
		t.Run(c.op.Name, func(t *testing.T) { rapid.Check(t, c.check) })
	}
	for _, c := range modelMeanings {
		t.Run(c.op.Name, func(t *testing.T) { rapid.Check(t, c.check) })
	}
	for _, o := range graph.Ops() {
		if !checked[o.Name] {
			t.Errorf("operator %s: what it computes is compared with nothing", o.Name)
		}
	}
}

// checkConv is the seven-loop convolution.
func checkConv(t *rapid.T) {
	groups := rapid.IntRange(1, 3).Draw(t, "groups")
	c, per := rapid.IntRange(1, 2).Draw(t, "c"), rapid.IntRange(1, 2).Draw(t, "o")
	size := [2]int{rapid.IntRange(1, 6).Draw(t, "h"), rapid.IntRange(1, 6).Draw(t, "w")}
	g := drawApart(t, size, 3)
	x := fill(1, rapid.IntRange(1, 2).Draw(t, "b"), groups*c, size[0], size[1])
	w := fill(2, groups*per, c, g.k[0], g.k[1])
	act := rapid.SampledFrom([]string{"none", "relu"}).Draw(t, "act")
	y := tensor{Sizes: []int{x.Sizes[0], groups * per, g.out[0], g.out[1]}}
	for b := 0; b < y.Sizes[0]; b++ {
		for o := 0; o < y.Sizes[1]; o++ {
			for i := 0; i < y.Sizes[2]; i++ {
				for j := 0; j < y.Sizes[3]; j++ {
					sum := 0.0
					for ch := 0; ch < c; ch++ {
						for kh := 0; kh < g.k[0]; kh++ {
							for kw := 0; kw < g.k[1]; kw++ {
								sum += at(w, o, ch, kh, kw) * at(x, b, o/per*c+ch, i*g.stride[0]+kh*g.apart[0]-g.first[0], j*g.stride[1]+kw*g.apart[1]-g.first[1])
							}
						}
					}
					if act == "relu" && sum < 0 {
						sum = 0
					}
					y.Data = append(y.Data, sum)
				}
			}
		}
	}
	compare(t, op.Conv2D, named{"stride": g.strideValue(), "pad": g.padValue(), "groups": n(int64(groups)), "act": name(act), "dilation": g.dilationValue()}, []tensor{x, w}, y)
}

func checkPool(t *rapid.T, o *graph.Op, border string) {
	size := [2]int{rapid.IntRange(1, 6).Draw(t, "h"), rapid.IntRange(1, 6).Draw(t, "w")}
	g := drawGeometry(t, size)
	x := fill(1, rapid.IntRange(1, 2).Draw(t, "b"), rapid.IntRange(1, 2).Draw(t, "c"), size[0], size[1])
	a := named{"kh": n(int64(g.k[0])), "kw": n(int64(g.k[1])), "stride": g.strideValue(), "pad": g.padValue()}
	if border != "" {
		a["border"] = name(border)
	}
	compare(t, o, a, []tensor{x}, build(func(i []int) float64 {
		sum, most, inside := 0.0, math.Inf(-1), 0
		for kh := 0; kh < g.k[0]; kh++ {
			for kw := 0; kw < g.k[1]; kw++ {
				r, c := i[2]*g.stride[0]+kh-g.first[0], i[3]*g.stride[1]+kw-g.first[1]
				if r < 0 || r >= size[0] || c < 0 || c >= size[1] {
					continue
				}
				v := at(x, i[0], i[1], r, c)
				sum, most, inside = sum+v, math.Max(most, v), inside+1
			}
		}
		switch border {
		case "counted":
			return sum / float64(g.k[0]*g.k[1])
		case "excluded":
			return sum / float64(inside)
		}
		return most
	}, x.Sizes[0], x.Sizes[1], g.out[0], g.out[1]))
}

// An average with more divisors than a gather has operands.
func TestPoolAvgManyDivisors(t *testing.T) {
	for _, k := range []int{6, 18, 24} {
		x := fill(1, 1, 1, 2*k, 2*k)
		pad := k - 1
		m := 2*k + 2*pad - k + 1
		divisors := map[int]bool{}
		want := build(func(i []int) float64 {
			sum, inside := 0.0, 0
			for r := i[2] - pad; r < i[2]-pad+k; r++ {
				for c := i[3] - pad; c < i[3]-pad+k; c++ {
					if r >= 0 && r < 2*k && c >= 0 && c < 2*k {
						sum, inside = sum+at(x, 0, 0, r, c), inside+1
					}
				}
			}
			divisors[inside] = true
			return sum / float64(inside)
		}, 1, 1, m, m)
		if k == 24 && len(divisors) < 200 {
			t.Errorf("only %d divisors", len(divisors))
		}
		q := int64(pad)
		compare(t, op.PoolAvg, named{"kh": n(int64(k)), "kw": n(int64(k)), "pad": tuple(q, q, q, q), "border": name("excluded")}, []tensor{x}, want)
	}
}

// With which padding a constant or enlarged kernel is centred: the one that
// puts its larger half where the kernel's larger half is.
func TestCentring(t *testing.T) {
	x := fill(3, 1, 2, 6, 6)
	conv := func(w tensor, pad string) []float64 {
		out, err := interp.Apply(interp.Float{}, op.Conv2D, op.Conv2D.MustAttr(named{"pad": name(pad)}), []tensor{x, w})
		if err != nil {
			t.Fatal(err)
		}
		return out[0].Data
	}
	apply := func(o *graph.Op, a named, in ...tensor) tensor {
		out, err := interp.Apply(interp.Float{}, o, o.MustAttr(a), in)
		if err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	for k := 1; k <= 5; k++ {
		id := apply(op.IConv, named{"c": n(2), "kh": n(int64(k)), "kw": n(int64(k))})
		for pad, want := range map[string]bool{"same_lower": true, "same_upper": k%2 == 1} {
			if got := slices.Equal(conv(id, pad), x.Data); got != want {
				t.Errorf("iconv %d by %d is the identity under %s: %v, want %v", k, k, pad, got, want)
			}
		}
		w := fill(4, 3, 2, k, k)
		for big := k; big <= 6; big++ {
			e := apply(op.Enlarge, named{"kh": n(int64(big)), "kw": n(int64(big))}, w)
			for pad, want := range map[string]bool{
				"same_upper": (big-k)%2 == 0 || k%2 == 1,
				"same_lower": (big-k)%2 == 0 || k%2 == 0,
			} {
				if got := slices.Equal(conv(e, pad), conv(w, pad)); got != want {
					t.Errorf("kernel %d enlarged to %d convolves alike under %s: %v, want %v", k, big, pad, got, want)
				}
			}
		}
	}
}

// An attribute variable has no meaning of its own.
func TestProgramRefusesVariables(t *testing.T) {
	x, w := []int{1, 1, 2, 2}, []int{1, 1, 1, 1}
	for _, c := range []struct {
		op   *graph.Op
		a    named
		in   [][]int
		want string
	}{
		{op.Conv2D, named{"pad": name("valid"), "act": graph.VarValue("f", "act")}, [][]int{x, w}, "function f is not a name"},
		{op.Conv2D, named{"pad": graph.VarValue("p", "padding")}, [][]int{x, w}, "padding p has no value"},
		{op.PoolMax, named{"kh": n(1), "kw": n(1), "pad": name("valid"), "stride": graph.VarValue("s", "stride")}, [][]int{x}, "stride s has no value"},
		{op.PoolAvg, named{"kh": n(1), "kw": n(1), "pad": name("valid"), "border": graph.VarValue("b", "border")}, [][]int{x}, "border b has no value"},
	} {
		if _, err := c.op.Program(c.op.MustAttr(c.a), c.in, [][]int{x}); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.op.Name, err, c.want)
		}
	}
}

func ExampleConv2D() {
	attrs := op.Conv2D.MustAttr(map[string]graph.Value{"pad": graph.NameValue(graph.Valid)})
	x := tensor{Sizes: []int{1, 1, 2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}}
	w := tensor{Sizes: []int{1, 1, 1, 2}, Data: []float64{1, -1}}
	y, err := interp.Apply(interp.Float{}, op.Conv2D, attrs, []tensor{x, w})
	fmt.Println(y[0].Sizes, y[0].Data, err)
	// Output: [1 1 2 2] [-1 -1 -1 -1] <nil>
}
