package backendtest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
)

// Element types other than float32. The reference is arithmetic in float64 with the
// functions that casts are, and of integers exact, modulo 2 to the bits of their type.

// Types are the cases of element types: every operator on float64, whole graphs on
// narrow floating-point numbers, and on integers and truth values. Case.Ops has the names
// of their types, too.
func Types() ([]Case, error) { return typesWithin(Tolerance) }

func typesWithin(tolerance float64) ([]Case, error) {
	var cs []Case
	var err error
	add := func(t graph.DType, name, text string, tolerance float64, opts ...backends.CompileOptions) {
		some, e := casesOf(t.String()+"/"+name, strings.ReplaceAll(text, "TYPE", t.String()), tolerance, opts...)
		if err == nil {
			err = e
		}
		cs = append(cs, some...)
	}
	typed := func(text string) string {
		return constants.ReplaceAllString(strings.ReplaceAll(text, "float32", "TYPE"), "$1 : TYPE = $2")
	}
	for _, c := range slices.Concat(operators, emptyOperators) {
		for i, v := range c.graphs() {
			if i < 2 || v.name == " fused" {
				add(graph.Float64, "operators/"+c.name()+v.name, typed(v.text), exact, v.opt)
			}
		}
	}
	for _, c := range graphs {
		add(graph.Float64, "graphs/"+c.name, typed(c.text), exact, fused, alone)
		add(graph.Float16, "graphs/"+c.name, typed(c.text), tolerance, fused, alone)
		add(graph.BFloat16, "graphs/"+c.name, typed(c.text), tolerance, fused)
	}
	for _, t := range graph.DTypes() {
		if t.IsInt() && t.Bits() >= 8 && t != graph.Int64 {
			add(t, "integers", moved, tolerance, fused, alone)
		}
		if t.IsInt() && t.Bits() >= 8 {
			add(t, "arithmetic", counted, tolerance, fused, alone)
			add(t, "products", multiplied, tolerance, fused, alone)
			add(t, "no elements", emptyIntegers, tolerance, fused, alone)
		}
		if t.IsInt() && t.Bits() < 64 {
			add(t, "around", around, tolerance, fused, alone)
		}
		if t.IsSigned() && t.Bits() >= 8 {
			add(t, "below zero", below, tolerance, fused, alone)
		}
	}
	add(graph.Bool, "truth", truths, tolerance, fused, alone)
	add(graph.Bool, "mask", masked, tolerance, fused, alone)
	for _, t := range graph.DTypes() {
		if t.IsNarrow() {
			add(t, "rounded", narrowed, tolerance, fused)
		}
	}
	add(graph.Float16, "mixed", mixed, tolerance+2*backends.Rounding(graph.Float16), fused, alone)
	return cs, err
}

// constants are nodes without operands, whose type is not that of others.
var constants = regexp.MustCompile(`(?m)^(\w+) = (.*\(\))$`)

// exact is the tolerance of float64: sums are rounded in another order.
const exact = 1e-12

