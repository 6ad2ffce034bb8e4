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
	got := law.Format(l.Subst(&graph.Binding{
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
