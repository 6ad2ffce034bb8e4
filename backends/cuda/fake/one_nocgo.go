//go:build !cgo

package fake

// Try returns ErrNoCgo.
func Try(k Kernel, args ...any) error { return ErrNoCgo }
