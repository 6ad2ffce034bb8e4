package dl

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Properties describe a device.
type Properties struct {
	Name         string `json:"name"`
	Major        int    `json:"major"` // of the compute capability
	Minor        int    `json:"minor"`
	SMs          int    `json:"sms"`           // streaming multiprocessors
	Shared       int    `json:"shared"`        // shared memory per block, bytes
	SharedOptin  int    `json:"shared_optin"`  // the same, for kernels that ask for more
	L2           int    `json:"l2"`            // cache, bytes
	Memory       int64  `json:"memory"`        // bytes
	ClockKHz     int    `json:"clock_khz"`     // of the multiprocessors, at most
	MemoryKHz    int    `json:"memory_khz"`    // of the memory
	MemoryBusBit int    `json:"memory_bus"`    // bits
	Driver       string `json:"driver"`        // the CUDA that the driver is of
	Kernel       string `json:"kernel_module"` // the kernel module's version, "" if not told
}

// Arch is the device's architecture as NVRTC names it, such as sm_90.
func (p Properties) Arch() string { return fmt.Sprintf("sm_%d%d", p.Major, p.Minor) }

// Devices describes the devices that the driver sees.
func (l *Libraries) Devices() ([]Properties, error) {
	if !l.Has(Driver) {
		return nil, errors.New("no CUDA driver")
	}
	n, f := sysDevices(l.tab)
	if f != nil {
		return nil, fmt.Errorf("no CUDA device: %w", l.err(f))
	}
	var out []Properties
	for i := range n {
		p, f := sysQuery(l.tab, i)
		if f != nil {
			return nil, fmt.Errorf("CUDA device %d: %w", i, l.err(f))
		}
		d, _ := l.Report.Library(Driver)
		p.Driver, p.Kernel = d.CUDA, l.Report.Kernel
		out = append(out, p)
	}
	return out, nil
}

// A Device is an open GPU. Its methods, and those of what belongs to it, may be
// called from any goroutine; they run on the device's own thread, one at a time.
type Device struct {
	libs  *Libraries
	props Properties
	jobs  chan job
	done  chan struct{} // closed when the thread has ended
	tid   int

	// Of the device's thread only.
	dev     unsafe.Pointer // taso_dev; nil: closed
	lost    *LostError
	memory  map[Ptr]int64
	modules map[*Module]bool
	plans   map[*Plan]bool

	closing sync.Once
}

type job struct {
	f    func() error
	err  chan error
	last bool
}

// Open opens a device by its number, and starts its thread.
func Open(l *Libraries, ordinal int) (*Device, error) {
	all, err := l.Devices()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(all) {
		return nil, fmt.Errorf("no CUDA device %d: there are %d", ordinal, len(all))
	}
	d := &Device{
		libs: l, props: all[ordinal], jobs: make(chan job), done: make(chan struct{}),
		memory: map[Ptr]int64{}, modules: map[*Module]bool{}, plans: map[*Plan]bool{},
	}
	ready := make(chan error, 1)
	go d.thread(ordinal, ready)
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("open CUDA device %d (%s): %w", ordinal, d.props.Name, err)
	}
	return d, nil
}

// thread is the device's thread. It is not unlocked: it ends with the goroutine,
// and nothing else ever runs on it.
func (d *Device) thread(ordinal int, ready chan<- error) {
	defer close(d.done)
	runtime.LockOSThread()
	d.tid = sysThread()
	dev, f := sysOpen(d.libs.tab, ordinal)
	if f != nil {
		ready <- d.libs.err(f)
		return
	}
	d.dev = dev
	ready <- nil
	for j := range d.jobs {
		d.serve(j)
		if j.last {
			return
		}
	}
}

// serve runs one job. If the job ends the goroutine instead of returning, as
// testing's FailNow does, the thread ends with it, and the device is closed.
func (d *Device) serve(j job) {
	err := errors.New("the call ended the device's thread")
	returned := false
	defer func() {
		if !returned && !j.last {
			d.shut()
		}
		j.err <- err
	}()
	err = j.f()
	returned = true
}

