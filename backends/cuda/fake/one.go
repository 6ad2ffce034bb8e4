//go:build cgo

package fake

// #cgo LDFLAGS: -ldl
// #include "load.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"
)

// load opens the common library, once a process.
var load = sync.OnceValue(func() error {
	dir, err := folder()
	if err != nil {
		return err
	}
	path := C.CString(filepath.Join(dir, commonName))
	defer C.free(unsafe.Pointer(path))
	if text := C.taso_load(path); text != nil {
		return fmt.Errorf("load fake: %s", C.GoString(text))
	}
	return nil
})

// Try runs a kernel whose arguments are all pointers: each of args is a slice of
// numbers, which is copied to the kernel's memory before and back after, or nil, for the
// null pointer. The error says what the compiler, the launch or a check found; the slices then
// hold what there was when the kernel stopped.
func Try(k Kernel, args ...any) error {
	if err := load(); err != nil {
		return err
	}
	source := C.CString(k.Source)
	defer C.free(unsafe.Pointer(source))
	name := k.Name
	if name == "" {
		name = "k"
	}
	kernel := C.CString(name)
	defer C.free(unsafe.Pointer(kernel))
	o := C.struct_taso_one{source: source, kernel: kernel, shared: C.uint(k.Shared), n: C.int(len(args))}
	for i := range 3 {
		o.grid[i] = C.uint(max(k.Grid[i], 1))
		o.block[i] = C.uint(max(k.Block[i], 1))
	}
	if k.Races {
		o.flags |= 1 // TASO_RACES_ALLOWED
	}
	if k.Known {
		o.flags |= 2 // TASO_KNOWN
	}
	if k.Unchecked {
		o.compile = 1 // TASO_UNCHECKED
	}
	// Pointers to Go memory lie in Go memory here: both are pinned for the call.
	var pin runtime.Pinner
	defer pin.Unpin()
	data := make([]unsafe.Pointer, len(args)+1)
	sizes := make([]C.size_t, len(args)+1)
	for i, a := range args {
		p, n, err := memory(a)
		if err != nil {
			return fmt.Errorf("argument %d of kernel %s: %w", i, name, err)
		}
		if p != nil {
			pin.Pin(p)
		}
		data[i], sizes[i] = p, C.size_t(n)
	}
	pin.Pin(&data[0])
	pin.Pin(&sizes[0])
	o.data, o.bytes = &data[0], &sizes[0]
	text := make([]byte, 16<<10)
	if C.taso_one(&o, (*C.char)(unsafe.Pointer(&text[0])), C.size_t(len(text))) != 0 {
		return fmt.Errorf("%s", C.GoString((*C.char)(unsafe.Pointer(&text[0]))))
	}
	return nil
}

// memory returns where the numbers of a slice lie and how many bytes they have.
func memory(a any) (unsafe.Pointer, int, error) {
	switch a := a.(type) {
	case nil:
		return nil, 0, nil
	case []float32:
		return first(a)
	case []float64:
		return first(a)
	case []int32:
		return first(a)
	case []uint32:
		return first(a)
	case []int64:
		return first(a)
	case []byte:
		return first(a)
	case []bool:
		return first(a)
	}
	return nil, 0, fmt.Errorf("%T is no slice of numbers", a)
}

// nothing is where slices without numbers begin: they are not null.
var nothing byte

func first[T any](a []T) (unsafe.Pointer, int, error) {
	if len(a) == 0 {
		return unsafe.Pointer(&nothing), 0, nil
	}
	return unsafe.Pointer(&a[0]), len(a) * int(unsafe.Sizeof(a[0])), nil
}
