package sums_test

import "testing"

// values are laws whose proofs compare entries as numbers, each beside one that looks alike
// and does not hold.
var values = []nearLaws{
	{"maxima are associative", `
	given A : [P..], B : [P..], C : [P..]
	then ewmax(A, ewmax(B, C)) == ewmax(ewmax(C, A), B)`, `
	given A : [P..], B : [P..], C : [P..]
	then ewmax(A, ewmin(B, C)) == ewmin(ewmax(C, A), B)`},
	{"absorption", `
	given A : [P..], B : [P..]
	then ewmin(A, ewmax(A, B)) => A`, `
	given A : [P..], B : [P..]
	then ewmin(A, ewmax(A, B)) => B`},
	{"the maximum distributes over the minimum", `
	given A : [P..], B : [P..], C : [P..]
	then ewmax(A, ewmin(B, C)) == ewmin(ewmax(A, B), ewmax(A, C))`, `
	given A : [P..], B : [P..], C : [P..]
	then ewmax(A, ewmin(B, C)) == ewmin(ewmax(A, B), ewmin(A, C))`},
	{"a sum distributes over the maximum", `
	given A : [P..], B : [P..], C : [P..], D : [P..]
	then ewadd(ewmax(A, B), ewmax(C, D)) == ewmax(ewmax(ewadd(A, C), ewadd(A, D)), ewmax(ewadd(B, C), ewadd(B, D)))`, `
	given A : [P..], B : [P..], C : [P..], D : [P..]
	then ewadd(ewmax(A, B), ewmax(C, D)) == ewmax(ewadd(A, C), ewadd(B, D))`},
	{"the median", `
	given A : [P..], B : [P..], C : [P..]
	then ewmax(ewmin(A, B), ewmin(C, ewmax(A, B))) == ewmin(ewmax(A, B), ewmax(C, ewmin(A, B)))`, `
	given A : [P..], B : [P..], C : [P..]
	then ewmax(ewmin(A, B), ewmin(C, ewmax(A, B))) == ewmax(ewmax(A, B), ewmax(C, ewmin(A, B)))`},
	{"the maximum by relu", `
	given A : [P..], B : [P..]
	then ewmax(A, B) == ewadd(B, relu(ewsub(A, B)))`, `
	given A : [P..], B : [P..]
	then ewmax(A, B) == ewadd(A, relu(ewsub(A, B)))`},
	{"the minimum by relu", `
	given A : [P..], B : [P..]
	then ewmin(A, B) == ewsub(A, relu(ewsub(A, B)))`, `
	given A : [P..], B : [P..]
	then ewmin(A, B) == ewsub(B, relu(ewsub(A, B)))`},
	{"the maximum and the minimum by the absolute value", `
	given A : [P..], B : [P..]
	then ewsub(ewmax(A, B), ewmin(A, B)) == abs(ewsub(A, B))`, `
	given A : [P..], B : [P..]
	then ewadd(ewmax(A, B), ewmin(A, B)) == abs(ewadd(A, B))`},
	{"the absolute value by relu", `
	given A : [P..]
	then abs(A) == ewadd(relu(A), relu(neg(A)))`, `
	given A : [P..]
	then abs(A) == ewsub(relu(A), relu(neg(A)))`},
	{"the absolute value of a product", `
	given A : [P..], B : [P..]
	then abs(ewmul(A, B)) == ewmul(abs(A), abs(B))`, `
	given A : [P..], B : [P..]
	then abs(ewadd(A, B)) == ewadd(abs(A), abs(B))`},
	{"the square of the absolute value", `
	given A : [P..]
	then ewmul(abs(A), abs(A)) == ewmul(A, A)`, `
	given A : [P..]
	then ewmul(abs(A), A) == ewmul(A, A)`},
	{"a number by its parts", `
	given A : [P..]
	then A == ewsub(relu(A), relu(neg(A)))`, `
	given A : [P..]
	then A == ewadd(relu(A), relu(neg(A)))`},
	{"a mean of others", `
	given A : [P..], B : [P..]
	then ewmax(ewadd(A, A), ewmax(ewadd(B, B), ewadd(A, B))) == ewmax(ewadd(A, A), ewadd(B, B))`, `
	given A : [P..], B : [P..]
	then ewmax(ewadd(A, A), ewmax(B, ewadd(A, B))) == ewmax(ewadd(A, A), ewadd(B, B))`},
	{"relu of a clip", `
	given A : [P..]
	then relu(clip[lo=-1.0, hi=1.0](A)) == ewsub(relu(A), relu(ewsub(A, clip[lo=1.0, hi=1.0](A))))`, `
	given A : [P..]
	then relu(clip[lo=-1.0, hi=1.0](A)) == ewsub(relu(A), relu(ewsub(A, clip[lo=2.0, hi=2.0](A))))`},
	{"a clip and its mirror image", `
	given A : [P..]
	then neg(clip[lo=-1.0, hi=3.0](A)) == clip[lo=-3.0, hi=1.0](neg(A))`, `
	given A : [P..]
	then neg(clip[lo=-1.0, hi=3.0](A)) == clip[lo=-1.0, hi=3.0](neg(A))`},
	{"a maximum below a product of matrices", `
	given A : [a, b], B : [b, c], C : [b, c]
	then matmul(A, ewmax(B, C)) == ewadd(matmul(A, C), matmul(A, relu(ewsub(B, C))))`, `
	given A : [a, b], B : [b, c], C : [b, c]
	then matmul(A, ewmax(B, C)) == ewadd(matmul(A, B), matmul(A, relu(ewsub(B, C))))`},
	{"products of matrices are compared", `
	given A : [a, b], B : [b, c], C : [b, c]
	then ewmax(matmul(A, B), matmul(A, C)) == ewadd(matmul(A, C), relu(matmul(A, ewsub(B, C))))`, `
	given A : [a, b], B : [b, c], C : [b, c]
	then ewmax(matmul(A, B), matmul(A, C)) == matmul(A, ewmax(B, C))`},
	{"a sum over an axis", `
	given A : [a, b], B : [a, b]
	then ewadd(reducesum[axes=(1)](ewmax(A, B)), reducesum[axes=(1)](ewmin(A, B))) == ewadd(reducesum[axes=(1)](A), reducesum[axes=(1)](B))`, `
	given A : [a, b], B : [a, b]
	then reducesum[axes=(1)](ewmax(A, B)) == ewmax(reducesum[axes=(1)](A), reducesum[axes=(1)](B))`},
	{"below another function", `
	given A : [P..], B : [P..]
	then sigmoid(ewmax(A, B)) == sigmoid(ewadd(B, relu(ewsub(A, B))))`, `
	given A : [P..], B : [P..]
	then sigmoid(ewmax(A, B)) == sigmoid(ewadd(A, relu(ewsub(A, B))))`},
	{"a part of a concat", `
	given A : [a, b], B : [a, b], C : [c, b]
	then concat[axis=0](ewmax(A, B), C) == concat[axis=0](ewadd(B, relu(ewsub(A, B))), C)`, `
	given A : [a, b], B : [a, b], C : [c, b]
	then concat[axis=0](ewmax(A, B), C) == ewmax(concat[axis=0](A, C), concat[axis=0](B, relu(C)))`},
	{"a window of a maximum", `
	given p : padding, s : stride, A : [a, b, c, d], B : [a, b, c, d]
	then poolavg[kh=3, kw=3, stride=s, pad=p](ewmax(A, B)) == poolavg[kh=3, kw=3, stride=s, pad=p](ewadd(B, relu(ewsub(A, B))))`, `
	given p : padding, s : stride, A : [a, b, c, d], B : [a, b, c, d]
	then poolavg[kh=3, kw=3, stride=s, pad=p](ewmax(A, B)) == ewmax(poolavg[kh=3, kw=3, stride=s, pad=p](A), poolavg[kh=3, kw=3, stride=s, pad=p](B))`},
	{"a clamped variable in a literal range", `
	given A : [a, 3]
	then reducemax[axes=(1)](A) == ewmax(reducemax[axes=(1)](slice[axis=1, lo=0, hi=2](A)), reducemax[axes=(1)](slice[axis=1, lo=1, hi=3](A)))`, `
	given A : [a, 3]
	then reducemax[axes=(1)](A) == ewmax(reducemax[axes=(1)](slice[axis=1, lo=0, hi=1](A)), reducemax[axes=(1)](slice[axis=1, lo=1, hi=2](A)))`},
	{"a factor that is not negative", `
	given A : [P..], B : [P..], C : [P..]
	then ewmax(ewmul(A, relu(C)), ewmul(B, relu(C))) == ewmul(ewmax(A, B), relu(C))`, `
	given A : [P..], B : [P..], C : [P..]
	then ewmax(ewmul(A, C), ewmul(B, C)) == ewmul(ewmax(A, B), C)`},
	{"a scalar that is not negative", `
	given A : [P..], C : []
	then relu(smul(A, abs(C))) == smul(relu(A), abs(C))`, `
	given A : [P..], C : []
	then relu(smul(A, C)) == smul(relu(A), C)`},
	{"an exponential is not negative", `
	given A : [P..], B : [P..], C : [P..]
	then ewmin(ewmul(A, exp(C)), ewmul(B, exp(C))) == ewmul(ewmin(A, B), exp(C))`, `
	given A : [P..], B : [P..], C : [P..]
	then ewmin(ewmul(A, tanh(C)), ewmul(B, tanh(C))) == ewmul(ewmin(A, B), tanh(C))`},
	{"two factors that are not negative", `
	given A : [P..], B : [P..], C : [P..]
	then relu(ewmul(A, ewmul(relu(B), sigmoid(C)))) == ewmul(relu(A), ewmul(relu(B), sigmoid(C)))`, `
	given A : [P..], B : [P..], C : [P..]
	then relu(ewmul(A, ewmul(B, sigmoid(C)))) == ewmul(relu(A), ewmul(relu(B), sigmoid(C)))`},
	{"a sum of what is not negative", `
	given A : [P..], B : [P..]
	then relu(ewadd(relu(A), abs(B))) == ewadd(relu(A), abs(B))`, `
	given A : [P..], B : [P..]
	then relu(ewsub(relu(A), abs(B))) == ewsub(relu(A), abs(B))`},
	{"the product of relus", `
	given A : [P..]
	then ewmul(relu(A), relu(neg(A))) == ewsub(A, A)`, `
	given A : [P..]
	then ewmul(relu(A), neg(A)) == ewsub(A, A)`},
}

