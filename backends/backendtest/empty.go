package backendtest

// emptyOperators are the cases of single operators with an operand, or a result, that has
// no elements.
var emptyOperators = []application{
	{op: "relu", in: []string{"float32[0, 3]"}},
	{op: "ewadd", in: []string{"float32[2, 0]", "float32[2, 0]"}},
	{op: "ewwhere", in: []string{"mask float32[0]", "float32[0]", "float32[0]"}},
	{op: "smul", in: []string{"float32[0]", "float32[]"}},
	{op: "matmul", in: []string{"float32[2, 0]", "float32[0, 3]"}},
	{op: "matmul", in: []string{"float32[300, 0]", "float32[0, 20]"}},
	{op: "matmul", in: []string{"float32[0, 2]", "float32[2, 3]"}},
	{op: "matmul", in: []string{"float32[0, 2, 4]", "float32[0, 4, 3]"}},
	{op: "conv2d", attrs: "pad=same_upper", in: []string{"float32[0, 2, 4, 4]", "float32[3, 2, 3, 3]"}},
	{op: "conv2d", attrs: "pad=valid, act=sigmoid", in: []string{"float32[1, 0, 4, 4]", "float32[3, 0, 2, 2]"}},
	{op: "conv2d", attrs: "pad=valid", in: []string{"float32[1, 2, 4, 4]", "float32[0, 2, 2, 2]"}},
	{op: "conv2d", attrs: "pad=(1, 1, 1, 1)", in: []string{"float32[2, 3, 0, 4]", "float32[2, 3, 2, 2]"}},
	{op: "poolmax", attrs: "kh=2, kw=2, pad=valid", in: []string{"float32[0, 2, 4, 4]"}},
	{op: "poolavg", attrs: "kh=4, kw=4, pad=valid", in: []string{"float32[0, 2, 4, 4]"}},
	{op: "reducesum", attrs: "axes=(1)", in: []string{"float32[2, 0, 3]"}},
	{op: "reducesum", attrs: "axes=(0, 1, 2)", in: []string{"float32[2, 0, 3]"}},
	{op: "reducesum", attrs: "axes=(0), keep=1", in: []string{"float32[2, 0, 3]"}},
	{op: "reducemean", attrs: "axes=(0)", in: []string{"float32[2, 0]"}},
	{op: "reducemax", attrs: "axes=(1), keep=1", in: []string{"float32[2, 0]"}},
	{op: "reducemax", attrs: "axes=(0)", in: []string{"float32[2, 0]"}},
	{op: "softmax", attrs: "axis=1", in: []string{"float32[2, 0]"}},
	{op: "layernorm", attrs: "axis=1, eps=0.001", in: []string{"float32[0, 3]", "float32[3]", "float32[3]"}},
	{op: "batchnorm", attrs: "eps=0.001", in: []string{"float32[0, 3, 2]", "float32[3]", "float32[3]", "float32[3]", "pos float32[3]"}},
	{op: "slice", attrs: "axis=1, lo=2, hi=2", in: []string{"float32[2, 3]"}},
	{op: "split", attrs: "axis=1, at=0", in: []string{"float32[2, 3]"}, outs: 2},
	{op: "split", attrs: "axis=0, at=2", in: []string{"float32[2, 3]"}, outs: 2},
	{op: "concat", attrs: "axis=0", in: []string{"float32[0, 3]", "float32[2, 3]"}},
	{op: "concat", attrs: "axis=1", in: []string{"float32[2, 3]", "float32[2, 0]"}},
	{op: "concat", attrs: "axis=1", in: []string{"float32[2, 0]", "float32[2, 0]"}},
	{op: "reshape", attrs: "shape=[0, 7]", in: []string{"float32[2, 0]"}},
	{op: "transpose", attrs: "perm=(1, 0)", in: []string{"float32[2, 0]"}},
	{op: "broadcast", attrs: "shape=[2, 0, 3]", in: []string{"float32[1, 3]"}},
	{op: "pad", attrs: "before=(1, 0), after=(1, 0), value=7", in: []string{"float32[0, 2]"}},
	{op: "enlarge", attrs: "kh=1, kw=3", in: []string{"float32[1, 1, 0, 1]"}},
	{op: "reverse", attrs: "axes=(0)", in: []string{"float32[0, 2]"}},
	{op: "resize", attrs: "sizes=(0, 1, 4, 4), mode=linear_half_pixel", in: []string{"float32[0, 1, 2, 2]"}},
	{op: "gather", attrs: "axis=0", in: []string{"float32[3, 2]", "idx3 int64[0]"}},
	{op: "gather", attrs: "axis=0", in: []string{"float32[3, 0]", "idx3 int64[2]"}},
	{op: "scatteradd", attrs: "axis=0, n=3", in: []string{"float32[0, 2]", "idx3 int64[0]"}},
}

// emptyGraphs are graphs in which some tensors have no elements.
var emptyGraphs = []struct{ name, text string }{
	{"a cache that is empty yet", `
cache : float32[1, 2, 0, 4]
k : float32[1, 2, 3, 4]
q : float32[1, 2, 3, 4]
all = concat[axis=2](cache, k)
kt = transpose[perm=(0, 1, 3, 2)](all)
s = matmul(q, kt)
p = softmax[axis=3](s)
y = matmul(p, all)
old = slice[axis=2, lo=0, hi=0](all)
kept = slice[axis=2, lo=0, hi=3](all)
return y, kept, old, cache`},
	{"parts of which some are empty", `
x : float32[2, 3]
e : weight float32[2, 0]
a = concat[axis=1](e, x)
b = concat[axis=1](a, e)
c = concat[axis=1](b, x)
r = relu(c)
t = transpose[perm=(1, 0)](a)
u = concat[axis=1](t, t)
d = ewmul(a, x)
return r, u, d`},
	{"sums of nothing with what comes behind", `
x : float32[4, 3]
w : weight float32[3, 5]
none : float32[0, 3]
b = reducesum[axes=(0)](none)
y = matmul(x, w)
z = matmul(none, w)
s = concat[axis=0](z, y)
bb = broadcast[shape=[4, 3]](b)
v = ewadd(x, bb)
r = relu(s)
n = reducesum[axes=(0), keep=1](z)
nn = broadcast[shape=[4, 5]](n)
t = ewadd(r, nn)
return t, v, z`},
	{"no elements at all", `
x : float32[0, 4]
y = relu(x)
z = reshape[shape=[4, 0]](y)
s = softmax[axis=0](z)
return s, y`},
}

// emptyIntegers is such a graph on elements of an integer type.
const emptyIntegers = `
i : TYPE[0]
j : TYPE[2]
k = concat[axis=0](i, j)
l = ewadd(k, k)
n = reducesum[axes=(0)](i)
m = ewmul(i, i)
return l, n, m`
