package sums

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
)

// Of a cast laws say what they say of any function of one element, and no more.
func TestByType(t *testing.T) {
	for text, want := range map[string]bool{
		"given X : [6, 4] then cast[to=float16](X) == combine[axis=0](cast[to=float16](partition[axis=0, on=2](X)))":         true,
		"given X : [6, 4] then drop(cast[to=float16](lift[on=2](X))) == cast[to=float16](X)":                                 true,
		"given X : [6, 4] then cast[to=int64](transpose[perm=(1, 0)](X)) == transpose[perm=(1, 0)](cast[to=int64](X))":       true,
		"given X : [6, 4] then cast[to=float16](X) == X":                                                                     false,
		"given X : [6, 4] then cast[to=float16](X) == cast[to=float32](X)":                                                   false,
		"given X : [6, 4] then cast[to=float16](cast[to=float16](X)) == cast[to=float16](X)":                                 false,
		"given X : [6, 4], Y : [6, 4] then cast[to=float16](ewadd(X, Y)) == ewadd(cast[to=float16](X), cast[to=float16](Y))": false,
		"given X : [6, 4] then reduce(cast[to=float16](lift[on=2](X))) == cast[to=float16](X)":                               false,
		"given X : [6, 4] then relu(cast[to=float16](X)) == cast[to=float16](relu(X))":                                       false,
		"given f : pointwise1, X : [6, 4] then f(cast[to=bool](X)) == f(X)":                                                  false,
		"given X : [6, 4] then cast[to=float32](cast[to=bfloat16](X)) == X":                                                  false,
		"given X : [6, 4] then cast[to=float8e5m2](X) == cast[to=float8e5m2, mode=overflow](X)":                              false,
		"given X : [6, 4] then cast[to=int8, mode=wrap](cast[to=int16, mode=wrap](X)) == cast[to=int8, mode=wrap](X)":        false,
		"given X : [6, 4] then cast[to=int4, mode=wrap](neg(X)) == neg(cast[to=int4, mode=wrap](X))":                         false,
	} {
		l, err := law.ParseLaw("rule r " + text)
		if err != nil {
			t.Error(err)
			continue
		}
		p, err := CertifyWithin(context.Background(), l, 1<<20)
		if err != nil || (p != nil) != want {
			t.Errorf("%s: proved %v, %v", text, p != nil, err)
		}
	}
}
