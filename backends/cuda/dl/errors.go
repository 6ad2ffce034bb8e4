package dl

import (
	"errors"
	"fmt"
)

var (
	errNoCgo = errors.New("built without cgo, which CUDA needs (and linux on amd64 or arm64)")

	// ErrClosed is the error of a call on a device, plan or graph that is closed.
	ErrClosed = errors.New("closed")

	// ErrUnsupported is the error of a product or a convolution that a library
	// cannot do: of its sizes, on this device, or within the workspace.
	ErrUnsupported = errors.New("the library cannot do this")
)

// An Error is the failure of a call of a library.
type Error struct {
	Library Library
	Call    string // the function
	Code    int    // the library's status
	Name    string // of the status, "" if the library tells none
	Text    string // what it means, "" if the library does not say
	At      int    // which call of a plan, from 0; -1: none
}

func (e *Error) Error() string {
	s := e.Call + ": "
	if e.At >= 0 {
		s = fmt.Sprintf("call %d: %s", e.At, s)
	}
	switch {
	case e.Code == hostMemory:
		return s + "out of memory of the host"
	case e.Name == "":
		return s + fmt.Sprintf("%s's status %d", e.Library, e.Code)
	case e.Text == "":
		return s + fmt.Sprintf("%s (%d)", e.Name, e.Code)
	}
	return s + fmt.Sprintf("%s (%d): %s", e.Name, e.Code, oneLine(e.Text))
}

// Unwrap makes what a library cannot do an ErrUnsupported.
func (e *Error) Unwrap() error {
	if e.Library == CuBLASLt && e.Code == 15 || e.Library == CuDNN && (e.Code == 9 || e.Code >= 3000 && e.Code < 4000) {
		return ErrUnsupported
	}
	return nil
}

// hostMemory is the code of a malloc that failed.
const hostMemory = -1

// A MemoryError says that the device's memory is short, in bytes.
type MemoryError struct {
	What        string // what the memory was for, "" if it is not known
	Asked       int64
	Free, Total int64 // 0 where the driver does not say
}

func (e *MemoryError) Error() string {
	what := "memory"
	if e.What != "" {
		what = e.What
	}
	return fmt.Sprintf("out of device memory: %s of %d bytes asked for, %d free of %d", what, e.Asked, e.Free, e.Total)
}

// A LostError says that a device can no longer be used by this process.
type LostError struct {
	Device string
	Cause  error // the first failure that told of it
}

func (e *LostError) Error() string { return fmt.Sprintf("device lost: %s: %v", e.Device, e.Cause) }

// Lost is true, see backends.Lost.
func (e *LostError) Lost() bool { return true }

// Unwrap is the cause.
func (e *LostError) Unwrap() error { return e.Cause }

// A failure is what the C side tells of one; nil: there is none.
type failure struct {
	lib, code, at int
	call          string
	sticky        bool
}

// err makes an error of a failure.
func (l *Libraries) err(f *failure) error {
	if f == nil {
		return nil
	}
	e := &Error{Library: libraries[f.lib], Call: f.call, Code: f.code, At: f.at}
	if f.code != hostMemory {
		e.Name, e.Text = sysErrorText(l.tab, f.lib, f.code)
	}
	return e
}
