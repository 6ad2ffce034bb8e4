// Package onnx reads and writes models in the ONNX format (https://onnx.ai), operator sets 7 to
// 26, and older ones where their operators have not changed.
//
// [Read] reads a file as a model.Model, [Write] writes a model as a new file, and [Rewrite] writes a
// changed model into a copy of the file it was read from. See the examples of Read and Write.
//
// # Reading
//
//	file ─► structure (weights stay in the file) ─► onnxpb.ModelProto
//	     ─► nodes in order: check │ fold │ lower │ keep opaque ─► nodes that outputs need ─► model.Model
//
// Every node is checked against the published definition of its operator (definitions.txt). Then it
// is lowered to operators of package graph/op. Operators do not broadcast there: operands are
// broadcast explicitly, a concatenation has two operands, a convolution has no bias, windows over
// one or three axes are windows over two with reshapes, and Gemm is a product and a sum. Fused
// operators of ONNX Runtime (domain com.microsoft) are lowered to their parts.
//
// Computations on small constants, such as arithmetic on shapes, are done while reading (constant
// folding), and so are nodes without a lowering that depend on weights and constants only. Shapes
// are inferred, never taken from the file, so dynamic dimensions need a size
// ([ReadOptions.Shapes]). A node that cannot be lowered becomes opaque: it is kept as it is and
// written back, if the types of its outputs are known.
//
// # Writing
//
// [Write] chooses nodes such that [Read] gives the same graph again. A node that can be read in two
// ways has a note in its doc_string that begins with "taso:"; other readers may ignore it. What
// runtimes compute in one kernel is written as one node, such as Conv with a bias, Gemm, and
// operators on quantized numbers.
//
// [Rewrite] copies a node byte by byte if the model still computes it as it was read
// ([Report.Source]). The other nodes are written as by [Write], in the operator set of the file.
//
// For contributors: each operator has one record, in the function ...Operators of the file that
// lowers it, with the versions and attributes that are read and those that are refused.
//
// The schema onnxpb/onnx.proto is that of the ONNX project (Apache-2.0).
package onnx
