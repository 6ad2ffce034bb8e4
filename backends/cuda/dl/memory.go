package dl

import (
	"errors"
	"fmt"
)

// A Ptr is an address in the device's memory; 0: none.
type Ptr uint64

// Alloc allocates bytes of device memory, aligned to 256 bytes. No bytes are
// address 0. Where memory is short the error is a [MemoryError].
func (d *Device) Alloc(bytes int64) (Ptr, error) {
	var p Ptr
	err := d.Do(func() (err error) { p, err = d.alloc(bytes, ""); return err })
	return p, err
}

func (d *Device) alloc(bytes int64, what string) (Ptr, error) {
	switch {
	case bytes < 0:
		return 0, fmt.Errorf("allocate %d bytes on the device", bytes)
	case bytes == 0:
		return 0, nil
	}
	p, f := sysAlloc(d.dev, bytes)
	if f != nil {
		return 0, d.short(f, bytes, what)
	}
	d.memory[p] = bytes
	return p, nil
}

// short makes an error of a failed allocation.
func (d *Device) short(f *failure, bytes int64, what string) error {
	err := d.fail(f)
	var e *Error
	if d.lost != nil || !errors.As(err, &e) || e.Library != Driver || e.Code != outOfMemory {
		return err
	}
	free, total, _ := sysMemory(d.dev) // zeros if even that fails
	return &MemoryError{what, bytes, free, total}
}

// outOfMemory is the driver's code for that.
const outOfMemory = 2

// Free gives memory back. Freeing address 0 does nothing.
func (d *Device) Free(p Ptr) error {
	return d.on(func() error { return d.free(p) })
}

func (d *Device) free(p Ptr) error {
	if p == 0 {
		return nil
	}
	if _, ok := d.memory[p]; !ok {
		return fmt.Errorf("free of address %#x, which is not allocated", uint64(p))
	}
	delete(d.memory, p)
	return d.freed(sysFree(d.dev, p))
}

// CopyIn copies from the host to the device, and waits for it.
func (d *Device) CopyIn(to Ptr, from []byte) error {
	return d.Do(func() error {
		if len(from) == 0 {
			return nil
		}
		return d.fail(sysCopyIn(d.dev, to, from))
	})
}

// CopyOut copies from the device to the host, behind everything issued before, and
// waits for it.
func (d *Device) CopyOut(to []byte, from Ptr) error {
	return d.Do(func() error {
		if len(to) == 0 {
			return nil
		}
		return d.fail(sysCopyOut(d.dev, to, from))
	})
}

// Fill sets bytes of memory, and waits for it.
func (d *Device) Fill(p Ptr, value byte, bytes int64) error {
	return d.Do(func() error { return d.fill(p, value, bytes) })
}

func (d *Device) fill(p Ptr, value byte, bytes int64) error {
	if bytes <= 0 {
		return nil
	}
	return d.fail(sysFill(d.dev, p, value, bytes))
}

// MemInfo tells the device's free and total memory in bytes.
func (d *Device) MemInfo() (free, total int64, err error) {
	err = d.Do(func() error {
		var f *failure
		free, total, f = sysMemory(d.dev)
		return d.fail(f)
	})
	return free, total, err
}

// A Module is a loaded CUBIN.
type Module struct {
	d *Device
	m handle // nil: unloaded
}

// A Function is a kernel of a module, and lives as long as it.
type Function struct {
	m *Module
	f handle
}

// Module loads a CUBIN.
func (d *Device) Module(cubin []byte) (*Module, error) {
	m := &Module{d: d}
	err := d.Do(func() error {
		if len(cubin) == 0 {
			return errors.New("load a module: the CUBIN is empty")
		}
		h, f := sysModule(d.dev, cubin)
		if f != nil {
			return d.fail(f)
		}
		m.m = h
		d.modules[m] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Function finds a kernel by its name. shared is the most dynamic shared memory in
// bytes with which it will be launched.
func (m *Module) Function(name string, shared int) (Function, error) {
	fn := Function{m: m}
	err := m.d.Do(func() error {
		if m.m == nil {
			return fmt.Errorf("module: %w", ErrClosed)
		}
		h, f := sysFunction(m.d.dev, m.m, name, shared)
		if f != nil {
			return fmt.Errorf("kernel %s: %w", name, m.d.fail(f))
		}
		fn.f = h
		return nil
	})
	return fn, err
}

// Close unloads the module. No plan that launches its kernels may run after that.
func (m *Module) Close() error {
	return m.d.on(m.close)
}

func (m *Module) close() error {
	if m.m == nil {
		return nil
	}
	delete(m.d.modules, m)
	h := m.m
	m.m = nil
	return m.d.freed(sysUnload(m.d.dev, h))
}
