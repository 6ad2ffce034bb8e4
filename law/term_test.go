package law_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

func mustLaw(t testing.TB, text string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// term parses a term over tensors X, Y, Z of shape [n, n] and functions f, g.
func term(t testing.TB, text string) *law.Term {
	t.Helper()
	square := graph.ShapeOf(graph.Var("n"), graph.Var("n"))
	u, err := law.ParseTerm(text, []law.Declaration{{Name: "X", Shape: square}, {Name: "Y", Shape: square}, {Name: "Z", Shape: square},
		{Name: "f", Sort: law.SortPointwise1}, {Name: "g", Sort: law.SortZero1}})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		terms string
		want  int
	}{
		{"X", 0},
		{"relu(X)", 1},
		{"f(f(X))", 2},
		{"ewadd(relu(X), relu(X))", 2}, // equal subterms are one
		{"ewadd(split[axis=0, at=a](X).0, split[axis=0, at=a](X).1)", 2},        // outputs of one application
		{"ewadd(split[axis=0, at=a](X).0, split[axis=0, at=b](X).1)", 3},        // two applications
		{"relu(X); relu(relu(X))", 2},                                           // over several terms
		{"imatmul[n=n](); imatmul[n=m]()", 2},                                   // attributes count
		{"matmul(X, matmul(Y, Z)); matmul(matmul(X, Y), Z)", 4},                 // no algebra
		{"concat[axis=0](X, Y); concat[axis=1](X, Y); concat[axis=0](X, Y)", 2}, // the third is the first
	} {
		var ts []*law.Term
		for _, s := range strings.Split(c.terms, "; ") {
			ts = append(ts, term(t, s))
		}
		if got := law.Size(ts...); got != c.want {
			t.Errorf("%s: size %d, want %d", c.terms, got, c.want)
		}
	}
}

func TestVars(t *testing.T) {
	if got := law.Vars(term(t, "matmul(Y, ewadd(X, Y))"), term(t, "relu(Z)")); !reflect.DeepEqual(got, []string{"Y", "X", "Z"}) {
		t.Errorf("got %v", got)
	}
	if got := law.Vars(term(t, "imatmul[n=n]()")); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestRewrite(t *testing.T) {
	u := term(t, "ewadd(relu(X), matmul(relu(X), Y))")
	calls := 0
	got := u.Rewrite(func(v *law.Term) *law.Term {
		calls++
		if v.Op != nil && v.Op.Name == "relu" {
			return v.Args[0]
		}
		return v
	})
	if got.String() != "ewadd(X, matmul(X, Y))" {
		t.Errorf("got %s", got)
	}
	if u.String() != "ewadd(relu(X), matmul(relu(X), Y))" {
		t.Errorf("the term itself was changed: %s", u)
	}
	// A shared pointer is visited once.
	x := law.Call("f", law.V("X"))
	shared := law.Call("g", &law.Term{Op: u.Op, Attrs: u.Attrs, Args: []*law.Term{x, x}})
	calls = 0
	shared.Rewrite(func(v *law.Term) *law.Term { calls++; return v })
	if calls != 4 {
		t.Errorf("%d calls, want 4", calls)
	}
	calls = 0
	shared.Walk(func(*law.Term) { calls++ })
	if calls != 4 {
		t.Errorf("%d visits, want 4", calls)
	}
}

func TestSubst(t *testing.T) {
	b := &graph.Substitution{Dims: map[string]graph.Dim{"n": graph.Var("k").Add(graph.Int(1))}}
	for _, c := range []struct{ term, want string }{
		{"matmul(X, Y)", "matmul(relu(Y), X)"}, // all at once
		{"f(g(X))", "relu(h(relu(Y)))"},        // an operator's name makes it that operator
		{"slice[axis=0, lo=n, hi=2*n](Z)", "slice[axis=0, lo=k+1, hi=2*k+2](Z)"},
		{"split[axis=0, at=n](X).1", "split[axis=0, at=k+1](relu(Y)).1"},
	} {
		got := term(t, c.term).Subst(map[string]*law.Term{"X": term(t, "relu(Y)"), "Y": law.V("X")}, map[string]string{"f": "relu", "g": "h"}, b)
		if got.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.term, got, c.want)
		}
	}
	if got := term(t, "f(X)").Subst(nil, map[string]string{"f": "relu"}, nil); got.Op == nil || got.Fn != "" {
		t.Errorf("%v is not the operator relu", got)
	}
}

