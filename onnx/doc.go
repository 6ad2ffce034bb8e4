// Package onnx reads and writes models in the ONNX format
// (https://onnx.ai, opsets 7 to 26, and older ones where their operators are
// used in ways that stayed).
//
// Words. An ONNX *model file* is a graph of *nodes*, each the application of an
// operator of an *operator set* (opset, a domain with a version) to named
// *values*. *Initializers* are values stored in the file, or beside it as
// *external data*; *value infos* are declared shapes. Here, a value is
//
//   - a *tensor* of the graph that is being made,
//   - a *weight*: an initializer, whose numbers are read when somebody asks, or
//   - a *constant*: small, and known while reading, like the shape that a
//     Reshape takes. Computations on constants are done while reading
//     (*folding*), so that arithmetic on shapes vanishes; so is what has no
//     lowering and depends on weights and constants only, such as the masks and
//     tables of positions that exporters spell out. A folded node is lowered, and
//     interp.ApplyValues computes its operators by element type. A few operators
//     make constants only and have no lowering (Range, NonZero, Unique, BitCast,
//     window functions, MelWeightMatrix).
//
// Every node is *lowered* to operators of package graph/op, which a graph.Builder
// holds; what the outputs turn out not to need is left out at the end. Sizes are inferred
// by these operators and never taken from the file; so sizes must be known:
// inputs with unknown ones are given theirs by [ReadOptions.Shapes]. Several
// operators in one, as ONNX Runtime's optimizer writes them in its own domain
// com.microsoft, are lowered to what they are made of. A node
// that has no lowering becomes *opaque*: it is kept exactly as it was and
// written back, provided that the types of its outputs are known.
//
// Each operator has one record, in the function ...Operators of the file that lowers it;
// records concatenates them. A record names the versions and attributes that are read and
// those that are refused. A node is checked against the record and the published
// definition (definitions.txt) before anything is read of it.
//
//	file ─► slim (structure, arrays stay in the file) ─► onnxpb.ModelProto
//	     ─► nodes in order: check │ fold │ lower │ keep opaque ─► live part ─► model.Model
//
// Writing goes the other way; [Write] chooses nodes such that [Read] gives the
// same graph again. Where two readings of a node are possible that mean the
// same, a note in the node's doc_string, beginning with "taso:", says which one
// it was; a note is never needed to compute the right numbers, and a reader may
// ignore it. What a runtime computes in one kernel, and recognizes in one node, is
// written as that node: a number added to each channel is the bias of its Conv, a row
// added to a product and transposed factors go into Gemm, what a comparison was read as
// is a comparison again, and what operators on quantized numbers were read as are these
// operators again, provided that reading them gives just what stands in the graph.
//
// [Rewrite] changes a file instead. [Report.Source] has the file and the tensor of the graph
// that each of its values is. A node is copied, byte by byte, if the result computes in the
// same way what the node was read as. What no node of the file computes any more is written by
// the writer above, as a graph of its own whose inputs are values of the file, in the
// operator set of the file; its nodes have the note, so that they are read as they were
// written, in whichever file.
//
// What is the same in all of ONNX and different here: operators do not
// broadcast, so that operands are broadcast explicitly; concatenation has two
// operands; a convolution has no bias (an addition follows); windows over one
// or three axes are windows over two, with reshapes; Gemm is a product and a
// sum.
//
// The schema onnxpb/onnx.proto is that of the ONNX project (Apache-2.0).
package onnx
