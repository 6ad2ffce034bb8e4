package fake

import (
	"errors"
	"testing"
)

// ErrNoCgo says that nothing can be run, as this program was built without cgo.
var ErrNoCgo = errors.New("fake: built without cgo")

// Kernel is one kernel and how it is launched.
type Kernel struct {
	Source string // CUDA C
	Name   string // of the function; "" means k
	Grid   [3]int // blocks; 0 means 1
	Block  [3]int // threads of a block; 0 means 1
	Shared int    // bytes of dynamic shared memory

	// Unchecked leaves out the checks of memory and races, which make a
	// kernel some ten times slower. Guard zones and poison stay.
	Unchecked bool
	// Known leaves the checks out of a run, but not out of the code: for one whose
	// accesses are those of an earlier run. It takes a third of the time.
	Known bool
	// Races lets two threads touch a word without a barrier between.
	Races bool
}

// Run runs a kernel whose arguments are all pointers, and fails the test where it goes
// wrong (see Try), or skips it where there is no cgo.
func Run(t testing.TB, k Kernel, args ...any) {
	t.Helper()
	if err := Try(k, args...); errors.Is(err, ErrNoCgo) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}
