package grad_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/graph/interp"
	_ "github.com/taso-go/taso/graph/op"
	"pgregory.net/rapid"
)

// applications are graphs of one operator, those of one element aside: inputs, then the
// application. In ordered ones the order of numbers matters, which has no meaning modulo
// the prime, or numbers are divided, which is unknown there.
var applications = []struct {
	text    string
	ordered bool
}{
	{"x : float32[2, 3]; y : float32[2, 3]; z = ewadd(x, y)", false},
	{"x : float32[2, 3]; z = ewadd(x, x)", false},
	{"x : float32[2, 3]; y : float32[2, 3]; z = ewsub(x, y)", false},
	{"x : float32[2, 3]; y : float32[2, 3]; z = ewmul(x, y)", false},
	{"x : float32[2, 3]; y : float32[2, 3]; z = ewdiv(x, y)", false},
	{"x : float32[5, 7]; y : float32[5, 7]; z = ewmax(x, y)", true},
	{"x : float32[5, 7]; y : float32[5, 7]; z = ewmin(x, y)", true},
	{"x : float32[5, 7]; y : float32[5, 7]; z = ewless(x, y)", true},
	{"x : float32[5, 7]; y : float32[5, 7]; z = ewlessequal(x, y)", true},
	{"x : float32[5, 7]; y : float32[5, 7]; z = ewequal(x, y)", true},
	{"c : float32[5, 7]; x : float32[5, 7]; y : float32[5, 7]; z = ewwhere(c, x, y)", true},
	{"x : float32[2, 3]; z = neg(x)", false},
	{"x : float32[2, 3]; y : float32[]; z = smul(x, y)", false},
	{"x : float32[]; y : float32[]; z = smul(x, y)", false},
	{"x : float32[2, 3]; y : float32[3, 4]; z = matmul(x, y)", false},
	{"x : float32[2, 5, 2, 3]; y : float32[2, 5, 3, 1]; z = matmul(x, y)", false},
	{"x : float32[2, 3]; y : float32[2, 1]; z = concat[axis=1](x, y)", false},
	{"x : float32[4, 3]; z = slice[axis=0, lo=1, hi=3](x)", false},
	{"x : float32[4, 3]; z = split[axis=0, at=1](x); return z.0, z.1", false},
	{"x : float32[4, 3]; z = split[axis=0, at=1](x); return z.1", false},
	{"x : float32[4, 3]; z = split[axis=0, at=1](x); return z.0", false},
	{"x : float32[2, 3, 4]; z = transpose[perm=(2, 0, 1)](x)", false},
	{"x : float32[2, 6]; z = reshape[shape=[3, 4]](x)", false},
	{"x : float32[2, 1, 3]; z = broadcast[shape=[4, 2, 5, 3]](x)", false},
	{"x : float32[]; z = broadcast[shape=[2, 2]](x)", false},
	{"x : float32[2, 3]; z = pad[before=(1, 0), after=(0, 2), value=3.0](x)", false},
	{"x : float32[2, 3, 2, 3]; z = enlarge[kh=5, kw=3](x)", false},
	{"x : float32[2, 3, 4]; z = reverse[axes=(0, 2)](x)", false},
	{"x : float32[2, 3, 4]; z = reducesum[axes=(0, 2)](x)", false},
	{"x : float32[2, 3, 4]; z = reducesum[axes=(1), keep=1](x)", false},
	{"x : float32[2, 3, 4]; z = reducemean[axes=(0, 1, 2)](x)", false},
	{"x : float32[2, 3, 4]; z = reducemean[axes=(1), keep=1](x)", false},
	{"x : float32[3, 9, 2]; z = reducemax[axes=(1)](x)", true},
	{"x : float32[3, 9, 2]; z = reducemax[axes=(0, 1), keep=1](x)", true},
	{"x : float32[2, 3, 4]; z = softmax[axis=1](x)", false},
	{"x : float32[2, 3, 4]; s : float32[3, 4]; b : float32[3, 4]; z = layernorm[axis=1, eps=0.5](x, s, b)", false},
	{"x : float32[6]; s : float32[6]; b : float32[6]; z = layernorm[axis=0, eps=0.5](x, s, b)", false},
	{"x : float32[2, 3, 4]; s : float32[3]; b : float32[3]; m : float32[3]; v : float32[3]; z = batchnorm[eps=1.5](x, s, b, m, v)", false},
	{"x : float32[2, 3]; s : float32[3]; b : float32[3]; m : float32[3]; v : float32[3]; z = batchnorm[eps=1.5](x, s, b, m, v)", false},
	{"x : float32[2, 5, 3]; i : int64[4, 2]; z = gather[axis=1](x, i)", false},
	{"x : float32[4]; i : int64[]; z = gather[axis=0](x, i)", false},
	{"x : float32[3, 2]; k : int64 = iota[n=3](); i : int64[4]; z = pick[n=5](x, k, i)", false},
	{"x : float32[3, 2]; k : int64 = iota[n=3](); i : int64[2, 2]; z = pick[n=3](x, k, i)", false},
	{"x : float32[4]; k : int64 = iota[n=4](); i : int64[]; z = pick[n=4](x, k, i)", false},
	{"x : float32[2, 4, 2, 3]; i : int64[4, 2]; z = scatteradd[axis=1, n=3](x, i)", false},
	{"x : float32[2]; i : int64[]; z = scatteradd[axis=1, n=4](x, i)", false},
	{"x : float32[2, 3]; z = cast[to=float32, mode=exact](x)", false},
	{"x : float32[2, 6]; z = partition[axis=1, on=3](x)", false},
	{"x : float32[3, 2, 4]; z = combine[axis=1](x)", false},
	{"x : float32[2, 3]; z = replicate[on=4](x)", false},
	{"x : float32[4, 2, 3]; z = reduce(x)", false},
	{"x : float32[2, 3]; z = lift[on=4](x)", false},
	{"x : float32[4, 2, 3]; z = drop(x)", false},
	{"x : float32[4, 2, 3]; z = allreduce(x)", false},
	{"x : float32[2, 4, 3]; z = reducescatter[axis=0](x)", false},
	{"x : float32[2, 4, 3]; z = allgather[axis=1](x)", false},
	{"x : float32[2, 4, 3]; z = alltoall[split=0, concat=1](x)", false},
	{"x : float32[4, 3]; z = pipeline[axis=0, on=2](x)", false},
	{"x : float32[2, 4, 3]; z = batch[axis=0](x)", false},
	{"x : float32[3, 2, 4]; z = halo[axis=1, before=1, after=3](x)", false},
	{"x : float32[1, 2, 4]; z = halo[axis=1, before=1, after=2](x)", false},
	{"x : float32[2, 3, 4]; z = resize[sizes=(2, 5, 3), mode=linear_half_pixel](x)", false},
	{"x : float32[3, 4]; z = resize[sizes=(6, 1), mode=linear_pytorch_half_pixel](x)", false},
	{"x : float32[3, 4]; z = resize[sizes=(7, 2), mode=nearest_floor_asymmetric](x)", false},
	{"x : float32[1, 2, 5, 5]; z = poolmax[kh=3, kw=2, stride=(2, 1), pad=same_upper](x)", true},
	{"x : float32[1, 2, 5, 5]; z = poolmax[kh=2, kw=2, stride=(2, 2), pad=valid](x)", true},
	{"x : float32[1, 2, 5, 5]; z = poolmax[kh=5, kw=5, pad=valid](x)", true},
	{"x : float32[1, 2, 5, 5]; z = poolavg[kh=3, kw=2, stride=(2, 1), pad=same_upper](x)", false},
	{"x : float32[1, 2, 5, 5]; z = poolavg[kh=3, kw=2, stride=(2, 1), pad=same_lower, border=excluded](x)", true},
	{"x : float32[1, 2, 5, 5]; z = poolavg[kh=3, kw=3, stride=(2, 2), pad=valid, border=excluded](x)", false},
	{"x : float32[2, 4, 5, 4]; w : float32[6, 2, 3, 2]; z = conv2d[stride=(2, 1), pad=same_upper, groups=2](x, w)", false},
	{"x : float32[1, 2, 5, 4]; w : float32[3, 2, 3, 2]; z = conv2d[pad=(1, 0, 2, 1), act=sigmoid](x, w)", false},
	{"x : float32[1, 3, 7, 7]; w : float32[3, 1, 1, 1]; z = conv2d[stride=(2, 3), pad=valid, groups=3](x, w)", false},
	{"x : float32[1, 3, 1, 1]; w : float32[2, 3, 3, 3]; z = conv2d[pad=same_lower](x, w)", false},
	{"x : float32[2, 4, 9, 5]; w : float32[6, 2, 3, 2]; z = conv2d[stride=(2, 1), pad=same_upper, groups=2, dilation=(3, 2)](x, w)", false},
	{"x : float32[1, 2, 6, 5]; w : float32[3, 2, 3, 3]; z = conv2d[pad=(2, 3, 2, 1), act=sigmoid, dilation=(2, 2)](x, w)", false},
	{"x : float32[1, 2, 3, 3]; w : float32[2, 1, 3, 3]; z = conv2d[pad=(8, 8, 8, 8), groups=2, dilation=(8, 8)](x, w)", false},
	{"x : float32[1, 2, 5, 5]; w : float32[3, 2, 3, 3]; z = conv2d[pad=(1, 1, 1, 1), act=relu](x, w)", false},
}

