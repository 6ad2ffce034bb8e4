package graph

import (
	"fmt"
	"testing"
)

// The parts give the size back, and where there are none v stands in a power or a function.
func TestLinear(t *testing.T) {
	win := func(d Dim) Dim { return Func("half", DimValue(d)) }
	a, b, v := Var("a"), Var("b"), Var("v")
	for _, c := range []struct {
		d, factor, rest Dim
		ok              bool
	}{
		{Int(3), Int(0), Int(3), true},
		{v, Int(1), Int(0), true},
		{a.Mul(b).Add(Int(2)), Int(0), a.Mul(b).Add(Int(2)), true},
		{v.Mul(a).Add(v.Scale(2)).Sub(b), a.Add(Int(2)), b.Neg(), true},
		{v.Mul(v), Int(0), Int(0), false},
		{v.Mul(v).Add(a), Int(0), Int(0), false},
		{win(v), Int(0), Int(0), false},
		{win(v).Mul(v), Int(0), Int(0), false},
		{win(a).Mul(v), win(a), Int(0), true},
	} {
		factor, rest, ok := c.d.Linear("v")
		if ok != c.ok || ok && (factor != c.factor || rest != c.rest) {
			t.Errorf("%s is %s*v + %s, %v; want %s and %s, %v", c.d, factor, rest, ok, c.factor, c.rest, c.ok)
		}
		if ok && factor.Mul(v).Add(rest) != c.d {
			t.Errorf("%s is not %s*v + %s", c.d, factor, rest)
		}
	}
}

func ExampleDim_Linear() {
	d := Var("h").Mul(Var("w")).Add(Var("w")).Add(Int(4))
	fmt.Println(d.Linear("w"))
	_, _, ok := Var("w").Mul(Var("w")).Linear("w")
	fmt.Println(ok)
	// Output:
	// h+1 4 true
	// false
}
