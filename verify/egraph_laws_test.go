package verify

// testAxioms are enough for the goals of these tests.
const testAxioms = `
ewadd_comm | X : [P..], Y : [P..] | | ewadd(X, Y) == ewadd(Y, X)
ewadd_assoc | X : [P..], Y : [P..], Z : [P..] | | ewadd(X, ewadd(Y, Z)) == ewadd(ewadd(X, Y), Z)
ewmul_comm | X : [P..], Y : [P..] | | ewmul(X, Y) == ewmul(Y, X)
ewmul_assoc | X : [P..], Y : [P..], Z : [P..] | | ewmul(X, ewmul(Y, Z)) == ewmul(ewmul(X, Y), Z)
ewmul_add | X : [P..], Y : [P..], Z : [P..] | | ewmul(ewadd(X, Y), Z) == ewadd(ewmul(X, Z), ewmul(Y, Z))
smul_add | X : [P..], Y : [P..], C : [] | | smul(ewadd(X, Y), C) == ewadd(smul(X, C), smul(Y, C))
smul_mul | X : [P..], Y : [P..], C : [] | | smul(ewmul(X, Y), C) == ewmul(X, smul(Y, C))
smul_smul | X : [P..], C : [], D : [] | | smul(smul(X, C), D) == smul(X, smul(C, D))
smul_swap | C : [], D : [] | | smul(C, D) == smul(D, C)
matmul_assoc | A : [B.., m, k], X : [B.., k, l], Y : [B.., l, n] | | matmul(A, matmul(X, Y)) == matmul(matmul(A, X), Y)
matmul_add | A : [B.., m, k], X : [B.., k, n], Y : [B.., k, n] | | matmul(A, ewadd(X, Y)) == ewadd(matmul(A, X), matmul(A, Y))
matmul_smul | A : [B.., m, k], X : [B.., k, n], C : [] | | matmul(A, smul(X, C)) == smul(matmul(A, X), C)
matmul_transpose | A : [m, k], X : [k, n] | | transpose(matmul(A, X)) == matmul(transpose(X), transpose(A))
matmul_identity | A : [m, n] | | matmul(A, imatmul[n=n]()) == A
transpose_transpose | X : [m, n] | | transpose(transpose(X)) == X
transpose_add | X : [m, n], Y : [m, n] | | transpose(ewadd(X, Y)) == ewadd(transpose(X), transpose(Y))
transpose_pointwise | f : pointwise1, X : [m, n] | | transpose(f(X)) == f(transpose(X))
transpose_smul | X : [m, n], C : [] | | transpose(smul(X, C)) == smul(transpose(X), C)
transpose_concat | X : [a, n], Y : [b, n] | | transpose(concat[axis=0](X, Y)) == concat[axis=1](transpose(X), transpose(Y))
matmul_concat_right | A : [B.., m, k], X : [B.., k, p], Y : [B.., k, q] | | matmul(A, concat[axis=#B+1](X, Y)) == concat[axis=#B+1](matmul(A, X), matmul(A, Y))
matmul_concat_inner | A : [m, k], B : [m, l], C : [k, n], D : [l, n] | | matmul(concat[axis=1](A, B), concat[axis=0](C, D)) == ewadd(matmul(A, C), matmul(B, D))
pointwise_concat | f : pointwise1, X : [P.., a, S..], Y : [P.., b, S..] | | f(concat[axis=#P](X, Y)) == concat[axis=#P](f(X), f(Y))
concat_add | X : [P.., a, S..], Y : [P.., b, S..], Z : [P.., a, S..], W : [P.., b, S..] | | concat[axis=#P](ewadd(X, Z), ewadd(Y, W)) == ewadd(concat[axis=#P](X, Y), concat[axis=#P](Z, W))
concat_smul | X : [P.., a, S..], Y : [P.., b, S..], C : [] | | smul(concat[axis=#P](X, Y), C) == concat[axis=#P](smul(X, C), smul(Y, C))
concat_assoc | X : [P.., a, S..], Y : [P.., b, S..], Z : [P.., c, S..] | | concat[axis=#P](X, concat[axis=#P](Y, Z)) == concat[axis=#P](concat[axis=#P](X, Y), Z)
concat_concat | X : [a, c], Y : [a, d], Z : [b, c], W : [b, d] | | concat[axis=0](concat[axis=1](X, Y), concat[axis=1](Z, W)) == concat[axis=1](concat[axis=0](X, Z), concat[axis=0](Y, W))
split_concat | X : [P.., a, S..], Y : [P.., b, S..] | | (split[axis=#P, at=a](concat[axis=#P](X, Y)).0, split[axis=#P, at=a](concat[axis=#P](X, Y)).1) == (X, Y)
concat_split | X : [P.., a+b, S..] | | concat[axis=#P](split[axis=#P, at=a](X).0, split[axis=#P, at=a](X).1) == X
slice_pointwise | f : pointwise1, X : [P.., a+b+c, S..] | | f(slice[axis=#P, lo=a, hi=a+b](X)) == slice[axis=#P, lo=a, hi=a+b](f(X))
relu_relu | X : [P..] | | relu(relu(X)) == relu(X)
conv_add_kernel | s : stride, p : padding, X : [b, c, h, w], V : [o, c, kh, kw], W : [o, c, kh, kw] | | conv2d[stride=s, pad=p](X, ewadd(V, W)) == ewadd(conv2d[stride=s, pad=p](X, V), conv2d[stride=s, pad=p](X, W))
conv_add_input | s : stride, p : padding, X : [b, c, h, w], Y : [b, c, h, w], W : [o, c, kh, kw] | | conv2d[stride=s, pad=p](ewadd(X, Y), W) == ewadd(conv2d[stride=s, pad=p](X, W), conv2d[stride=s, pad=p](Y, W))
conv_concat_out | s : stride, p : padding, X : [b, c, h, w], V : [o, c, kh, kw], W : [q, c, kh, kw] | | conv2d[stride=s, pad=p](X, concat[axis=0](V, W)) == concat[axis=1](conv2d[stride=s, pad=p](X, V), conv2d[stride=s, pad=p](X, W))
conv_concat_in | s : stride, p : padding, X : [b, c, h, w], Y : [b, d, h, w], V : [o, c, kh, kw], W : [o, d, kh, kw] | | conv2d[stride=s, pad=p](concat[axis=1](X, Y), concat[axis=1](V, W)) == ewadd(conv2d[stride=s, pad=p](X, V), conv2d[stride=s, pad=p](Y, W))
conv_relu | s : stride, p : padding, X : [b, c, h, w], W : [o, c, kh, kw] | | conv2d[stride=s, pad=p, act=relu](X, W) == relu(conv2d[stride=s, pad=p](X, W))
conv_iconv | X : [b, c, h, w] | | conv2d[pad=same_upper](X, iconv[c=c, kh=3, kw=3]()) == X
conv_grouped | s : stride, p : padding, X : [b, g*c, h, w], W : [g*o, c, kh, kw] | | conv2d[stride=s, pad=p, groups=g, act=relu](X, W) == relu(conv2d[stride=s, pad=p, groups=g](X, W))
poolavg_cpool | s : stride, p : padding, X : [b, c, h, w] | | poolavg[kh=3, kw=3, stride=s, pad=p](X) == conv2d[stride=s, pad=p, groups=c](X, cpool[c=c, kh=3, kw=3]())
`