// Do runs f on the device's thread; the methods of the device may be called in it.
// It fails without running f when the device is lost or closed.
func (d *Device) Do(f func() error) error {
	return d.on(func() error {
		if d.lost != nil {
			return d.lost
		}
		return f()
	})
}

// on runs f on the device's thread, on a lost device too.
func (d *Device) on(f func() error) error {
	open := func() error {
		if d.dev == nil {
			return fmt.Errorf("device %s: %w", d.props.Name, ErrClosed)
		}
		return f()
	}
	if sysThread() == d.tid { // in a call of Do: no other goroutine ever runs on that thread
		return open()
	}
	return d.send(job{f: open, err: make(chan error, 1)})
}

func (d *Device) send(j job) error {
	select {
	case d.jobs <- j:
		return <-j.err
	case <-d.done:
		return fmt.Errorf("device %s: %w", d.props.Name, ErrClosed)
	}
}

// Close frees whatever is left on the device, gives its context back and ends its
// thread. It must not be called within Do. A second call does nothing.
func (d *Device) Close() error {
	select {
	case <-d.done: // its thread has ended, and another may have its number
		return nil
	default:
	}
	if sysThread() == d.tid {
		return errors.New("close of a device on its own thread")
	}
	var err error
	d.closing.Do(func() {
		err = d.send(job{f: d.shut, err: make(chan error, 1), last: true})
		<-d.done
		if errors.Is(err, ErrClosed) { // its thread ended before
			err = nil
		}
	})
	return err
}

// shut frees everything; on a lost device the failures of that are no news.
func (d *Device) shut() error {
	if d.dev == nil {
		return nil
	}
	var errs []error
	keep := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	if d.lost == nil {
		keep(d.fail(sysSync(d.dev))) // nothing may still run on what is freed
	}
	for p := range d.plans {
		keep(p.close())
	}
	for m := range d.modules {
		keep(m.close())
	}
	for p := range d.memory {
		keep(d.free(p))
	}
	f := sysClose(d.dev)
	d.dev = nil
	if d.lost == nil && f != nil && !f.sticky { // all is given back, also if the device was lost by it
		keep(d.libs.err(f))
	}
	if d.lost != nil || len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("close CUDA device %s: %w", d.props.Name, errs[0])
}

// Properties describes the device.
func (d *Device) Properties() Properties { return d.props }

// Libraries are those the device was opened with.
func (d *Device) Libraries() *Libraries { return d.libs }

// Lost is the error that made the device unusable, nil if none did.
func (d *Device) Lost() error {
	return d.on(func() error {
		if d.lost != nil {
			return d.lost
		}
		return nil
	})
}

// fail makes an error of a failure on the device's thread. Behind a failure of a
// library other than the driver a lost context may hide, so the driver is asked.
func (d *Device) fail(f *failure) error {
	if f == nil {
		return nil
	}
	err := d.libs.err(f)
	if d.lost == nil && !f.sticky && libraries[f.lib] != Driver && f.code != hostMemory && !errors.Is(err, ErrUnsupported) {
		if state := sysState(d.dev); state != nil && state.sticky {
			f, err = state, fmt.Errorf("%w (told by %s)", d.libs.err(state), f.call)
		}
	}
	if f.sticky && d.lost == nil {
		d.lost = &LostError{d.props.Name, err}
	}
	if d.lost != nil {
		return d.lost
	}
	return err
}

// freed is fail for calls that give something back: they do not fail because the
// device is lost.
func (d *Device) freed(f *failure) error {
	err := d.fail(f)
	if d.lost != nil {
		return nil
	}
	return err
}

// Sync waits until everything that was issued is done.
func (d *Device) Sync() error {
	return d.Do(func() error { return d.fail(sysSync(d.dev)) })
}

// Live counts what exists of the libraries' objects on a device.
type Live struct {
	Contexts, Streams, Handles, Allocations, Modules, Events, Graphs, Descriptors int64
}

// Live tells what exists now; a closed device has nothing. An idle device has one
// context, one stream and two events, and a handle per library that was used.
func (d *Device) Live() Live {
	var n Live
	_ = d.on(func() error { n = sysLive(d.dev); return nil }) // closed: nothing lives
	return n
}