func TestTypes(t *testing.T) {
	l := mustLaw(t, `axiom a given s : stride, p : padding, X : [b, g*c, h, w], W : [o, c, kh, kw]
	  then conv2d[stride=s, pad=p, groups=g](slice[axis=0, lo=i-1, hi=j](X), W) == slice[axis=0, lo=i-1, hi=j](conv2d[stride=s, pad=p, groups=g](X, W))`)
	ty, err := l.Types()
	if err != nil {
		t.Fatal(err)
	}
	if got := ty.Shape[l.LHS[0]].String(); got != "[j-i+1, o, window(h,kh,s,p,0), window(w,kw,s,p,1)]" && got != "[-i+j+1, o, window(h,kh,s,p,0), window(w,kw,s,p,1)]" {
		t.Errorf("shape %s", got)
	}
	if got := graph.NeedsString(ty.LeftNeeds); !strings.Contains(got, "g divides o") || !strings.Contains(got, "j <= b") {
		t.Errorf("left side is defined if %s", got)
	}
	if len(ty.RightNeeds) != len(ty.LeftNeeds) {
		t.Errorf("left side needs %s, right side %s", graph.NeedsString(ty.LeftNeeds), graph.NeedsString(ty.RightNeeds))
	}
	for text, want := range map[string]string{
		"axiom a given X : [m, n] then matmul(X, X) == X":                                  "law a: matmul(X, X): operator matmul: shapes [m, n] and [m, n]: inner sizes differ: size n is not m",
		"axiom a given X : [m, n] then transpose(X) == X":                                  "law a: left side has shape [n, m], right side [m, n]",
		"axiom a given f : pointwise1, X : [P.., n] then f(X) == concat[axis=#P](X, f(X))": "law a: left side has shape [P.., n], right side [P.., 2*n]",
		"axiom a given X : [m, P..] then slice[axis=#P, lo=0, hi=1](X) == X":               "law a: slice[axis=#P, lo=0, hi=1](X): operator slice: axis #P of shape [m, P..]: no such axis",
	} {
		if _, err := mustLaw(t, text).Types(); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	var f graph.Unifier
	if _, err := law.TypeOf(&f, law.V("U"), nil, nil); err == nil || err.Error() != "tensor U has no shape" {
		t.Errorf("got %v", err)
	}
}

func TestPredHolds(t *testing.T) {
	l := mustLaw(t, "axiom a given X : [n, m] where n-m % 2 == 1 and m < n and n != 3 and m >= 2 and n <= 6 and n > 2*m then X == relu(X)")
	at := func(n, m int64) *graph.Substitution {
		return &graph.Substitution{Dims: map[string]graph.Dim{"n": graph.Int(n), "m": graph.Int(m)}}
	}
	for _, c := range []struct {
		n, m int64
		want string
	}{{5, 2, "111111"}, {3, 2, "110110"}, {2, 5, "101110"}, {7, 1, "011001"}, {4, 4, "001110"}} {
		got := ""
		for _, p := range l.Where {
			holds, ok := p.Holds(at(c.n, c.m))
			if !ok {
				t.Errorf("%s is not decided", p)
			}
			got += map[bool]string{true: "1", false: "0"}[holds]
		}
		if got != c.want {
			t.Errorf("n=%d, m=%d: %s, want %s", c.n, c.m, got, c.want)
		}
	}
	// Of unknown sizes only that they are at least 1 is known.
	for text, want := range map[string][2]bool{
		"n >= 1": {true, true}, "n < 1": {false, true}, "n+1 == n": {false, true}, "n == n": {true, true}, "n != n+m": {true, true},
		"n == m": {false, false}, "n % 2 == 0": {false, false}, "n < m": {false, false}, "n+m > 1": {true, true}, "n+m <= 1": {false, true},
	} {
		p := mustLaw(t, "axiom a given X : [n, m] where "+text+" then X == relu(X)").Where[0]
		holds, ok := p.Holds(&graph.Substitution{})
		if ok != want[1] || ok && holds != want[0] {
			t.Errorf("%s: %v, decided %v", text, holds, ok)
		}
	}
}

func TestLookups(t *testing.T) {
	l := mustLaw(t, "axiom a [ordered] given s : stride, X : [n] then X == relu(X)")
	if b, ok := l.Find("s"); !ok || b.Sort != graph.SortStride {
		t.Errorf("found %v", b)
	}
	if _, ok := l.Find("n"); ok {
		t.Error("n is not bound by name")
	}
	if !l.HasTag(law.TagOrdered) || l.HasTag("other") {
		t.Error("tags")
	}
	if got := law.Kind(9).String(); got != "kind(9)" {
		t.Error(got)
	}
}
