package compare

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

func set(t testing.TB, laws ...string) *rules.Set {
	s := &rules.Set{}
	for _, text := range laws {
		r, err := rules.Parse("rule x " + text)
		if err != nil {
			t.Fatal(err)
		}
		s.Add(r)
	}
	return s
}

const (
	twice   = "given A : [a, b] then transpose(transpose(A)) == A"
	sum     = "given A : [a, b], B : [a, b] then transpose(ewadd(A, B)) == ewadd(transpose(A), transpose(B))"
	both    = "given A : [a, b], B : [a, b] then transpose(ewadd(transpose(A), transpose(B))) == ewadd(A, B)"
	product = "given A : [a, b], B : [b, c] then transpose(matmul(A, B)) == matmul(transpose(B), transpose(A))"
)

// A rule is the same, derived or missing; what is derived from one set may be missing in
// the other.
func TestSets(t *testing.T) {
	n := 0
	r, err := Sets(context.Background(), set(t, twice, both, product), set(t, twice, sum), 1, func() { n++ })
	if err != nil {
		t.Fatal(err)
	}
	missing := set(t, product).Rules[0].ID()
	if f := r.First; f.Rules != 3 || f.Same != 1 || f.Derived != 1 || !slices.Equal(f.Missing, []string{missing}) {
		t.Errorf("first: %+v", f)
	}
	if s := r.Second; s.Rules != 2 || s.Same != 1 || s.Derived != 1 || len(s.Missing) != 0 {
		t.Errorf("second: %+v", s)
	}
	if n != 5 {
		t.Errorf("%d steps, want one a rule", n)
	}
}

// Sets stops when its context ends.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Sets(ctx, set(t, twice), set(t, sum), 1, nil); err == nil {
		t.Error("the end of the context is no error")
	}
}

func ExampleSets() {
	a, _ := rules.New(must("rule a given A : [m, n] then relu(transpose(A)) == transpose(relu(A))"))
	b, _ := rules.New(must("rule b given A : [m, n] then transpose(transpose(A)) == A"))
	r, err := Sets(context.Background(), &rules.Set{Rules: []*rules.Rule{a}}, &rules.Set{Rules: []*rules.Rule{a, b}}, 1, nil)
	fmt.Println(r.First.Same, len(r.Second.Missing), err)
	// Output: 1 1 <nil>
}

func must(text string) *law.Law {
	l, err := law.ParseLaw(text)
	if err != nil {
		panic(err)
	}
	return l
}
