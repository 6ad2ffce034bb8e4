package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Pick looks up a table of which only some rows are there, each with its key, the number
// of the row in a table of n: what is not there reads as zeros. So the rows of a table
// can be dealt out to devices, each looks up what it has, and what they found adds up to
// what gather finds in the whole table (Shoeybi et al., Megatron-LM, 2019, section 3: the
// embedding in parallel along the vocabulary). Positions are those of gather: from -n to
// n-1, negative ones count from the end.
var Pick = graph.Register(&graph.Op{
	Name: "pick", In: 3, Out: 1,
	Class:  "gather",
	Doc:    "Rows of the first input looked up by key: the second input holds their keys, the third the keys wanted; zeros where a key is missing.",
	Params: []graph.Param{{Name: "n", Sort: intSort, Doc: "number of all keys, here or on other devices: 0 to n-1"}},
	Places: func(a graph.Attrs, _ []graph.Shape) (int, graph.Dim, error) { return 2, dim(a, 0), nil },
	Infer: func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		x, keys, idx := f.NormShape(in[0]), f.NormShape(in[1]), f.NormShape(in[2])
		if len(x) == 0 || x[0].AxisRun != "" {
			return nil, fmt.Errorf("table of shape %s: want rows", x)
		}
		if err := f.EqShape(x[:1], keys); err != nil {
			return nil, fmt.Errorf("keys of shape %s for a table of shape %s: %w", keys, x, err)
		}
		if idx.HasAxisRun() {
			return nil, fmt.Errorf("positions of shape %s: want no axis runs", idx)
		}
		if err := f.Le(graph.Int(1), f.Norm(dim(a, 0))); err != nil {
			return nil, fmt.Errorf("number of keys: %w", err)
		}
		return one(f.NormShape(append(idx.Clone(), x[1:]...)))
	},
	DTypes: func(_ graph.Attrs, in []graph.DType) ([]graph.DType, error) {
		if len(in) == 3 && in[1] != in[2] {
			return nil, fmt.Errorf("keys are of type %s, positions of type %s", in[1], in[2])
		}
		return positioned(nil, in[:len(in)-1])
	},
	// out[i, q] = sum over the rows k with keys[k] = positions[i], or n more, of x[k, q]
	Entry: func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		behind := len(in[2])
		k := s.Var("k")
		off := graph.EntryAdd(graph.EntryRead(2, at[:behind]...), minus(graph.EntryRead(1, k.Index())))
		here := func(off *graph.Expr) *graph.Expr { return graph.EntryFn(text(graph.IsZero), off) }
		found := graph.EntryAdd(here(off), here(graph.EntryAdd(off, graph.EntryNumber(s.Size(dim(a, 0))))))
		return graph.EntrySum(graph.EntryMul(found, graph.EntryRead(0, append([]graph.Index{k.Index()}, at[behind:]...)...)),
			[]graph.Bound{{Var: k, N: s.Size(in[0][0].Dim)}}), nil
	},
	FLOPs: perElement(1),
	// Keys find positions as positions find keys, but for the sign: what was read as n more
	// is n less.
	Grad: func(b *graph.Backward) []graph.Tensor {
		d, at := b.D[0], b.In[2]
		if sizes := b.Sizes(at); len(sizes) != 1 {
			n := graph.NumElements(sizes)
			d = b.Reshape(d, append([]int{n}, b.Sizes(d)[len(sizes):]...)...)
			at = b.Reshape(at, n)
		}
		return []graph.Tensor{b.Op("pick", graph.Named{"n": b.Attrs[0]}, d, b.Op("neg", nil, at), b.Op("neg", nil, b.In[1])), {}, {}}
	},
})
