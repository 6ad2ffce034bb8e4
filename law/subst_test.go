package law_test

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

func TestLawSubst(t *testing.T) {
	l, err := law.ParseLaw(`rule r
  given p : padding, X : [b, c, h, w], W : [o, c, k, 3]
  where k <= h and h % 2 == 1
  then  relu(conv2d[pad=p](X, W)) == conv2d[pad=p, act=relu](X, W)
`)
	if err != nil {
		t.Fatal(err)
	}
	got := law.Format(l.Subst(&graph.Substitution{
		Dims:  map[string]graph.Dim{"k": graph.Int(3), "c": graph.Var("o")},
		Attrs: map[string]graph.Value{"p": graph.NameValue(graph.Valid)},
	}))
	want := `rule r
  given X : [b, o, h, w], W : [o, o, 3, 3]
  where 3 <= h and h % 2 == 1
  then  relu(conv2d[pad=valid](X, W)) == conv2d[pad=valid, act=relu](X, W)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A function keeps its parameters where it stands for a variable, and its
// parameters are replaced where their variables are.
func TestSubstFunction(t *testing.T) {
	e := graph.Substitution{Attrs: map[string]graph.Value{"e": graph.NumberValue(0.25)}}
	fns := map[string]string{"f": "clip[lo=0.0, hi=6.0]"}
	for _, c := range [][2]string{
		{"f", "clip[lo=0.0, hi=6.0]"}, {"g", "g"}, {"relu", "relu"},
		{"leakyrelu[alpha=e]", "leakyrelu[alpha=0.25]"}, {"hardsigmoid[alpha=e, beta=0.5]", "hardsigmoid[alpha=0.25, beta=0.5]"},
		{"leakyrelu[alpha=d]", "leakyrelu[alpha=d]"},
	} {
		if got := law.SubstFunction(c[0], fns, &e); got != c[1] {
			t.Errorf("%s becomes %s, want %s", c[0], got, c[1])
		}
	}
	// The parameters are the goal's: what stands for the law's own variables
	// does not touch them.
	call := law.Call("f", law.V("X"))
	got := call.Subst(nil, map[string]string{"f": "leakyrelu[alpha=e]"}, &e)
	if want := "leakyrelu[alpha=e](X)"; got.String() != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
