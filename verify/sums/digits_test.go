package sums_test

import "testing"

// A tensor on g devices is one with an axis of size g*n in parts. Laws of layouts are
// laws of such parts, here for every g, each beside one that looks alike and is false.
var parted = []nearLaws{
	{"columns on g devices", `
	given X : [m, k], W : [k, g*n]
	then reshape[shape=[m, g*n]](transpose[perm=(1, 0, 2)](matmul(broadcast[shape=[g, m, k]](X), transpose[perm=(1, 0, 2)](reshape[shape=[k, g, n]](W))))) == matmul(X, W)`, `
	given X : [m, k], W : [k, g*n]
	then reshape[shape=[m, g*n]](transpose[perm=(1, 0, 2)](matmul(broadcast[shape=[g, m, k]](X), transpose[perm=(2, 0, 1)](reshape[shape=[k, n, g]](W))))) == matmul(X, W)`},
	{"rows on g devices", `
	given X : [m, g*k], W : [g*k, n]
	then reducesum[axes=(0)](matmul(transpose[perm=(1, 0, 2)](reshape[shape=[m, g, k]](X)), reshape[shape=[g, k, n]](W))) == matmul(X, W)`, `
	given X : [m, g*k], W : [g*k, n]
	then reducesum[axes=(0)](matmul(transpose[perm=(2, 0, 1)](reshape[shape=[m, k, g]](X)), reshape[shape=[g, k, n]](W))) == matmul(X, W)`},
	{"samples on g devices", `
	given X : [g*m, k], W : [k, n]
	then reshape[shape=[g*m, n]](matmul(reshape[shape=[g, m, k]](X), broadcast[shape=[g, k, n]](W))) == matmul(X, W)`, `
	given X : [g*m, k], W : [k, n]
	then reshape[shape=[g*m, n]](matmul(transpose[perm=(1, 0, 2)](reshape[shape=[m, g, k]](X)), broadcast[shape=[g, k, n]](W))) == matmul(X, W)`},
	{"two layers", `
	given f : pointwise1, X : [m, k], V : [k, g*h], W : [g*h, n]
	then reducesum[axes=(0)](matmul(f(matmul(broadcast[shape=[g, m, k]](X), transpose[perm=(1, 0, 2)](reshape[shape=[k, g, h]](V)))), reshape[shape=[g, h, n]](W))) == matmul(f(matmul(X, V)), W)`, `
	given X : [m, g*k], W : [g*k, n]
	then reducesum[axes=(0)](relu(matmul(transpose[perm=(1, 0, 2)](reshape[shape=[m, g, k]](X)), reshape[shape=[g, k, n]](W)))) == relu(matmul(X, W))`},
	{"heads", `
	given P : [g*h, s, s], V : [s, g*h*d], W : [g*h*d, n]
	then reducesum[axes=(0)](matmul(reshape[shape=[g, s, h*d]](transpose[perm=(0, 2, 1, 3)](matmul(reshape[shape=[g, h, s, s]](P), transpose[perm=(1, 2, 0, 3)](reshape[shape=[s, g, h, d]](V))))), reshape[shape=[g, h*d, n]](W))) == matmul(reshape[shape=[s, g*h*d]](transpose[perm=(1, 0, 2)](matmul(P, transpose[perm=(1, 0, 2)](reshape[shape=[s, g*h, d]](V))))), W)`, `
	given P : [g*h, s, s], V : [s, g*h*d], W : [g*h*d, n]
	then reducesum[axes=(0)](matmul(reshape[shape=[g, s, h*d]](transpose[perm=(0, 2, 1, 3)](matmul(reshape[shape=[g, h, s, s]](P), transpose[perm=(2, 1, 0, 3)](reshape[shape=[s, h, g, d]](V))))), reshape[shape=[g, h*d, n]](W))) == matmul(reshape[shape=[s, g*h*d]](transpose[perm=(1, 0, 2)](matmul(P, transpose[perm=(1, 0, 2)](reshape[shape=[s, g*h, d]](V))))), W)`},
	{"softmax off the axis", `
	given A : [g*m, n]
	then reshape[shape=[g*m, n]](softmax[axis=2](reshape[shape=[g, m, n]](A))) == softmax[axis=1](A)`, `
	given A : [m, g*n]
	then reshape[shape=[m, g*n]](softmax[axis=2](reshape[shape=[m, g, n]](A))) == softmax[axis=1](A)`},
	{"softmax along an axis in another order", `
	given A : [m, g*n]
	then softmax[axis=1](reshape[shape=[m, g*n]](transpose[perm=(0, 2, 1)](reshape[shape=[m, n, g]](A)))) == reshape[shape=[m, g*n]](transpose[perm=(0, 2, 1)](reshape[shape=[m, n, g]](softmax[axis=1](A))))`, `
	given A : [m, g*n]
	then softmax[axis=1](reshape[shape=[m, g*n]](transpose[perm=(0, 2, 1)](reshape[shape=[m, n, g]](A)))) == softmax[axis=1](A)`},
	{"channels out", `
	given s : stride, p : padding, X : [b, c, h, w], W : [g*o, c, kh, kw]
	then conv2d[stride=s, pad=p](X, W) == conv2d[stride=s, pad=p, groups=g](reshape[shape=[b, g*c, h, w]](broadcast[shape=[b, g, c, h, w]](reshape[shape=[b, 1, c, h, w]](X))), W)`, `
	given s : stride, p : padding, X : [b, c, h, w], W : [g*o, c, kh, kw]
	then conv2d[stride=s, pad=p](X, W) == conv2d[stride=s, pad=p, groups=g](reshape[shape=[b, c*g, h, w]](broadcast[shape=[b, c, g, h, w]](reshape[shape=[b, c, 1, h, w]](X))), W)`},
	{"channels in", `
	given X : [b, g*c, h, w], W : [o, g*c, kh, kw]
	then conv2d[pad=valid](X, W) == reducesum[axes=(1)](reshape[shape=[b, g, o, h-kh+1, w-kw+1]](conv2d[pad=valid, groups=g](X, reshape[shape=[g*o, c, kh, kw]](transpose[perm=(1, 0, 2, 3, 4)](reshape[shape=[o, g, c, kh, kw]](W))))))`, `
	given X : [b, g*c, h, w], W : [o, g*c, kh, kw]
	then conv2d[pad=valid](X, W) == reducesum[axes=(1)](reshape[shape=[b, g, o, h-kh+1, w-kw+1]](conv2d[pad=valid, groups=g](X, reshape[shape=[g*o, c, kh, kw]](reshape[shape=[o, g, c, kh, kw]](W)))))`},
	{"groups of groups", `
	given s : stride, p : padding, X : [b, g*h*c, y, x], W : [g*h*o, c, kh, kw]
	then conv2d[stride=s, pad=p, groups=g*h](X, W) == conv2d[stride=s, pad=p, groups=g*h](reshape[shape=[b, g*h*c, y, x]](reshape[shape=[b, g, h*c, y, x]](X)), W)`, `
	given X : [b, g*h*c, y, x], W : [g*h*o, c, kh, kw]
	then conv2d[pad=same_upper, groups=g*h](X, W) == conv2d[pad=same_upper, groups=g*h](reshape[shape=[b, g*h*c, y, x]](transpose[perm=(0, 2, 1, 3, 4)](reshape[shape=[b, h, g*c, y, x]](X))), W)`},
	{"samples of images", `
	given p : same, X : [b, g*c, h, w]
	then reshape[shape=[b, g*c, h, w]](poolmax[kh=i, kw=j, pad=p](reshape[shape=[b*g, c, h, w]](X))) == poolmax[kh=i, kw=j, pad=p](X)`, `
	given p : same, X : [b, g*c, h, w]
	then reshape[shape=[b, g*c, h, w]](poolmax[kh=i, kw=j, pad=p](reshape[shape=[b, g*c, w, h]](X))) == poolmax[kh=i, kw=j, pad=p](X)`},
	{"a kernel for each channel", `
	given p : same, X : [b, g*c, h, w], W : [c, 1, i, j]
	then reshape[shape=[b, g*c, h, w]](conv2d[pad=p, groups=c](reshape[shape=[b*g, c, h, w]](X), W)) == conv2d[pad=p, groups=g*c](X, reshape[shape=[g*c, 1, i, j]](broadcast[shape=[g, c, 1, i, j]](W)))`, `
	given p : same, X : [b, g*c, h, w], W : [c, 1, i, j]
	then reshape[shape=[b, g*c, h, w]](conv2d[pad=p, groups=c](reshape[shape=[b*g, c, h, w]](X), W)) == conv2d[pad=p, groups=g*c](X, reshape[shape=[g*c, 1, i, j]](broadcast[shape=[c, g, 1, i, j]](reshape[shape=[c, 1, 1, i, j]](W))))`},
	{"sums of sums", `
	given A : [m, g*n]
	then reducesum[axes=(1)](reducesum[axes=(2)](reshape[shape=[m, g, n]](A))) == reducesum[axes=(1)](A)`, `
	given A : [g*n+h*n]
	then reducesum[axes=(0)](split[axis=0, at=h*n](A).0) == reducesum[axes=(0, 1)](split[axis=0, at=g](reshape[shape=[g+h, n]](A)).0)`},
	{"means of means", `
	given A : [m, g*n]
	then reducemean[axes=(1)](reducemean[axes=(2)](reshape[shape=[m, g, n]](A))) == reducemean[axes=(1)](A)`, `
	given A : [m, g*n]
	then reducemean[axes=(1)](reducesum[axes=(2)](reshape[shape=[m, g, n]](A))) == reducemean[axes=(1)](A)`},
	{"maxima of maxima", `
	given A : [m, g*n]
	then reducemax[axes=(1)](reducemax[axes=(2)](reshape[shape=[m, g, n]](A))) == reducemax[axes=(1)](A)`, `
	given A : [g*n+h*n]
	then reducemax[axes=(0)](A) == reducemax[axes=(0, 1)](split[axis=0, at=g](reshape[shape=[g+h, n]](A)).0)`},
	{"maxima of a part", `
	given A : [g*n+h*n]
	then reducemax[axes=(0)](split[axis=0, at=g*n](A).0) == reducemax[axes=(0, 1)](split[axis=0, at=g](reshape[shape=[g+h, n]](A)).0)`, `
	given A : [g*n+h*n]
	then reducemax[axes=(0)](split[axis=0, at=h*n](A).0) == reducemax[axes=(0, 1)](split[axis=0, at=g](reshape[shape=[g+h, n]](A)).0)`},
	{"copies", `
	given A : [m, n]
	then reducemean[axes=(0)](broadcast[shape=[g, m, n]](A)) == A`, `
	given A : [m, n]
	then reducesum[axes=(0)](broadcast[shape=[g, m, n]](A)) == A`},
	{"a second part", `
	given A : [a*n+b*n, c]
	then split[axis=0, at=a*n](A).1 == reshape[shape=[b*n, c]](split[axis=0, at=a](reshape[shape=[a+b, n, c]](A)).1)`, `
	given A : [a*n+b*n]
	then split[axis=0, at=a*n](A).1 == reshape[shape=[b*n]](split[axis=0, at=b](reshape[shape=[b+a, n]](A)).0)`},
	{"parts beside one another", `
	given A : [a, b], B : [a, b]
	then reshape[shape=[a, 2, b]](concat[axis=1](A, B)) == transpose[perm=(1, 0, 2)](reshape[shape=[2, a, b]](concat[axis=0](A, B)))`, `
	given A : [a, b], B : [a, b]
	then reshape[shape=[a, b, 2]](concat[axis=1](A, B)) == transpose[perm=(1, 2, 0)](reshape[shape=[2, a, b]](concat[axis=0](A, B)))`},
	{"axes of three sizes", `
	given X : [m, g*h*k], W : [g*h*k, n]
	then reducesum[axes=(0, 1)](matmul(transpose[perm=(1, 2, 0, 3)](reshape[shape=[m, g, h, k]](X)), reshape[shape=[g, h, k, n]](W))) == matmul(X, W)`, `
	given X : [m, g*h*k], W : [g*h*k, n]
	then reducesum[axes=(0, 1)](matmul(transpose[perm=(1, 2, 0, 3)](reshape[shape=[m, g, h, k]](X)), transpose[perm=(1, 0, 2, 3)](reshape[shape=[h, g, k, n]](W)))) == matmul(X, W)`},
	{"places in another order", `
	given X : [m, g*k], W : [g*k, n]
	then matmul(reshape[shape=[m, k*g]](transpose[perm=(0, 2, 1)](reshape[shape=[m, g, k]](X))), reshape[shape=[k*g, n]](transpose[perm=(1, 0, 2)](reshape[shape=[g, k, n]](W)))) == matmul(X, W)`, `
	given X : [m, g*k], W : [g*k, n]
	then matmul(reshape[shape=[m, k*g]](transpose[perm=(0, 2, 1)](reshape[shape=[m, g, k]](X))), W) == matmul(X, W)`},
	{"rows of a normalization", `
	given u : number, A : [g*m, n], S : [n], B : [n]
	then reshape[shape=[g*m, n]](layernorm[axis=2, eps=u](reshape[shape=[g, m, n]](A), S, B)) == layernorm[axis=1, eps=u](A, S, B)`, `
	given A : [g*m, n], S : [n], B : [n]
	then reshape[shape=[g*m, n]](layernorm[axis=2, eps=1.0](reshape[shape=[g, m, n]](A), S, B)) == layernorm[axis=1, eps=1.0](reshape[shape=[g*m, n]](transpose[perm=(1, 0, 2)](reshape[shape=[m, g, n]](A))), S, B)`},
	{"zeros around an axis", `
	given A : [g*n]
	then reshape[shape=[g*n+2*n]](pad[before=(1, 0), after=(1, 0)](reshape[shape=[g, n]](A))) == concat[axis=0](concat[axis=0](ewsub(split[axis=0, at=n](concat[axis=0](A, A)).0, split[axis=0, at=n](concat[axis=0](A, A)).0), A), ewsub(split[axis=0, at=n](concat[axis=0](A, A)).0, split[axis=0, at=n](concat[axis=0](A, A)).0))`, `
	given A : [g*n]
	then reshape[shape=[g*n+2*g]](pad[before=(0, 1), after=(0, 1)](reshape[shape=[g, n]](A))) == concat[axis=0](concat[axis=0](ewsub(split[axis=0, at=g](concat[axis=0](A, A)).0, split[axis=0, at=g](concat[axis=0](A, A)).0), A), ewsub(split[axis=0, at=g](concat[axis=0](A, A)).0, split[axis=0, at=g](concat[axis=0](A, A)).0))`},
}

// Laws of parts have proofs, those beside them are refuted and have none.
func TestParted(t *testing.T) { testNearly(t, parted) }
