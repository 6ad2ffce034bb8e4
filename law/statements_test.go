package law_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// statements are laws of which each says something else.
var statements = []string{
	"given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n], Y : [n] then ewadd(X, Y) => ewadd(Y, X)",
	"given X : [n], Y : [n] then ewadd(Y, X) == ewadd(X, Y)",
	"given Y : [n], X : [n] then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [m], Y : [m] then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n, m], Y : [n, m] then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n], Y : [n], Z : [n] then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n], Y : [n] where n < 3 then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n], Y : [n] where n <= 3 then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n], Y : [n] where n % 2 < 3 then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n], Y : [n] where n % 4 < 3 then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n], Y : [n] where n < 3 and n < 4 then ewadd(X, Y) == ewadd(Y, X)",
	"given X : [n], Y : [n] then (ewadd(X, Y), X) == (ewadd(Y, X), X)",
	"given f : pointwise1, X : [n] then f(X) == f(X)",
	"given f : zero1, X : [n] then f(X) == f(X)",
	"given X : [a, b] then concat[axis=0](X, X) == X",
	"given X : [a, b] then concat[axis=1](X, X) == X",
	"given X : [a, b] then split[axis=0, at=1](X).0 == X",
	"given X : [a, b] then split[axis=0, at=1](X).1 == X",
}

func parsed(t *testing.T, kind, name, body string) *law.Law {
	t.Helper()
	l, err := law.ParseLaw(kind + " " + name + " " + body)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestStatements(t *testing.T) {
	var s law.Statements
	at := map[int]string{}
	for _, body := range statements {
		l := parsed(t, "rule", "r", body)
		k := s.Of(l)
		if old, ok := at[k]; ok {
			t.Errorf("one number for\n%s\n%s", old, body)
		}
		at[k] = body
		// Another kind, another name, other pointers.
		m := parsed(t, "axiom", "another", body)
		m.Doc, m.Tags = "Something.", []string{"ordered"}
		if s.Of(m) != k || !law.Same(l, m) {
			t.Errorf("two numbers for %s", body)
		}
	}
}

// Laws that print alike and say something else: of a size with the name of a sum, of a
// function variable with the name of an operator.
func TestStatementsPrintAlike(t *testing.T) {
	sum := parsed(t, "rule", "r", "given X : [a+b] then relu(X) == X")
	named := *sum
	named.Given = []law.Declaration{{Name: "X", Shape: graph.Shape{{Dim: graph.Var("a+b")}}}}
	op := parsed(t, "rule", "r", "given f : pointwise1, X : [n] then relu(X) == X")
	op.Given[0].Name = "relu"
	fn := *op
	fn.LHS = []*law.Term{{Fn: "relu", Args: []*law.Term{op.RHS[0]}}}
	for _, c := range [][2]*law.Law{{sum, &named}, {op, &fn}} {
		if a, b := law.Format(c[0]), law.Format(c[1]); a != b {
			t.Errorf("they print differently:\n%s%s", a, b)
		}
		if law.Same(c[0], c[1]) {
			t.Errorf("told to be the same:\n%s", law.Format(c[0]))
		}
	}
}

func ExampleStatements() {
	var s law.Statements
	for _, text := range []string{
		"rule a given X : [n] then relu(relu(X)) == relu(X)",
		"rule b given X : [n] then relu(X) == relu(relu(X))",
		"axiom c given X : [n] then relu(relu(X)) == relu(X)",
	} {
		l, _ := law.ParseLaw(text)
		fmt.Println(s.Of(l))
	}
	// Output:
	// 0
	// 1
	// 0
}

func ExampleSame() {
	a, _ := law.ParseLaw("rule a given X : [n] then relu(relu(X)) == relu(X)")
	b, _ := law.ParseLaw("rule b given Y : [n] then relu(relu(Y)) == relu(Y)")
	fmt.Println(law.Same(a, a), law.Same(a, b))
	// Output: true false
}
