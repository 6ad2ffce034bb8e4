// Package dl calls CUDA's libraries: the driver, NVRTC, cuBLASLt and cuDNN. They
// are opened when asked for, by dlopen; no toolkit is needed to build, and nothing
// links to them.
//
//	Load ──► Libraries, Report ──► Open ──► Device ──► memory, Module, Plan ──► Run, Profile, Capture ──► Graph.Replay
//	                └──► Compiler: CUDA C ──► CUBIN, kept on disk
//
// Words:
//
//   - A library is chosen out of candidates, files that may hold it; the [Report]
//     keeps what came of each, and what cannot be done for want of what.
//   - A [Device] is one GPU, whose primary context one thread of the operating
//     system holds. Whatever touches the context runs on that thread: calls may
//     come from any goroutine and take turns.
//   - A [Plan] is a list of calls, kept in C memory: launches of kernels, products,
//     convolutions, fills, copies. Issuing it is one crossing from Go to C.
//   - A base is the address of some device memory, a multiple of 256; a [Ref] is a
//     base, told by its place in a table of bases, plus an offset. The same plan
//     therefore runs on other memory with another table.
//   - A choice is one of the algorithms that a library offers for a product or a
//     convolution, best first by the library's estimate.
//   - The workspace is memory that these algorithms need; a plan allocates it, of
//     at most its bound, and a smaller one where memory is short.
//   - A [Graph] is a captured sequence of issues of a plan, which is replayed.
//   - A device is lost when an error left its context unusable (a kernel that read
//     outside of memory, a hardware fault). Then every call fails with a
//     [LostError]; closing still works.
//
// Libraries stay open until the process ends: CUDA's do not bear to be unloaded.
//
// The build tag cgo decides: without it everything here fails with one line.
package dl
