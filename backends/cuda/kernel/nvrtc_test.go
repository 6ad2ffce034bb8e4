package kernel_test

import (
	"context"
	"sync"
	"testing"

	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/internal/parallel"
)

// TestNVRTC: where there is NVIDIA's compiler, which needs no GPU, it takes every
// source; some of them for newer architectures too.
func TestNVRTC(t *testing.T) {
	l, _ := dl.Load() // a driver is not needed
	if !l.Has(dl.NVRTC) {
		t.Skip("no NVRTC here; TASO_CUDA_LIBDIR may name its folder")
	}
	var sources []string
	seen := map[string]bool{}
	eachCall(t, func(_ string, c, _ kernel.Call) {
		for _, c := range append([]kernel.Call{c}, c.Fallback...) {
			if c.Launch != nil && !seen[c.Launch.Source] {
				seen[c.Launch.Source] = true
				sources = append(sources, c.Launch.Source)
			}
		}
	})
	var mu sync.Mutex
	failed, made := 0, 0
	compile := func(arch string, sources []string) {
		c := l.Compiler(arch, t.TempDir())
		err := parallel.Each(context.Background(), 0, len(sources), func(_, i int) error {
			_, err := c.Compile(sources[i])
			mu.Lock()
			defer mu.Unlock()
			made++
			if err != nil {
				if failed++; failed <= 3 {
					t.Errorf("%s: %v\n%s", arch, err, sources[i])
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	compile("sm_75", sources) // what all of CUDA 11 to 13 know
	compile("sm_80", sources[:len(sources)/8])
	compile("sm_90", sources[len(sources)*7/8:])
	t.Logf("%d sources, compiled %d times, of which %d fail", len(sources), made, failed)
}
