package rules_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

func mustRule(src string) *rules.Rule {
	r, err := rules.Parse(src)
	if err != nil {
		panic(err)
	}
	return r
}

func mustLaws(srcs ...string) []*law.Law {
	var out []*law.Law
	for _, s := range srcs {
		out = append(out, mustRule(s).Law)
	}
	return out
}

func ExampleParse() {
	r, err := rules.Parse(`rule any given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`)
	fmt.Println(r.Law.Name == law.ID(r.Law), r.Status, err)
	_, err = rules.Parse(`rule any given X : [P..] then relu(X) ==`)
	fmt.Println(err != nil)
	// Output:
	// true unknown <nil>
	// true
}

func ExampleNew() {
	r := mustRule(`rule any given X : [P..] then relu(X) == relu(relu(X))`)
	fmt.Print(law.Format(r.Law))
	fmt.Println(r.Forward, r.Backward, r.Status)
	// Output:
	// # relu: 2 operators to 1
	// rule r_f9d299eb27
	//   given A : [P..]
	//   then  relu(relu(A)) == relu(A)
	// true true unknown
}

func ExampleDirections() {
	r := mustRule(`rule cut given X : [a, n], Y : [b, n] then split[axis=0, at=a](concat[axis=0](X, Y)).0 == X`)
	forward, backward, err := rules.Directions(r.Law)
	fmt.Println(forward, backward, err)
	// Output: true false <nil>
}

func ExampleDescribe() {
	fmt.Println(rules.Describe(mustRule(`rule r given X : [m, n] then transpose(transpose(X)) == X`).Law))
	// Output: transpose: 2 operators to 0
}

func ExampleSet_Add() {
	var s rules.Set
	fmt.Println(s.Add(mustRule(`rule a given X : [P..], Y : [P..] then ewadd(X, relu(Y)) == ewadd(relu(Y), relu(X))`)))
	fmt.Println(s.Add(mustRule(`rule b given U : [Q..], V : [Q..] then ewadd(relu(U), relu(V)) == ewadd(V, relu(U))`)))
	fmt.Println(s.Len(), "rule")
	// Output:
	// true
	// false
	// 1 rule
}

func ExampleWriteText() {
	s := &rules.Set{Header: rules.Header{Tool: "example", Seed: "1"}}
	r := mustRule(`rule any given X : [m, n] then relu(X) == relu(relu(X))`)
	r.Reason = "nobody has tried"
	s.Add(r)
	rules.WriteText(os.Stdout, s)
	// Output:
	// # taso rules 1
	// # tool: example
	// # seed: 1
	// # rules: 1
	//
	// # relu: 2 operators to 1
	// # unknown "nobody has tried"
	// rule r_854f365bec
	//   given A : [a, b]
	//   then  relu(relu(A)) == relu(A)
}

func ExampleReadText() {
	_, err := rules.ReadText(bytes.NewReader([]byte("rule r_0123456789\n  given X : [P..]\n  then relu(relu(X)) == relu(X)\n")), "my.rules")
	fmt.Println(err)
	// Output: my.rules:1:1: rule r_0123456789: its content is that of r_f9d299eb27
}

func ExampleLoad() {
	dir, _ := os.MkdirTemp("", "rules")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "my.rules")
	s := &rules.Set{}
	s.Add(mustRule(`rule any given X : [P..] then relu(X) == relu(relu(X))`))
	if err := rules.Save(path, s); err != nil {
		fmt.Println(err)
	}
	_, err := rules.Load(path, rules.LoadOptions{})
	fmt.Println(err != nil)
	got, err := rules.Load(path, rules.LoadOptions{Unproved: true})
	fmt.Println(got.Len(), got.Rules[0].Status, err)
	// Output:
	// true
	// 1 unknown <nil>
}

func ExampleMatch() {
	general := mustLaws(`rule g given X : [P..] then relu(relu(X)) == relu(X)`)[0]
	special, _ := law.ParseLaw(`rule s given Y : [m, k], Z : [k, n] then relu(matmul(Y, Z)) == relu(relu(matmul(Y, Z)))`)
	in, ok := rules.Match(general, special)
	fmt.Println(ok, in.Tensors["A"], in.Runs["P"])
	// Output: true matmul(Y, Z) [m, n]
}

func ExampleSubsume() {
	kept, pruned := rules.Subsume(mustLaws(
		`rule a given X : [m, n] then relu(relu(X)) == relu(X)`,
		`rule b given X : [P..] then relu(relu(X)) == relu(X)`,
	))
	fmt.Println(len(kept), len(pruned), kept[0].Given[0].Shape)
	// Output: 1 1 [P..]
}

func ExampleJoin() {
	a := mustRule(`rule a given X : [m, k], A : [k, a], B : [k, b] then matmul(X, A) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B))).0`)
	b := mustRule(`rule b given X : [m, k], A : [k, a], B : [k, b] then matmul(X, B) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B))).1`)
	for _, r := range []*rules.Rule{a, b} {
		r.Status, r.Proof = rules.Proved, &law.Proof{} // a prover would fill it in
	}
	for _, r := range rules.Join([]*rules.Rule{a, b}, 3) {
		fmt.Print(law.Format(r.Law))
	}
	// Output:
	// # concat, matmul, split: 3 operators to 2, 2 outputs
	// rule r_560788f9d8
	//   given A : [a, b], B : [b, c], C : [b, d]
	//   then  (split[axis=1, at=c](matmul(A, concat[axis=1](B, C))).1, split[axis=1, at=c](matmul(A, concat[axis=1](B, C))).0)
	//      == (matmul(A, C), matmul(A, B))
}

func ExampleWriteJSON() {
	s := &rules.Set{}
	s.Add(mustRule(`rule any given X : [P..] then relu(X) == relu(relu(X))`))
	var b bytes.Buffer
	if err := rules.WriteJSON(&b, s); err != nil {
		fmt.Println(err)
	}
	got, err := rules.ReadJSON(&b, "my.json", rules.LoadOptions{Unproved: true})
	fmt.Println(got.Len(), got.Rules[0].Status, err)
	// Output: 1 unknown <nil>
}

// The laws that a proof may use, by name.
func ExampleSet_Library() {
	set := &rules.Set{Axioms: axioms.Text()}
	lib, err := set.Library()
	fmt.Println(lib["matmul_assoc"].Doc, err)
	// Output: Matrix multiplication is associative. <nil>
}

func ExampleSet_Titles() {
	s := &rules.Set{}
	for _, text := range []string{
		"rule x given A : [a, b] then relu(relu(A)) == relu(A)", "rule x given A : [P..] then relu(relu(A)) == relu(A)",
		"rule x given A : [a, b] where a % 2 == 1 then transpose(transpose(A)) == A",
	} {
		r, err := rules.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		s.Add(r)
	}
	titles := s.Titles()
	for _, r := range s.Rules {
		fmt.Println(titles[r.ID()])
	}
	// Output:
	// transpose(transpose(A)) == A where a % 2 == 1
	// relu(relu(A)) == relu(A) given A : [a, b]
	// relu(relu(A)) == relu(A) given A : [P..]
}

func ExampleExchanges() {
	l, err := law.ParseLaw("rule r given A : [P..], B : [P..] then relu(ewadd(A, B)) == relu(ewadd(B, A))")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range rules.Exchanges([]*law.Law{l}) {
		fmt.Print(law.Format(l))
	}
	// Output:
	// # The operands of ewadd may be exchanged.
	// rule exchange_ewadd
	//   given A : [P..], B : [P..]
	//   then  ewadd(A, B) == ewadd(B, A)
}
