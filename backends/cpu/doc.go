// Package cpu runs graphs on the processor, on one thread: in float32, narrower
// floating-point types too, in float64, and in int64 integers and truth values.
//
//	model ──► package lower: values, kernels, tails, memory plan ──► Compile ──► Plan.Run
//	                                                                    │            │
//	                        weights packed, constants computed ─────────┘            └── kernels (C, or Go)
//
// What is a view, what is fused, what runs once and where it lies is decided by
// package lower; its words are used here. This package says what its kernels can
// do (lower.CPU, and the forms in which they want weights), and runs them.
//
// Words:
//
//   - A step is a kernel of the plan bound to its memory. Small steps that follow one
//     another, of those that move elements or compute them one by one, are one call.
//   - A buffer of constants is filled by Compile; the others share the arena.
//   - A table is the set of kernels for one instruction set: avx512, avx2,
//     plain (any processor with a C compiler), go (without cgo).
//
// The C kernels are written once in the compiler's vector extension and compiled
// for each instruction set; the best one the processor has is chosen when the
// program starts. Products of matrices follow Goto and van de Geijn, "Anatomy of
// high-performance matrix multiplication" (ACM TOMS 34(3), 2008) and BLIS (Van
// Zee and van de Geijn, ACM TOMS 41(3), 2015); convolutions are such products
// whose second operand is packed from the image on the way (implicit im2col), or
// read in place; those over images that are spread with zeros are a few smaller ones over
// the images as they were.
//
// Infinities and what is not a number go where IEEE arithmetic sends them; the
// largest (or smallest) of some numbers is not a number if one of them is not.
// Only a convolution's border differs from leaving cells out: it is zeros, and
// zero times an infinite weight is not a number. Zeros between the cells of an image that is
// spread for a convolution are left out, as those of a transposed convolution are.
//
// Results do not depend on the time or on the memory plan: the same plan gives
// the same bits. Different tables round differently.
package cpu
