package op_test

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// The operators of today's networks in the tables of the other tests.

func num(x float64) graph.Value { return graph.NumberValue(x) }

// functions are the operators of one element with what they compute, said anew.
var functions = []struct {
	op *graph.Op
	a  named
	f  func(x float64) float64
}{
	{op.Sigmoid, nil, func(x float64) float64 { return math.Exp(x) / (math.Exp(x) + 1) }},
	{op.Tanh, nil, func(x float64) float64 { return (math.Exp(2*x) - 1) / (math.Exp(2*x) + 1) }},
	{op.Gelu, nil, func(x float64) float64 { return 0.5*x + 0.5*x*math.Erf(x*math.Sqrt(0.5)) }},
	{op.Exp, nil, func(x float64) float64 { return math.Pow(math.E, x) }},
	{op.Sqrt, nil, func(x float64) float64 { return math.Pow(x, 0.5) }},
	{op.Erf, nil, func(x float64) float64 { return 1 - math.Erfc(x) }},
	{op.Reciprocal, nil, func(x float64) float64 { return math.Pow(x, -1) }},
	{op.Step, nil, func(x float64) float64 { return math.Ceil(math.Max(x, 0) / (math.Abs(x) + 1)) }},
	{op.Abs, nil, func(x float64) float64 { return math.Max(x, -x) }},
	{op.Log, nil, func(x float64) float64 { return math.Log2(x) * math.Ln2 }},
	{op.Neg, nil, func(x float64) float64 { return 0 - x }},
	{op.HardSwish, nil, func(x float64) float64 {
		switch {
		case x <= -3:
			return 0
		case x >= 3:
			return x
		}
		return x * (x + 3) / 6
	}},
	{op.LeakyRelu, named{"alpha": num(0.25)}, func(x float64) float64 { return math.Max(x, 0.25*x) }},
	{op.Elu, named{"alpha": num(1.5)}, func(x float64) float64 {
		if x > 0 {
			return x
		}
		return 1.5 * (math.Exp(x) - 1)
	}},
	{op.Clip, named{"lo": num(-2), "hi": num(4.5)}, func(x float64) float64 { return math.Min(4.5, math.Max(x, -2)) }},
	{op.HardSigmoid, named{"alpha": num(0.125), "beta": num(0.5)}, func(x float64) float64 {
		return math.Max(0, math.Min(1, x/8+0.5))
	}},
	{op.Rsqrt, named{"eps": num(12.5)}, func(x float64) float64 { return math.Pow(x+12.5, -0.5) }},
	{op.Sin, nil, func(x float64) float64 { return imag(cmplx.Exp(complex(0, x))) }},
	{op.Cos, nil, func(x float64) float64 { return real(cmplx.Exp(complex(0, x))) }},
	{op.Tan, nil, func(x float64) float64 { return math.Sin(x) / math.Cos(x) }},
	{op.Sinh, nil, func(x float64) float64 { return imag(cmplx.Sin(complex(0, x))) }},
	{op.Cosh, nil, func(x float64) float64 { return real(cmplx.Cos(complex(0, x))) }},
	{op.Asin, nil, func(x float64) float64 { return math.Atan2(x, math.Sqrt(1-x*x)) }},
	{op.Acos, nil, func(x float64) float64 { return math.Atan2(math.Sqrt(1-x*x), x) }},
	{op.Atan, nil, func(x float64) float64 { return math.Atan2(x, 1) }},
	{op.Asinh, nil, func(x float64) float64 { return math.Copysign(math.Log(math.Abs(x)+math.Hypot(x, 1)), x) }},
	{op.Acosh, nil, func(x float64) float64 { return math.Log(x + math.Sqrt(x*x-1)) }},
	{op.Atanh, nil, func(x float64) float64 { return math.Log((1+x)/(1-x)) / 2 }},
	{op.Floor, nil, func(x float64) float64 { return float64(int(x+100)) - 100 }},
	{op.Ceil, nil, func(x float64) float64 { return 100 - float64(int(100-x)) }},
	{op.Round, nil, func(x float64) float64 { return x - math.Remainder(x, 1) }},
	{op.Sign, nil, func(x float64) float64 { return x / math.Max(math.Abs(x), 1e-300) }},
	{op.IsInf, nil, func(float64) float64 { return 0 }},
	{op.IsNaN, nil, func(float64) float64 { return 0 }},
}

