// Package peers calls two libraries of linear algebra that a machine may have,
// OpenBLAS and oneDNN, so that benchmarks can compare package cpu with them in
// one process and one run. They are opened when asked for; nothing links to
// them, and no header of theirs is needed.
//
// Both run on one thread. OpenBLAS is told the processor's kernels by
// OPENBLAS_CORETYPE in the environment; on processors it does not know, set it
// (such as SkylakeX; the case matters), or it falls back to kernels many times slower.
package peers
