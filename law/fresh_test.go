package law

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// The variables that typing a term makes are none of those of the other tensors and of attributes
// that come later.
func TestTypeOfFresh(t *testing.T) {
	vars := map[string]graph.Shape{}
	for name, s := range map[string][]string{"A": {"n", "g", "h", "w"}, "B": {"o", "i", "k", "l"}, "C": {"om", "im"}} {
		for _, v := range s {
			vars[name] = append(vars[name], graph.Axis(graph.Var(v)))
		}
	}
	conv := op.Conv2D.MustAttr(map[string]graph.Value{"stride": graph.TupleValue(1, 1), "pad": graph.NameValue(graph.Valid),
		"groups": graph.DimValue(graph.Var("g"))})
	term := &Term{Op: op.Conv2D, Attrs: conv, Args: []*Term{V("A"), V("B")}}
	f := graph.Solver()
	if _, err := TypeOf(f, term, vars, nil); err != nil {
		t.Fatal(err)
	}
	o := f.Norm(graph.Var("o"))
	if part, ok := o.Quo(graph.Var("g")); !ok || part == graph.Var("om") {
		t.Errorf("o becomes %s, where om is a size of C", o)
	}
}
