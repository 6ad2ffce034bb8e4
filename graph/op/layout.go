package op

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// The operators that lay a tensor out over a mesh of devices. A value on a mesh is a
// family of tensors of one shape, whose axes stand in front of theirs (Unity, OSDI 2022,
// section 3; package parallel says which axes of a graph are of the mesh). Each of these
// operators makes the first axis or takes it away:
//
//	partition[axis=i, on=g]  x              member d is the d-th of g parts of x along axis i
//	combine[axis=i]          (x0, x1, ...)  the members side by side along axis i
//	replicate[on=g]          x              (x, x, ...)
//	reduce                   (x0, x1, ...)  x0 + x1 + ...
//	lift[on=g]               x              (x, 0, 0, ...)
//	drop                     (x0, x1, ...)  x0
//
// The operators in one line of these pairs are adjoint, the gradient of the one is the
// other: partition and combine, replicate and reduce, lift and drop. What is in front of
// that axis is the rest of the mesh, over which the operator is lifted ([graph.Op.Each]).

// degree is the parameter that says how many members are made.
var degree = graph.Param{Name: "on", Sort: intSort, Doc: "number of members: the size of the axis of the mesh"}

// members is the size that the parameter gives, at least 1.
func members(f *graph.Unifier, a graph.Attrs, i int) (graph.Dim, error) {
	g := f.Norm(dim(a, i))
	if err := f.Le(graph.Int(1), g); err != nil {
		return g, fmt.Errorf("number of members: %w", err)
	}
	return g, nil
}

// familyOf is the shape of an operand on a mesh: the size of its first axis, and the
// shape of a member.
func familyOf(f *graph.Unifier, x graph.Shape) (g graph.Dim, of graph.Shape, err error) {
	x = f.NormShape(x)
	if len(x) == 0 || x[0].AxisRun != "" {
		return g, nil, fmt.Errorf("shape %s: want an axis of a mesh in front", x)
	}
	return x[0].Dim, x[1:], nil
}

// familyAxis is [familyOf] with an axis of a member.
func familyAxis(f *graph.Unifier, x graph.Shape, axis graph.Dim) (g graph.Dim, of graph.Shape, i int, err error) {
	if g, of, err = familyOf(f, x); err == nil {
		i, err = of.Index(axis)
	}
	return g, of, i, err
}

// memberAt and digitAt are an index along an axis of g*n places as the number of a part
// of n places and the place in it, and back.
func memberAt(s *graph.Space, g, n graph.Dim, at graph.Index) (d, j graph.Index) {
	if g == graph.Int(1) {
		return graph.IndexInt(0), at
	}
	if n == graph.Int(1) {
		return at, graph.IndexInt(0)
	}
	from := unravel(s, graph.ShapeOf(g, n), graph.ShapeOf(g.Mul(n)), []graph.Index{at})
	return from[0], from[1]
}

func digitAt(s *graph.Space, g, n graph.Dim, d, j graph.Index) graph.Index {
	if g == graph.Int(1) {
		return j
	}
	if n == graph.Int(1) {
		return d
	}
	return unravel(s, graph.ShapeOf(g.Mul(n)), graph.ShapeOf(g, n), []graph.Index{d, j})[0]
}

// movesMesh marks an operator that moves tensors between a mesh and their axes. On one
// device those that compute nothing are copies; what they cost on several is said by
// where the members are.
func movesMesh(how graph.Layout, op *graph.Op) *graph.Op {
	op.In, op.Out, op.Layout = 1, 1, how
	if op.FLOPs == nil {
		op.Class, op.FLOPs = "copy", noFLOPs
	}
	return graph.Register(op)
}
