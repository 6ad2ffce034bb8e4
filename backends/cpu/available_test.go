package cpu

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
)

func TestMemAvailable(t *testing.T) {
	for text, want := range map[string]int64{
		"":                         math.MaxInt64,
		"MemAvailable:  lots kB\n": math.MaxInt64,
		"MemAvailable:  -3 kB\n":   math.MaxInt64,
		"MemAvailable:  8\n":       math.MaxInt64,
		"MemAvailable:  8 kB":      8192,
		"MemFree: 4 kB\nMemAvailable:\t16 kB\nBuffers: 1 kB\n": 16384,
		"MemAvailable: 99999999999999999999 kB\n":              math.MaxInt64,
	} {
		if got := memAvailable(text); got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
	if free := available(); free <= 0 {
		t.Errorf("%d bytes are available", free)
	}
}

// The limit of a container counts what its processes use, not the files that the
// system holds.
func TestContainerFree(t *testing.T) {
	for _, c := range []struct {
		max, current, stat string // files; those without text are not there
		want               int64
	}{
		{"", "", "", math.MaxInt64},
		{"max\n", "500\n", "", math.MaxInt64},
		{"1000\n", "", "", math.MaxInt64},
		{"1000\n", "400\n", "", 600},
		{"1000\n", "1200\n", "", 0},
		{"1000\n", "990\n", "anon 90\nfile 900\ninactive_file 600\nactive_file 300\n", 910},
		{"1000\n", "100\n", "inactive_file 600\nactive_file many\n", 1000},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"memory.max": c.max, "memory.current": c.current, "memory.stat": c.stat} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := containerFree(dir); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestTooLarge: tensors that no memory holds are errors that name the node,
// before anything of their size is done.
func TestTooLarge(t *testing.T) {
	if available() > 1<<42 {
		t.Skip("the system does not say how much memory there is")
	}
	before := liveBlocks.Load()
	for text, want := range map[string]string{
		"x : float32[1048576, 1048576]\ny = relu(x)\nreturn y":                                       "node x: a tensor float32[1048576, 1048576]: 4398046511104 bytes are needed",
		"x : float32[2]\nk = one[shape=[1048576, 1048576]]()\nreturn k, x":                           "node k: a tensor float32[1048576, 1048576] of 1099511627776 elements",
		"x : float32[1048576, 1]\ny : float32[1, 1048576]\nm = matmul(x, y)\nreturn m":               "node m: a tensor float32[1048576, 1048576] of 1099511627776 elements",
		"x : float32[1]\ny = broadcast[shape=[2000000000]](x)\nz = reducesum[axes=(0)](y)\nreturn z": "node y: a tensor float32[2000000000] of 2000000000 elements, at most 1073741824 are computed",
	} {
		for _, k := range allTables() {
			_, err := (&Backend{t: k}).Compile(context.Background(), load(t, text), backends.CompileOptions{})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s", k.name(), err)
			}
		}
	}
	if _, err := newBlock(1 << 42); err == nil || !strings.Contains(err.Error(), "available") {
		t.Errorf("a block of 4 TiB: %v", err)
	}
	if now := liveBlocks.Load(); now != before {
		t.Errorf("%d blocks of memory are left", now-before)
	}
}
