//go:build large

package main

import "testing"

// A model of 2.4 GB is optimized in less than 5 GB of memory. It needs 3 GB of disk and takes
// minutes on a busy computer; make large runs it.
func TestOptimizeLarge(t *testing.T) {
	rep := optimizedExternal(t, 8192, 9)
	t.Logf("%.1f s, %.2f GB", rep.Seconds, float64(rep.PeakBytes)/1e9)
	if rep.PeakBytes > 5e9 {
		t.Errorf("it took %d bytes", rep.PeakBytes)
	}
}
