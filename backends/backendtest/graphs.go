package backendtest

// graphs are whole graphs, chosen for what a compiler may do to them.
var graphs = []struct{ name, text string }{
	{"small", small},
	{"conv bias residual relu", `
x : float32[2, 8, 9, 9]
w : weight float32[8, 8, 3, 3]
v : weight float32[8, 8, 3, 3]
b : weight float32[1, 8, 1, 1]
c = conv2d[pad=same_upper](x, w)
bb = broadcast[shape=[2, 8, 9, 9]](b)
d = ewadd(c, bb)
r = relu(d)
e = conv2d[pad=same_upper](r, v)
s = ewadd(e, x)
f = relu(s)
return f`},
	{"residual of two convolutions", `
x : float32[1, 3, 8, 8]
w : weight float32[4, 3, 1, 1]
v : weight float32[4, 3, 3, 3]
a = conv2d[pad=valid](x, w)
b = conv2d[pad=same_upper](x, v)
c = ewadd(a, b)
d = relu(c)
e = ewmul(d, a)
return e, b`},
	{"wide convolution with a residual", `
x : float32[1, 130, 5, 5]
w : weight float32[130, 130, 1, 1]
b : weight float32[1, 130, 1, 1]
bb = broadcast[shape=[1, 130, 5, 5]](b)
c = conv2d[pad=valid](x, w)
d = ewadd(x, c)
e = ewadd(bb, d)
f = relu(e)
g = ewmul(f, bb)
return g`},
	{"depthwise with a tail", `
x : float32[1, 6, 9, 9]
w : weight float32[6, 1, 3, 3]
b : weight float32[1, 6, 1, 1]
c = conv2d[pad=same_upper, groups=6](x, w)
bb = broadcast[shape=[1, 6, 9, 9]](b)
d = ewadd(c, bb)
e = relu(d)
f = ewadd(e, x)
return f`},
	{"products and the sums behind them", `
x : float32[2, 6, 9, 9]
w : weight float32[6, 6, 1, 1]
k : weight float32[6, 1, 3, 3]
b : weight float32[6, 1, 1]
p : float32[6, 1, 1]
s : weight float32[]
u : float32[1]
bb = broadcast[shape=[2, 6, 9, 9]](b)
pp = broadcast[shape=[2, 6, 9, 9]](p)
uu = broadcast[shape=[2, 6, 9, 9]](u)
c = conv2d[pad=valid](x, w)
d = ewadd(c, bb)
e = smul(d, s)
f = ewadd(e, uu)
g = tanh(f)
h = smul(g, s)
i = ewadd(uu, h)
j = conv2d[pad=same_upper, groups=6](i, k)
l = ewmul(pp, j)
m = ewadd(l, bb)
n = smul(m, s)
o = ewadd(n, pp)
q = conv2d[pad=valid](o, w)
r = ewmul(q, pp)
t = ewadd(r, bb)
v = relu(t)
y = ewmul(v, uu)
z = ewadd(y, uu)
return z`},
	{"depthwise kernels as large as the image", `
x : float32[2, 6, 5, 7]
w : weight float32[6, 1, 5, 7]
b : weight float32[1, 6, 1, 1]
s : weight float32[6]
posv : weight float32[6]
r : float32[2, 6, 1, 1]
v : float32[6, 1, 5, 7]
c = conv2d[pad=valid, groups=6](x, w)
n = batchnorm[eps=1e-03](c, s, s, s, posv)
bb = broadcast[shape=[2, 6, 1, 1]](b)
d = ewadd(n, bb)
e = sigmoid(d)
f = ewmul(e, r)
k = broadcast[shape=[2, 6, 5, 7]](f)
g = ewmul(x, k)
y = conv2d[pad=valid, groups=6, act=relu](g, v)
return g, y`},
	{"convolutions of images that are spread with zeros", `
x : float32[2, 4, 5, 3]
w : weight float32[6, 2, 4, 3]
v : weight float32[5, 6, 3, 3]
u : float32[3, 4, 4, 4]
b : weight float32[1, 6, 1, 1]
n : float32[2, 7, 1, 1]
k : weight float32[6, 7, 4, 5]
x6 = reshape[shape=[2, 4, 5, 1, 3, 1]](x)
xp = pad[before=(0, 0, 0, 0, 0, 0), after=(0, 0, 0, 1, 0, 2)](x6)
xs = reshape[shape=[2, 4, 10, 9]](xp)
c = conv2d[pad=(2, 1, 1, 2), groups=2](xs, w)
bb = broadcast[shape=[2, 6, 10, 10]](b)
d = ewadd(c, bb)
r = relu(d)
r6 = reshape[shape=[2, 6, 10, 1, 10, 1]](r)
rp = pad[before=(0, 0, 0, 1, 0, 0), after=(0, 0, 0, 1, 0, 1)](r6)
rs = reshape[shape=[2, 6, 30, 20]](rp)
cut = slice[axis=2, lo=2, hi=27](rs)
e = conv2d[pad=(0, 3, 0, 1), dilation=(2, 3), act=tanh](cut, v)
y6 = reshape[shape=[2, 4, 5, 1, 3, 1]](x)
yp = pad[before=(0, 0, 0, 0, 0, 0), after=(0, 0, 0, 1, 0, 1)](y6)
ys = reshape[shape=[2, 4, 10, 6]](yp)
f = conv2d[pad=valid](ys, u)
g = conv2d[pad=(3, 4, 3, 2)](n, k)
h = ewmul(g, g)
return e, f, h`},
	{"products of one row", `
x : float32[1, 600]
w : weight float32[600, 70]
v : float32[600, 70]
u : weight float32[70, 130]
b : weight float32[70]
s : float32[1, 130]
bb = broadcast[shape=[1, 70]](b)
a = matmul(x, w)
c = ewadd(a, bb)
d = relu(c)
e = matmul(x, v)
f = ewadd(e, d)
g = matmul(f, u)
h = ewadd(s, g)
i = tanh(h)
return d, i`},
	{"steps of a recurrent layer", `
x : float32[3, 1, 16]
h0 : float32[1, 4]
c0 : float32[1, 4]
w : weight float32[4, 16]
x1 = slice[axis=0, lo=0, hi=1](x)
y1 = reshape[shape=[1, 16]](x1)
p1 = matmul(h0, w)
g1 = ewadd(y1, p1)
i1 = slice[axis=1, lo=0, hi=4](g1)
f1 = slice[axis=1, lo=4, hi=8](g1)
o1 = slice[axis=1, lo=8, hi=12](g1)
z1 = slice[axis=1, lo=12, hi=16](g1)
is1 = sigmoid(i1)
fs1 = sigmoid(f1)
os1 = sigmoid(o1)
zt1 = tanh(z1)
cf1 = ewmul(fs1, c0)
ci1 = ewmul(is1, zt1)
c1 = ewadd(cf1, ci1)
ct1 = tanh(c1)
h1 = ewmul(os1, ct1)
x2 = slice[axis=0, lo=1, hi=2](x)
y2 = reshape[shape=[1, 16]](x2)
p2 = matmul(h1, w)
g2 = ewadd(y2, p2)
i2 = slice[axis=1, lo=0, hi=4](g2)
f2 = slice[axis=1, lo=4, hi=8](g2)
o2 = slice[axis=1, lo=8, hi=12](g2)
z2 = slice[axis=1, lo=12, hi=16](g2)
is2 = sigmoid(i2)
fs2 = sigmoid(f2)
os2 = sigmoid(o2)
zt2 = tanh(z2)
cf2 = ewmul(fs2, c1)
ci2 = ewmul(is2, zt2)
c2 = ewadd(cf2, ci2)
ct2 = tanh(c2)
h2 = ewmul(os2, ct2)
all = concat[axis=0](h0, h1)
most = concat[axis=0](all, h2)
turned = transpose(most)
return turned, c2`},
	{"groups with a bias", `
x : float32[2, 8, 6, 6]
w : weight float32[12, 2, 3, 3]
b : weight float32[1, 12, 1, 1]
s : weight float32[12]
m : weight float32[12]
posv : weight float32[12]
c = conv2d[pad=same_upper, groups=4](x, w)
n = batchnorm[eps=1e-03](c, s, s, m, posv)
bb = broadcast[shape=[2, 12, 6, 6]](b)
d = ewadd(c, bb)
e = relu(d)
g = conv2d[pad=same_upper, groups=4, stride=(2, 2)](x, w)
h = batchnorm[eps=1e-03](g, s, m, m, posv)
i = relu(h)
return n, e, i`},
	{"groups with a bias alone", `
x : float32[2, 8, 6, 6]
w : weight float32[12, 2, 3, 3]
b : weight float32[1, 12, 1, 1]
c = conv2d[pad=same_upper, groups=4](x, w)
bb = broadcast[shape=[2, 12, 6, 6]](b)
d = ewadd(c, bb)
e = relu(d)
return e`},
	{"an operand that comes after", `
x : float32[1, 3, 6, 6]
w : weight float32[4, 3, 3, 3]
b : float32[1, 4, 1, 1]
c = conv2d[pad=same_upper](x, w)
t = tanh(b)
bb = broadcast[shape=[1, 4, 6, 6]](t)
d = ewadd(c, bb)
return d`},
	{"an operand that is read before and after", `
x : float32[1, 4, 6, 6]
w : weight float32[4, 4, 3, 3]
a = tanh(x)
c = conv2d[pad=same_upper](x, w)
b = poolmax[kh=3, kw=3, pad=same_upper](a)
d = ewadd(c, a)
e = poolmax[kh=3, kw=3, pad=same_upper](b)
return e, d`},
	{"dense layer", `
x : float32[5, 7]
w : weight float32[7, 50]
b : weight float32[50]
y : float32[5, 50]
p = matmul(x, w)
bb = broadcast[shape=[5, 50]](b)
q = ewadd(bb, p)
r = relu(q)
s = ewadd(r, y)
t = ewmul(y, s)
return t`},
	{"rows and columns in one chain", `
x : float32[4, 6]
a : float32[4, 1]
b : float32[1, 6]
aa = broadcast[shape=[4, 6]](a)
bb = broadcast[shape=[4, 6]](b)
p = ewmul(x, aa)
q = ewadd(p, bb)
r = ewmul(aa, bb)
s = ewadd(q, r)
return s, r`},
	{"attention without softmax", `
q : float32[2, 10, 8]
k : float32[2, 10, 8]
v : float32[2, 10, 8]
kt = transpose[perm=(0, 2, 1)](k)
s = matmul(q, kt)
o = matmul(s, v)
t = transpose[perm=(1, 0, 2)](o)
return t`},
	{"matmul of transposes", `
x : float32[20, 12]
y : float32[17, 20]
xt = transpose(x)
yt = transpose(y)
a = matmul(xt, yt)
w : weight float32[17, 12]
wt = transpose(w)
b = matmul(x, wt)
return a, b`},
	{"one matrix for a batch", `
x : float32[3, 5, 7]
w : weight float32[7, 9]
ww = broadcast[shape=[3, 7, 9]](w)
y = matmul(x, ww)
xt = transpose[perm=(1, 0, 2)](x)
u : float32[7, 4]
uu = broadcast[shape=[5, 7, 4]](u)
z = matmul(xt, uu)
return y, z`},
	{"views of views", `
x : float32[4, 6, 5]
a = split[axis=1, at=2](x)
c = transpose[perm=(2, 0, 1)](a.1)
d = slice[axis=0, lo=1, hi=4](c)
e = split[axis=2, at=3](d)
g = concat[axis=2](e.1, e.0)
h = relu(a.0)
return g, h, c`},
	{"inputs and weights as outputs", `
x : float32[2, 3]
w : weight float32[2, 3]
t = transpose(w)
y = ewadd(x, w)
return x, t, y, y`},
	{"shared and dead", `
x : float32[3, 3]
y = relu(x)
dead = ewadd(y, y)
z = ewadd(y, x)
u = ewadd(z, y)
v = ewmul(u, u)
return v, z`},
	{"constants of the algebra", `
x : float32[1, 2, 5, 5]
k = iconv[c=2, kh=3, kw=3]()
y = conv2d[pad=same_upper](x, k)
p = cpool[c=2, kh=3, kw=3]()
z = conv2d[pad=same_upper, groups=2](y, p)
i = imatmul[n=5]()
j = reshape[shape=[1, 1, 5, 5]](i)
m = broadcast[shape=[1, 2, 5, 5]](j)
n = matmul(z, m)
o = one[shape=[1, 2, 5, 5]]()
q = ewsub(n, o)
h = fill[shape=[1, 2, 5, 5], value=3.0, den=7]()
r = ewmul(q, h)
return r, q, z, i, h`},
	{"softmax of large numbers", `
x : float32[5, 20]
s = ewadd(x, x)
t = ewadd(s, s)
u = ewadd(t, t)
v = ewadd(u, u)
w = ewadd(v, v)
y = ewadd(w, w)
z = ewadd(y, y)
a = softmax[axis=1](z)
b = softmax[axis=0](z)
return a, b`},
	{"a long chain of lifetimes", `
x : float32[300]
a = relu(x)
b = ewadd(a, x)
c = ewmul(b, a)
d = ewadd(c, b)
e = ewmul(d, c)
f = ewadd(e, a)
g = ewmul(f, x)
return g`},
	{"an image added to narrow convolutions", `
x : float32[2, 3, 6, 6]
w : weight float32[4, 3, 3, 3]
v : weight float32[4, 3, 1, 1]
i : float32[1, 1, 6, 6]
j : float32[6, 6]
ii = broadcast[shape=[2, 4, 6, 6]](i)
jj = broadcast[shape=[2, 4, 6, 6]](j)
a = conv2d[pad=same_upper](x, w)
b = ewadd(a, ii)
c = relu(b)
d = conv2d[pad=valid](x, v)
e = ewadd(jj, d)
f = clip[lo=-0.5, hi=0.5](e)
return c, f`},
	{"a convolution with all that may be added", `
x : float32[2, 3, 6, 7]
y : float32[2, 4, 6, 7]
w : weight float32[4, 3, 3, 3]
b : weight float32[1, 4, 1, 1]
i : float32[1, 1, 6, 7]
r : float32[1, 1, 6, 1]
s : float32[]
bb = broadcast[shape=[2, 4, 6, 7]](b)
ii = broadcast[shape=[2, 4, 6, 7]](i)
rr = broadcast[shape=[2, 4, 6, 7]](r)
c = conv2d[pad=same_upper](x, w)
d = ewadd(c, ii)
e = ewadd(d, y)
f = ewadd(bb, e)
g = clip[lo=-0.5, hi=1.5](f)
h = smul(g, s)
k = ewsub(rr, h)
return k`},
	{"a large image times a narrow convolution", `
x : float32[1, 2, 36, 40]
w : weight float32[3, 2, 3, 3]
i : float32[1, 1, 36, 40]
y : float32[1, 3, 36, 40]
b : weight float32[1, 3, 1, 1]
ii = broadcast[shape=[1, 3, 36, 40]](i)
bb = broadcast[shape=[1, 3, 36, 40]](b)
c = conv2d[pad=same_upper](x, w)
d = ewmul(c, ii)
e = ewsub(y, d)
f = ewmul(e, bb)
return f`},
	{"batch norm and a bias", `
x : float32[2, 3, 5, 5]
w : weight float32[4, 3, 3, 3]
s : weight float32[4]
m : weight float32[4]
posv : weight float32[4]
b : weight float32[1, 4, 1, 1]
bb = broadcast[shape=[2, 4, 5, 5]](b)
c = conv2d[pad=same_upper](x, w)
d = batchnorm[eps=1e-03](c, s, m, s, posv)
e = ewadd(d, bb)
f = relu(e)
g = conv2d[pad=same_upper](x, w)
h = ewadd(g, bb)
i = batchnorm[eps=1e-03](h, s, m, s, posv)
return f, i`},
	{"matrices of one row", `
x : float32[1, 3, 5]
z : float32[3, 4, 5]
w : weight float32[5, 7]
ww = broadcast[shape=[3, 5, 7]](w)
xt = transpose[perm=(1, 0, 2)](x)
y = matmul(xt, ww)
zs = slice[axis=1, lo=1, hi=2](z)
u = matmul(zs, ww)
return y, u`},
	{"integers", `
i : int64[2, 3]
j3 : int64[2, 3]
x : float32[5, 2]
t = transpose(i)
p = pad[before=(0, 1), after=(1, 0), value=-3.0](t)
b = broadcast[shape=[2, 2, 3]](j3)
s = slice[axis=0, lo=1, hi=2](b)
r = reshape[shape=[2, 3]](s)
c = concat[axis=0](j3, r)
q = split[axis=1, at=1](c)
f = cast[to=float32](c)
h = gather[axis=0](x, c)
k = gather[axis=1](c, q.0)
return p, c, q.1, f, h, k`},
	{"vocabulary", `
x : float32[6, 3]
i : int64[2, 2]
k : int64 = iota[n=6]()
p = partition[axis=0, on=2](x)
q = partition[axis=0, on=2](k)
r = replicate[on=2](i)
s = each_pick[over=[2], n=6](p, q, r)
y = reduce(s)
return y, k`},
	{"numbers become integers", `
x : float32[3, 5]
s : float32[]
y = smul(x, s)
z = ewadd(y, x)
i = cast[to=int64](z)
j = cast[to=float32](i)
return i, j`},
	{"the largest", `
x : float32[3, 40]
p = topk[axis=1, k=3](x)
q = topk[axis=0, k=2](x)
f = cast[to=float32](q)
return p, f`},
	{"the smallest, and all in order", `
x : float32[2, 70, 3]
p = topk[axis=1, k=70, smallest=1](x)
q = topk[axis=2, k=1, smallest=1](x)
f = cast[to=float32](p)
g = relu(f)
return g, q`},
	{"elements in order", `
x : float32[50]
p = topk[axis=0, k=7](x)
y = gather[axis=0](x, p)
return y, p`},
	{"no axes", `
x : float32[]
y : float32[]
w : weight float32[]
a = ewadd(x, y)
b = tanh(a)
c = smul(b, w)
d = reshape[shape=[1, 1]](c)
e = matmul(d, d)
f = broadcast[shape=[2, 3]](e)
g = reducesum[axes=(0, 1)](f)
h = ewmul(g, c)
return h, b`},
	{"many axes", `
x : float32[2, 1, 3, 2, 1, 2, 2]
y : float32[2, 1, 1, 2, 1, 1, 2]
b = broadcast[shape=[2, 1, 3, 2, 1, 2, 2]](y)
s = ewmul(x, b)
t = transpose[perm=(6, 2, 0, 1, 5, 4, 3)](s)
r = reducemean[axes=(1, 4), keep=1](t)
m = softmax[axis=2](r)
return m, t`},
	{"special numbers, one by one", `
specx : float32[33]
a = relu(specx)
b = neg(specx)
c = abs(specx)
d = exp(specx)
e = tanh(specx)
f = sigmoid(specx)
g = erf(specx)
h = clip[lo=-2.0, hi=3.0](specx)
i = leakyrelu[alpha=0.1](specx)
j = reciprocal(specx)
k = sqrt(c)
l = hardsigmoid[alpha=0.2, beta=0.5](specx)
m = log(c)
return a, b, c, d, e, f, g, h, i, j, k, l, m`},
	{"special numbers in pairs", `
specx : float32[11, 11]
specy : float32[11]
yy = broadcast[shape=[11, 11]](specy)
r = reshape[shape=[11, 1]](specy)
z = broadcast[shape=[11, 11]](r)
a = ewadd(yy, z)
b = ewsub(yy, z)
c = ewmul(yy, z)
d = ewmax(yy, z)
e = ewmin(yy, z)
f = ewmax(specx, yy)
return a, b, c, d, e, f`},
	{"special numbers in rows", `
specx : float32[1, 1, 12, 11]
a = reducemax[axes=(3)](specx)
b = reducemax[axes=(2)](specx)
c = poolmax[kh=3, kw=3, pad=same_upper](specx)
d = poolmax[kh=12, kw=1, pad=valid](specx)
e = reducesum[axes=(2)](specx)
f = transpose[perm=(0, 1, 3, 2)](specx)
return a, b, c, d, e, f`},
	{"a mask for attention", `
q : float32[2, 6, 8]
k : float32[2, 6, 8]
maskm : float32[6, 6]
kt = transpose[perm=(0, 2, 1)](k)
s = matmul(q, kt)
mm = broadcast[shape=[2, 6, 6]](maskm)
t = ewadd(s, mm)
p = softmax[axis=2](t)
o = matmul(p, q)
u = softmax[axis=1](t)
return o, p, u`},
}
