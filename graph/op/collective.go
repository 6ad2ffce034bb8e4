package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// Names that the field has for layout operators one behind the other (MPI, and Unity, OSDI
// 2022, section 3). Each is what it stands for, [graph.Op.Chain], and nothing else: shapes
// and meaning are those of the chain, and graphs on devices are read as if it were written
// there.
//
//	allreduce                  replicate(reduce(x))               everyone has the sum
//	reducescatter[axis=i]      partition[axis=i](reduce(x))       everyone has a part of the sum
//	allgather[axis=i]          replicate(combine[axis=i](x))      everyone has all parts
//	alltoall[split=i, concat=j] partition[axis=i](combine[axis=j](x))  parts along one axis become parts along another
//	pipeline[axis=i, on=g]     partition[axis=i, on=g](x)         parts, one after the other on the same devices
//	batch[axis=i]              combine[axis=i](x)                 and put together
//
// All but the last two keep the mesh axis that they have in front.

// standsFor declares a name. of is the chain for attributes and the number of members.
func standsFor(how graph.Layout, o *graph.Op, of func(a graph.Attrs, on graph.Value) []graph.Prim) *graph.Op {
	o.In, o.Out, o.Layout = 1, 1, how
	chain := func(a graph.Attrs, x graph.Shape) ([]graph.Prim, error) {
		if how == graph.LayoutMakes {
			return of(a, graph.Value{}), nil
		}
		if len(x) == 0 || x[0].AxisRun != "" {
			return nil, fmt.Errorf("shape %s: want an axis of a mesh in front", x)
		}
		return of(a, graph.DimValue(x[0].Dim)), nil
	}
	o.Chain = func(a graph.Attrs, in []graph.Shape) ([]graph.Prim, error) { return chain(a, in[0]) }
	o.Infer = func(f *graph.Unifier, a graph.Attrs, in []graph.Shape) ([]graph.Shape, error) {
		ps, err := chain(a, f.NormShape(in[0]))
		for _, p := range ps {
			if in, err = p.Op.InferShapes(f, p.Attrs, in); err != nil {
				break
			}
		}
		return in, err
	}
	o.Entry = func(s *graph.Space, a graph.Attrs, in []graph.Shape, at []graph.Index) (*graph.Expr, error) {
		ps, err := chain(a, in[0])
		if err != nil {
			return nil, err
		}
		var f graph.Unifier
		shapes := [][]graph.Shape{in}
		for _, p := range ps[:len(ps)-1] {
			if in, err = p.Op.InferShapes(&f, p.Attrs, in); err != nil {
				return nil, err
			}
			shapes = append(shapes, in)
		}
		for i := len(ps) - 1; i > 0; i-- { // each of these copies an entry
			e, err := ps[i].Op.Entry(s, ps[i].Attrs, shapes[i], at)
			if err != nil {
				return nil, err
			}
			if e.Kind != graph.ExprRead {
				return nil, fmt.Errorf("operator %s is no copy", ps[i].Op.Name)
			}
			at = e.At
		}
		return ps[0].Op.Entry(s, ps[0].Attrs, shapes[0], at)
	}
	return graph.Register(o)
}

// added are the operations of a sum of all members.
func added(_ graph.Attrs, in, _ [][]int) int64 { return graph.Product(1, graph.NumElements(in[0])) }

// backAs is the derivative by an operator of the same kind.
func backAs(name string, attrs func(b *graph.Backward) graph.Named) func(b *graph.Backward) []graph.Tensor {
	return func(b *graph.Backward) []graph.Tensor { return []graph.Tensor{b.Op(name, attrs(b), b.D[0])} }
}

func atAxis(b *graph.Backward) graph.Named { return graph.Named{"axis": b.Attrs[0]} }

func axisParam(name, doc string) graph.Param {
	return graph.Param{Name: name, Sort: axisSort, Doc: doc + ", counted in a member"}
}