// trueGoals follow from testAxioms.
const trueGoals = `
chain3 | A : [m, k], X : [k, l], Y : [l, n], Z : [n, q] | | matmul(A, matmul(X, matmul(Y, Z))) == matmul(matmul(matmul(A, X), Y), Z)
sum4 | A : [P..], B : [P..], C : [P..], D : [P..] | | ewadd(ewadd(A, B), ewadd(C, D)) == ewadd(D, ewadd(B, ewadd(A, C)))
sum5 | A : [m, n], B : [m, n], C : [m, n], D : [m, n], E : [m, n] | | ewadd(ewadd(A, B), ewadd(C, ewadd(D, E))) == ewadd(E, ewadd(D, ewadd(C, ewadd(B, A))))
distribute | A : [B.., m, k], X : [B.., k, n], Y : [B.., k, n], Z : [B.., k, n] | | matmul(A, ewadd(X, ewadd(Y, Z))) == ewadd(matmul(A, Z), ewadd(matmul(A, X), matmul(A, Y)))
fusion | X : [m, k], A : [k, n], B : [k, q] | | concat[axis=1](matmul(X, A), matmul(X, B)) == matmul(X, concat[axis=1](A, B))
fusion_relu | X : [m, k], A : [k, n], B : [k, q] | | concat[axis=1](relu(matmul(X, A)), relu(matmul(X, B))) == relu(matmul(X, concat[axis=1](A, B)))
fusion_two | X : [m, k], A : [k, n], B : [k, q] | | (matmul(X, A), matmul(X, B)) == (split[axis=1, at=n](matmul(X, concat[axis=1](A, B))).0, split[axis=1, at=n](matmul(X, concat[axis=1](A, B))).1)
left_distribute | A : [m, k], B : [m, k], X : [k, n] | | matmul(ewadd(A, B), X) == ewadd(matmul(A, X), matmul(B, X))
left_concat | A : [m, k], B : [q, k], X : [k, n] | | matmul(concat[axis=0](A, B), X) == concat[axis=0](matmul(A, X), matmul(B, X))
transposes | A : [m, k], X : [k, n], Y : [n, l] | | transpose(matmul(A, matmul(X, Y))) == matmul(transpose(Y), matmul(transpose(X), transpose(A)))
transpose_concat1 | X : [n, a], Y : [n, b] | | transpose(concat[axis=1](X, Y)) == concat[axis=0](transpose(X), transpose(Y))
inner | A : [m, k], C : [k, n], D : [k, n] | | ewadd(matmul(A, C), matmul(A, D)) == matmul(concat[axis=1](A, A), concat[axis=0](C, D))
smul_matmul | A : [m, k], X : [k, n], C : [] | | matmul(smul(A, C), X) == smul(matmul(A, X), C)
conv_fusion | s : stride, p : padding, X : [b, c, h, w], V : [o, c, kh, kw], W : [q, c, kh, kw] | | concat[axis=1](conv2d[stride=s, pad=p, act=relu](X, V), conv2d[stride=s, pad=p, act=relu](X, W)) == conv2d[stride=s, pad=p, act=relu](X, concat[axis=0](V, W))
conv_in | s : stride, p : same, X : [b, c, h, w], V : [o, c, kh, kw], W : [o, c, kh, kw] | | conv2d[stride=s, pad=p](concat[axis=1](X, X), concat[axis=1](V, W)) == conv2d[stride=s, pad=p](X, ewadd(V, W))
conv_id | X : [b, c, h, w], W : [c, c, 3, 3] | | ewadd(X, conv2d[pad=same_upper](X, W)) == conv2d[pad=same_upper](X, ewadd(W, iconv[c=c, kh=3, kw=3]()))
avg | s : stride, p : same, X : [b, c, h, w] | | relu(poolavg[kh=3, kw=3, stride=s, pad=p](X)) == conv2d[stride=s, pad=p, groups=c, act=relu](X, cpool[c=c, kh=3, kw=3]())
pointwise | f : pointwise1, X : [m, n], Y : [m, q] | | transpose(f(concat[axis=1](X, Y))) == concat[axis=0](f(transpose(X)), f(transpose(Y)))
zero | f : zero1, X : [m, n], Y : [m, q] | | f(concat[axis=1](X, Y)) == concat[axis=1](f(X), f(Y))
regroup | X : [P.., a, S..], Y : [P.., b, S..], Z : [P.., c, S..] | | split[axis=#P, at=a+b](concat[axis=#P](X, concat[axis=#P](Y, Z))).1 == Z
regroup2 | X : [P.., a, S..], Y : [P.., b, S..], Z : [P.., c, S..] | | slice[axis=#P, lo=0, hi=a+b](concat[axis=#P](X, concat[axis=#P](Y, Z))) == concat[axis=#P](X, Y)
squares | X : [a, c], Y : [a, d], Z : [b, c], W : [b, d], V : [c+d, n] | | matmul(concat[axis=1](concat[axis=0](X, Z), concat[axis=0](Y, W)), V) == concat[axis=0](matmul(concat[axis=1](X, Y), V), matmul(concat[axis=1](Z, W), V))
cut_concat | X : [P.., a+b, S..] | | concat[axis=#P](relu(slice[axis=#P, lo=0, hi=a](X)), relu(slice[axis=#P, lo=a, hi=a+b](X))) == relu(X)
matmul_split | A : [m, k], X : [k, a], Y : [k, b] | | slice[axis=1, lo=0, hi=a](matmul(A, concat[axis=1](X, Y))) == matmul(A, X)
reluonce | X : [m, n] | | relu(relu(relu(X))) == relu(X)
ewmul_right | X : [P..], Y : [P..], Z : [P..] | | ewmul(Z, ewadd(X, Y)) == ewadd(ewmul(Z, Y), ewmul(Z, X))
scalar_left | X : [P..], Y : [P..], C : [] | | smul(ewmul(X, Y), C) == ewmul(smul(X, C), Y)
scalars | X : [P..], C : [], D : [] | | smul(smul(X, C), D) == smul(smul(X, D), C)
`

