//go:build !cgo

package cpu

import "unsafe"

// tables are the kernels that this build can run: those in Go.
func tables() []table { return []table{goTable{}} }

// allocate returns bytes of memory, aligned to 8 bytes.
func allocate(bytes int) (ptr, error) {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, (bytes+7)/8))), nil
}

func clearBytes(p ptr, bytes int) { clear(bytesAt(p, bytes)) }

func release(ptr) {}

func trim() {}
