//go:build cgo

package fake

// #include <stdlib.h>
// #include "load.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// A Control watches the libraries in this process.
type Control struct {
	o   Options
	dir string
}

func control(o Options) (*Control, error) {
	if err := load(); err != nil {
		return nil, err
	}
	dir, err := build(o)
	if err != nil {
		return nil, err
	}
	c := &Control{o, dir}
	c.Reset()
	return c, nil
}

// Folder is where the libraries lie.
func (c *Control) Folder() string { return c.dir }

// Reset makes everything as in a new process: no device was opened, no call was made,
// and what was left is gone. Options are as the test gave them.
func (c *Control) Reset() {
	C.taso_to_reset()
	for _, s := range c.o.settings() {
		c.set(s)
	}
}

func (c *Control) set(s set) {
	name, value := C.CString(s.name), C.CString(fmt.Sprint(s.value))
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(value))
	if C.taso_to_set(name, value) != 0 {
		panic("fake: no setting " + s.name) // the two sides are of one package
	}
}

// Fail makes a call fail, counted as Count does: Fail(Failure{Call: c.Count() + 1}) is the next.
func (c *Control) Fail(f Failure) {
	lose := int64(0)
	if f.Lose {
		lose = 1
	}
	c.set(set{"code", int64(f.Code)})
	c.set(set{"lose", lose})
	c.set(set{"fail", int64(f.Call)})
}

// Memory sets the bytes that a device has, what is used among them.
func (c *Control) Memory(bytes int64) { c.set(set{"memory", bytes}) }

// Empty says whether work is checked only, and not done.
func (c *Control) Empty(yes bool) {
	v := int64(0)
	if yes {
		v = 1
	}
	c.set(set{"empty", v})
}

// Count tells how many calls there were.
func (c *Control) Count() int { return int(C.taso_to_calls()) }

// Called tells how many calls there were of one function.
func (c *Control) Called(function string) int {
	name := C.CString(function)
	defer C.free(unsafe.Pointer(name))
	return int(C.taso_to_count_of(name))
}

// Calls lists the first million calls: the name of each function, and for one that failed, the code and why
// ("cuMemAlloc_v2: 2: ...").
func (c *Control) Calls() []string {
	list := make([]string, min(c.Count(), 1<<20))
	for i := range list {
		list[i] = C.GoString(C.taso_to_call(C.size_t(i)))
	}
	return list
}

// Problems lists what nobody may do, whether or not a library would notice: use of what is
// gone, work outside of memory, calls on a thread without a context, memory freed in use.
func (c *Control) Problems() []string {
	var list []string
	for i := range int(C.taso_to_problems()) {
		list = append(list, C.GoString(C.taso_to_problem(C.size_t(i))))
	}
	return list
}

// Leaks lists what was made and not given back.
func (c *Control) Leaks() []string {
	var list []string
	for kind := 0; ; kind++ {
		var name *C.char
		n := C.taso_to_leak(C.int(kind), &name)
		if n < 0 {
			return list
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("leak: %d of %s", n, C.GoString(name)))
		}
	}
}
