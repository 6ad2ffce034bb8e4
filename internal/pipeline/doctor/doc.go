// Package doctor says what of this machine taso can use: the processor's kernels, Z3,
// ONNX Runtime, programs that solve integer programs, and above all CUDA, with each file
// that was tried, what was found in it, and what is missing for what.
//
// CUDA is in one of three states:
//
//	ok      a device ran a small model, and its numbers are right
//	absent  nothing of a GPU is here: no driver, and none was asked for; or the build
//	        has no cgo
//	broken  something is here and does not do: the finding says what
//
// A device is tried by a model of a convolution, a product and generated kernels, which is
// also run on the processor: it reaches the libraries that are loaded only when they are
// used.
package doctor
