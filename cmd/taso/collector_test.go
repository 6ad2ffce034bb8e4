package main

import (
	"runtime/debug"
	"testing"
)

// Garbage takes spareHeap at most, or as much as what is in use.
func TestGCPercent(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 400}, {10 * mb, 400}, {384 * mb, 400}, {600 * mb, 250}, {768 * mb, 200}, {1100 * mb, 130}, {5000 * mb, 100}} {
		if got := gcPercent(c.live); got != c.want {
			t.Errorf("%d MB in use: %d %%, want %d", c.live/mb, got, c.want)
		}
	}
}

// A bound on memory is the collector's while a command runs.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	for limit, want := range map[int64]int64{0: before, 1 << 20: before, 1 << 40: 1 << 40} {
		stop := collectLazily(limit)
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("--memory %d: the limit is %d, want %d", limit, got, want)
		}
		if stop(); debug.SetMemoryLimit(-1) != before {
			t.Errorf("--memory %d: the limit stays", limit)
		}
	}
}
