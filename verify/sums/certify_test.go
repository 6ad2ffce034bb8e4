package sums_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// certified is what a proof of l that is found now shows; nothing if there is none.
func certified(t testing.TB, l *law.Law) meaning.Claims {
	t.Helper()
	p, err := sums.Certify(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		return meaning.Claims{}
	}
	c, err := meaning.Check(l, p)
	if err != nil || !c.Shows(l) {
		t.Fatalf("%s: the proof that was found shows %v: %v", l.Name, c, err)
	}
	return c
}

// What is proved has a proof that is accepted, which is the same at every time and
// does not depend on the names of variables.
func TestCertify(t *testing.T) {
	laws, err := builtin.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range append(laws, axioms.ByKind(law.Axiom)...) {
		if i >= len(laws) && i%7 != 0 {
			continue
		}
		a, err := sums.Certify(context.Background(), l)
		if err != nil || a == nil {
			t.Errorf("%s has no proof: %v", l.Name, err)
			continue
		}
		b, err := sums.Certify(context.Background(), l)
		if err != nil || !slices.Equal(a, b) {
			t.Errorf("%s: the second proof is another one: %v", l.Name, err)
		}
		by := &graph.Substitution{Dims: map[string]graph.Dim{}}
		names := map[string]bool{}
		for _, d := range l.Given {
			d.Shape.Walk(func(a graph.Atom) { names[a.Name] = names[a.Name] || a.Kind == graph.AtomVar })
		}
		for n := range names {
			by.Dims[n] = graph.Var("the_" + n)
		}
		if !certified(t, l.Subst(by)).Shows(l) {
			t.Errorf("%s: no proof with other names", l.Name)
		}
	}
}

// A law that holds only as far as values were tried has no proof, and neither has one
// of which a direction fails.
func TestNotCertified(t *testing.T) {
	for name, text := range map[string]string{
		"strides by value": `
			given s : stride, q : same, X : [b, c, h, w], W : [o, c, 1, 1]
			then conv2d[stride=s, pad=q](X, W) == conv2d[stride=s, pad=valid](X, W)`,
		"ranks by value": `
			given X : [P.., n+#P, S..]
			then slice[axis=#P, lo=0, hi=n+#P](X) == X`,
		"the right side needs more": `
			given X : [m, n]
			then X == slice[axis=0, lo=0, hi=m](concat[axis=0](X, slice[axis=0, lo=1, hi=m](X)))`,
		"more groups than are tried": `
			given p : padding, X : [b, g*c, h, w], W : [g*o, c, kh, kw]
			where 2 <= g
			then slice[axis=1, lo=o, hi=2*o](conv2d[pad=p, groups=g](X, W)) == conv2d[pad=p](slice[axis=1, lo=c, hi=2*c](X), slice[axis=0, lo=o, hi=2*o](W))`,
		"true relu without the tag": `
			given X : [P..]
			then relu(relu(X)) == relu(X)`,
	} {
		if c := certified(t, parse(t, "# .\naxiom a"+text)); c != (meaning.Claims{}) {
			t.Errorf("%s: %v", name, c)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if p, err := sums.Certify(ctx, axioms.Default()[0]); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", p, err)
	}
}

func ExampleCertify() {
	laws, err := law.Parse("example", []byte(`
# Two slices that meet are one.
axiom concat_slice
  given X : [P.., n, S..]
  where i <= j and j < k
  then  concat[axis=#P](slice[axis=#P, lo=i-1, hi=j](X), slice[axis=#P, lo=j, hi=k](X))
     == slice[axis=#P, lo=i-1, hi=k](X)
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	proof, err := sums.Certify(context.Background(), laws[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(meaning.Check(laws[0], proof))
	// Output: {true true true} <nil>
}

func ExampleNewRecorder() {
	laws, err := law.Parse("example", []byte("# Sums are the same in any order.\naxiom a given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)"))
	if err != nil {
		fmt.Println(err)
		return
	}
	r := sums.NewRecorder(context.Background())
	fmt.Println(meaning.Run(laws[0], r))
	fmt.Println(meaning.Check(laws[0], r.Proof()))
	// Output:
	// {true true true} <nil>
	// {true true true} <nil>
}