var (
	// AllReduce gives every member the sum of all.
	AllReduce = standsFor(graph.LayoutKeeps, &graph.Op{
		Name: "allreduce", Class: "reduce", Doc: "All-reduce: every device holds the sum of all members (replicate of reduce).",
		FLOPs: added, Grad: backAs("allreduce", func(*graph.Backward) graph.Named { return nil }),
	}, func(_ graph.Attrs, on graph.Value) []graph.Prim {
		return []graph.Prim{{Op: Reduce}, {Op: Replicate, Attrs: graph.Attrs{on}}}
	})

	// ReduceScatter gives every member its part of the sum of all.
	ReduceScatter = standsFor(graph.LayoutKeeps, &graph.Op{
		Name: "reducescatter", Class: "reduce", Doc: "Reduce-scatter: each device holds its shard of the sum (partition of reduce).",
		Params: []graph.Param{axisParam("axis", "axis of the sum that is dealt out")},
		FLOPs:  added, Grad: backAs("allgather", atAxis),
	}, func(a graph.Attrs, on graph.Value) []graph.Prim {
		return []graph.Prim{{Op: Reduce}, {Op: Partition, Attrs: graph.Attrs{a[0], on}}}
	})

	// AllGather gives every member all members side by side.
	AllGather = standsFor(graph.LayoutKeeps, &graph.Op{
		Name: "allgather", Class: "copy", Moves: true, Rearranges: true,
		Doc:    "All-gather: every device holds all shards, concatenated (replicate of combine).",
		Params: []graph.Param{axisParam("axis", "axis along which they are put together")},
		FLOPs:  noFLOPs, Grad: backAs("reducescatter", atAxis),
	}, func(a graph.Attrs, on graph.Value) []graph.Prim {
		return []graph.Prim{{Op: Combine, Attrs: graph.Attrs{a[0]}}, {Op: Replicate, Attrs: graph.Attrs{on}}}
	})

	// AllToAll makes parts along one axis of parts along another.
	AllToAll = standsFor(graph.LayoutKeeps, &graph.Op{
		Name: "alltoall", Class: "copy", Moves: true, Rearranges: true,
		Doc:    "All-to-all: shards along one axis become shards along another (partition of combine).",
		Params: []graph.Param{axisParam("split", "axis that is split"), axisParam("concat", "axis along which the members are put together before")},
		FLOPs:  noFLOPs,
		Grad: backAs("alltoall", func(b *graph.Backward) graph.Named {
			return graph.Named{"split": b.Attrs[1], "concat": b.Attrs[0]}
		}),
	}, func(a graph.Attrs, on graph.Value) []graph.Prim {
		return []graph.Prim{{Op: Combine, Attrs: graph.Attrs{a[1]}}, {Op: Partition, Attrs: graph.Attrs{a[0], on}}}
	})

	// Pipeline deals parts out that are worked on one after the other.
	Pipeline = standsFor(graph.LayoutMakes, &graph.Op{
		Name: "pipeline", Class: "copy", Moves: true, Rearranges: true,
		Doc:    "Micro-batches: a tensor split along an axis, in time (partition).",
		Params: []graph.Param{{Name: "axis", Sort: axisSort, Doc: "axis that is split, the batch axis"}, degree},
		FLOPs:  noFLOPs, Grad: backAs("batch", atAxis),
	}, func(a graph.Attrs, _ graph.Value) []graph.Prim { return []graph.Prim{{Op: Partition, Attrs: a}} })

	// Batch puts such parts together.
	Batch = standsFor(graph.LayoutEnds, &graph.Op{
		Name: "batch", Class: "copy", Moves: true, Rearranges: true,
		Doc:    "Micro-batches concatenated along an axis (combine).",
		Params: []graph.Param{axisParam("axis", "axis along which they are put together")},
		FLOPs:  noFLOPs,
		Grad: backAs("pipeline", func(b *graph.Backward) graph.Named {
			return graph.Named{"axis": b.Attrs[0], "on": graph.IntValue(b.Sizes(b.In[0])[0])}
		}),
	}, func(a graph.Attrs, _ graph.Value) []graph.Prim { return []graph.Prim{{Op: Combine, Attrs: a}} })
)