// falseGoals are false, or do not follow: to prove one is a fault.
const falseGoals = `
commute | A : [n, n], B : [n, n] | | matmul(A, B) == matmul(B, A)
wrong_part | X : [P.., a, S..], Y : [P.., a, S..] | | slice[axis=#P, lo=0, hi=a](concat[axis=#P](X, Y)) == Y
wrong_seam | X : [a, n], Y : [b, n], Z : [b, n], W : [a, n] | | slice[axis=0, lo=0, hi=a](concat[axis=0](concat[axis=0](X, Y), concat[axis=0](Z, W))) == W
mismatch | X : [a, c], Y : [a, d], Z : [b, d], W : [b, c] | | concat[axis=0](concat[axis=1](X, Y), concat[axis=1](Z, W)) == concat[axis=0](concat[axis=1](X, Y), concat[axis=1](W, Z))
blocks | A : [m, k], B : [m, l], C : [l, n], D : [k, n] | | matmul(concat[axis=1](A, B), concat[axis=0](C, D)) == matmul(concat[axis=1](B, A), concat[axis=0](D, C))
blocks2 | A : [m, k], B : [m, l], C : [l, n], D : [k, n] | | matmul(concat[axis=1](A, B), concat[axis=0](C, D)) == ewadd(matmul(A, D), matmul(B, C))
relu_sum | X : [m, n], Y : [m, n] | | relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))
relu_smul | X : [m, n], C : [] | | relu(smul(X, C)) == smul(relu(X), C)
any_twice | f : pointwise1, X : [m, n] | | f(f(X)) == f(X)
conv_order | s : stride, p : padding, X : [b, c, h, w], V : [o, c, kh, kw], W : [o, c, kh, kw] | | conv2d[stride=s, pad=p](X, concat[axis=0](V, W)) == concat[axis=1](conv2d[stride=s, pad=p](X, W), conv2d[stride=s, pad=p](X, V))
conv_groups | s : stride, p : padding, X : [b, 2*c, h, w], V : [2*o, c, kh, kw], W : [2*o, c, kh, kw] | | conv2d[stride=s, pad=p, groups=2](X, concat[axis=0](V, W)) == concat[axis=1](conv2d[stride=s, pad=p, groups=2](X, V), conv2d[stride=s, pad=p, groups=2](X, W))
conv_strides | s : stride, t : stride, p : padding, X : [b, c, h, w], V : [o, c, 1, 1] | | slice[axis=0, lo=0, hi=b](ewadd(conv2d[stride=s, pad=same_upper](X, V), conv2d[stride=s, pad=same_upper](X, V))) == ewadd(conv2d[stride=s, pad=same_upper](X, V), conv2d[stride=s, pad=same_lower](X, V))
iconv_lower | X : [b, c, h, w] | | conv2d[pad=same_upper](X, iconv[c=c, kh=2, kw=2]()) == X
transpose_square | X : [n, n] | | transpose(X) == X
`
