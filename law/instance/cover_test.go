package instance_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// Every pair of values that the conditions permit occurs, and nothing that they
// exclude.
func TestCover(t *testing.T) {
	l, err := law.ParseLaw("axiom a given X : [a, b, c] where a <= b then slice[axis=0, lo=0, hi=d](relu(X)) == relu(slice[axis=0, lo=0, hi=d](X))")
	if err != nil {
		t.Fatal(err)
	}
	scope := instance.Scope{MaxSize: 4}
	c := instance.Cover(l, scope, 1)
	if n := instance.Combinations(l, scope); n != 256 || len(c.Valuations) >= 100 {
		t.Errorf("%d of %d", len(c.Valuations), n)
	}
	// 6 pairs of variables with 16 values each, of which a > b are 6.
	if c.Pairs != 96 || c.Covered != 90 {
		t.Errorf("%d pairs, %d covered", c.Pairs, c.Covered)
	}
	met := map[string]bool{}
	for _, v := range c.Valuations {
		a, b := v.Dims["a"], v.Dims["b"]
		met[a.String()+b.String()] = true
		if x, _ := a.Sub(b).Const(); x > 0 {
			t.Errorf("%s does not meet the condition", v)
		}
	}
	if len(met) != 10 {
		t.Errorf("%d pairs of a and b", len(met))
	}
	if again := instance.Cover(l, scope, 1); fmt.Sprint(again) != fmt.Sprint(c) {
		t.Error("not the same again")
	}
}

// Where a choice is, a covering takes instances whose left side is defined, and
// so do draws.
func TestCoverDefined(t *testing.T) {
	l, err := law.ParseLaw("axiom a given X : [n] then slice[axis=0, lo=0, hi=k](relu(X)) == relu(slice[axis=0, lo=0, hi=k](X))")
	if err != nil {
		t.Fatal(err)
	}
	defined := func(v *instance.Valuation) bool {
		x, _ := v.Dims["n"].Sub(v.Dims["k"]).Const()
		return x >= 0
	}
	d := instance.NewDraws(l, instance.Scope{}, 1)
	good := 0
	for range 100 {
		v, ok := d.Next()
		if !ok {
			t.Fatal("nothing drawn")
		}
		if defined(v) {
			good++
		}
	}
	if good < 90 {
		t.Errorf("%d of 100 draws are defined", good)
	}
}

func TestCombinations(t *testing.T) {
	for text, want := range map[string]uint64{
		"axiom a then imatmul[n=1]() == one[shape=[1, 1]]()":                                               1,
		"axiom a given s : stride, X : [1, 1, h, w] then poolmax[kh=1, kw=1, stride=s, pad=valid](X) == X": 5 * 25,
		"axiom a given X : [P.., n] then relu(relu(X)) == relu(X)":                                         25,
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := instance.Combinations(l, instance.Scope{}); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	l, err := law.ParseLaw("axiom a given X : [a, b, c, d, e, g, h, i] then relu(relu(X)) == relu(X)")
	if err != nil {
		t.Fatal(err)
	}
	if got := instance.Combinations(l, instance.Scope{MaxSize: 1 << 10}); got != math.MaxUint64 {
		t.Errorf("%d", got)
	}
}

func ExampleCover() {
	l, _ := law.ParseLaw("axiom a given X : [m, n], Y : [n, k] then matmul(X, Y) == matmul(X, Y)")
	c := instance.Cover(l, instance.Scope{MaxSize: 2}, 1)
	fmt.Println(instance.Combinations(l, instance.Scope{MaxSize: 2}), c.Pairs, c.Covered)
	for _, v := range c.Valuations {
		fmt.Println(v)
	}
	// Output:
	// 8 12 12
	// k=2, m=1, n=1
	// k=1, m=1, n=2
	// k=1, m=2, n=1
	// k=2, m=2, n=2
}