// parsed is a graph of the table.
func parsed(t testing.TB, text string) *graph.Graph {
	t.Helper()
	if !strings.Contains(text, "return") {
		text += "; return z"
	}
	g, err := graph.ParseText("test", strings.ReplaceAll(text, "; ", "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// last is the operator that a graph is there for.
func last(g *graph.Graph) *graph.Op { return g.Op(g.Outputs()[0].Node) }

// Each operator's derivative is what its definition has over dual numbers: modulo the
// prime, where what is unknown of functions cancels, in rational numbers, where larger
// and smaller mean something, or both; and in float64.
func TestOperators(t *testing.T) {
	exact := map[string]bool{}
	for _, c := range applications {
		g := parsed(t, c.text)
		pull := pullback(t, g)
		name := last(g).Name
		for seed := range 5 {
			if !c.ordered {
				if err := exactly(g, pull, seed); err != nil {
					t.Errorf("%s: %v", c.text, err)
				} else {
					exact[name] = true
				}
			}
			switch err := rationally(g, pull, seed); {
			case errors.Is(err, errBad):
			case err != nil:
				t.Errorf("%s: %v", c.text, err)
			default:
				exact[name] = true
			}
			if !slices.Contains([]string{"ewdiv", "ewless", "ewlessequal", "ewequal"}, name) { // numbers near 0, nothing but 0
				if err := nearly(g, pull, seed, nil); err != nil {
					t.Errorf("%s: %v", c.text, err)
				}
			}
		}
	}
	for _, o := range graph.Ops() {
		switch {
		case o.In == 0 || o.Pointwise:
		case o.Grad == nil && o.Expand == nil && o.Chain == nil: // it has none
		case !exact[o.Name]:
			t.Errorf("operator %s: its derivative is compared with nothing that is exact", o.Name)
		}
	}
}

// Windows of all kinds slide over images of all sizes.
func TestWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
		groups, c, o := draw("groups", 1, 3), draw("c", 1, 2), draw("o", 1, 2)
		kh, kw := draw("kh", 1, 4), draw("kw", 1, 4)
		kind := rapid.SampledFrom([]string{"conv2d", "dilated", "poolavg", "poolmax", "excluded"}).Draw(t, "kind")
		dh, dw := 1, 1
		if kind == "dilated" {
			dh, dw = draw("dh", 1, 4), draw("dw", 1, 4)
		}
		pad := rapid.SampledFrom([]string{"same_upper", "same_lower", "valid",
			fmt.Sprintf("(%d, %d, %d, %d)", draw("top", 0, (kh-1)*dh), draw("left", 0, (kw-1)*dw), draw("bottom", 0, (kh-1)*dh), draw("right", 0, (kw-1)*dw))}).Draw(t, "pad")
		window := fmt.Sprintf("stride=(%d, %d), pad=%s", draw("sh", 1, 3), draw("sw", 1, 3), pad)
		x := fmt.Sprintf("x : float32[%d, %d, %d, %d]; ", draw("b", 1, 2), groups*c, draw("h", 1, 6), draw("w", 1, 6))
		text := fmt.Sprintf("%sw : float32[%d, %d, %d, %d]; z = conv2d[%s, groups=%d, dilation=(%d, %d)](x, w); return z", x, groups*o, c, kh, kw, window, groups, dh, dw)
		switch kind {
		case "poolavg", "poolmax":
			text = fmt.Sprintf("%sz = %s[kh=%d, kw=%d, %s](x); return z", x, kind, kh, kw, window)
		case "excluded":
			text = fmt.Sprintf("%sz = poolavg[kh=%d, kw=%d, %s, border=excluded](x); return z", x, kh, kw, window)
		}
		g, err := graph.ParseText("drawn", strings.ReplaceAll(text, "; ", "\n"))
		if err != nil {
			t.Skip(err) // the window does not fit
		}
		pull, err := grad.Pullback(g, floats(g))
		if err != nil {
			t.Fatal(err)
		}
		compare := exactly
		if kind == "poolmax" || kind == "excluded" {
			compare = rationally
		}
		if err := compare(g, pull, draw("seed", 0, 99)); err != nil {
			t.Fatalf("%s: %v\n%s", text, err, pull)
		}
	})
}

