//go:build cgo

package dl

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// onFake opens the fake device; it is closed when the test ends.
func onFake(t testing.TB, options ...fake.Options) (*Device, *fake.Control) {
	t.Helper()
	c := fake.Libraries(t, options...)
	l, err := Load()
	if err != nil {
		t.Fatalf("%v\n%s", err, l.Report.String())
	}
	d, err := Open(l, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, c
}

func floats(x ...float32) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func fromBytes(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

// upload allocates memory with numbers in it.
func upload(t testing.TB, d *Device, x ...float32) Ptr {
	t.Helper()
	p, err := d.Alloc(int64(4 * len(x)))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.CopyIn(p, floats(x...)); err != nil {
		t.Fatal(err)
	}
	return p
}

func download(t testing.TB, d *Device, p Ptr, n int) []float32 {
	t.Helper()
	b := make([]byte, 4*n)
	if err := d.CopyOut(b, p); err != nil {
		t.Fatal(err)
	}
	return fromBytes(b)
}

// double is a kernel that doubles numbers.
const double = `extern "C" __global__ void twice(float *x) { x[blockIdx.x * 64 + threadIdx.x] *= 2.0f; }`

// kernelOf compiles a source and finds one of its kernels.
func kernelOf(t testing.TB, d *Device, source, name string, shared int) Function {
	t.Helper()
	arch, err := d.Libraries().Arch(d.Properties())
	if err != nil {
		t.Fatal(err)
	}
	cubin, err := d.Libraries().Compiler(arch, "").Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Module(cubin)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function(name, shared)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDevice(t *testing.T) {
	d, c := onFake(t)
	p := d.Properties()
	if p.Name != "Fake GPU" || p.Arch() != "sm_90" || p.SharedOptin != 227<<10 || p.Memory != 2<<30 || p.L2 == 0 || p.SMs == 0 || p.Driver != "12.9" {
		t.Errorf("properties %+v", p)
	}
	if live, want := d.Live(), (Live{Contexts: 1, Streams: 1, Events: 2}); live != want {
		t.Errorf("live %+v", live)
	}
	free, total, err := d.MemInfo()
	if err != nil || free != 2<<30 || total != 2<<30 {
		t.Errorf("memory %d of %d, %v", free, total, err)
	}
	a := upload(t, d, 1, 2, 3)
	if got := download(t, d, a, 3); got[0] != 1 || got[2] != 3 {
		t.Errorf("copied %v", got)
	}
	if a%256 != 0 {
		t.Errorf("address %#x", uint64(a))
	}
	if err := d.Fill(a+4, 0, 4); err != nil {
		t.Fatal(err)
	}
	if got := download(t, d, a, 3); got[0] != 1 || got[1] != 0 || got[2] != 3 {
		t.Errorf("filled %v", got)
	}
	if free, _, _ := d.MemInfo(); free != 2<<30-512 {
		t.Errorf("free %d", free)
	}
	fresh, err := d.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	if got := download(t, d, fresh, 1); got[0] == got[0] {
		t.Errorf("fresh memory is %v", got)
	}
	if err := d.Free(a); err != nil {
		t.Error(err)
	}
	if err := d.Free(a); err == nil || !strings.Contains(err.Error(), "not allocated") {
		t.Errorf("second free: %v", err)
	}
	if p, err := d.Alloc(0); p != 0 || err != nil || d.Free(p) != nil {
		t.Errorf("no bytes: %v %v", p, err)
	}
	if _, err := d.Alloc(-1); err == nil {
		t.Error("-1 bytes were allocated")
	}
	_, err = d.Alloc(3 << 30)
	var short *MemoryError
	if !errors.As(err, &short) || *short != (MemoryError{"", 3 << 30, 2<<30 - 512, 2 << 30}) {
		t.Errorf("too much: %v", err)
	}
	if err := d.Sync(); err != nil || d.Lost() != nil {
		t.Error(err)
	}
	if n := c.Called("cuMemAlloc_v2"); n != 3 {
		t.Errorf("%d allocations", n)
	}
	// Closing gives back what is left.
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if leaks := c.Leaks(); leaks != nil {
		t.Error(leaks)
	}
	if _, err := d.Alloc(4); !errors.Is(err, ErrClosed) {
		t.Errorf("after closing: %v", err)
	}
}

func TestLaunch(t *testing.T) {
	d, _ := onFake(t)
	f := kernelOf(t, d, double, "twice", 0)
	x := make([]float32, 128)
	for i := range x {
		x[i] = float32(i)
	}
	at := upload(t, d, x...)
	p, err := d.NewPlan(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Launch(f, [3]int{2, 1, 1}, [3]int{64, 1, 1}, 0, []Ref{At(0, 0)}); err != nil {
		t.Fatal(err)
	}
	if err := p.Run([]Ptr{at}); err != nil {
		t.Fatal(err)
	}
	g, err := p.Capture([]Ptr{at}, []Ptr{at})
	if err != nil {
		t.Fatal(err)
	}
	ms, err := g.Replay(3)
	if err != nil || ms <= 0 {
		t.Errorf("replay: %v ms, %v", ms, err)
	}
	if got := download(t, d, at, 128); got[127] != 127*128 || got[1] != 128 {
		t.Errorf("got %v", got)
	}
	times, err := p.Profile([]Ptr{at})
	if err != nil || len(times) != 1 || times[0] <= 0 {
		t.Errorf("profile %v, %v", times, err)
	}
}

// The device's time is counted, so that a test may depend on it; noise comes when it is asked for.
func TestNoise(t *testing.T) {
	spread := func(o fake.Options) (least, most float32) {
		d, _ := onFake(t, o)
		p, err := d.NewPlan(0)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := p.Fill(At(0, 0), 0, 4); err != nil {
				t.Fatal(err)
			}
		}
		ms, err := p.Profile([]Ptr{upload(t, d, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		return slices.Min(ms), slices.Max(ms)
	}
	if least, most := spread(fake.Options{}); most > least*1.001 {
		t.Errorf("from %v to %v ms without noise", least, most)
	}
	if least, most := spread(fake.Options{Noise: 50}); most < least*1.1 || most > least*1.51 {
		t.Errorf("from %v to %v ms with noise of 50 %%", least, most)
	}
}
