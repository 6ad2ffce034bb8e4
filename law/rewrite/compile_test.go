package rewrite_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

func ExampleLaw_Usable() {
	l, _ := law.ParseLaw("axiom a given X : [a], Y : [b] then slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)) == X")
	c, _ := rewrite.Compile(l)
	fmt.Println(c.Usable()) // from right to left nothing says what Y is
	fmt.Println(c.Unusable[0])
	// Output:
	// true false
	// law a, right to left: the source does not mention Y
}

func TestUsable(t *testing.T) {
	for _, c := range []struct {
		src      string
		ltr, rtl bool
	}{
		{"axiom a given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)", true, true},
		{"axiom a given X : [n], Y : [n] then ewadd(X, Y) => ewadd(Y, X)", true, false},
		{"axiom a given X : [P..] then ewmul(X, one[shape=[P..]]()) == X", true, true},
		{"axiom a given X : [a], Y : [b] then slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)) == X", true, false},
		{"axiom a given X : [P.., n, S..] then slice[axis=#P, lo=0, hi=n](X) == X", true, true}, // P is guessed
		{"axiom a given X : [b, c, h, w] then conv2d[pad=same_lower](X, iconv[c=c, kh=k, kw=k]()) == X", true, false},
		{"axiom a given f : pointwise1, X : [n] then f(X) == X", true, false},
		{"axiom a given q : same, X : [b, c, h, w] then poolmax[kh=1, kw=1, pad=q](X) == X", true, false},
		{"axiom a where j <= c then slice[axis=0, lo=i-1, hi=j](cpool[c=c, kh=k, kw=k]()) == cpool[c=j-i+1, kh=k, kw=k]()", true, false},
		{"axiom a given X : [a+b] then concat[axis=0](slice[axis=0, lo=0, hi=a](X), slice[axis=0, lo=a, hi=a+b](X)) == X", true, false},
	} {
		l, err := law.ParseLaw(c.src)
		if err != nil {
			t.Fatal(err)
		}
		r, err := rewrite.Compile(l)
		if err != nil {
			t.Fatal(err)
		}
		if ltr, rtl := r.Usable(); ltr != c.ltr || rtl != c.rtl {
			t.Errorf("%s: usable %v, %v, want %v, %v", c.src, ltr, rtl, c.ltr, c.rtl)
		}
	}
}
