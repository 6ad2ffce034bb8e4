package cuda

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taso-go/taso/backends/cuda/dl"
)

// memory is device memory that is given back together.
type memory struct {
	dev    *dl.Device
	blocks map[dl.Ptr]int64 // bytes
}

func newMemory(dev *dl.Device) *memory { return &memory{dev, map[dl.Ptr]int64{}} }

// take allocates bytes; 0 bytes are address 0.
func (m *memory) take(bytes int64) (dl.Ptr, error) {
	p, err := m.dev.Alloc(bytes)
	if err == nil && p != 0 {
		m.blocks[p] = bytes
	}
	return p, err
}

// free gives one block back.
func (m *memory) free(p dl.Ptr) error {
	if _, ok := m.blocks[p]; !ok {
		return nil
	}
	delete(m.blocks, p)
	return m.dev.Free(p)
}

// close gives all blocks back.
func (m *memory) close() error {
	var errs []error
	for _, p := range slices.Sorted(maps.Keys(m.blocks)) {
		errs = append(errs, m.free(p))
	}
	return first(errs...)
}

// shortage adds to an error for want of memory what the plan needs, in bytes.
func shortage(err error, constants, arena, scratch, workspace int64) error {
	var short *dl.MemoryError
	if !errors.As(err, &short) {
		return err
	}
	return fmt.Errorf("it needs %d bytes for constants, %d for tensors, %d for scratch and up to %d for workspace: %w", constants, arena, scratch, workspace, err)
}

// closed is err, unless it says only that the device is closed already, which gave
// everything back.
func closed(err error) error {
	if errors.Is(err, dl.ErrClosed) {
		return nil
	}
	return err
}

// first is the first error that there is: what fails when something is given back
// behind a failure is no news.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
