package bounds_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bounds"
	_ "github.com/taso-go/taso/graph/op"
)

// points are numbers at which functions jump, have poles, or have no value.
var points = []float64{-1e10, -7, -2, -math.Pi / 2, -1, -0.5, -1e-5, -1e-10, 0, 1e-10, 1e-5, 0.25, 1, math.Pi / 2, 3, 1e10}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// A function that says that it has values somewhere has them, and one that has none says so.
func TestHasValue(t *testing.T) {
	partial := 0
	for _, o := range graph.Ops() {
		if o.Value == nil {
			continue
		}
		for _, p := range []float64{0, 1e-5, 0.5, 1} {
			params := make([]float64, len(o.Params))
			for i := range params {
				params[i] = p
			}
			f := o.Value(params)
			for i, x := range points {
				if math.Abs(x) > 100 && finite(f(x/1e9)) {
					continue // too large for the type, and not without a value
				}
				at := graph.PointInterval(x)
				if has := o.HasValue == nil || o.HasValue(params, at); has && !finite(f(x)) {
					t.Errorf("%s%v has no value at %v", o.Name, params, x)
				}
				for _, y := range points[i:] {
					in := graph.Interval{Lo: x, Hi: y}
					if o.HasValue == nil || !o.HasValue(params, in) {
						continue
					}
					for _, z := range points {
						if x <= z && z <= y && !finite(f(z)) && math.Abs(z) < 100 {
							t.Errorf("%s%v has no value at %v between %v and %v", o.Name, params, z, x, y)
						}
					}
				}
			}
		}
		for _, x := range points {
			f := o.Value(make([]float64, len(o.Params)))
			// What is too small for the type is not 0.
			if y := f(x); math.Abs(x) < 100 && y == 0 && (o.Nowhere0 || o.Only0AtZero && x != 0) {
				t.Errorf("%s is 0 at %v", o.Name, x)
			}
		}
		if o.HasValue != nil {
			partial++
			if !o.Partial {
				t.Errorf("%s is not marked as partial", o.Name)
			}
		}
	}
	if partial < 8 {
		t.Errorf("%d partial functions of one element", partial)
	}
}

