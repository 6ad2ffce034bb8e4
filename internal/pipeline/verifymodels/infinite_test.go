package verifymodels_test

import (
	"context"
	"math"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

const (
	masked = `x : float32[4, 4]
m : int64[4]
on : weight float32[]
off : weight float32[]
k = reshape[shape=[1, 4]](m)
b = broadcast[shape=[4, 4]](k)
d = cast[to=bool](b)
c = cast[to=float32](d)
o = broadcast[shape=[4, 4]](on)
n = broadcast[shape=[4, 4]](off)
w = ewwhere(c, o, n)
s = ewadd(x, w)
`
	guarded = masked + `p = softmax[axis=1](s)
q = isnan(p)
y = ewwhere(q, o, p)
z = matmul(y, x)
return z`
	// The same in another layout, with the product done in two.
	guarded2 = `x : float32[4, 4]
m : int64[4]
on : weight float32[]
off : weight float32[]
e = cast[to=bool](m)
c = cast[to=float32](e)
o = broadcast[shape=[4]](on)
n = broadcast[shape=[4]](off)
v = ewwhere(c, o, n)
r = reshape[shape=[1, 4]](v)
w = broadcast[shape=[4, 4]](r)
t = ewadd(w, x)
u = transpose[perm=(1, 0)](t)
p = softmax[axis=0](u)
q = isnan(p)
d = broadcast[shape=[4, 4]](on)
h = ewwhere(q, d, p)
y = transpose[perm=(1, 0)](h)
x0 = slice[axis=1, lo=0, hi=1](x)
x1 = slice[axis=1, lo=1, hi=4](x)
z0 = matmul(y, x0)
z1 = matmul(y, x1)
z = concat[axis=1](z0, z1)
return z`
)

// What is infinite, or no number, is equal where the same is done with it, and only there.
func TestInfinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	off := map[string][]float32{"off": {-inf}, "on": {0}}
	plus := func(w float32) map[string][]float32 { return map[string][]float32{"w": {w, 2, 3, 4}} }
	const wide = "x : float32[1, 1, 1, 8192]\nw : weight float32[1, 1, 1, 3]\n"
	const head = "x : float32[4]\nw : weight float32[4]\n"
	for _, c := range []struct {
		name   string
		a, b   string
		wa, wb map[string][]float32
		equal  bool
	}{
		{"a mask made safe", guarded, guarded2, off, off, true},
		{"a mask that is not made safe", masked + "p = softmax[axis=1](s)\nreturn p",
			"x : float32[4, 4]\nm : int64[4]\non : weight float32[]\noff : weight float32[]\ne = cast[to=bool](m)\nc = cast[to=float32](e)\no = broadcast[shape=[4]](on)\nn = broadcast[shape=[4]](off)\n" +
				"v = ewwhere(c, o, n)\nr = reshape[shape=[1, 4]](v)\nw = broadcast[shape=[4, 4]](r)\nt = ewadd(w, x)\np = softmax[axis=1](t)\nreturn p", off, off, true},
		{"terms in another order", head + "a = ewadd(x, w)\ny = ewadd(a, x)\nreturn y", head + "a = ewadd(x, x)\ny = ewadd(w, a)\nreturn y", plus(-inf), plus(-inf), true},
		{"the largest in another order", head + "r = relu(x)\na = ewmax(x, w)\ny = ewmax(a, r)\nreturn y", head + "r = relu(x)\na = ewmax(r, x)\ny = ewmax(a, w)\nreturn y", plus(-inf), plus(-inf), true},
		{"a choice that is known", "x : float32[4]\nc : weight float32[4]\nw : weight float32[4]\na = ewwhere(c, x, w)\nreturn a",
			"x : float32[4]\nc : weight float32[4]\nw : weight float32[4]\ns = slice[axis=0, lo=0, hi=3](x)\nt = slice[axis=0, lo=3, hi=4](w)\na = concat[axis=0](s, t)\nreturn a",
			map[string][]float32{"c": {1, 1, 1, 0}, "w": {inf, inf, inf, -inf}}, map[string][]float32{"c": {1, 1, 1, 0}, "w": {inf, inf, inf, -inf}}, true},

		{"something for nothing", guarded, guarded2, off, map[string][]float32{"off": {-inf}, "on": {1e-3}}, false},
		{"a large number for infinity", guarded, guarded2, off, map[string][]float32{"off": {-math.MaxFloat32}, "on": {0}}, false},
		{"the other infinity", guarded, guarded2, off, map[string][]float32{"off": {inf}, "on": {0}}, false},
		{"no number for infinity", guarded, guarded2, off, map[string][]float32{"off": {nan}, "on": {0}}, false},
		{"no guard", guarded, masked + "p = softmax[axis=1](s)\nz = matmul(p, x)\nreturn z", off, off, false},
		{"another axis", guarded, masked + "p = softmax[axis=0](s)\nq = isnan(p)\ny = ewwhere(q, o, p)\nz = matmul(y, x)\nreturn z", off, off, false},
		{"a guard of something else", guarded, masked + "p = softmax[axis=1](s)\nq = isnan(s)\ny = ewwhere(q, o, p)\nz = matmul(y, x)\nreturn z", off, off, false},
		{"a guard the other way", guarded, masked + "p = softmax[axis=1](s)\nq = isnan(p)\ny = ewwhere(q, p, o)\nz = matmul(y, x)\nreturn z", off, off, false},
		{"0 times what is no number", masked + "p = softmax[axis=1](s)\ne = ewsub(p, p)\nz = ewadd(x, e)\nreturn z", masked + "z = ewadd(x, o)\nreturn z", off, off, false},
		{"0 times what is infinite", head + "z = ewsub(x, x)\na = ewmul(z, w)\ny = ewadd(a, x)\nreturn y", head + "y = ewadd(x, x)\nz = ewsub(y, x)\nreturn z", plus(-inf), plus(-inf), false},
		{"what is taken away again", head + "a = ewadd(x, w)\ny = ewsub(a, w)\nreturn y, a", head + "a = ewadd(x, w)\nb = ewadd(x, x)\ny = ewsub(b, x)\nreturn y, a", plus(-inf), plus(-inf), false},
		{"what is taken away from itself", masked + "y = ewsub(s, s)\nreturn y", masked + "y = ewsub(n, n)\nreturn y", off, off, false},
		{"another place", head + "y = ewadd(x, w)\nreturn y", head + "y = ewadd(w, x)\nreturn y", plus(-inf), map[string][]float32{"w": {1, -inf, 3, 4}}, false},
		{"a factor of what is infinite", head + "a = ewmul(x, w)\nreturn a", head + "a = ewmul(x, w)\nb = ewadd(a, a)\nreturn b", plus(inf), plus(inf), false},
		{"a sum beside a product", head + "a = ewadd(x, x)\nb = ewmul(a, w)\nreturn b", head + "a = ewmul(x, w)\nb = ewadd(a, a)\nreturn b", plus(inf), plus(inf), false},
		{"a border that is not there, and one of zeros", wide + "y = conv2d[pad=same_lower](x, w)\nreturn y",
			wide + "z = pad[before=(0, 0, 0, 1), after=(0, 0, 0, 1), value=0.0](x)\ny = conv2d[pad=valid](z, w)\nreturn y", map[string][]float32{"w": {inf, 2, 3}}, map[string][]float32{"w": {inf, 2, 3}}, false},
		{"isnan of infinity", head + "a = ewmul(x, w)\nb = isnan(a)\nreturn b", head + "a = ewmul(x, w)\nb = isinf(a)\nreturn b", plus(inf), plus(inf), false},
		{"the largest without infinity", head + "a = ewmax(x, w)\nreturn a", head + "a = ewmax(x, w)\nb = ewmax(a, x)\nc = relu(b)\nreturn c", plus(inf), plus(inf), false},
	} {
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: parse(t, "a", c.a, c.wa), B: parse(t, "b", c.b, c.wb), NoNumbers: true})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if equal := r.Exact.Verdict == verifymodels.Equal; equal != c.equal || r.Exact.Verdict == verifymodels.NotRun || r.Exact.Verdict == verifymodels.Different {
			t.Errorf("%s: %s (%s)", c.name, r.Exact.Verdict, r.Exact.Why)
		}
	}
}