// All small windows, along one axis and along both.
func TestSmallWindows(t *testing.T) {
	tried := 0
	for _, pad := range []string{"same_upper", "same_lower", "valid", "(1, 0, 0, 0)", "(0, 0, 1, 0)", "(1, 0, 2, 0)", "(2, 2, 1, 1)"} {
		for n := range 5 * 3 * 3 * 2 {
			h, k, s, both := n%5+1, n/5%3+1, n/15%3+1, n/45 == 1
			w, kw, sw := 2, 1, 1
			if both {
				w, kw, sw = h, k, s
			}
			window := fmt.Sprintf("stride=(%d, %d), pad=%s", s, sw, pad)
			for kind, text := range map[string]string{
				"conv2d":  fmt.Sprintf("x : float32[1, 1, %d, %d]\nw : float32[1, 1, %d, %d]\nz = conv2d[%s](x, w)\nreturn z", h, w, k, kw, window),
				"dilated": fmt.Sprintf("x : float32[1, 1, %d, %d]\nw : float32[1, 1, %d, %d]\nz = conv2d[%s, dilation=(2, %d)](x, w)\nreturn z", h, w, k, kw, window, k),
				"poolavg": fmt.Sprintf("x : float32[1, 1, %d, %d]\nz = poolavg[kh=%d, kw=%d, %s](x)\nreturn z", h, w, k, kw, window),
				"poolmax": fmt.Sprintf("x : float32[1, 1, %d, %d]\nz = poolmax[kh=%d, kw=%d, %s](x)\nreturn z", h, w, k, kw, window),
			} {
				g, err := graph.ParseText("window", text)
				if err != nil {
					continue // it does not fit
				}
				tried++
				compare := exactly
				if kind == "poolmax" {
					compare = rationally
				}
				if err := compare(g, pullback(t, g), n); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("%d windows", tried)
	}
}

// The derivatives of functions of one element are those of differences, everywhere but at
// corners.
func TestSlopes(t *testing.T) {
	for _, o := range graph.Ops() {
		if !o.IsFunction() {
			continue
		}
		for _, params := range [][]float64{{0.25, 0.75}, {-1, 2}, {math.Inf(-1), 0.5}, {0.5, math.Inf(1)}} {
			if len(o.Params) == 0 && params[0] != 0.25 || params[0] < 0 && (o.Name == "rsqrt" || o.Name == "elu") ||
				math.IsInf(params[0]*params[1], 0) && o.Name != "clip" {
				continue
			}
			params = params[:len(o.Params)]
			a := make([]graph.Value, len(params))
			for i, p := range params {
				a[i] = graph.NumberValue(p)
			}
			name := graph.FuncText(o.Name, a...)
			f, k := o.Value(params), dualsOver[float64](interp.Float{})
			tried := 0
			for x := -4.9; x < 5; x += 0.0731 {
				const h = 1e-5
				want := (f(x+h) - f(x-h)) / (2 * h)
				// Curves bend, corners more so: the two halves differ there.
				if left, right := f(x)-f(x-h), f(x+h)-f(x); math.IsNaN(want) || math.Abs(right-left) > 1e-6 {
					continue
				}
				tried++
				if got := k.slope(name, x); math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
					t.Errorf("%s at %g: %g, by differences %g", name, x, got, want)
				}
			}
			if tried < 25 { // some have values on a part of the range
				t.Errorf("%s: compared at %d places", name, tried)
			}
		}
	}
}

// The average of more elements than an attribute may count is divided in several steps.
func TestMeanOfMany(t *testing.T) {
	pull := pullback(t, parsed(t, "x : float32[65536, 3, 32768]\ny = reducemean[axes=(0, 1, 2), keep=0](x)\nreturn y\n"))
	product := 1
	for id := range pull.Nodes() {
		if o := pull.Op(id); o != nil && o.Name == "fill" {
			den, _ := pull.Attrs(id)[2].Dim()
			n, _ := den.Const()
			product *= int(n)
		}
	}
	if product != 65536*3*32768 || strings.Count(pull.String(), "smul") != 2 {
		t.Errorf("divided by %d in\n%s", product, pull)
	}
	g := parsed(t, "w : weight float32[65536, 65536]\ny = neg(w)\nreturn y\n")
	if _, err := grad.Train(g, grad.Options{Loss: grad.MeanSquare}); err != nil {
		t.Error(err)
	}
}