// How operands of operators on two elements are changed: so that no divisor is 0, so that
// they are often equal, to integers other than 0, to integers from 0 on, and so that the
// second is at most 4.
func half(_, y *float64)    { *y += 0.5 }
func near(x, y *float64)    { *x, *y = math.Floor(*x/6), math.Floor(*y/6) }
func nonzero(_, y *float64) { *y = math.Copysign(math.Abs(*y)+1, *y) }
func whole(x, y *float64)   { *x, *y = math.Abs(*x), math.Abs(*y) }
func moved4(_, y *float64)  { *y = math.Floor(math.Abs(*y) / 3) }

// bits combines the binary digits of two numbers.
func bits(x, y float64, f func(p, q int) int) int {
	out := 0
	for i := range 8 {
		out += f(int(x)>>i%2, int(y)>>i%2) << i
	}
	return out
}

// positive lists the functions that negative numbers or 0 have no value of, small those
// that only numbers below 1 have one of, and fractions those that round.
var (
	positive  = map[string]bool{"sqrt": true, "log": true, "reciprocal": true, "acosh": true}
	small     = map[string]bool{"asin": true, "acos": true, "atanh": true}
	fractions = map[string]bool{"floor": true, "ceil": true, "round": true}
)

func arguments(o *graph.Op, sizes ...int) tensor {
	x := fill(1, sizes...)
	if positive[o.Name] {
		for i := range x.Data {
			x.Data[i] = math.Abs(x.Data[i]) + 1
		}
	}
	for i := range x.Data {
		switch {
		case small[o.Name]:
			x.Data[i] /= 16
		case fractions[o.Name]:
			x.Data[i] /= 4
		}
	}
	return x
}

type modelMeaning struct {
	op    *graph.Op
	check func(t *rapid.T)
}

var modelMeanings []modelMeaning

