//go:build !cgo || !linux

package peers

import "errors"

var errNone = errors.New("this build cannot open libraries")

// OpenBLAS is the library libopenblas.so.0.
type OpenBLAS struct{}

// OpenOpenBLAS says that there is none.
func OpenOpenBLAS() (*OpenBLAS, error) { return nil, errNone }

// Config is empty.
func (b *OpenBLAS) Config() string { return "" }

// Gemm does nothing.
func (b *OpenBLAS) Gemm(m, n, k int, x, y, z []float32) {}

// OneDNN is the library libdnnl.so.2.
type OneDNN struct{}

// OpenOneDNN says that there is none.
func OpenOneDNN() (*OneDNN, error) { return nil, errNone }

// Gemm does nothing.
func (d *OneDNN) Gemm(m, n, k int, x, y, z []float32) error { return errNone }

// Conv is a convolution of one shape.
type Conv struct{}

// Conv says that there is none.
func (d *OneDNN) Conv(c, h, w, o, kh, kw, pad int) (*Conv, error) { return nil, errNone }

// Run does nothing.
func (c *Conv) Run() error { return errNone }
