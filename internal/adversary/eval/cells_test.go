package eval_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/law"
)

func ExampleNewCells() {
	l, err := law.ParseLaw("rule r\n  given X : [n], Y : [n]\n  then  concat[axis=0](X, Y) == concat[axis=0](Y, X)\n")
	if err != nil {
		panic(err)
	}
	p := &eval.Point{Sizes: map[string]int64{"n": 2}}
	c, err := eval.NewCells(eval.Modular(), l, p, 1)
	if err != nil {
		panic(err)
	}
	left, _ := c.At(0, 0, []int64{3})
	right, _ := c.At(1, 0, []int64{1})
	y, _ := c.Given("Y", []int64{1})
	fmt.Println(c.Shape(0, 0), left == y, right == y)
	// Output: [4] true true
}

// The cells of both sides are those that a judge compares.
func TestCells(t *testing.T) {
	for text, want := range map[string]bool{
		"rule r\n  given X : [n, m], Y : [m, k]\n  then  transpose(matmul(X, Y)) == matmul(transpose(Y), transpose(X))\n":      true,
		"rule r\n  given f : zero1, X : [n]\n  then  f(reducesum[axes=(0), keep=1](X)) == reducesum[axes=(0), keep=1](f(X))\n": false,
		"rule r\n  given X : [n], Y : [n]\n  then  ewmax(X, Y) == ewmax(Y, X)\n":                                               true,
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		p := &eval.Point{Sizes: map[string]int64{"n": 2, "m": 3, "k": 2}}
		if o := eval.New(l).At(p, rand.New(rand.NewPCG(1, 2)), eval.Options{}); (o.Kind == eval.Agree) != want {
			t.Fatalf("%s: %s", text, o.Kind)
		}
		c, err := eval.NewCells(eval.Rational(), l, p, 3)
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int64, len(c.Shape(0, 0)))
		a, e1 := c.At(0, 0, at)
		b, e2 := c.At(1, 0, at)
		if e1 != nil || e2 != nil || eval.Rational().Same(a, b) != want {
			t.Errorf("%s: %v, %v and %v, %v", text, a, e1, b, e2)
		}
		if _, ok := c.Given("X", append(at, 0, 0)); ok {
			t.Error("X has a cell with too many indices")
		}
		if _, ok := c.Given("Z", nil); ok {
			t.Error("Z is given")
		}
	}
	// Where no instance is, there are no cells.
	l, _ := law.ParseLaw("rule r\n  given X : [n]\n  where 3 <= n\n  then  X == X\n")
	if _, err := eval.NewCells(eval.Modular(), l, &eval.Point{Sizes: map[string]int64{"n": 2}}, 1); err == nil {
		t.Error("cells where the condition does not hold")
	}
}