// What has a value everywhere needs no mark, and what has not needs one: else laws about it
// are not looked at.
func TestPartial(t *testing.T) {
	read := func(text string) *graph.Graph {
		g, err := graph.ParseText("test", text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for name, c := range map[string]struct {
		text string
		real bool // z has values
	}{
		"log":                    {"z = log(x)", false},
		"log of exp":             {"e = exp(x)\nz = log(e)", true},
		"log of softmax":         {"e = softmax[axis=1](x)\nz = log(e)", true},
		"log of sigmoid":         {"e = sigmoid(x)\nz = log(e)", true},
		"log of relu":            {"e = relu(x)\nz = log(e)", false},
		"log of relu and 1":      {"e = relu(x)\nc = one[shape=[2, 3]]()\nd = ewadd(e, c)\nz = log(d)", true},
		"log of relu less 1":     {"e = relu(x)\nc = one[shape=[2, 3]]()\nd = ewsub(e, c)\nz = log(d)", false},
		"log of 2 to 3":          {"e = clip[lo=2.0, hi=3.0](x)\nz = log(e)", true},
		"log of -2 to 3":         {"e = clip[lo=-2.0, hi=3.0](x)\nz = log(e)", false},
		"log moved":              {"e = exp(x)\nd = transpose(e)\nz = log(d)", true},
		"log and what follows":   {"e = log(x)\nz = relu(e)", false},
		"sqrt of a square":       {"e = ewmul(x, x)\nz = sqrt(e)", true},
		"sqrt of two like nodes": {"c = neg(x)\nd = neg(x)\ne = ewmul(c, d)\nz = sqrt(e)", true},
		"sqrt of a product":      {"e = ewmul(x, y)\nz = sqrt(e)", false},
		"rsqrt of a square":      {"e = ewmul(x, x)\nz = rsqrt[eps=0.00001](e)", true},
		"rsqrt without eps":      {"e = ewmul(x, x)\nz = rsqrt[eps=0.0](e)", false},
		"reciprocal":             {"z = reciprocal(x)", false},
		"reciprocal of exp":      {"e = exp(x)\nz = reciprocal(e)", true},
		"reciprocal of sum exp":  {"e = exp(x)\nd = reducesum[axes=(1), keep=1](e)\nz = reciprocal(d)", true},
		"quotient":               {"z = ewdiv(x, y)", false},
		"quotient by exp":        {"e = exp(y)\nz = ewdiv(x, e)", true},
		"log of a quotient":      {"c = exp(x)\nd = exp(y)\ne = ewdiv(c, d)\nz = log(e)", true},
		"quotient by minus exp":  {"e = exp(y)\nd = neg(e)\nz = ewdiv(x, d)", true},
		"quotient by x - x":      {"e = ewsub(x, x)\nz = ewdiv(y, e)", false},
		"larger one":             {"c = one[shape=[2, 3]]()\ne = ewmax(x, c)\nz = ewdiv(y, e)", true},
		"smaller one":            {"c = one[shape=[2, 3]]()\ne = ewmin(x, c)\nz = ewdiv(y, e)", false},
		"power":                  {"z = ewpow(x, y)", false},
		"power of exp":           {"e = exp(x)\nz = ewpow(e, y)", true},
		"square as a power":      {"c = fill[shape=[2, 3], value=2.0]()\nz = ewpow(x, c)", true},
		"root as a power":        {"c = fill[shape=[2, 3], value=0.5]()\nz = ewpow(x, c)", false},
		"inverse as a power":     {"c = fill[shape=[2, 3], value=-1.0]()\nz = ewpow(x, c)", false},
		"acos of tanh":           {"e = tanh(x)\nz = acos(e)", true},
		"atanh of tanh":          {"e = tanh(x)\nz = atanh(e)", false},
		"acosh":                  {"z = acosh(x)", false},
		"tan":                    {"z = tan(x)", false},
		"layernorm":              {"z = layernorm[axis=1, eps=0.00001](x, k, k)", true},
		"layernorm without eps":  {"z = layernorm[axis=1, eps=0.0](x, k, k)", false},
		"softmax":                {"z = softmax[axis=1](x)", true},
		"choice of the positive": {"c = fill[shape=[2, 3], value=0.0]()\np = ewless(c, x)\nl = log(x)\nz = ewwhere(p, l, c)", false},
		"comparison":             {"l = log(x)\nz = ewless(l, y)", true},
		"activation":             {"i = reshape[shape=[1, 1, 2, 3]](x)\nw = one[shape=[1, 1, 1, 1]]()\nz = conv2d[pad=valid, act=log](i, w)", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := read("x : float32[2, 3]\ny : float32[2, 3]\nk : float32[3]\n" + c.text + "\nreturn z")
			un := bounds.Unreal(g, nil)
			if got := un[g.Outputs()[0]] == bounds.Real; got != c.real {
				t.Errorf("has values: %t, want %t", got, c.real)
			}
			for x := range un {
				if o := g.Op(x.Node); !o.Partial && o.Name != "conv2d" && !anyOf(un, g.Operands(x.Node)) {
					t.Errorf("%s may have no value and is not marked as partial", o.Name)
				}
			}
		})
	}
}

// Where a function has no value, its result is one of a function of which proofs know
// nothing, or it is computed with: of a quotient they know that it is a product.
func TestOutermost(t *testing.T) {
	for text, want := range map[string]bounds.Status{
		"z = log(x)":                              bounds.Outermost,
		"z = reciprocal(x)":                       bounds.Outermost,
		"z = ewpow(x, y)":                         bounds.Outermost,
		"z = ewdiv(x, y)":                         bounds.Within,
		"l = log(x)\nz = relu(l)":                 bounds.Within,
		"l = log(x)\nz = ewadd(l, y)":             bounds.Within,
		"l = log(x)\nz = transpose(l)":            bounds.Outermost,
		"z = layernorm[axis=1, eps=0.0](x, k, k)": bounds.Within,
	} {
		g, err := graph.ParseText("test", "x : float32[2, 3]\ny : float32[2, 3]\nk : float32[3]\n"+text+"\nreturn z")
		if err != nil {
			t.Fatal(err)
		}
		if got := bounds.Unreal(g, nil)[g.Outputs()[0]]; got != want {
			t.Errorf("%s: status %d, want %d", text, got, want)
		}
	}
}

func anyOf(is map[graph.Tensor]bounds.Status, ts []graph.Tensor) bool {
	for _, t := range ts {
		if is[t] != bounds.Real {
			return true
		}
	}
	return false
}

// Arithmetic of intervals holds all numbers that it is about, and no 0 where it says so.
func TestIntervals(t *testing.T) {
	var all []graph.Interval
	points := []float64{-1e10, -2, -0.5, -1e-10, 0, 1e-10, 1, 3}
	for i, x := range points {
		for _, y := range points[i:] {
			all = append(all, graph.Interval{Lo: x, Hi: y})
			if x <= 0 && y >= 0 {
				all = append(all, graph.Interval{Lo: x, Hi: y, NonZero: true})
			}
		}
	}
	holds := func(i graph.Interval, x float64) bool { return i.Lo <= x && x <= i.Hi && (x != 0 || !i.NonZero) }
	check := func(what string, i graph.Interval, x float64) {
		if !holds(i, x) {
			t.Fatalf("%s: %v does not hold %v", what, i, x)
		}
	}
	for _, i := range all {
		for _, j := range all {
			for _, x := range points {
				for _, y := range points {
					if !holds(i, x) || !holds(j, y) {
						continue
					}
					text := fmt.Sprint(i, x, j, y)
					check("sum "+text, i.Add(j), x+y)
					check("product "+text, i.Mul(j), x*y)
					check("maximum "+text, i.Max(j), max(x, y))
					check("hull "+text, i.Hull(j), x)
					if p := math.Pow(x, y); finite(p) && p != 0 {
						check("power "+text, i.Pow(j), p)
					}
				}
			}
		}
	}
	for _, i := range all {
		for _, x := range points {
			if holds(i, x) {
				check("square", i.Square(), x*x)
				check("negative", i.Neg(), -x)
				check("3 times", i.Times(3, false), 3*x)
				check("up to 3 times", i.Times(3, true), 0)
			}
		}
	}
}
