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
//     Sizes are at least 1 in laws. In a concrete graph they may be 0: such a
//     tensor is empty, it has no elements.
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
// # What numbers are
//
// What graphs compute is said of real numbers. The rounding of operators is neglected. That of
// casts is not: a cast to a type that does not hold every number of the source is a function of
// its own ([CastFn]), and no law takes it for the identity. The mode exact of a cast says that
// no number changes; only such a cast is the identity.
// Types of less than 16 bits are ways to store numbers, and laws are about none of them
// ([DType.IsReal]).
//
// On tensors of an integer type operators compute with integers, modulo 2 to the number of
// bits of the type ([WrapInt]): what an operator computes is what its entry says of integers, and
// the result is wrapped then. Laws, which are about real numbers, say nothing of them, but for operators
// that only move elements. A cast of integers to a type that does not hold them all is
// said to wrap (mode wrap) or has a value only where it does.
//
// # Empty tensors
//
// A sum of no terms is 0, and the largest of no elements is minus infinity, as in ONNX.
// What ONNX gives no value without elements, or its implementations disagree on, inference
// refuses: an average of no elements, a pooling of images of size 0 or without channels, a
// convolution that SAME padding makes of an image of size 0, positions in a table without
// rows, a layer normalization of no elements, the first k of fewer than k. Laws speak of no
// operator with an empty operand or result ([Graph.TouchesEmpty]).
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
