//go:build cgo

package dl

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// BenchmarkCrossing is one call from Go into C and back.
func BenchmarkCrossing(b *testing.B) {
	for range b.N {
		sysNothing()
	}
}

// BenchmarkDo is one piece of work handed to the device's thread.
func BenchmarkDo(b *testing.B) {
	d, _ := onFake(b, fake.Options{Empty: true})
	nothing := func() error { return nil }
	b.ResetTimer()
	for range b.N {
		if err := d.Do(nothing); err != nil {
			b.Fatal(err)
		}
	}
}

// launches is a plan of n launches of a kernel.
func launches(b *testing.B, d *Device, n int) (*Plan, []Ptr) {
	f := kernelOf(b, d, double, "twice", 0)
	p, err := d.NewPlan(0)
	if err != nil {
		b.Fatal(err)
	}
	for range n {
		if err := p.Launch(f, [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, []Ref{At(0, 0)}); err != nil {
			b.Fatal(err)
		}
	}
	return p, []Ptr{upload(b, d, make([]float32, 64)...)}
}

// BenchmarkRun is a plan of launches that do nothing, on the fake driver: what is left is the way there.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d, _ := onFake(b, fake.Options{Empty: true})
			p, bases := launches(b, d, n)
			if err := p.Run(bases); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				if err := p.Run(bases); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReplay is the same plan captured, which is replayed a hundred times in one call.
func BenchmarkReplay(b *testing.B) {
	d, _ := onFake(b, fake.Options{Empty: true})
	p, bases := launches(b, d, 100)
	g, err := p.Capture(bases)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for left := b.N; left > 0; left -= 100 {
		if _, err := g.Replay(min(left, 100)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompile is a kernel from the cache, and one that is compiled, where the fake
// NVRTC has g++ do it.
func BenchmarkCompile(b *testing.B) {
	fake.Libraries(b)
	l, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("hit", func(b *testing.B) {
		c := l.Compiler("sm_90", b.TempDir())
		for range b.N + 1 {
			if _, err := c.Compile(double); err != nil {
				b.Fatal(err)
			}
		}
		if _, misses := c.Counts(); misses != 1 {
			b.Errorf("%d misses", misses)
		}
	})
	b.Run("miss", func(b *testing.B) {
		dir := b.TempDir()
		c := l.Compiler("sm_90", dir)
		for i := range b.N {
			if _, err := c.Compile(fmt.Sprintf("// %s %d\n%s", dir, i, double)); err != nil {
				b.Fatal(err)
			}
		}
		if hits, _ := c.Counts(); hits != 0 {
			b.Errorf("%d hits", hits)
		}
	})
}
