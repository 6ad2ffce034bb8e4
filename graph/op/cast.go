package op

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
)

// Cast changes the element type. To an integer it drops the fraction, to bool
// it tells 0 from the rest, to floating point it rounds to the nearest number. In mode exact
// it changes no number, see [graph.CastFn].
var Cast = graph.Register(&graph.Op{
	Name: "cast", In: 1, Out: 1,
	Class: "copy", Moves: true, Batched: true,
	Doc: "The same numbers as another element type; integers drop the fraction, bool tells 0 from the rest.",
	Params: []graph.Param{
		{Name: "to", Sort: graph.SortDType, Doc: "element type of the result"},
		{Name: "mode", Sort: "name", Default: graph.NameValue("default"), Late: true, Names: castModes(), Doc: "exact, to float32 and float64: the type holds every number of the source; wrap: integers modulo 2 to the number of bits; to 8 bits: overflow, not saturated; to float8e8m0: down or nearest, also with _overflow, and up_overflow"},
	},
	Infer: func(_ *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		if _, err := castFn(a); err != nil {
			return nil, err
		}
		return one(in[0])
	},
	DTypes: func(a graph.Attrs, in []graph.DType) ([]graph.DType, error) {
		t, mode, err := castTo(a)
		if err == nil && mode == "wrap" && in[0].IsFloat() {
			err = fmt.Errorf("mode wrap: %s are no integers", in[0])
		}
		if err == nil && mode == graph.Exact && !t.Holds(in[0]) {
			err = fmt.Errorf("mode exact: %s does not hold every %s", t, in[0])
		}
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
		return []graph.Tensor{b.Op("cast", graph.Named{"to": graph.NameValue(from.String()), "mode": graph.NameValue(graph.CastMode(to, from))}, b.D[0])}
	},
})

// castModes are the modes of casts to any type, sorted.
func castModes() []string {
	all := map[string]bool{}
	for _, t := range graph.DTypes() {
		for _, m := range graph.Modes(t) {
			all[m] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func castTo(a graph.Attrs) (t graph.DType, mode string, err error) {
	name, ok := a[0].Name()
	if !ok {
		return 0, "", fmt.Errorf("%s is not an element type", a[0])
	}
	if mode, ok = a[1].Name(); !ok {
		return 0, "", fmt.Errorf("%s is no mode", a[1])
	}
	t, err = graph.ParseDType(name)
	return t, mode, err
}

// castFn names the function of one element that a cast is.
func castFn(a graph.Attrs) (string, error) {
	t, mode, err := castTo(a)
	if err != nil {
		return "", err
	}
	return graph.CastFn(t, mode)
}
