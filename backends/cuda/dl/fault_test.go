//go:build cgo

package dl

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// wide is a kernel with much dynamic shared memory.
const wide = `extern "C" __global__ void add(const float *a, float *b) {
  extern __shared__ float all[];
  all[threadIdx.x * 256] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] += all[(63 - threadIdx.x) * 256];
}`

var errWrong = errors.New("the results are wrong")

// everything uses all there is, from loading to closing, and looks at the results.
// closing is called before the device is closed.
func everything(cache string, closing func()) (err error) {
	l, err := Load()
	if err != nil {
		return err
	}
	d, err := Open(l, 0)
	if err != nil {
		return err
	}
	defer func() {
		closing()
		if more := d.Close(); err == nil {
			err = more
		}
	}()
	arch, err := l.Arch(d.Properties())
	if err != nil {
		return err
	}
	cubin, err := l.Compiler(arch, cache).Compile(wide)
	if err != nil {
		return err
	}
	mod, err := d.Module(cubin)
	if err != nil {
		return err
	}
	f, err := mod.Function("add", 64<<10)
	if err != nil {
		return err
	}

	m := &memory{rng: rand.New(rand.NewPCG(1, 2))}
	product_ := dense(m, 8, 8, 16, 2, false, true)
	product_.Bias = m.add(8)
	plain := image(m, 1, 2, 8, 8, 2, 3, 3, 1)
	fused := plain
	fused.Z, fused.Relu, fused.Y = plain.Y, true, m.add(128)
	wantD, wantY := product(m, product_, bits(23)), convolution(m, plain, bits(23))
	for i, y := range wantY {
		m.data[int(plain.Y.Offset)/4+i] = float32(y)
	}
	wantFused := convolution(m, fused, bits(23))
	x, y := m.add(64), m.add(64)
	start := slices.Clone(m.data)

	base, err := d.Alloc(int64(4 * len(m.data)))
	if err != nil {
		return err
	}
	host := make([]byte, 4*len(m.data))
	if err := d.Fill(base, 1, int64(len(host))); err != nil {
		return err
	}
	if err := d.CopyIn(base, floats(start...)); err != nil {
		return err
	}
	p, err := d.NewPlan(1 << 20)
	if err != nil {
		return err
	}
	for _, add := range []func() error{
		func() error { return p.Fill(y, 0, 256) },
		func() error { return p.Copy(y, x, 128) },
		func() error { return p.Launch(f, [3]int{1, 1, 1}, [3]int{64, 1, 1}, 64<<10, []Ref{x, y}) },
		func() error { return p.Matmul(product_) },
		func() error { return p.Conv(plain) },
		func() error { return p.Conv(fused) },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	n, _, err := p.Choices(3)
	if err != nil {
		return err
	}
	if err := p.Choose(3, n-1); err != nil {
		return err
	}
	bases := []Ptr{base}
	if err := p.Run(bases); err != nil {
		return err
	}
	if err := p.Issue(bases); err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		return err
	}
	if _, err := p.Profile(bases); err != nil {
		return err
	}
	g, err := p.Capture(bases, bases)
	if err != nil {
		return err
	}
	if _, err := g.Replay(2); err != nil {
		return err
	}
	if err := g.Close(); err != nil {
		return err
	}
	if _, err := p.Capture(bases); err != nil { // left for Close
		return err
	}
	if _, _, err := d.MemInfo(); err != nil {
		return err
	}
	if err := d.CopyOut(host, base); err != nil {
		return err
	}
	got := fromBytes(host)
	check := func(r Ref, want []float64) {
		for i, w := range want {
			if g := float64(got[int(r.Offset)/4+i]); !(g-w < 1e-4 && w-g < 1e-4) && err == nil {
				err = fmt.Errorf("%w: %v, want %v", errWrong, g, w)
			}
		}
	}
	check(product_.D, wantD)
	check(plain.Y, wantY)
	check(fused.Y, wantFused)
	var sums []float64
	for i := range 64 {
		s := m.at(x, 63-i)
		if i < 32 {
			s += m.at(x, i)
		}
		sums = append(sums, s)
	}
	check(y, sums)
	if err != nil {
		return err
	}
	return d.Free(base)
}

// TestFaults makes every call of the libraries fail in turn.
func TestFaults(t *testing.T) {
	c := fake.Libraries(t, fake.Options{Own: true})
	closes := 0
	if err := everything(t.TempDir(), func() { closes = c.Count() }); err != nil {
		t.Fatal(err)
	}
	calls := c.Calls()
	if bad := append(c.Problems(), c.Leaks()...); bad != nil {
		t.Fatal(bad)
	}
	opened := slices.Index(calls, "cuCtxSetCurrent") + 1
	name := func(i int) string { return calls[i-1] }
	cache := t.TempDir()
	survived, points, unnoticed := map[string]int{}, 0, 0
	for _, kind := range []string{"plain", "memory", "lost"} {
		for i := 1; i <= len(calls); i++ {
			f := fake.Failure{Call: i, Lose: kind == "lost"}
			if kind == "memory" {
				if name(i) != "cuMemAlloc_v2" {
					continue
				}
				f.Code = outOfMemory
			}
			c.Reset()
			c.Fail(f)
			points++
			err := everything(fmt.Sprintf("%s/%d%s", cache, i, kind), func() {})
			where := fmt.Sprintf("%s, call %d (%s)", kind, i, name(i))
			for _, bad := range append(c.Problems(), c.Leaks()...) {
				t.Errorf("%s: %s", where, bad)
			}
			if c.Count() < i {
				t.Errorf("%s: only %d calls were made", where, c.Count())
			}
			var lost *LostError
			var short *MemoryError
			switch {
			case err == nil:
				survived[kind+" "+name(i)]++
				unnoticed++
				// What gives something back has done so, lost or not.
				gives := strings.Contains(name(i), "Free") || strings.Contains(name(i), "Destroy")
				if kind == "lost" && i <= closes && !gives && !strings.HasPrefix(name(i), "nvrtc") {
					t.Errorf("%s: nothing was noticed", where)
				}
			case strings.Contains(err.Error(), "\n") || len(err.Error()) > 300:
				t.Errorf("%s: %q", where, err)
			case errors.Is(err, errWrong):
				t.Errorf("%s: %v", where, err)
			case kind == "lost" && i > opened+3 && !strings.HasPrefix(name(i), "nvrtc") && !errors.As(err, &lost):
				t.Errorf("%s: it is not known that the device is lost: %v", where, err)
			case kind == "memory" && !errors.As(err, &short):
				t.Errorf("%s: it is not known that memory is short: %v", where, err)
			case kind == "plain" && errors.As(err, &lost):
				t.Errorf("%s: the device is thought to be lost: %v", where, err)
			}
			if t.Failed() && testing.Verbose() {
				t.Logf("%s: %v", where, err)
			}
		}
	}
	t.Logf("%d calls, %d points of failure, %d ended as if nothing had failed: %v", len(calls), points, unnoticed, survived)
	c.Reset()
}
