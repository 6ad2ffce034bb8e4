// Package graph is the tensor intermediate representation: what an operator
// is, what shapes are, and graphs of operators over typed inputs.
//
// # Words
//
//   - operator: a tensor function with parameters ([Op]); operators live in a
//     registry filled by package graph/op.
//   - attribute: the value of an operator's parameter ([Value]); a number, a
//     name such as "relu", a tuple such as a stride, a shape, a real number such
//     as 0.01, or a variable.
//   - size: an integer expression ([Dim]); a constant in a concrete graph, a
//     polynomial over size variables in a law.
//   - shape: a sequence of sizes ([Shape]); in a law it may hold axis runs
//     ("P..": any number of axes).
//   - family: a tensor as members of one shape, those at each place of some axes in
//     front, such as the axes of a mesh of devices; an operator is applied to each
//     member by its lifting ([Op.Each]).
//   - entry: what an operator computes, said once: an entry of its output at a
//     symbolic index, for all sizes and any number type ([Op.Entry], [Expr]).
//   - program: the same for given sizes, as steps over arrays, made from the
//     entry ([Program], [Op.Program]); package graph/interp runs it over any ring.
//   - graph: operators over typed inputs with concrete sizes ([Graph]), made by
//     a [Builder]; a node is an input or an operator application ([NodeID]), a
//     tensor one output of a node ([Tensor]).
//   - weight: an input that belongs to the model ([Graph.IsWeight]).
//   - opaque node: of which it is not known here what it computes; it is kept as it is and
//     never rewritten ([Builder.Opaque]).
//   - element type: how a graph's tensors are stored ([DType]).
//
// A graph is written one node a line ([Graph.String], [ParseText]):
//
//	x : float32[2, 3]
//	w : weight float32[3, 4]
//	y = matmul(x, w)
//	return y
//
// Shape inference is written once per operator and serves both concrete
// graphs and laws over symbolic sizes, because [Dim] arithmetic degenerates to
// integer arithmetic when both sides are constants. What inference may assume
// and what it must prove is carried by [Unifier].
//
// Conventions: convolution tensors are NCHW, kernels are [out, in/groups, kh,
// kw]; element order is row-major.
package graph
