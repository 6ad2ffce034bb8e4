package genrules

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

func provedRule(t testing.TB, text string) *rules.Rule {
	t.Helper()
	r, err := rules.Parse("rule x given " + text)
	if err != nil {
		t.Fatal(err)
	}
	r.Status = rules.Proved
	return r
}

// What is named saves time, is no law that the program has, and stands for its kind.
func TestMostUseful(t *testing.T) {
	axiom := provedRule(t, `X : [m, n] then transpose(transpose(X)) == X`)
	merged := provedRule(t, `X : [m, k], A : [k, a], B : [k, b], Y : [l, k] then concat[axis=0](concat[axis=1](matmul(X, A), matmul(X, B)), concat[axis=1](matmul(Y, A), matmul(Y, B)))
		== matmul(concat[axis=0](X, Y), concat[axis=1](A, B))`)
	shared := provedRule(t, `X : [m, k], A : [k, a], Y : [m, k], Z : [m, k] then ewadd(matmul(X, A), ewadd(matmul(Y, A), matmul(Z, A))) == matmul(ewadd(X, ewadd(Y, Z)), A)`)
	same := provedRule(t, `A : [m, k], X : [k, a], Y : [k, a], Z : [k, a] then ewadd(matmul(A, X), ewadd(matmul(A, Y), matmul(A, Z))) == matmul(A, ewadd(X, ewadd(Y, Z)))`)
	equal := provedRule(t, `X : [P..], Y : [P..], Z : [P..] then ewadd(ewadd(X, Y), Z) == ewadd(X, ewadd(Y, Z))`)
	derived := provedRule(t, `X : [P..], Y : [P..] then relu(relu(relu(ewadd(X, Y)))) == relu(ewadd(X, Y))`)
	derived.Derivable = true
	conv := provedRule(t, `s : stride, p : padding, X : [b, c, h, w], Y : [b, c, h, w], Z : [b, c, h, w], W : [o, c, kh, kw]
		then ewadd(conv2d[stride=s, pad=p](X, W), ewadd(conv2d[stride=s, pad=p](Y, W), conv2d[stride=s, pad=p](Z, W))) == conv2d[stride=s, pad=p](ewadd(X, ewadd(Y, Z)), W)`)
	constant := provedRule(t, `s : stride, p : padding, X : [b, c, h, w], W : [c, c, 3, 3] then conv2d[stride=s, pad=p](relu(relu(X)), ewadd(W, iconv[c=c, kh=3, kw=3]())) == conv2d[stride=s, pad=p](relu(X), ewadd(W, iconv[c=c, kh=3, kw=3]()))`)
	bare := provedRule(t, `X : [m, a], Y : [n, a] then split[axis=0, at=m](concat[axis=0](X, transpose(transpose(Y)))).0 == X`)
	twice := provedRule(t, `X : [m, k], A : [k, a] then ewadd(matmul(X, A), matmul(X, A)) == matmul(X, ewadd(A, A))`)
	halves := provedRule(t, `X : [m, a], Y : [n, a] then relu(split[axis=0, at=m](concat[axis=0](X, Y)).0) == relu(X)`)
	set := &rules.Set{}
	set.AddAll([]*rules.Rule{axiom, merged, shared, same, equal, derived, conv, constant, bare, halves, twice})
	got, err := MostUseful(set, 10)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{}
	for i, u := range got {
		words[u.ID] = u.Words
		if u.Saves <= 0 || u.Saves > 1 || i > 0 && u.Saves > got[i-1].Saves {
			t.Errorf("%+v", got)
		}
	}
	for r, want := range map[*rules.Rule]string{
		merged: "removes a concat and 3 matmul", conv: "removes 2 conv2d",
	} {
		if words[r.ID()] != want {
			t.Errorf("%s: %q, want %q", r.Law.Name, words[r.ID()], want)
		}
	}
	// One of the two that make the same operators fewer.
	if (words[shared.ID()] == "") == (words[same.ID()] == "") {
		t.Errorf("%v", got)
	}
	for _, r := range []*rules.Rule{axiom, equal, derived, constant, bare, twice} {
		if words[r.ID()] != "" {
			t.Errorf("%s is named", law.Format(r.Law))
		}
	}
	// The program says its own laws.
	known, err := knownLaws()
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(known); i += 10 {
		if !said(known[i].law, known) {
			t.Errorf("%s is not said", known[i].law.Name)
		}
	}
	if said(merged.Law, known) {
		t.Error("a rule of several steps is said by one law")
	}
	if got, err := MostUseful(set, 1); err != nil || len(got) != 1 {
		t.Errorf("%v %v", got, err)
	}
}

func ExampleMostUseful() {
	r, err := rules.Parse(`rule x given X : [m, k], Y : [m, k], Z : [m, k], A : [k, a]
	  then ewadd(matmul(X, A), ewadd(matmul(Y, A), matmul(Z, A))) == matmul(ewadd(X, ewadd(Y, Z)), A)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Status = rules.Proved // by a prover
	set := &rules.Set{}
	set.Add(r)
	list, err := MostUseful(set, 10)
	for _, u := range list {
		fmt.Printf("%s: %s becomes %s\n", u.Words, u.Before, u.After)
	}
	fmt.Println(err)
	// Output:
	// removes 2 matmul: ewadd(ewadd(matmul(A, B), matmul(C, B)), matmul(D, B)) becomes matmul(ewadd(D, ewadd(A, C)), B)
	// <nil>
}
