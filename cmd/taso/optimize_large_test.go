//go:build large

package main

import "testing"

// A model of 2.4 GB is optimized with less than twice its memory. It needs 5 GB of disk and
// takes about a minute; make large runs it.
func TestOptimizeLarge(t *testing.T) {
	rep := optimizedExternal(t, 8192, 9)
	t.Logf("%.1f s, %.2f GB", rep.Seconds, float64(rep.PeakBytes)/1e9)
	if rep.Seconds > 120 || rep.PeakBytes > 5<<30 {
		t.Errorf("it took %.0f s and %d bytes", rep.Seconds, rep.PeakBytes)
	}
}
