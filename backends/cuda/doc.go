// Package cuda runs graphs on a GPU, through CUDA's libraries as package dl calls
// them.
//
//	model ──► package lower: values, kernels, memory plan ──► kernel.Calls ──► dl.Plan ──► Plan.Run
//	                                                             │               │
//	                              NVRTC, with a cache on disk ───┘               └── a CUDA graph, replayed
//
// What is a view, what is fused, what runs once and where it lies is decided by
// package lower; what the device is asked to do, by package kernel. This package
// brings weights to the device, holds the memory and runs the calls.
//
// Words:
//
//   - A mode is how products and convolutions by libraries treat float32 numbers:
//     as they are, or rounded (tf32, float16, bfloat16). Sums are of float32 in all
//     modes, and generated kernels always compute in float32 and more. cuDNN has no
//     bfloat16 for float32 tensors: convolutions of that mode are as those of tf32.
//   - A base is one block of device memory, by its place in a table: the arena, the
//     scratch memory, the fault words, then the constants, one block each. Calls name
//     bases, so that a measurement runs the same calls on other blocks.
//   - A fault word is where a kernel says that its operands are not what its operator
//     is defined on, such as an index that is too large. They are zeroed at the
//     beginning of a run and looked at when it ended.
//   - A choice is the algorithm taken for a product or a convolution, of those that
//     the library offers. Measuring times the best few and keeps the fastest, also
//     in a file, for all plans that are compiled from then on.
//
// The first run of a plan issues its calls one by one, by which the driver loads
// what it had left for later; then they are captured as a graph, and every further
// run is one replay. Where they cannot be captured, they are issued in each run.
//
// A library may offer an algorithm and refuse it when it is issued. The next one of its
// list is taken then, and kernels behind the last; that is remembered while the backend is
// open.
//
// What is not a number stays so, but for two cases: a relu that a library does behind a
// sum makes 0 of it, and a linear resize makes it of an infinite cell between two places.
//
// One thread holds the device, see package dl: plans of one backend take turns.
//
// Results do not depend on the time: the same plan gives the same bits. A plan that is
// compiled behind a measurement may use other algorithms, which round differently.
package cuda
