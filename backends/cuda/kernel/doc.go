// Package kernel turns the kernels of a [lower.Plan] into what a CUDA device is
// asked to do. It is pure Go: who has no device can make the calls, read them and
// compile their sources.
//
//	lower.Kernel ──► Calls ──► Launch   a kernel that is generated here
//	                       ├─► Matmul   a product by cuBLASLt
//	                       └─► Conv     a convolution by cuDNN
//
// Words:
//
//   - A [Call] is one thing that the device is asked to do. Calls of a plan run in
//     order, each after the one before has ended.
//   - A source is the text of one generated kernel, CUDA C as NVRTC takes it:
//     one function `extern "C" __global__ void k(...)`, whose arguments are all
//     pointers. Sizes, strides and constants are literals, so that the compiler
//     folds them. Equal kernels have equal sources, in every run of the program:
//     a compiled source may be kept under a hash of the text.
//   - A [Ref] is what a pointer points at: a value of the plan, scratch memory, or
//     the fault words.
//   - The tail of a kernel, see package lower, is written into the kernel that
//     computes the element: it costs what it reads.
//   - The epilogue is the beginning of a tail that a library does before it writes: a
//     tensor added, a bias added, relu. A chain in place does the rest.
//   - A tile is the part of a product of matrices that one block of threads computes,
//     from strips of both in shared memory. A convolution is such a product too, whose
//     second matrix is read out of the images.
//   - A line is what reductions, softmax and layer norm go along; a team of threads
//     shares it: a warp, a block, or some threads of a column of a block.
//   - The meaning of an operator is its definition, [graph.Op.Entry]. An operator
//     that has no kernel of its own here runs by its meaning: one thread for each
//     element of the result, in float64. So every operator of the registry runs,
//     also those that nobody thought of when this was written.
//
// Results do not depend on how many threads run at once: each element is written
// by one thread, and sums have an order that the sizes decide.
package kernel
