// Package modelpairs tests the comparison of models on pairs whose answer is known.
//
// A pair is two small ONNX models that take the same inputs. It is equal by
// construction (an identity was put in, operands were commuted, a node was written
// in another form), or it is different by a witness: an input on which ONNX Runtime
// and the reference implementation of ONNX both say that the outputs differ. A pair
// that has neither is dropped. The kind of a pair names its change.
//
// Pairs are made by the Python program in generate, from the node tests of the onnx
// package and a seed. It runs in the pinned Python environment (package ort):
//
//	generate/main.py ─► JSON line, model A, model B ─► Judge ─► Table
//
// [Judge] reads both models and compares them as `taso verify` does. [Table] counts,
// for each kind of change, the answers that are right, that are wrong, and that are
// not known.
package modelpairs
