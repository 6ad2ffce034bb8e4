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
// source.
func TestNVRTC(t *testing.T) {
	l, _ := dl.Load() // a driver is not needed
	if !l.Has(dl.NVRTC) {
		t.Skip("no NVRTC here; TASO_CUDA_LIBDIR may name its folder")
	}
	var sources []string
	seen := map[string]bool{}
	eachCall(t, func(_ string, c, _ kernel.Call) {
		if c.Launch != nil && !seen[c.Launch.Source] {
			seen[c.Launch.Source] = true
			sources = append(sources, c.Launch.Source)
		}
	})
	var mu sync.Mutex
	failed := 0
	c := l.Compiler("sm_75", t.TempDir()) // what all of CUDA 11 to 13 know
	err := parallel.Each(context.Background(), 0, len(sources), func(_, i int) error {
		if _, err := c.Compile(sources[i]); err != nil {
			mu.Lock()
			defer mu.Unlock()
			if failed++; failed <= 3 {
				t.Errorf("%v\n%s", err, sources[i])
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d sources, %d do not compile", len(sources), failed)
}
