package collector

import (
	"runtime/debug"
	"testing"
)

// Garbage of a generation takes 1.5 GB at most, or as much as what is in use; that of an
// audit 256 MB, or four times as much.
func TestLaziness(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 400}, {10 * mb, 400}, {256 * mb, 400}, {400 * mb, 250}, {512 * mb, 200}, {800 * mb, 120}, {5000 * mb, 100}} {
		if got := Generation.percent(c.live); got != c.want {
			t.Errorf("%d MB in use: %d %%, want %d", c.live/mb, got, c.want)
		}
	}
	for live, want := range map[uint64]int{0: 6400, 4 * mb: 6400, 8 * mb: 3200, 32 * mb: 800, 100 * mb: 400, 5000 * mb: 400} {
		if got := Audit.percent(live); got != want {
			t.Errorf("audit, %d MB in use: %d %%, want %d", live/mb, got, want)
		}
	}
}

// A bound on memory is the collector's while a command runs.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	for limit, want := range map[int64]int64{0: before, 1 << 20: before, 1 << 30: 1<<30 - Uncounted} {
		stop := Lazily(Generation, limit)
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("--memory %d: the limit is %d, want %d", limit, got, want)
		}
		if stop(); debug.SetMemoryLimit(-1) != before {
			t.Errorf("--memory %d: the limit stays", limit)
		}
	}
}