// typesOf are the names of the element types that are not float32 in a graph.
func typesOf(g *graph.Graph) []string {
	var names []string
	for id := range g.Nodes() {
		for i := range g.NumOut(id) {
			if t := g.DType(id.Out(i)); t != graph.Float32 {
				names = append(names, t.String())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

const moved = `
x7 : TYPE[2, 3]
w : weight TYPE[2, 3]
y9 : TYPE[4, 2]
i3 : int32[2, 2]
t = transpose(x7)
p = pad[before=(0, 1), after=(1, 0), value=3.0](t)
v = transpose(w)
c = concat[axis=1](p, y9)
s = slice[axis=1, lo=1, hi=4](c)
r = reshape[shape=[2, 6]](s)
e = reverse[axes=(0, 1)](r)
q = split[axis=1, at=2](e)
b = broadcast[shape=[2, 2, 3]](x7)
g = gather[axis=2](b, i3)
return v, c, e, q.0, q.1, g
`

const counted = `
x3 : TYPE[2, 3, 4]
y5 : TYPE[2, 3, 4]
r2 : TYPE[3, 1]
c3 : weight TYPE[4]
s4 : TYPE[]
rr = broadcast[shape=[2, 3, 4]](r2)
cc = broadcast[shape=[2, 3, 4]](c3)
a = ewadd(x3, y5)
b = ewmul(a, rr)
c = ewadd(b, cc)
d = smul(c, s4)
e = ewmax(d, y5)
f = ewmin(cc, e)
g = relu(f)
h = ewadd(g, g)
i = abs(h)
j = clip[lo=1.0, hi=5.0](i)
k = ewsub(i, g)
l = ewsub(c, cc)
m = step(l)
n = reducesum[axes=(0, 2)](a)
o = reducemax[axes=(1)](c)
p = reducesum[axes=(2)](m)
q = cast[to=float32](p)
u = tanh(q)
i5 : int64[2]
v = scatteradd[axis=0, n=5](a, i5)
w = pick[n=5](a, i5, i5)
ones : TYPE = one[shape=[2, 3, 4]]()
yy = ewadd(y5, ones)
ca = ewless(x3, y5)
cb = ewlessequal(rr, x3)
cc2 = ewequal(cc, x3)
cd = ewwhere(ca, c, rr)
xt = transpose[perm=(1, 2, 0)](x3)
ct = transpose[perm=(1, 2, 0)](ca)
st = broadcast[shape=[3, 4, 2]](s4)
ce = ewwhere(ct, st, xt)
cf = ewwhere(ct, xt, st)
ia = ewint[fn=quo](c, yy)
ib = ewint[fn=rem](c, yy)
ic = ewint[fn=bitand](c, y5)
id = ewint[fn=bitor](rr, y5)
ie = ewpow(x3, rr)
ta = topk[axis=1, k=2](x3)
tb = topk[axis=1, k=4, smallest=1](ct)
return ta, tb, d, e, h, j, k, l, m, n, o, q, u, v, w, ca, cb, cc2, cd, ce, cf, ia, ib, ic, id, ie
`

const multiplied = `
x3 : TYPE[2, 3, 4]
y2 : TYPE[2, 4, 5]
w3 : weight TYPE[4, 3]
ww = broadcast[shape=[2, 4, 3]](w3)
v = transpose[perm=(0, 2, 1)](y2)
vv = transpose[perm=(0, 2, 1)](v)
a = matmul(x3, vv)
b = matmul(x3, ww)
t = transpose(w3)
c = matmul(t, w3)
i3 : TYPE[1, 2, 5, 6]
k2 : weight TYPE[4, 1, 3, 2]
d2 : TYPE[2, 1, 2, 2]
d = conv2d[pad=same_upper, groups=2, stride=(2, 1), act=relu](i3, k2)
e = conv2d[pad=valid, groups=2](i3, d2)
f = ewadd(e, e)
return a, b, c, d, e, f
`

// around leaves the range of the type in each operation.
const around = `
x : TYPE[3, 4]
y : TYPE[3, 4]
w : weight TYPE[4, 5]
s : TYPE[]
a = ewadd(x, y)
b = ewsub(x, a)
c = ewmul(b, y)
d = smul(c, s)
e = ewmax(c, a)
f = ewmin(d, e)
g = reducesum[axes=(0)](x)
h = matmul(c, w)
i = relu(b)
j = neg(x)
k = cast[to=int64](h)
l = cast[to=int8, mode=wrap](k)
m = cast[to=uint16, mode=wrap](h)
n = reshape[shape=[1, 1, 3, 4]](x)
o = reshape[shape=[1, 1, 3, 4]](y)
p = conv2d[pad=same_upper](n, o)
return a, b, c, d, e, f, g, h, i, j, k, l, m, p
`

const below = `
z5 : TYPE[3, 4]
y3 : TYPE[3, 4]
a = neg(z5)
b = ewsub(a, y3)
c = ewmul(b, z5)
d = abs(c)
e = relu(b)
f = ewmin(c, z5)
g = ewmax(c, z5)
h = reducemax[axes=(0)](b)
i = leakyrelu[alpha=3.0](b)
j = step(z5)
return a, b, c, d, e, f, g, h, i, j
`

const truths = `
x : bool[2, 4]
y : bool[2, 4]
w : weight bool[4, 2]
i2 : int64[3]
n4 : int32[2, 4]
a = ewmul(x, y)
b = ewmax(x, y)
t = transpose(w)
c = ewmul(t, b)
d = cast[to=float32](c)
e = cast[to=int64](b)
f = reducesum[axes=(1)](e)
g = cast[to=bool](f)
h = gather[axis=0](x, i2)
m = cast[to=bool](n4)
o = ewmul(m, y)
p = reducemax[axes=(0)](o)
u = cast[to=uint8](p)
v = cast[to=bool](u)
return a, c, d, e, f, g, h, o, p, u, v
`

// masked is how models leave out what attention must not see.
const masked = `
x : float32[2, 3, 3]
m : bool[2, 1, 3]
k = cast[to=float32](m)
o = one[shape=[2, 1, 3]]()
n = ewsub(o, k)
s : weight float32[]
l = smul(n, s)
b = broadcast[shape=[2, 3, 3]](l)
a = ewadd(x, b)
y = softmax[axis=2](a)
return y
`

// narrowed rounds in each way that there is.
const narrowed = `
x : float32[40]
posw : weight TYPE[40]
s : float32[]
y = smul(x, s)
z = ewadd(y, x)
a = cast[to=TYPE](z)
b = cast[to=float32](a)
c = cast[to=float32](posw)
d = ewadd(b, c)
e = cast[to=TYPE](c)
return a, b, c, d, e
`

// mixed is what exporters write of mixed precision.
const mixed = `
x : float32[3, 8]
w : weight float16[8, 4]
v : weight float64[4, 4]
h = cast[to=float16](x)
y = matmul(h, w)
r = relu(y)
f = cast[to=float32](r)
s = softmax[axis=1](f)
d = cast[to=float64](s)
e = matmul(d, v)
g = cast[to=float16](e)
i = cast[to=int32](e)
j = cast[to=float16](i)
k = ewadd(j, g)
return y, s, e, k
`
