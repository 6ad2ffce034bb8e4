//go:build cgo

package dl

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// Calls come from many goroutines, and a device may be closed under them.
func TestAtOnce(t *testing.T) {
	d, c := onFake(t)
	f := kernelOf(t, d, double, "twice", 0)
	start, closed := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	var ran sync.WaitGroup // one round of each, before the device is closed
	work := func(x float32) error {
		at, err := d.Alloc(256)
		if err != nil {
			return err
		}
		data := make([]float32, 64)
		for i := range data {
			data[i] = x
		}
		if err := d.CopyIn(at, floats(data...)); err != nil {
			return err
		}
		p, err := d.NewPlan(0)
		if err != nil {
			return err
		}
		if err := p.Launch(f, [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, []Ref{At(0, 0)}); err != nil {
			return err
		}
		if err := p.Run([]Ptr{at}); err != nil {
			return err
		}
		out := make([]byte, 256)
		if err := d.CopyOut(out, at); err != nil {
			return err
		}
		if got := fromBytes(out); got[0] != 2*x || got[63] != 2*x {
			t.Errorf("got %v and %v, want %v", got[0], got[63], 2*x)
		}
		if err := p.Close(); err != nil {
			return err
		}
		return d.Free(at)
	}
	for i := range 8 {
		all.Add(1)
		ran.Add(1)
		go func() {
			defer all.Done()
			<-start
			err := work(float32(i))
			ran.Done()
			if err != nil {
				t.Error(err)
			}
			for {
				if err := work(float32(i)); err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					break
				}
			}
			<-closed
			if d.Live() != (Live{}) {
				t.Error("something lives on a closed device")
			}
		}()
	}
	close(start)
	ran.Wait()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	close(closed)
	all.Wait()
	if leaks := c.Leaks(); leaks != nil {
		t.Error(leaks)
	}
}

// A call that ends its goroutine, as t.FailNow does, closes the device and leaves nothing.
func TestEnded(t *testing.T) {
	d, c := onFake(t)
	upload(t, d, 1)
	err := d.Do(func() error { runtime.Goexit(); return nil })
	if err == nil || err.Error() != "the call ended the device's thread" {
		t.Errorf("error %v", err)
	}
	if _, err := d.Alloc(4); !errors.Is(err, ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if leaks := c.Leaks(); leaks != nil {
		t.Error(leaks)
	}
	// Another device of the same process works.
	other, err := Open(d.Libraries(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Do(func() error {
		p, err := other.Alloc(64) // calls of Do may be nested
		if err != nil {
			return err
		}
		if err := other.Close(); err == nil {
			t.Error("a device was closed on its own thread")
		}
		return other.Free(p)
	}); err != nil {
		t.Error(err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

// Two devices of one process do not disturb each other, lost or not.
func TestTwo(t *testing.T) {
	c := fake.Libraries(t, fake.Options{Devices: 2})
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var devices [2]*Device
	for i := range devices {
		if devices[i], err = Open(l, i); err != nil {
			t.Fatal(err)
		}
	}
	a, b := upload(t, devices[0], 1, 2), upload(t, devices[1], 3, 4)
	if got := download(t, devices[0], a, 2); got[1] != 2 {
		t.Error(got)
	}
	if got := download(t, devices[1], b, 2); got[1] != 4 {
		t.Error(got)
	}
	if err := devices[0].Free(b); err == nil {
		t.Error("a device freed another's memory")
	}
	for _, d := range devices {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if leaks := c.Leaks(); leaks != nil {
		t.Error(leaks)
	}
}
