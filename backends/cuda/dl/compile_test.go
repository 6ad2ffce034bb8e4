//go:build cgo

package dl

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// compiling loads this machine's libraries, or fake ones where there is no NVRTC.
func compiling(t *testing.T) *Libraries {
	t.Helper()
	l, _ := Load() // a driver is not needed
	if !l.Has(NVRTC) {
		fake.Libraries(t)
		l, _ = Load()
	}
	if !l.Has(NVRTC) {
		t.Fatal(l.Report.String())
	}
	return l
}

const good = `extern "C" __global__ void k(float *x) { x[blockIdx.x * 64 + threadIdx.x] *= 2.0f; }`

func TestCompile(t *testing.T) {
	l := compiling(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	for _, arch := range []string{"sm_75", "sm_80", "sm_90"} {
		c := l.Compiler(arch, dir)
		first, err := c.Compile(good)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(first, []byte("\x7fELF")) {
			t.Errorf("%s: no ELF file: %q", arch, first[:min(len(first), 8)])
		}
		again, err := c.Compile(good)
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: from the cache: %v, the same: %v", arch, err, bytes.Equal(first, again))
		}
		if h, m := c.Counts(); h != 1 || m != 1 {
			t.Errorf("%s: %d hits, %d misses", arch, h, m)
		}
	}
}

func TestDoesNotCompile(t *testing.T) {
	l := compiling(t)
	dir := t.TempDir()
	_, err := l.Compiler("sm_80", dir).Compile("extern \"C\" __global__ void k() { int unused; }\nx y;\n")
	var e *CompileError
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	if text := err.Error(); !strings.Contains(text, e.Path) || !strings.Contains(text, "kernel.cu(2): error") || strings.Contains(text, "\n") {
		t.Errorf("error %q", text)
	}
	if filepath.Dir(e.Path) != dir {
		t.Errorf("source in %s", e.Path)
	}
	if data, err := os.ReadFile(e.Path); err != nil || !strings.Contains(string(data), "x y;") {
		t.Errorf("source %q, %v", data, err)
	}
	if _, err := l.Compiler("sm_1", dir).Compile(good); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

func TestArch(t *testing.T) {
	l := compiling(t)
	for _, c := range []struct {
		major, minor int
		want         string
	}{{9, 0, "sm_90"}, {8, 5, "sm_80"}, {8, 7, "sm_87"}, {8, 6, "sm_86"}} {
		if got, err := l.Arch(Properties{Major: c.major, Minor: c.minor}); err != nil || got != c.want {
			t.Errorf("%d.%d: %s, %v", c.major, c.minor, got, err)
		}
	}
	if _, err := l.Arch(Properties{Name: "Future", Major: 99}); err == nil || !strings.Contains(err.Error(), "Future (sm_990)") {
		t.Errorf("error %v", err)
	}
}

// What is in the cache's folder is taken only if it is whole and of the same key.
func TestCache(t *testing.T) {
	l := &Libraries{Report: Report{Found: []Found{{Library: NVRTC, Version: "1.2"}}}}
	c := l.Compiler("sm_80", t.TempDir())
	key, cubin := c.key("source"), []byte("\x7fELF and so on")
	if got := c.cached(key); got != nil {
		t.Errorf("an empty cache has %q", got)
	}
	c.keep(key, cubin)
	if got := c.cached(key); !bytes.Equal(got, cubin) {
		t.Fatalf("kept %q", got)
	}
	whole, err := os.ReadFile(c.file(key))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 1
		put(t, c.file(key), string(bad))
		if c.cached(key) != nil {
			t.Errorf("byte %d changed, and it was taken", i)
		}
		put(t, c.file(key), string(whole[:i]))
		if c.cached(key) != nil {
			t.Errorf("cut to %d bytes, and it was taken", i)
		}
	}
	other := l.Compiler("sm_80", c.dir, "--fmad=false")
	nvrtc := filepath.Join(t.TempDir(), "libnvrtc.so")
	put(t, nvrtc, "of the same version")
	namesake := &Libraries{Report: Report{Found: []Found{{Library: NVRTC, Version: "1.2", Path: nvrtc}}}}
	for _, k := range []string{c.key("other"), other.key("source"), l.Compiler("sm_90", c.dir).key("source"), namesake.Compiler("sm_80", c.dir).key("source")} {
		if k == key {
			t.Error("two different ones share a key")
		}
	}
	put(t, c.file(c.key("other")), string(whole))
	if c.cached(c.key("other")) != nil {
		t.Error("another's CUBIN was taken")
	}
	// A folder that cannot be made is no error.
	put(t, filepath.Join(c.dir, "file"), "")
	l.Compiler("sm_80", filepath.Join(c.dir, "file", "x")).keep(key, cubin)
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	start := time.Now().Add(-time.Hour)
	put(t, filepath.Join(dir, "choices.json"), strings.Repeat("x", 1000))
	for i, name := range []string{"b.cubin", "a.cubin", "c.cubin", "d.cubin"} {
		put(t, filepath.Join(dir, name), strings.Repeat("x", 100))
		when := start.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	names := func() (s string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			s += strings.TrimSuffix(e.Name(), ".cubin")
		}
		return s
	}
	pruneFolder(dir, 400, 200)
	if got := names(); got != "abcchoices.jsond" {
		t.Errorf("left %s of what is allowed", got)
	}
	pruneFolder(dir, 399, 200)
	if got := names(); got != "cchoices.jsond" {
		t.Errorf("left %s", got)
	}
}

