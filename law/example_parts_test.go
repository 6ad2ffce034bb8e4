package law_test

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

func ExampleParseLaw() {
	l, err := law.ParseLaw("lemma twice given X : [m, n] then transpose(transpose(X)) == X")
	fmt.Println(l.Name, l.LHS[0], l.RHS[0], err)
	// Output: twice transpose(transpose(X)) X <nil>
}

func ExampleParseDim() {
	d, err := law.ParseDim("window(h, 3, (1, 1), (1, 1, 1, 1), 0) + 2*b", nil)
	fmt.Println(d, err)
	// Output: 2*b+h <nil>
}

func ExampleParseShape() {
	s, err := law.ParseShape("[P.., a+b, 3]", nil)
	fmt.Println(s, s.Rank(), err)
	// Output: [P.., a+b, 3] #P+2 <nil>
}

func ExampleParseValue() {
	v, err := law.ParseValue("#P+1", "axis", nil)
	fmt.Println(v, err)
	_, err = law.ParseValue("(1, 1)", "perm", nil)
	fmt.Println(err)
	// Output:
	// #P+1 <nil>
	// :1:1: (1, 1) is not a value of sort perm
}

func ExampleFormatAll() {
	text := `section "Matrix products"

# The product of matrices is associative.
axiom matmul_assoc
  given X : [B.., m, k], Y : [B.., k, l], Z : [B.., l, n]
  then  matmul(X, matmul(Y, Z)) == matmul(matmul(X, Y), Z)
`
	laws, err := law.Parse("", []byte(text))
	fmt.Println(law.FormatAll(laws) == text, err)
	// Output: true <nil>
}

func ExampleFormatOutputs() {
	l, _ := law.ParseLaw("rule r given X : [a, n], Y : [b, n] then split[axis=0, at=a](concat[axis=0](X, Y)) == (X, Y)")
	fmt.Println(law.FormatOutputs(l.LHS))
	fmt.Println(law.FormatOutputs(l.RHS))
	// Output:
	// split[axis=0, at=a](concat[axis=0](X, Y))
	// (X, Y)
}

func ExampleLaw_Types() {
	l, _ := law.ParseLaw("rule r given X : [m, n] then slice[axis=0, lo=0, hi=k](relu(X)) == relu(slice[axis=0, lo=0, hi=k](X))")
	ty, err := l.Types()
	fmt.Println(ty.Shape[l.LHS[0]], "where", graph.NeedsString(ty.LeftNeeds), err)
	// Output: [k, n] where k <= m <nil>
}

func ExampleTypeOf() {
	var f graph.Unifier
	t := law.Apply(op.Transpose, op.Transpose.MustAttr(nil), law.Call("f", law.V("X")))
	s, err := law.TypeOf(&f, t, map[string]graph.Shape{"X": graph.Sizes(2, 3)}, nil)
	fmt.Println(t, s, err)
	// Output: transpose(f(X)) [3, 2] <nil>
}

func ExampleSize() {
	x := law.V("X")
	relu := law.Apply(op.Relu, nil, x)
	fmt.Println(law.Size(relu), law.Size(law.Apply(op.EWAdd, nil, relu, relu))) // relu(X) counts once
	// Output: 1 2
}

func ExampleVars() {
	fmt.Println(law.Vars(law.Apply(op.EWAdd, nil, law.V("Y"), law.V("X"))))
	// Output: [Y X]
}

func ExampleTerm_Subst() {
	l, _ := law.ParseLaw("rule r given f : pointwise1, X : [n] then f(slice[axis=0, lo=0, hi=n](X)) == f(X)")
	b := &graph.Substitution{Dims: map[string]graph.Dim{"n": graph.Int(4)}}
	fmt.Println(l.LHS[0].Subst(map[string]*law.Term{"X": law.V("Y")}, map[string]string{"f": "relu"}, b))
	// Output: relu(slice[axis=0, lo=0, hi=4](Y))
}

func ExampleTerm_Rewrite() {
	t := law.Apply(op.Relu, nil, law.Apply(op.Relu, nil, law.V("X")))
	fmt.Println(t.Rewrite(func(u *law.Term) *law.Term {
		if u.Op == op.Relu && u.Args[0].Op == op.Relu {
			return u.Args[0]
		}
		return u
	}))
	// Output: relu(X)
}

func ExamplePred_Holds() {
	l, _ := law.ParseLaw("rule r given X : [k] where k % 2 == 1 then X == relu(X)")
	fmt.Println(l.Where[0].Holds(&graph.Substitution{Dims: map[string]graph.Dim{"k": graph.Int(3)}}))
	fmt.Println(l.Where[0].Holds(&graph.Substitution{}))
	// Output:
	// true true
	// false false
}

func ExampleInstance_Sides() {
	l, _ := law.ParseLaw("axiom relu_concat given f : pointwise1, X : [P.., a], Y : [P.., b] then f(concat[axis=#P](X, Y)) == concat[axis=#P](f(X), f(Y))")
	in := law.Instance{
		Law:     "relu_concat",
		Tensors: map[string]*law.Term{"X": law.V("U"), "Y": law.V("V")},
		Runs:    map[string]graph.Shape{"P": graph.Sizes(2)},
		Fns:     map[string]string{"f": "relu"},
	}
	lhs, rhs := in.Sides(l)
	fmt.Println(lhs[0], "==", rhs[0])
	// Output: relu(concat[axis=1](U, V)) == concat[axis=1](relu(U), relu(V))
}

func ExampleProof_Laws() {
	p := law.Proof{Instances: []law.Instance{{Law: "b"}, {Law: "a"}, {Law: "b"}}}
	fmt.Println(p.Laws())
	// Output: [a b]
}

// An operator that is not in the registry can be read if it is named.
func ExampleParseLawOver() {
	square := &graph.Op{Name: "square", In: 1, Out: 1, Doc: "X times X.",
		Infer: func(_ *graph.Unifier, _ graph.Attrs, in []graph.Shape) ([]graph.Shape, error) { return in, nil }}
	l, err := law.ParseLawOver(map[string]*graph.Op{"square": square}, `
		rule square_neg
		  given X : [m, n]
		  then  square(neg(X)) == square(X)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.LHS[0], "==", l.RHS[0])
	// Output: square(neg(X)) == square(X)
}
