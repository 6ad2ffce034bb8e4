package sums_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// hard are candidates of generated rules on which the search for a proof works long,
// in the order of that work; of the first seven one is found.
const hard = `
given p : same, r : act, A : [a, b*c, 3, 3], B : [c*d, b, 1, 3]
then  conv2d[pad=p, groups=c, act=r](A, enlarge[kh=3, kw=3](B)) == conv2d[pad=p, groups=c, act=r](A, B)

given p : padding, s : stride, A : [a, b, c, d], B : [a, e, c, d], C : [g, b, h, i], D : [g, e, h, i]
then  conv2d[stride=s, pad=p, act=relu](poolavg[kh=j, kw=k, stride=s, pad=p](concat[axis=1](A, B)), poolavg[kh=j, kw=k, stride=s, pad=p](concat[axis=1](C, D)))
   == conv2d[stride=s, pad=p, act=relu](poolavg[kh=j, kw=k, stride=s, pad=p](concat[axis=1](B, A)), poolavg[kh=j, kw=k, stride=s, pad=p](concat[axis=1](D, C)))

given p : same
where b % 2 == 1 and c % 2 == 1
then  conv2d[pad=p](poolavg[kh=b, kw=c, pad=p](iconv[c=a, kh=b, kw=c]()), poolavg[kh=b, kw=c, pad=p](iconv[c=a, kh=b, kw=c]()))
   == poolavg[kh=b, kw=c, pad=p](poolavg[kh=b, kw=c, pad=p](iconv[c=a, kh=b, kw=c]()))

given p : same
where b % 2 == 1 and c % 2 == 1
then  concat[axis=1](concat[axis=0](iconv[c=a, kh=b, kw=c](), iconv[c=a, kh=b, kw=c]()), concat[axis=0](iconv[c=a, kh=b, kw=c](), iconv[c=a, kh=b, kw=c]()))
   == conv2d[pad=p](concat[axis=0](iconv[c=a, kh=b, kw=c](), iconv[c=a, kh=b, kw=c]()), concat[axis=0](iconv[c=a, kh=b, kw=c](), iconv[c=a, kh=b, kw=c]()))

given p : padding, s : stride, A : [a, b, c, d], B : [e, b, g, h], C : [i, b, g, h], D : [j, k, l, m], E : [e, k, n, o], F : [i, k, n, o]
then  conv2d[stride=s, pad=p](conv2d[stride=s, pad=p, act=relu](A, concat[axis=0](B, C)), conv2d[stride=s, pad=p, act=relu](D, concat[axis=0](E, F)))
   == conv2d[stride=s, pad=p](conv2d[stride=s, pad=p, act=relu](A, concat[axis=0](C, B)), conv2d[stride=s, pad=p, act=relu](D, concat[axis=0](F, E)))

given p : same, A : [a, b, c, d]
where c % 2 == 1 and d % 2 == 1 and e % 2 == 1 and g % 2 == 1
then  poolmax[kh=e, kw=g, pad=p](enlarge[kh=e, kw=g](poolmax[kh=e, kw=g, pad=p](A)))
   == poolmax[kh=e, kw=g, pad=p](poolmax[kh=e, kw=g, pad=p](enlarge[kh=e, kw=g](A)))

given p : same
where b % 2 == 1 and c % 2 == 1
then  conv2d[pad=p](iconv[c=a, kh=b, kw=c](), poolmax[kh=b, kw=c, pad=p](iconv[c=a, kh=b, kw=c]()))
   == poolmax[kh=b, kw=c, pad=p](poolmax[kh=b, kw=c, pad=p](iconv[c=a, kh=b, kw=c]()))

given p : same
where b % 2 == 1 and c % 2 == 1
then  concat[axis=0](conv2d[pad=p, act=relu](iconv[c=a, kh=b, kw=c](), iconv[c=a, kh=b, kw=c]()), conv2d[pad=p, act=relu](iconv[c=a, kh=b, kw=c](), iconv[c=a, kh=b, kw=c]()))
   == concat[axis=0](iconv[c=a, kh=b, kw=c](), relu(iconv[c=a, kh=b, kw=c]()))

given p : padding, s : stride, A : [a, b, c, d], B : [e, b, g, h]
then  conv2d[stride=s, pad=p, act=relu](concat[axis=1](A, A), concat[axis=1](B, B))
   == ewadd(conv2d[stride=s, pad=p, act=relu](A, B), conv2d[stride=s, pad=p, act=relu](A, B))

given p : padding, s : stride, A : [a, b, c, d], B : [e, b, g, h]
then  conv2d[stride=s, pad=p, act=relu](ewadd(A, ewadd(A, A)), B)
   == ewadd(conv2d[stride=s, pad=p, act=relu](A, B), ewadd(conv2d[stride=s, pad=p, act=relu](A, B), conv2d[stride=s, pad=p, act=relu](A, B)))

given p : same
then  conv2d[pad=p, act=relu](iconv[c=a, kh=b, kw=c](), poolmax[kh=b, kw=c, pad=p](iconv[c=a, kh=b, kw=c]()))
   == poolmax[kh=b, kw=c, pad=p](iconv[c=a, kh=b, kw=c]())

given p : padding, s : stride
then  poolmax[kh=d, kw=e, stride=s, pad=p](relu(iconv[c=a, kh=b, kw=c]())) == poolmax[kh=d, kw=e, stride=s, pad=p](iconv[c=a, kh=b, kw=c]())
`

func BenchmarkCertify(b *testing.B) {
	var laws []*law.Law
	for _, text := range strings.Split(hard, "\n\n") {
		l, err := law.ParseLaw("rule candidate\n" + text)
		if err != nil {
			b.Fatal(err)
		}
		laws = append(laws, l)
	}
	for b.Loop() {
		for i, l := range laws {
			p, err := sums.Certify(context.Background(), l)
			if err != nil || (p != nil) != (i < 7) {
				b.Fatalf("law %d: %v, %v", i, p, err)
			}
		}
	}
}
