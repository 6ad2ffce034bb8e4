package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Cast changes the element type. To an integer it drops the fraction, to bool
// it tells 0 from the rest, to floating point it changes nothing but the
// precision.
var Cast = graph.Register(&graph.Op{
	Name: "cast", In: 1, Out: 1,
	Class: "copy", Moves: true, Batched: true,
	Doc:    "The same numbers as another element type; integers drop the fraction, bool tells 0 from the rest.",
	Params: []graph.Param{{Name: "to", Sort: graph.SortDType, Doc: "element type of the result"}},
	Infer: func(_ *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if _, err := castFn(a); err != nil {
			return nil, err
		}
		return one(in[0])
	},
	DTypes: func(a graph.Attrs, _ []graph.DType) ([]graph.DType, error) {
		t, err := castTo(a)
		return []graph.DType{t}, err
	},
	Entry: func(_ *graph.Space, a graph.Attrs, _ []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		fn, err := castFn(a)
		return graph.EntryFn(graph.NameValue(fn), graph.EntryRead(0, at...)), err
	},
	ByType: true,
	Grad: func(b *graph.Backward) []graph.Tensor {
		from, to := b.DType(b.In[0]), b.DType(b.Out[0])
		if !from.IsFloat() || !to.IsFloat() {
			return []graph.Tensor{{}}
		}
		return []graph.Tensor{b.Op("cast", graph.Named{"to": graph.NameValue(from.String())}, b.D[0])}
	},
})

func castTo(a graph.Attrs) (graph.DType, error) {
	name, ok := a[0].Name()
	if !ok {
		return 0, fmt.Errorf("%s is not an element type", a[0])
	}
	return graph.ParseDType(name)
}

// castFn is the function of one element that a cast is: none, nonzero, or that of
// graph.Truncate.
func castFn(a graph.Attrs) (string, error) {
	t, err := castTo(a)
	switch {
	case err != nil:
		return "", err
	case t.IsInt():
		return graph.Truncate(t), nil
	case t == graph.Bool:
		return "nonzero", nil
	}
	return "none", nil
}
