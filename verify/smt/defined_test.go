package smt

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

// definedLaws are true; each can be used so that a term becomes equal to one
// that is not defined for the same sizes.
const definedLaws = `
axiom halves
  given X : [a], Y : [b]
  then  (slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)), slice[axis=0, lo=a, hi=a+b](concat[axis=0](X, Y))) == (X, Y)
axiom first
  given X : [a], Y : [b]
  then  slice[axis=0, lo=0, hi=a](concat[axis=0](X, Y)) == X
axiom zero
  given X : [P..], Y : [P..]
  then  ewadd(X, ewsub(Y, Y)) == X
axiom narrow
  given X : [n, k]
  then  slice[axis=0, lo=0, hi=k](slice[axis=0, lo=0, hi=k+1](X)) => slice[axis=0, lo=0, hi=k](X)
axiom parts
  given X : [n]
  then  split[axis=0, at=1](X) == (slice[axis=0, lo=0, hi=1](X), slice[axis=0, lo=1, hi=n](X))
`

// TestDefinedness: no engine takes a term for equal to one that may be undefined
// where it is not, and none needs more than that it is defined.
func TestDefinedness(t *testing.T) {
	laws, err := law.Parse("laws", []byte(definedLaws))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*law.Law{}
	for _, l := range laws {
		byName[l.Name] = l
	}
	const (
		cut  = "slice[axis=0, lo=0, hi=b](Z)"
		half = "slice[axis=0, lo=0, hi=a](concat[axis=0](X, " + cut + "))"
	)
	for _, c := range []struct {
		law, goal string
		proved    bool
	}{
		{"halves", "given X : [a], Z : [c] then X => " + half, false},
		{"halves", "given X : [a], Z : [c] then X == " + half, false},
		{"halves", "given X : [a], Z : [c] then " + half + " => X", true},
		{"halves", "given X : [a], Z : [c] where b <= c then X == " + half, true},
		{"first", "given X : [a], Z : [c] then X => " + half, false},
		{"first", "given X : [a], Z : [c] then " + half + " => X", true},
		{"first", "given X : [a], Y : [b] then " + "slice[axis=0, lo=0, hi=a](concat[axis=0](X, relu(Y))) == X", true},
		{"zero", "given X : [b], Z : [c] then X => ewadd(X, ewsub(" + cut + ", " + cut + "))", false},
		{"zero", "given X : [b], Z : [c] then ewadd(X, ewsub(" + cut + ", " + cut + ")) => X", true},
		{"zero", "given X : [n], Y : [n] then ewadd(X, ewsub(Y, Y)) == X", true},
		{"zero", "given s : stride, p : padding, A : [b, c, window(h,k,s,p,0), window(w,l,s,p,1)], X : [b, c, h, w] then A => " +
			"ewadd(A, ewsub(poolmax[kh=k, kw=l, stride=s, pad=p](X), poolmax[kh=k, kw=l, stride=s, pad=p](X)))", false},
		{"zero", "given s : stride, p : padding, A : [b, c, window(h,k,s,p,0), window(w,l,s,p,1)], X : [b, c, h, w] then " +
			"ewadd(A, ewsub(poolmax[kh=k, kw=l, stride=s, pad=p](X), poolmax[kh=k, kw=l, stride=s, pad=p](X))) => A", true},
		{"narrow", "given X : [n, k] then slice[axis=0, lo=0, hi=k](X) => slice[axis=0, lo=0, hi=k](slice[axis=0, lo=0, hi=k+1](X))", false},
		{"narrow", "given X : [n, k] then slice[axis=0, lo=0, hi=k](slice[axis=0, lo=0, hi=k+1](X)) => slice[axis=0, lo=0, hi=k](X)", true},
		{"parts", "given X : [n] then slice[axis=0, lo=0, hi=1](X) => split[axis=0, at=1](X).0", false},
		{"parts", "given X : [n] then split[axis=0, at=1](X).0 => slice[axis=0, lo=0, hi=1](X)", true},
		{"parts", "given X : [n+1] then split[axis=0, at=1](X).0 == slice[axis=0, lo=0, hi=1](X)", true},
	} {
		t.Run(c.law+" "+c.goal, func(t *testing.T) {
			g, err := law.ParseLaw("rule r " + c.goal)
			if err != nil {
				t.Fatal(err)
			}
			from := []*law.Law{byName[c.law]}
			v, err := verify.Derive(context.Background(), g, from, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Status == verify.Proved; got != c.proved {
				t.Errorf("e-graph: %s %s", v.Status, v.Reason)
			}
			q := &Quantified{Laws: from}
			vs, err := q.Prove(context.Background(), []*law.Law{g})
			if err != nil {
				t.Fatal(err)
			}
			if vs[0].Status == verify.Proved && !c.proved {
				t.Error("z3, quantified: proved")
			}
			if vs[0].Status != verify.Proved && c.proved && !strings.Contains(c.goal, "window") {
				t.Errorf("z3, quantified: %s", vs[0].Reason)
			}
		})
	}
}

// TestEither: with Either a proof of one direction is a candidate for an equation.
func TestEither(t *testing.T) {
	laws, err := law.Parse("laws", []byte(definedLaws))
	if err != nil {
		t.Fatal(err)
	}
	g, err := law.ParseLaw("rule r given X : [a], Z : [c] then slice[axis=0, lo=0, hi=a](concat[axis=0](X, slice[axis=0, lo=0, hi=b](Z))) == X")
	if err != nil {
		t.Fatal(err)
	}
	for _, either := range []bool{false, true} {
		vs, err := (&verify.EGraph{Laws: laws[1:2], Either: either}).Prove(context.Background(), []*law.Law{g})
		if err != nil {
			t.Fatal(err)
		}
		if got := vs[0].Status == verify.Proved; got != either {
			t.Errorf("either %v: %s %s", either, vs[0].Status, vs[0].Reason)
		}
	}
}