// TestDialect: what NVRTC 12.9 was seen to refuse as C++14. A fake that takes it would
// let kernels pass that no device ever runs.
func TestDialect(t *testing.T) {
	l := compiling(t)
	c := l.Compiler("sm_90", "")
	for _, body := range []string{
		"*a = INFINITY;", "*a = NAN;", "int32_t x = 1; *a = x;", "uint64_t x = 1; *a = x;", "__int128 x = 1; *a = x;", "_Float16 x = 1; *a = x;",
		"typeof(1) x = 1; *a = x;", "*a = __builtin_inff();", "*a = ({ int z = 1; z; });", "int n = *a; float v[n]; v[0] = 1; *a = v[0];",
		"if constexpr (true) *a = 1;", "int2 p; auto [x, y] = p; *a = x;", "*a = std::max(1, 2);", "__half h = 1; *a = h;", "long long x = 3; *a = max(x, 2);",
		"throw 1;", "*a = 0x1p-3f;", "*a = 1e400;", "x y;", "__shared__ int s = 3; *a = s;",
		"*a = 1; }\nstatic inline float f(float x) { return x; }\nextern \"C\" __global__ void l(float *a) { *a = f(*a);",
		"*a = 1; }\nstatic constexpr float f(float x) { return x; }\nextern \"C\" __global__ void l(float *a) { *a = f(*a);",
		"*a = 1; }\nstatic int n = 3;\nextern \"C\" __global__ void l(float *a) { *a = n;",
		"*a = 1; }\n#include <math.h>\nextern \"C\" __global__ void l(float *a) { *a = 1;",
	} {
		_, err := c.Compile("extern \"C\" __global__ void k(float *a) { " + body + " }\n")
		var e *CompileError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if !strings.Contains(err.Error(), "error") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", body, err)
		}
		os.Remove(e.Path)
	}
	for _, body := range []string{
		"", "int unused; *a = 1;", "*a = isnan(*a) || isinf(*a) || isfinite(*a) || signbit(*a);", "size_t x = 1; *a = x;", "*a = warpSize;",
		"*a = rsqrtf(*a) + erff(*a) + exp10f(*a) + lgammaf(*a) + fmodf(*a, 2) + ldexpf(*a, 2) + __saturatef(*a) + rcbrtf(*a) + log1pf(*a);",
		"static_assert(sizeof(long) == 8, \"\"); const int n = 3; float v[n]; v[0] = 1; *a = v[0];",
		"*a = 1; }\nconst int n = 3;\n__device__ const float list[] = {1, 2, 3};\nstatic __device__ int f(int x) { return x < 2 ? 1 : f(x - 1) * x; }\nextern \"C\" __global__ void l(float *a) { *a = f(n) + list[1];",
	} {
		if _, err := c.Compile("extern \"C\" __global__ void k(float *a) { " + body + " }\n"); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}
