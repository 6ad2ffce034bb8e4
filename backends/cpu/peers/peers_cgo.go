//go:build cgo && linux

package peers

// #cgo LDFLAGS: -ldl
// #include "peers.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// OpenBLAS is the library libopenblas.so.0.
type OpenBLAS struct{ h *C.peer_blas }

// OpenOpenBLAS opens the library, or says that there is none.
func OpenOpenBLAS() (*OpenBLAS, error) {
	h := C.peer_blas_open()
	if h == nil {
		return nil, errors.New("libopenblas.so.0 cannot be opened")
	}
	return &OpenBLAS{h}, nil
}

// Config is the library's version and the kernels it chose.
func (b *OpenBLAS) Config() string { return C.GoString(C.peer_blas_config(b.h)) }

// Gemm is c = a*b for row-major a [m, k], b [k, n], c [m, n].
func (b *OpenBLAS) Gemm(m, n, k int, x, y, z []float32) {
	C.peer_blas_gemm(b.h, C.int(m), C.int(n), C.int(k), first(x), first(y), first(z))
}

// OneDNN is the library libdnnl.so.2.
type OneDNN struct{ h *C.peer_dnn }

// OpenOneDNN opens the library and an engine for the processor, or says that
// there is none.
func OpenOneDNN() (*OneDNN, error) {
	// It reads the number of threads when it is loaded.
	if os.Getenv("OMP_NUM_THREADS") == "" {
		if err := os.Setenv("OMP_NUM_THREADS", "1"); err != nil {
			return nil, fmt.Errorf("open oneDNN: %w", err)
		}
	}
	h := C.peer_dnn_open()
	if h == nil {
		return nil, errors.New("libdnnl.so.2 cannot be opened")
	}
	return &OneDNN{h}, nil
}

// Gemm is c = a*b for row-major matrices.
func (d *OneDNN) Gemm(m, n, k int, x, y, z []float32) error {
	if s := C.peer_dnn_gemm(d.h, C.int(m), C.int(n), C.int(k), first(x), first(y), first(z)); s != 0 {
		return fmt.Errorf("dnnl_sgemm: status %d", s)
	}
	return nil
}

// Conv is a convolution of one shape, in the library's own layouts: bringing
// the operands into them is not part of Run.
type Conv struct{ c *C.peer_conv }

// Conv prepares a convolution of an image [1, c, h, w] with kernels [o, c, kh,
// kw], stride 1, padded by pad on all sides.
func (d *OneDNN) Conv(c, h, w, o, kh, kw, pad int) (*Conv, error) {
	cv := C.peer_dnn_conv(d.h, C.int(c), C.int(h), C.int(w), C.int(o), C.int(kh), C.int(kw), C.int(pad))
	if cv == nil {
		return nil, errors.New("oneDNN has no such convolution")
	}
	return &Conv{cv}, nil
}

// Run computes it once, on data of its own.
func (c *Conv) Run() error {
	if s := C.peer_dnn_conv_run(c.c); s != 0 {
		return fmt.Errorf("dnnl_primitive_execute: status %d", s)
	}
	return nil
}

func first(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }
