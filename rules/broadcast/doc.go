// Package broadcast says what laws say where the operands of sums and products of
// elements may differ in shape, as in ONNX and in TASO's runtime: aligned at the end,
// axes of size 1 taking any size.
//
// # Words
//
//	pattern    a law over inputs some axes of which are 1, or missing in front, with
//	           a broadcast operator wherever operands differ in shape ([All], [Explicit])
//	cell-wise  made of tensors by sums, products and functions of one element: true
//	           under broadcasting if it is true (algebra.go)
//
// Nothing is proved here: package verify proves and refutes the patterns.
package broadcast
