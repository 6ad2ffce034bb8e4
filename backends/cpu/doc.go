// Package cpu runs graphs on the processor, in float32, on one thread.
//
//	model ──► Compile: values, steps, fusion ──► memory plan ──► Plan.Run
//	             │                                                 │
//	             └── weights packed, constants computed            └── kernels (C, or Go)
//
// Words:
//
//   - A value is a tensor of the graph: sizes and strides over a buffer. A view
//     is a value over another one's buffer: a reshape, a slice, a transpose, a
//     broadcast. A view is copied only where a kernel needs dense data.
//   - A buffer is memory: constant (weights and what follows from them, filled
//     by Compile), or part of the arena, which the memory plan shares out by the
//     lifetimes of the buffers.
//   - A step is one call of a kernel, or a few, for one node.
//   - The tail of a step is what is done to its result before it leaves the
//     cache: biases, residuals, activations, any chain of elementwise
//     operations (Fusion, in fuse.go).
//   - A table is the set of kernels for one instruction set: avx512, avx2,
//     plain (any processor with a C compiler), go (without cgo).
//
// The C kernels are written once in the compiler's vector extension and compiled
// for each instruction set; the best one the processor has is chosen when the
// program starts. Products of matrices follow Goto and van de Geijn, "Anatomy of
// high-performance matrix multiplication" (ACM TOMS 34(3), 2008) and BLIS (Van
// Zee and van de Geijn, ACM TOMS 41(3), 2015); convolutions are such products
// whose second operand is packed from the image on the way (implicit im2col), or
// read in place. Buffers are placed greedily, largest first (Pisarchyk and Lee,
// "Efficient memory management for deep neural net inference", 2020).
//
// Infinities and what is not a number go where IEEE arithmetic sends them; the
// largest (or smallest) of some numbers is not a number if one of them is not.
// Only a convolution's border differs from leaving cells out: it is zeros, and
// zero times an infinite weight is not a number.
//
// Results do not depend on the time or on the memory plan: the same plan gives
// the same bits. Different tables round differently.
package cpu