func init() {
	for _, c := range functions {
		modelMeanings = append(modelMeanings, modelMeaning{c.op, func(t *rapid.T) {
			x := arguments(c.op, drawShape(t, 0, 3)...)
			compare(t, c.op, c.a, []tensor{x}, build(func(i []int) float64 { return c.f(at(x, i...)) }, x.Sizes...))
		}})
		if !c.op.Pointwise || len(c.op.Params) > 0 {
			modelEntries[c.op.Name] = func(t *rapid.T) { checkEntry(t, c.op, c.a, arguments(c.op, drawShape(t, 0, 3)...)) }
		}
		inferCases = append(inferCases,
			inferCase{c.op, c.a, in(run("P", v("a"))), "[P.., a]"},
			inferCase{c.op, c.a, in(s(2), s(2)), fmt.Sprintf("error: operator %s: 2 inputs, want 1", c.op.Name)})
	}
	for _, c := range []struct {
		op   *graph.Op
		a    named
		into func(x, y *float64)
		f    func(x, y float64) float64
	}{
		{op.EWSub, nil, half, func(x, y float64) float64 { return x - y }},
		{op.EWDiv, nil, half, func(x, y float64) float64 { return x / y }},
		{op.EWMax, nil, half, math.Max},
		{op.EWMin, nil, half, math.Min},
		{op.EWLess, nil, near, func(x, y float64) float64 { return math.Ceil(max(y-x, 0) / 100) }},
		{op.EWLessEqual, nil, near, func(x, y float64) float64 { return 1 - math.Ceil(max(x-y, 0)/100) }},
		{op.EWEqual, nil, near, func(x, y float64) float64 { return 1 - math.Ceil(math.Abs(x-y)/100) }},
		{op.EWPow, nil, func(x, y *float64) { *x, *y = math.Abs(*x)+1, *y/8 }, func(x, y float64) float64 { return math.Exp(y * math.Log(x)) }},
		{op.EWInt, named{"fn": name("quo")}, nonzero, func(x, y float64) float64 { return math.Copysign(math.Floor(math.Abs(x/y)), x*y) }},
		{op.EWInt, named{"fn": name("rem")}, nonzero, func(x, y float64) float64 {
			return x - y*math.Copysign(math.Floor(math.Abs(x/y)), x*y)
		}},
		{op.EWInt, named{"fn": name("mod")}, nonzero, func(x, y float64) float64 { return x - y*math.Floor(x/y) }},
		{op.EWInt, named{"fn": name("bitand")}, whole, func(x, y float64) float64 { return float64(bits(x, y, func(p, q int) int { return p * q })) }},
		{op.EWInt, named{"fn": name("bitor")}, whole, func(x, y float64) float64 { return float64(bits(x, y, func(p, q int) int { return max(p, q) })) }},
		{op.EWInt, named{"fn": name("bitxor")}, whole, func(x, y float64) float64 { return float64(bits(x, y, func(p, q int) int { return (p + q) % 2 })) }},
		{op.EWInt, named{"fn": name("shl")}, moved4, func(x, y float64) float64 { return x * math.Pow(2, y) }},
		{op.EWInt, named{"fn": name("shr")}, moved4, func(x, y float64) float64 { return math.Floor(x / math.Pow(2, y)) }},
	} {
		draw := func(t *rapid.T) []tensor {
			x := fill(1, drawShape(t, 0, 3)...)
			y := fill(2, x.Sizes...)
			for i := range y.Data {
				c.into(&x.Data[i], &y.Data[i])
			}
			return []tensor{x, y}
		}
		modelMeanings = append(modelMeanings, modelMeaning{c.op, func(t *rapid.T) {
			xy := draw(t)
			compare(t, c.op, c.a, xy, build(func(i []int) float64 { return c.f(at(xy[0], i...), at(xy[1], i...)) }, xy[0].Sizes...))
		}})
		modelEntries[c.op.Name] = func(t *rapid.T) { checkEntry(t, c.op, c.a, draw(t)...) }
		inferCases = append(inferCases,
			inferCase{c.op, c.a, in(run("P", v("a")), run("P", v("a"))), "[P.., a]"},
			inferCase{c.op, c.a, in(s(2, 3), s(2, 4)), fmt.Sprintf("error: operator %s: shape [2, 3] is not [2, 4]: size 3 is not 4", c.op.Name)})
		two := []tensor{fill(1, 2, 3, 2, 4), fill(2, 2, 3, 2, 4)}
		for i := range two[1].Data {
			c.into(&two[0].Data[i], &two[1].Data[i])
		}
		modelCarried = append(modelCarried, carriedCase{c.op, c.a, c.a, c.a, two, []graph.Shape{run("P", v("a")), run("P", v("a"))}, 0})
	}
	reduced := func(f func(xs []float64) float64, x tensor, axes []int, keep bool) tensor {
		folded := map[int]bool{}
		for _, a := range axes {
			folded[a] = true
		}
		var out, over []int
		for i, n := range x.Sizes {
			switch {
			case !folded[i]:
				out = append(out, n)
			case keep:
				out = append(out, 1)
			}
			if folded[i] {
				over = append(over, n)
			}
		}
		return build(func(idx []int) float64 {
			var xs []float64
			graph.Each(over, func(_ int, k []int) {
				full, i, j := make([]int, len(x.Sizes)), 0, 0
				for a := range full {
					if folded[a] {
						full[a] = k[j]
						j++
						if keep {
							i++
						}
						continue
					}
					full[a] = idx[i]
					i++
				}
				xs = append(xs, at(x, full...))
			})
			return f(xs)
		}, out...)
	}
	sum := func(xs []float64) float64 {
		s := 0.0
		for _, x := range xs {
			s += x
		}
		return s
	}
	for _, c := range []struct {
		op *graph.Op
		f  func(xs []float64) float64
	}{
		{op.ReduceSum, sum},
		{op.ReduceMean, func(xs []float64) float64 { return sum(xs) / float64(len(xs)) }},
		{op.ReduceMax, func(xs []float64) float64 {
			m := xs[0]
			for _, x := range xs {
				m = math.Max(m, x)
			}
			return m
		}},
	} {
		draw := func(t *rapid.T) (tensor, []int, bool, named) {
			x := fill(1, drawShape(t, 1, 4)...)
			var axes []int
			var tup []int64
			for i := range x.Sizes {
				if rapid.Bool().Draw(t, "fold") || i == len(x.Sizes)-1 && len(axes) == 0 {
					axes, tup = append(axes, i), append(tup, int64(i))
				}
			}
			keep := rapid.IntRange(0, 1).Draw(t, "keep")
			return x, axes, keep == 1, named{"axes": tuple(tup...), "keep": n(int64(keep))}
		}
		modelMeanings = append(modelMeanings, modelMeaning{c.op, func(t *rapid.T) {
			x, axes, keep, a := draw(t)
			compare(t, c.op, a, []tensor{x}, reduced(c.f, x, axes, keep))
		}})
		modelEntries[c.op.Name] = func(t *rapid.T) {
			x, _, _, a := draw(t)
			checkEntry(t, c.op, a, x)
		}
		keep := named{"axes": tuple(0), "keep": n(1)}
		modelCarried = append(modelCarried, carriedCase{c.op, keep, keep, keep, []tensor{fill(1, 4, 2, 3)},
			[]graph.Shape{{graph.Axis(v("a")), graph.AxisRun("P")}}, 1})
		inferCases = append(inferCases,
			inferCase{c.op, named{"axes": tuple(1, 2)}, in(graph.ShapeOf(v("a"), v("b"), v("c"), v("d"))), "[a, d]"},
			inferCase{c.op, named{"axes": tuple(0), "keep": n(1)}, in(graph.Shape{graph.Axis(v("a")), graph.AxisRun("S")}), "[1, S..]"},
			inferCase{c.op, named{"axes": tuple(2, 1)}, in(s(2, 3, 4)), fmt.Sprintf("error: operator %s: shape [2, 3, 4]: axes (2, 1): want ascending axes below 3", c.op.Name)},
			inferCase{c.op, named{"axes": tuple(1)}, in(run("P", v("a"))), fmt.Sprintf("error: operator %s: shape [P.., a]: an axis run stands before axis 1", c.op.Name)},
			inferCase{c.op, named{"axes": tuple()}, in(s(2)), fmt.Sprintf("error: operator %s: shape [2]: no axes to reduce", c.op.Name)},
			inferCase{c.op, named{"axes": tuple(0), "keep": n(2)}, in(s(2)), fmt.Sprintf("error: operator %s: keep is 2, want 0 or 1", c.op.Name)})
	}
}

