package sums_test

import (
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/refute"
	"github.com/taso-go/taso/verify/sums"
)

// nearLaws are a law that holds and one that does not.
type nearLaws struct{ name, holds, fails string }

// nearly are laws that hold, each beside one that looks alike and does not: of literal
// ranges written out, of ranges that run backwards, of the true maximum.
var nearly = []nearLaws{
	{"an average of an average as a convolution", `
	given p : same, A : [a, 1, 3, 3]
	then conv2d[pad=p, groups=a](conv2d[pad=p](cpool[c=b, kh=3, kw=3](), A), cpool[c=a, kh=3, kw=3]()) == conv2d[pad=p](cpool[c=b, kh=3, kw=3](), poolavg[kh=3, kw=3, pad=p](A))`, `
	given p : same, A : [a, 1, 3, 4]
	then conv2d[pad=p, groups=a](conv2d[pad=p](cpool[c=b, kh=3, kw=4](), A), cpool[c=a, kh=3, kw=4]()) == conv2d[pad=p](cpool[c=b, kh=3, kw=4](), poolavg[kh=3, kw=4, pad=p](A))`},
	{"the identity of even size", `
	given A : [a, 2, 3, 3]
	then conv2d[pad=same_upper](A, iconv[c=2, kh=3, kw=3]()) == A`, `
	given A : [a, 2, 3, 3]
	then conv2d[pad=same_upper](A, iconv[c=2, kh=3, kw=2]()) == A`},
	{"windows counted from the other end", `
	given p : same
	where b % 2 == 1 and c % 2 == 1
	then conv2d[pad=p, groups=d](conv2d[pad=p](cpool[c=a, kh=b, kw=c](), cpool[c=d, kh=b, kw=c]()), cpool[c=d*e, kh=b, kw=c]()) == conv2d[pad=p](cpool[c=a, kh=b, kw=c](), poolavg[kh=b, kw=c, pad=p](cpool[c=d*e, kh=b, kw=c]()))`, `
	given p : same
	where b % 2 == 0 and c % 2 == 1
	then conv2d[pad=p, groups=d](conv2d[pad=p](cpool[c=a, kh=b, kw=c](), cpool[c=d, kh=b, kw=c]()), cpool[c=d*e, kh=b, kw=c]()) == conv2d[pad=p](cpool[c=a, kh=b, kw=c](), poolavg[kh=b, kw=c, pad=p](cpool[c=d*e, kh=b, kw=c]()))`},
	{"the maximum of numbers", `
	given p : padding, s : stride
	then ewmul(poolmax[kh=d, kw=e, stride=s, pad=p](iconv[c=a, kh=b, kw=c]()), poolmax[kh=d, kw=e, stride=s, pad=p](iconv[c=a, kh=b, kw=c]())) == poolmax[kh=d, kw=e, stride=s, pad=p](iconv[c=a, kh=b, kw=c]())`, `
	given p : padding, s : stride
	then ewmul(poolmax[kh=d, kw=e, stride=s, pad=p](cpool[c=a, kh=b, kw=c]()), poolmax[kh=d, kw=e, stride=s, pad=p](cpool[c=a, kh=b, kw=c]())) == poolmax[kh=d, kw=e, stride=s, pad=p](cpool[c=a, kh=b, kw=c]())`},
	{"a window that holds a 0", `
	given p : padding, s : stride, A : [a, b, 3, 1]
	then relu(poolmax[kh=3, kw=3, stride=s, pad=p](enlarge[kh=3, kw=3](A))) == poolmax[kh=3, kw=3, stride=s, pad=p](enlarge[kh=3, kw=3](A))`, `
	given p : padding, s : stride, A : [a, b, 3, 1]
	then relu(poolmax[kh=3, kw=1, stride=s, pad=p](enlarge[kh=3, kw=3](A))) == poolmax[kh=3, kw=1, stride=s, pad=p](enlarge[kh=3, kw=3](A))`},
	{"the third power", `
	given p : padding, s : stride, A : [a, b, c, d]
	then ewmul(ewmul(poolmax[kh=e, kw=g, stride=s, pad=p](A), poolmax[kh=e, kw=g, stride=s, pad=p](A)), poolmax[kh=e, kw=g, stride=s, pad=p](A)) == poolmax[kh=e, kw=g, stride=s, pad=p](ewmul(A, ewmul(A, A)))`, `
	given p : padding, s : stride, A : [a, b, c, d]
	then ewmul(poolmax[kh=e, kw=g, stride=s, pad=p](A), poolmax[kh=e, kw=g, stride=s, pad=p](A)) == poolmax[kh=e, kw=g, stride=s, pad=p](ewmul(A, A))`},
	{"the fourth power", `
	given p : padding, s : stride, A : [a, b, c, d]
	then ewmul(poolmax[kh=e, kw=g, stride=s, pad=p](ewmul(A, A)), poolmax[kh=e, kw=g, stride=s, pad=p](ewmul(A, A))) == poolmax[kh=e, kw=g, stride=s, pad=p](ewmul(ewmul(A, A), ewmul(A, A)))`, `
	given p : padding, s : stride, A : [a, b, c, d]
	then ewmul(poolmax[kh=e, kw=g, stride=s, pad=p](ewmul(A, A)), poolmax[kh=e, kw=g, stride=s, pad=p](A)) == poolmax[kh=e, kw=g, stride=s, pad=p](ewmul(A, ewmul(A, A)))`},
	{"what grows", `
	given p : padding, s : stride, A : [a, b, c, d]
	then ewadd(poolmax[kh=e, kw=g, stride=s, pad=p](A), relu(poolmax[kh=e, kw=g, stride=s, pad=p](A))) == poolmax[kh=e, kw=g, stride=s, pad=p](ewadd(A, relu(A)))`, `
	given p : padding, s : stride, A : [a, b, c, d]
	then ewadd(poolmax[kh=e, kw=g, stride=s, pad=p](A), ewmul(poolmax[kh=e, kw=g, stride=s, pad=p](A), poolmax[kh=e, kw=g, stride=s, pad=p](A))) == poolmax[kh=e, kw=g, stride=s, pad=p](ewadd(A, ewmul(A, A)))`},
	{"what has the sign of its argument", `
	given A : [P..]
	then relu(ewadd(A, relu(A))) == relu(ewadd(A, A))`, `
	given A : [P..]
	then ewadd(A, relu(ewmul(A, A))) == relu(ewadd(A, ewmul(A, A)))`},
	{"digits of the parts of an axis", `
	given A : [a, b, c], B : [d, b, c]
	then concat[axis=0](reshape[shape=[a*b, c]](A), reshape[shape=[b*d, c]](B)) == reshape[shape=[a*b+b*d, c]](concat[axis=0](A, B))`, `
	given A : [a, b], B : [a, d]
	then concat[axis=0](reshape[shape=[a*b]](A), reshape[shape=[a*d]](B)) == reshape[shape=[a*b+a*d]](concat[axis=1](A, B))`},
	{"what is added to a maximum", `
	given p : same, A : [a, 1, b, c]
	then ewadd(cpool[c=a, kh=b, kw=c](), poolmax[kh=d, kw=e, pad=p](A)) == poolmax[kh=d, kw=e, pad=p](ewadd(A, cpool[c=a, kh=b, kw=c]()))`, `
	given p : same
	then ewadd(iconv[c=a, kh=b, kw=c](), poolmax[kh=d, kw=e, pad=p](iconv[c=a, kh=b, kw=c]())) == poolmax[kh=d, kw=e, pad=p](ewadd(iconv[c=a, kh=b, kw=c](), iconv[c=a, kh=b, kw=c]()))`},
	{"a number before a sum", `
	given A : [a, b], B : [b, c]
	then relu(matmul(A, ewadd(B, ewadd(B, B)))) == ewadd(relu(matmul(A, B)), relu(matmul(A, ewadd(B, B))))`, `
	given A : [a, b], B : [b, c]
	then relu(matmul(A, ewsub(B, ewadd(B, B)))) == ewsub(relu(matmul(A, B)), relu(matmul(A, ewadd(B, B))))`},
	{"a square before a sum", `
	given A : [a, b], B : [b, c], C : []
	then relu(smul(matmul(A, B), ewmul(C, C))) == smul(relu(matmul(A, B)), ewmul(C, C))`, `
	given A : [a, b], B : [b, c], C : []
	then relu(smul(matmul(A, B), ewmul(C, ewmul(C, C)))) == smul(relu(matmul(A, B)), ewmul(C, ewmul(C, C)))`},
	{"a factor that depends on the place", `
	given p : padding, s : stride, A : [a, b, c, d], B : []
	then poolmax[kh=3, kw=3, stride=s, pad=p](smul(A, ewmul(B, B))) == smul(poolmax[kh=3, kw=3, stride=s, pad=p](A), ewmul(B, B))`, `
	given p : padding, s : stride, A : [a, b, c, d], B : [a, b, c, d]
	then poolmax[kh=3, kw=3, stride=s, pad=p](ewmul(A, ewmul(B, B))) == ewmul(poolmax[kh=3, kw=3, stride=s, pad=p](A), poolmax[kh=3, kw=3, stride=s, pad=p](ewmul(B, B)))`},
	{"a factor of a sum over what it depends on", `
	given A : [a, b], B : [b, c], C : [a, c]
	then relu(ewmul(matmul(A, B), ewmul(C, C))) == ewmul(relu(matmul(A, B)), ewmul(C, C))`, `
	given A : [a, a], B : [a, a]
	then relu(matmul(A, ewmul(B, B))) == ewmul(relu(A), ewmul(B, B))`},
	{"a number before all values", `
	given A : [P..], B : [P..]
	then ewmax(ewadd(A, A), ewadd(B, B)) == ewadd(ewmax(A, B), ewmax(A, B))`, `
	given A : [P..], B : [P..]
	then ewmax(ewadd(A, A), B) == ewadd(ewmax(A, B), ewmax(A, B))`},
	{"a factor of all terms", `
	given A : [P..], B : [P..], C : [P..]
	then relu(ewadd(ewmul(A, relu(B)), ewmul(C, relu(B)))) == ewmul(relu(ewadd(A, C)), relu(B))`, `
	given A : [P..], B : [P..], C : [P..]
	then relu(ewadd(ewmul(A, relu(B)), C)) == ewmul(relu(ewadd(A, C)), relu(B))`},
}

// What nearly holds is refuted and has no proof.
func TestNearly(t *testing.T) { testNearly(t, nearly) }

func testNearly(t *testing.T, laws []nearLaws) {
	for _, c := range laws {
		t.Run(c.name, func(t *testing.T) {
			l := parse(t, "# .\nrule a"+c.holds)
			m, p, err := sums.Show(t.Context(), l, 0)
			if err != nil || p == nil {
				t.Errorf("no proof: %v", err)
			}
			if w, err := refute.Find(t.Context(), m, refute.Options{}); w != nil || err != nil {
				t.Errorf("proved, and refuted: %v, %v", w, err)
			}
			l = parse(t, "# .\nrule a"+c.fails)
			if m, p, err := sums.Show(t.Context(), l, 0); p != nil || err != nil {
				t.Errorf("a proof of\n%s%v", law.Format(m), err)
			}
			if w, err := refute.Find(t.Context(), l, refute.Options{}); w == nil || err != nil {
				t.Errorf("not refuted: %v", err)
			}
		})
	}
}
