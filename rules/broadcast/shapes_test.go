package broadcast_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/broadcast"
)

// A typer says at every size what writing the broadcasts out says, and all that may be
// said is.
func TestTyper(t *testing.T) {
	causes := []error{nil, broadcast.ErrLeftNotDefined, broadcast.ErrNotDefined, broadcast.ErrOtherShape}
	met := map[error]int{}
	for _, text := range []string{
		"rule a given X : [m, k], Y : [m, k], Z : [k, n] then ewadd(matmul(X, Z), matmul(Y, Z)) == matmul(ewadd(X, Y), Z)",
		"rule b given X : [m, n], Y : [m, n], Z : [m, n] then concat[axis=1](ewadd(X, Y), ewadd(Y, Z)) == ewadd(concat[axis=1](X, Y), concat[axis=1](Y, Z))",
		"rule c given X : [m, n], Y : [m, n] then slice[axis=0, lo=0, hi=m](ewmul(X, relu(Y))) == ewmul(slice[axis=0, lo=0, hi=m](X), relu(slice[axis=0, lo=0, hi=m](Y)))",
		"rule d given f : pointwise1, X : [m, n], Y : [m, n] then reshape[shape=[m*n]](f(ewadd(X, Y))) == f(ewadd(reshape[shape=[m*n]](X), reshape[shape=[m*n]](Y)))",
		"rule e given X : [m, n], Y : [m, n] then split[axis=0, at=m](concat[axis=0](ewadd(X, Y), Y)) == (ewadd(X, Y), Y)",
		// Of any sizes, so without types.
		"rule f given X : [n, a], Y : [m, a] then concat[axis=0](ewadd(X, Y), Y) == ewadd(concat[axis=0](X, Y), concat[axis=0](Y, Y))",
	} {
		l, err := law.ParseLaw(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		patterns := []*law.Law{l}
		_, err = broadcast.Each(l, broadcast.Options{}, func(p broadcast.Pattern) bool {
			patterns = append(patterns, p.Plain)
			return true
		})
		if _, untyped := l.Types(); (err == nil) != (untyped == nil) {
			t.Errorf("%s: %v", text, err)
		}
		for _, p := range patterns {
			sizes, _ := law.Variables(p)
			slices.Sort(sizes)
			y := broadcast.NewTyper(p, broadcast.Options{})
			n := 1
			for range sizes {
				n *= 3
			}
			for k := range n {
				at := map[string]int{}
				b := &graph.Substitution{Dims: map[string]graph.Dim{}}
				for _, s := range sizes {
					at[s] = k%3 + 1
					b.Dims[s], k = graph.Int(int64(at[s])), k/3
				}
				got := y.At(at)
				_, want := broadcast.Explicit(p.Subst(b), broadcast.Options{})
				i := slices.IndexFunc(causes, func(c error) bool { return errors.Is(want, c) })
				if i < 0 || got != causes[i] {
					t.Errorf("%sat %v: %v, want %v", law.Format(p), at, got, want)
				}
				met[got]++
			}
		}
	}
	for _, c := range causes {
		if met[c] == 0 {
			t.Errorf("%v: never said", c)
		}
	}
	t.Log(met)
}

func ExampleTyper() {
	l, _ := law.ParseLaw("rule rows given X : [n, a], Y : [m, a] then concat[axis=0](ewadd(X, Y), Y) == ewadd(concat[axis=0](X, Y), concat[axis=0](Y, Y))")
	y := broadcast.NewTyper(l, broadcast.Options{})
	for _, n := range []int{1, 2, 3} {
		fmt.Println(n, y.At(map[string]int{"n": n, "m": 2, "a": 4}))
	}
	// Output:
	// 1 the right side is not defined
	// 2 <nil>
	// 3 the left side is not defined
}
