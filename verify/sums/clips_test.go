package sums_test

import (
	"context"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// Clips and relus in a row are one with the bounds of both, and no other; the quotient by a
// number other than 0 is the product with its reciprocal.
func TestBoundsOfBounds(t *testing.T) {
	for text, want := range map[string]bool{
		"clip[lo=0.0, hi=3.0](clip[lo=-1.0, hi=6.0](X)) => clip[lo=0.0, hi=3.0](X)":               true,
		"clip[lo=0.0, hi=3.0](clip[lo=-1.0, hi=2.0](X)) => clip[lo=0.0, hi=2.0](X)":               true,
		"clip[lo=2.0, hi=3.0](clip[lo=0.0, hi=1.0](X)) => clip[lo=2.0, hi=2.0](X)":                true,
		"clip[lo=-inf, hi=3.0](clip[lo=-1.0, hi=inf](X)) => clip[lo=-1.0, hi=3.0](X)":             true,
		"relu(clip[lo=-1.0, hi=2.0](X)) => clip[lo=0.0, hi=2.0](X)":                               true,
		"relu(clip[lo=1.0, hi=2.0](X)) => clip[lo=1.0, hi=2.0](X)":                                true,
		"clip[lo=-1.0, hi=inf](relu(X)) => relu(X)":                                               true,
		"clip[lo=0.0, hi=3.0](clip[lo=-1.0, hi=2.0](X)) => clip[lo=0.0, hi=3.0](X)":               false,
		"clip[lo=0.0, hi=3.0](clip[lo=-1.0, hi=6.0](X)) => clip[lo=-1.0, hi=3.0](X)":              false,
		"clip[lo=2.0, hi=3.0](clip[lo=0.0, hi=1.0](X)) => clip[lo=2.0, hi=3.0](X)":                false,
		"clip[lo=0.0, hi=3.0](clip[lo=2.0, hi=-1.0](X)) => clip[lo=0.0, hi=2.0](X)":               false, // its bounds cross
		"clip[lo=2.0, hi=-1.0](clip[lo=0.0, hi=3.0](X)) => clip[lo=-1.0, hi=2.0](X)":              false,
		"relu(clip[lo=1.0, hi=2.0](X)) => clip[lo=0.0, hi=2.0](X)":                                false,
		"relu(neg(clip[lo=0.0, hi=2.0](X))) => clip[lo=0.0, hi=2.0](X)":                           false,
		"clip[lo=-1.0, hi=inf](relu(X)) => clip[lo=-1.0, hi=inf](X)":                              false,
		"ewdiv(X, fill[shape=[P..], value=1]()) => X":                                             true,
		"ewdiv(X, fill[shape=[P..], value=2]()) => ewmul(X, fill[shape=[P..], value=1, den=2]())": true,
		"ewdiv(X, fill[shape=[P..], value=2]()) => X":                                             false,
		"ewdiv(X, fill[shape=[P..], value=0]()) => X":                                             false,
		"ewdiv(X, fill[shape=[P..], value=0]()) => ewmul(X, fill[shape=[P..], value=0]())":        false,
		"ewdiv(fill[shape=[P..], value=1](), X) => X":                                             false,
	} {
		l, err := law.ParseLaw("rule r [ordered]\n  given X : [P..]\n  then  " + text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p, err := sums.Certify(context.Background(), l)
		if err != nil || (p != nil) != want {
			t.Errorf("%s: proved %t, want %t: %v", text, p != nil, want, err)
		}
	}
	l, err := law.ParseLaw("rule r\n  given X : [P..]\n  then  relu(clip[lo=-1.0, hi=2.0](X)) => clip[lo=0.0, hi=2.0](X)")
	if err != nil {
		t.Fatal(err)
	}
	if p, err := sums.Certify(context.Background(), l); err != nil || p != nil {
		t.Errorf("proved without the order of numbers: %v", err)
	}
}