// normal is (x - mean)/sqrt(variance + eps).
func normal(xs []float64, eps float64) func(x float64) float64 {
	mean, variance := 0.0, 0.0
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		variance += (x - mean) * (x - mean) / float64(len(xs))
	}
	return func(x float64) float64 { return (x - mean) / math.Sqrt(variance+eps) }
}

func product(ns []int) int { return graph.NumElements(ns) }

func init() {
	chosen := func(t *rapid.T) []tensor {
		sizes := drawShape(t, 0, 3)
		c := fill(1, sizes...)
		for i := range c.Data {
			c.Data[i] = max(c.Data[i], 0)
		}
		return []tensor{c, fill(2, sizes...), fill(3, sizes...)}
	}
	modelMeanings = append(modelMeanings, modelMeaning{op.EWWhere, func(t *rapid.T) {
		in := chosen(t)
		compare(t, op.EWWhere, nil, in, build(func(i []int) float64 {
			return at(in[map[bool]int{true: 2, false: 1}[at(in[0], i...) == 0]], i...)
		}, in[0].Sizes...))
	}})
	modelEntries["ewwhere"] = func(t *rapid.T) { checkEntry(t, op.EWWhere, nil, chosen(t)...) }
	like := run("P", v("a"))
	modelCarried = append(modelCarried, carriedCase{op.EWWhere, nil, nil, nil, []tensor{fill(1, 2, 3, 2, 4), fill(2, 2, 3, 2, 4), fill(3, 2, 3, 2, 4)}, []graph.Shape{like, like, like}, 0})
	inferCases = append(inferCases,
		inferCase{op.EWWhere, nil, in(like, like, like), "[P.., a]"},
		inferCase{op.EWWhere, nil, in(s(2, 3), s(2, 3), s(3)), "error: operator ewwhere: shape [2, 3] is not [3]"},
		inferCase{op.EWInt, named{"fn": name("nand")}, in(s(2), s(2)), "error: operator ewint: nand is no function of integers"})
	modelMeanings = append(modelMeanings,
		modelMeaning{op.Softmax, func(t *rapid.T) {
			x := fill(1, drawShape(t, 1, 3)...)
			a := rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")
			compare(t, op.Softmax, named{"axis": n(int64(a))}, []tensor{x}, build(func(i []int) float64 {
				sum := 0.0
				for k := range x.Sizes[a] {
					sum += math.Exp(at(x, moved(i, a, k)...))
				}
				return math.Exp(at(x, i...)) / sum
			}, x.Sizes...))
		}},
		modelMeaning{op.LayerNorm, func(t *rapid.T) {
			x := fill(1, drawShape(t, 1, 3)...)
			a := rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")
			scale, bias := fill(2, x.Sizes[a:]...), fill(3, x.Sizes[a:]...)
			per := product(x.Sizes[a:])
			want := tensor{Sizes: x.Sizes}
			for i := 0; i < len(x.Data); i += per {
				f := normal(x.Data[i:i+per], 0.5)
				for j := range per {
					want.Data = append(want.Data, f(x.Data[i+j])*scale.Data[j]+bias.Data[j])
				}
			}
			compare(t, op.LayerNorm, named{"axis": n(int64(a)), "eps": num(0.5)}, []tensor{x, scale, bias}, want)
		}},
		modelMeaning{op.BatchNorm, func(t *rapid.T) {
			x := fill(1, drawShape(t, 2, 4)...)
			scale, bias, mean, variance := batchNormInputs(x.Sizes[1])
			compare(t, op.BatchNorm, named{"eps": num(0.5)}, []tensor{x, scale, bias, mean, variance}, build(func(i []int) float64 {
				c := i[1]
				return (at(x, i...)-mean.Data[c])/math.Sqrt(variance.Data[c]+0.5)*scale.Data[c] + bias.Data[c]
			}, x.Sizes...))
		}},
		modelMeaning{op.Reshape, func(t *rapid.T) {
			x := fill(1, drawShape(t, 0, 4)...)
			to := drawReshape(t, x.Sizes)
			compare(t, op.Reshape, named{"shape": graph.ShapeValue(s(to...))}, []tensor{x}, tensor{Sizes: to, Data: x.Data})
		}},
		modelMeaning{op.Pad, func(t *rapid.T) {
			x := fill(1, drawShape(t, 0, 3)...)
			a, to, before, value := drawPad(t, x.Sizes)
			compare(t, op.Pad, a, []tensor{x}, build(func(i []int) float64 {
				from := make([]int, len(i))
				for k := range i {
					from[k] = i[k] - before[k]
					if from[k] < 0 || from[k] >= x.Sizes[k] {
						return value
					}
				}
				return at(x, from...)
			}, to...))
		}},
		modelMeaning{op.Cast, func(t *rapid.T) {
			x := fill(1, drawShape(t, 0, 2)...)
			for i := range x.Data {
				x.Data[i] /= 4
			}
			to := rapid.SampledFrom([]string{"float64", "float16", "int32", "int64", "int8", "uint8", "bool"}).Draw(t, "to")
			for i, v := range x.Data { // what an integer type does not hold has no value
				switch to {
				case "uint8":
					x.Data[i] = math.Abs(math.Mod(v, 255))
				case "int8":
					x.Data[i] = math.Mod(v, 127)
				}
			}
			compare(t, op.Cast, named{"to": name(to)}, []tensor{x}, build(func(i []int) float64 {
				switch y := at(x, i...); to {
				case "float64", "float16":
					return y
				case "bool":
					if y != 0 {
						return 1
					}
					return 0
				default:
					return float64(int(y))
				}
			}, x.Sizes...))
		}},
		modelMeaning{op.Gather, func(t *rapid.T) {
			x := fill(1, drawShape(t, 1, 3)...)
			a := rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")
			idx := fill(2, drawShape(t, 0, 2)...)
			size := x.Sizes[a]
			for i := range idx.Data {
				idx.Data[i] = float64(rapid.IntRange(-size, size-1).Draw(t, "position"))
			}
			to := append(append(append([]int{}, x.Sizes[:a]...), idx.Sizes...), x.Sizes[a+1:]...)
			compare(t, op.Gather, named{"axis": n(int64(a))}, []tensor{x, idx}, build(func(i []int) float64 {
				k := (int(at(idx, i[a:a+len(idx.Sizes)]...)) + size) % size
				return at(x, append(append(append([]int{}, i[:a]...), k), i[a+len(idx.Sizes):]...)...)
			}, to...))
		}},
		modelMeaning{op.ScatterAdd, func(t *rapid.T) {
			x, idx, a, size := drawScatter(t)
			want := tensor{Sizes: append(append(append([]int{}, x.Sizes[:a]...), size), x.Sizes[a+len(idx.Sizes):]...)}
			want.Data = make([]float64, product(want.Sizes))
			inner := product(x.Sizes[a+len(idx.Sizes):])
			for i, v := range x.Data {
				o, p, q := i/inner/product(idx.Sizes), i/inner%product(idx.Sizes), i%inner
				want.Data[(o*size+(int(idx.Data[p])+size)%size)*inner+q] += v
			}
			compare(t, op.ScatterAdd, named{"axis": n(int64(a)), "n": n(int64(size))}, []tensor{x, idx}, want)
		}},
		modelMeaning{op.Reverse, func(t *rapid.T) {
			x := fill(1, drawShape(t, 0, 4)...)
			axes, a := drawReverse(t, x.Sizes)
			compare(t, op.Reverse, a, []tensor{x}, build(func(i []int) float64 {
				from := append([]int{}, i...)
				for _, k := range axes {
					from[k] = x.Sizes[k] - 1 - i[k]
				}
				return at(x, from...)
			}, x.Sizes...))
		}},
		modelMeaning{op.Fill, func(t *rapid.T) {
			sizes, v, over := drawShape(t, 0, 3), rapid.SampledFrom([]float64{0, 1, -3, 0.1, 0.75}).Draw(t, "value"), drawSize(t, "over")
			compare(t, op.Fill, named{"shape": graph.ShapeValue(s(sizes...)), "value": num(v), "den": n(int64(over))}, nil,
				build(func([]int) float64 { return v / float64(over) }, sizes...))
		}},
		modelMeaning{op.Resize, func(t *rapid.T) {
			x := fill(1, drawShape(t, 1, 3)...)
			a, sizes, method, coord := drawResize(t, x.Sizes)
			compare(t, op.Resize, a, []tensor{x},
				build(func(i []int) float64 { return resized(x, method, coord, i, sizes, nil) }, sizes...))
		}})
	entries := map[string]func(t *rapid.T){
		"softmax": func(t *rapid.T) {
			x := fill(1, drawShape(t, 1, 3)...)
			checkEntry(t, op.Softmax, named{"axis": n(int64(rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")))}, x)
		},
		"layernorm": func(t *rapid.T) {
			x := fill(1, drawShape(t, 1, 3)...)
			a := rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")
			checkEntry(t, op.LayerNorm, named{"axis": n(int64(a)), "eps": num(0.25)}, x, fill(2, x.Sizes[a:]...), fill(3, x.Sizes[a:]...))
		},
		"batchnorm": func(t *rapid.T) {
			x := fill(1, drawShape(t, 2, 4)...)
			a, b, c, d := batchNormInputs(x.Sizes[1])
			checkEntry(t, op.BatchNorm, named{"eps": num(0.25)}, x, a, b, c, d)
		},
		"reshape": func(t *rapid.T) {
			x := fill(1, drawShape(t, 0, 4)...)
			checkEntry(t, op.Reshape, named{"shape": graph.ShapeValue(s(drawReshape(t, x.Sizes)...))}, x)
		},
		"pad": func(t *rapid.T) {
			x := fill(1, drawShape(t, 0, 3)...)
			a, _, _, _ := drawPad(t, x.Sizes)
			checkEntry(t, op.Pad, a, x)
		},
		"resize": func(t *rapid.T) {
			x := fill(1, drawShape(t, 1, 3)...)
			a, _, _, _ := drawResize(t, x.Sizes)
			checkEntry(t, op.Resize, a, x)
		},
		"cast": func(t *rapid.T) {
			to := rapid.SampledFrom([]string{"float64", "float16", "int32", "int64", "int8", "bool"}).Draw(t, "to")
			checkEntry(t, op.Cast, named{"to": name(to)}, fill(1, drawShape(t, 0, 2)...))
		},
		"scatteradd": func(t *rapid.T) {
			x, idx, a, size := drawScatter(t)
			checkEntry(t, op.ScatterAdd, named{"axis": n(int64(a)), "n": n(int64(size))}, x, idx)
		},
		"reverse": func(t *rapid.T) {
			x := fill(1, drawShape(t, 0, 4)...)
			_, a := drawReverse(t, x.Sizes)
			checkEntry(t, op.Reverse, a, x)
		},
		"fill": func(t *rapid.T) {
			checkEntry(t, op.Fill, named{"shape": graph.ShapeValue(s(drawShape(t, 0, 3)...)), "value": num(0.3), "den": n(int64(drawSize(t, "den")))})
		},
		"gather": func(t *rapid.T) {
			x := fill(1, drawShape(t, 1, 3)...)
			a := rapid.IntRange(0, len(x.Sizes)-1).Draw(t, "axis")
			idx := fill(2, drawShape(t, 0, 2)...)
			for i := range idx.Data {
				idx.Data[i] = float64(rapid.IntRange(-x.Sizes[a], x.Sizes[a]-1).Draw(t, "position"))
			}
			checkEntry(t, op.Gather, named{"axis": n(int64(a))}, x, idx)
		},
	}
	for k, f := range entries {
		modelEntries[k] = f
	}
}

func batchNormInputs(c int) (scale, bias, mean, variance tensor) {
	variance = fill(5, c)
	for i, x := range variance.Data {
		variance.Data[i] = math.Abs(x)
	}
	return fill(2, c), fill(3, c), fill(4, c), variance
}

// drawScatter draws parts, their positions, the axis and the size of the result.
func drawScatter(t *rapid.T) (x, idx tensor, axis, size int) {
	around := drawShape(t, 0, 3)
	axis = rapid.IntRange(0, len(around)).Draw(t, "axis")
	idx, size = fill(2, drawShape(t, 0, 2)...), drawSize(t, "n")
	for i := range idx.Data {
		idx.Data[i] = float64(rapid.IntRange(-size, size-1).Draw(t, "position"))
	}
	x = fill(1, append(append(append([]int{}, around[:axis]...), idx.Sizes...), around[axis:]...)...)
	return x, idx, axis, size
}

// drawReverse draws axes.
func drawReverse(t *rapid.T, sizes []int) (axes []int, a named) {
	tup := []int64{}
	for i := range sizes {
		if rapid.Bool().Draw(t, "reversed") {
			axes, tup = append(axes, i), append(tup, int64(i))
		}
	}
	return axes, named{"axes": tuple(tup...)}
}

// drawReshape draws another shape with as many elements.
func drawReshape(t *rapid.T, sizes []int) []int {
	to := append([]int{}, sizes...)
	for range rapid.IntRange(0, 4).Draw(t, "steps") {
		if i := rapid.IntRange(0, len(to)).Draw(t, "place"); i+1 < len(to) && rapid.Bool().Draw(t, "merge") {
			to = append(append(append([]int{}, to[:i]...), to[i]*to[i+1]), to[i+2:]...)
		} else {
			for d := 2; d <= 3; d++ {
				if i < len(to) && to[i]%d == 0 {
					to = append(append(append([]int{}, to[:i]...), to[i]/d, d), to[i+1:]...)
					break
				}
			}
			if rapid.Bool().Draw(t, "one") && i <= len(to) {
				to = append(append(append([]int{}, to[:i]...), 1), to[i:]...)
			}
		}
	}
	return to
}

// drawResize draws other sizes and a mode.
func drawResize(t *rapid.T, from []int) (a named, sizes []int, method, coord string) {
	sizes = make([]int, len(from))
	tup := make([]int64, len(from))
	for i := range sizes {
		sizes[i] = rapid.IntRange(1, 7).Draw(t, "size")
		tup[i] = int64(sizes[i])
	}
	method = rapid.SampledFrom([]string{"linear", "nearest_floor", "nearest_ceil", "nearest_round", "nearest_roundup"}).Draw(t, "method")
	coord = rapid.SampledFrom([]string{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}).Draw(t, "coordinates")
	return named{"sizes": tuple(tup...), "mode": name(method + "_" + coord)}, sizes, method, coord
}

func drawPad(t *rapid.T, sizes []int) (a named, to, before []int, value float64) {
	var b, e []int64
	for _, k := range sizes {
		x, y := rapid.IntRange(0, 2).Draw(t, "before"), rapid.IntRange(0, 2).Draw(t, "after")
		b, e, before, to = append(b, int64(x)), append(e, int64(y)), append(before, x), append(to, k+x+y)
	}
	value = rapid.SampledFrom([]float64{0, 1, -3, 0.1}).Draw(t, "value")
	return named{"before": tuple(b...), "after": tuple(e...), "value": num(value)}, to, before, value
}

// resized samples one axis after the other, in floating point.
func resized(x tensor, method, coord string, i, sizes, from []int) float64 {
	a := len(from)
	if a == len(sizes) {
		return at(x, from...)
	}
	size, out, k := float64(x.Sizes[a]), float64(sizes[a]), float64(i[a])
	c := k * size / out
	switch {
	case coord == "half_pixel", coord == "pytorch_half_pixel" && out > 1:
		c = (k+0.5)*size/out - 0.5
	case coord == "pytorch_half_pixel", coord == "align_corners" && out == 1:
		c = 0
	case coord == "align_corners":
		c = k * (size - 1) / (out - 1)
	}
	c = math.Round(c*1e12) / 1e12 // ties are ties
	cell := func(c float64) float64 {
		return resized(x, method, coord, i, sizes, append(from[:a:a], int(math.Min(math.Max(c, 0), size-1))))
	}
	switch method {
	case "nearest_floor":
		return cell(math.Floor(c))
	case "nearest_ceil":
		return cell(math.Ceil(c))
	case "nearest_round":
		return cell(math.Ceil(c - 0.5))
	case "nearest_roundup":
		return cell(math.Floor(c + 0.5))
	}
	c = math.Min(math.Max(c, 0), size-1)
	low := math.Floor(c)
	if c == low {
		return cell(low)
	}
	below := (low + 1 - c) * cell(low)
	return below + (c-low)*cell(low+1)
}