// What a comparison of values shows has a proof, and what nearly holds is refuted and has none.
func TestValues(t *testing.T) { testNearly(t, values) }

// quotients are laws where every term has a value.
var quotients = []nearLaws{
	{"a quotient of a quotient", `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(ewdiv(A, B), C) == ewdiv(A, ewmul(B, C))`, `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(A, ewdiv(B, C)) == ewdiv(A, ewmul(B, C))`},
	{"a quotient by a quotient", `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(A, ewdiv(B, C)) == ewdiv(ewmul(A, C), B)`, `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(A, ewdiv(B, C)) == ewdiv(ewmul(A, B), C)`},
	{"a quotient of a sum", `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(ewadd(A, B), C) == ewadd(ewdiv(A, C), ewdiv(B, C))`, `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(C, ewadd(A, B)) == ewadd(ewdiv(C, A), ewdiv(C, B))`},
	{"a quotient times the divisor", `[real]
	given A : [P..], B : [P..]
	then ewmul(ewdiv(A, B), B) => A`, `[real]
	given A : [P..], B : [P..]
	then ewmul(ewdiv(A, B), B) => B`},
	{"the reciprocal of the reciprocal", `[real]
	given A : [P..]
	then reciprocal(reciprocal(A)) => A`, `[real]
	given A : [P..]
	then reciprocal(reciprocal(A)) => reciprocal(A)`},
	{"a sum divided by itself", `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(ewmul(C, ewadd(A, B)), ewadd(A, B)) => C`, `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(ewmul(C, ewadd(A, B)), ewsub(A, B)) => C`},
	{"a sum of quotients", `[real]
	given A : [P..], B : [P..], C : [P..], D : [P..]
	then ewadd(ewdiv(A, B), ewdiv(C, D)) == ewdiv(ewadd(ewmul(A, D), ewmul(C, B)), ewmul(B, D))`, `[real]
	given A : [P..], B : [P..], C : [P..], D : [P..]
	then ewadd(ewdiv(A, B), ewdiv(C, D)) == ewdiv(ewadd(ewmul(A, B), ewmul(C, D)), ewmul(B, D))`},
	{"a fraction within a fraction", `[real]
	given A : [P..], B : [P..]
	then reciprocal(ewadd(reciprocal(A), reciprocal(B))) => ewdiv(ewmul(A, B), ewadd(A, B))`, `[real]
	given A : [P..], B : [P..]
	then reciprocal(ewadd(reciprocal(A), reciprocal(B))) => ewadd(A, B)`},
	{"the quotient by a multiple", `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(A, ewadd(ewadd(B, B), ewadd(C, C))) == ewdiv(ewdiv(A, ewadd(B, C)), clip[lo=2.0, hi=2.0](A))`, `[real]
	given A : [P..], B : [P..], C : [P..]
	then ewdiv(A, ewadd(ewadd(B, B), ewadd(C, C))) == ewdiv(ewdiv(A, ewadd(B, C)), clip[lo=4.0, hi=4.0](A))`},
	{"a softmax by its parts", `[real]
	given A : [a], B : [a]
	then ewdiv(ewmul(exp(A), B), broadcast[shape=[a]](reducesum[axes=(0)](exp(A)))) == ewmul(B, ewdiv(exp(A), broadcast[shape=[a]](reducesum[axes=(0)](exp(A)))))`, `[real]
	given A : [a], B : [a]
	then ewdiv(ewmul(exp(A), B), broadcast[shape=[a]](reducesum[axes=(0)](exp(A)))) == ewdiv(exp(A), broadcast[shape=[a]](reducesum[axes=(0)](exp(A))))`},
	{"a quotient below a product of matrices", `[real]
	given A : [a, b], B : [b, c], C : [b, c]
	then matmul(A, ewdiv(ewmul(B, C), C)) => matmul(A, B)`, `[real]
	given A : [a, b], B : [b, c], C : [b, c]
	then matmul(A, ewdiv(ewmul(B, C), B)) => matmul(A, B)`},
	{"the sign of a quotient", `[real]
	given A : [P..], B : [P..]
	then abs(ewdiv(A, B)) == ewdiv(abs(A), abs(B))`, `[real]
	given A : [P..], B : [P..]
	then abs(ewdiv(A, B)) == ewdiv(A, abs(B))`},
	{"a quotient by what is positive", `[real]
	given A : [P..], B : [P..]
	then relu(ewdiv(A, exp(B))) == ewdiv(relu(A), exp(B))`, `[real]
	given A : [P..], B : [P..]
	then relu(ewdiv(A, B)) == ewdiv(relu(A), B)`},
}

// Quotients are compared where every term has a value.
func TestQuotients(t *testing.T) { testNearly(t, quotients) }
