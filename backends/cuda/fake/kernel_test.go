//go:build cgo

package fake_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// sum adds the 256 numbers of each block by halves in shared memory, the last 32
// by shuffles.
const sum = `extern "C" __global__ void __launch_bounds__(256) k(const float *__restrict__ a, float *__restrict__ out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = a[blockIdx.x * 256 + t];
  BARRIER
  for (int half = 128; half >= 32; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t < 32) {
    float v = part[t];
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffffu, v, by);
    if (t == 0) out[blockIdx.x] = v;
  }
}`

func numbers(n int) []float32 {
	a := make([]float32, n)
	for i := range a {
		a[i] = float32(i % 17)
	}
	return a
}

// TestSum: barriers, shuffles and shared memory, checked and not.
func TestSum(t *testing.T) {
	a := numbers(3 * 256)
	for _, unchecked := range []bool{false, true} {
		out := make([]float32, 3)
		fake.Run(t, fake.Kernel{Source: strings.Replace(sum, "BARRIER", "__syncthreads();", 1), Grid: [3]int{3}, Block: [3]int{256}, Unchecked: unchecked}, a, out)
		for b := range out {
			want := float32(0)
			for _, v := range a[b*256 : b*256+256] {
				want += v
			}
			if out[b] != want {
				t.Errorf("unchecked %v: block %d sums to %v, want %v", unchecked, b, out[b], want)
			}
		}
	}
}

// TestDynamic: dynamic shared memory reverses the numbers of a block.
func TestDynamic(t *testing.T) {
	a := []float32{1, 2, 3, 4}
	fake.Run(t, fake.Kernel{Source: `extern "C" __global__ void k(float *a) {
	  extern __shared__ float part[];
	  part[threadIdx.x] = a[threadIdx.x];
	  __syncthreads();
	  a[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
	}`, Block: [3]int{4}, Shared: 16}, a)
	for i, v := range a {
		if v != float32(4-i) {
			t.Errorf("a[%d] = %v", i, v)
		}
	}
}

// TestFound: each mistake ends the kernel and is named.
func TestFound(t *testing.T) {
	one := func(body string) string { return `extern "C" __global__ void k(float *a) { ` + body + " }" }
	for _, c := range []struct {
		name, source string
		block        int
		want         string
	}{
		{"missing barrier", strings.Replace(sum, "BARRIER", "", 1), 256, "race"},
		{"divergence", one("if (threadIdx.x < 2) __syncthreads();"), 4, "divergence: it is at the barrier of line 1, but thread (2,0,0) has returned"},
		{"two barriers", one("if (threadIdx.x < 2) __syncthreads(); else\n__syncthreads();"), 4, "divergence"},
		{"lane missing", one("if (threadIdx.x < 2) a[threadIdx.x] = __shfl_xor_sync(7u, a[threadIdx.x], 1); else __syncwarp();"), 4, "divergence"},
		{"caller not in the mask", one("__shfl_sync(2u, a[0], 0);"), 1, "without the lane that calls it"},
		{"read behind", one("a[0] = a[8];"), 1, "reads byte 32 of argument 0, which has 32 bytes"},
		{"read before", one("a[0] = a[-1];"), 1, "reads byte -4 of argument 0"},
		{"write behind", one("a[8 + threadIdx.x] = 1;"), 1, "writes byte 32 of argument 0"},
		{"far away", one("a[1ll << 40] = 1;"), 1, "in no memory"},
		{"null", one("*(float *)0 = 1;"), 1, "address (nil)"},
		{"shared array", one("__shared__ float s[4]; s[threadIdx.x] = 1; a[threadIdx.x] = s[threadIdx.x];"), 5, "index outside of an array"},
		{"dynamic shared", one("extern __shared__ float s[]; s[threadIdx.x] = 1;"), 5, "byte 16 of the 16 bytes of dynamic shared memory"},
		{"same word", one("a[0] = threadIdx.x;"), 2, "race: it writes byte 0 of argument 0, which another thread wrote"},
		{"misaligned", one("*(float *)((char *)a + 2) = 1;"), 1, "no multiple"},
		{"overflow", one("int n = 1 << 30; for (int i = 0; i < 3; i++) n += (int)a[0] + n; a[0] = n;"), 1, "int addition overflows"},
		{"division", one("a[0] = 1 / (int)a[0];"), 1, "division by zero"},
		{"syntax", one("a[0] = 1"), 1, "kernel.cu:1:50: error"},
		{"no headers", "#include <math.h>\n" + one(""), 1, "there are no headers"},
		{"not in NVRTC", one("a[0] = INFINITY;"), 1, "INFINITY"},
		{"not in NVRTC, but in g++", one("a[0] = __builtin_inff();"), 1, "__builtin_"},
		{"too many threads", "extern \"C\" __global__ void __launch_bounds__(64) k(float *a) {}", 65, "blocks of 65 threads, 1 to 64"},
		{"registers", "extern \"C\" __global__ void k(float *a) {}", 257, "too many registers for that without __launch_bounds__"},
		{"not in all NVRTC", one("__int128 n = 1; a[0] = (float)n;"), 1, "not every NVRTC knows"},
		{"host's function", "static inline float f(float x) { return x; }\n" + one("a[0] = f(a[0]);"), 1, "kernel.cu(1): error: a function of the host"},
		{"host's array", "struct pair { int x, y; };\nconst int n = 3;\n#define M {\nstatic const int list[2] = {1, 2};\n" + one("a[0] = list[n];"), 1, "kernel.cu(4): error: a variable of the host"},
		{"host's variable", "extern \"C\" {\n__device__ int m;\nint n; }\n" + one("a[0] = n;"), 1, "kernel.cu(3): error: a variable of the host"},
		{"shared from the start", one("\n__shared__ int n = 3; a[0] = n;"), 1, "kernel.cu(2): error: an initializer"},
		{"arguments", "extern \"C\" __global__ void k(float *a, float *b) {}", 1, "takes 2 arguments, has 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := fake.Kernel{Source: c.source, Block: [3]int{c.block}}
			args := []any{make([]float32, 8)}
			if strings.Contains(c.source, "*__restrict__ out") {
				args = []any{numbers(256), make([]float32, 1)}
			}
			if strings.Contains(c.source, "extern __shared__") {
				k.Shared = 16
			}
			err := fake.Try(k, args...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

// TestGuards: without checks of each access, what is written behind an array is found
// after the kernel, and what is far from all memory where it happens.
func TestGuards(t *testing.T) {
	for source, want := range map[string]string{
		`extern "C" __global__ void k(float *a) { a[9] = 1; }`:              "written outside of argument 0 (32 bytes): byte 3",
		`extern "C" __global__ void k(float *a) { *(float *)(8 + 0) = 1; }`: "illegal memory access",
	} {
		err := fake.Try(fake.Kernel{Source: source, Unchecked: true}, make([]float32, 8))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", source, err, want)
		}
	}
}

// TestFresh: memory that nobody wrote is NaN, also shared memory of the second block.
func TestFresh(t *testing.T) {
	a := make([]float32, 2)
	fake.Run(t, fake.Kernel{Source: `extern "C" __global__ void k(float *a) {
	  __shared__ float s[2];
	  if (blockIdx.x == 0) s[1] = 3;
	  a[blockIdx.x] = s[1];
	}`, Grid: [3]int{2}}, a)
	if a[0] != 3 || !math.IsNaN(float64(a[1])) {
		t.Errorf("got %v, want 3 and NaN", a)
	}
}

// TestAtomics: updates of a word by many threads are no race.
func TestAtomics(t *testing.T) {
	a, n := make([]float32, 1), make([]int32, 2)
	fake.Run(t, fake.Kernel{Source: `extern "C" __global__ void k(float *a, int *n) {
	  atomicAdd(a, 0.5f);
	  atomicAdd(n, 1);
	  atomicCAS(n + 1, 0, 1 + (int)threadIdx.x);
	}`, Grid: [3]int{2}, Block: [3]int{3}}, a, n)
	if a[0] != 3 || n[0] != 6 || n[1] != 1 {
		t.Errorf("got %v %v", a, n)
	}
}

// TestMath: the functions by name, for float.
func TestMath(t *testing.T) {
	out := make([]float32, 6)
	fake.Run(t, fake.Kernel{Source: `extern "C" __global__ void k(float *a) {
	  a[0] = expf(1); a[1] = erff(0.5f); a[2] = tanh(0.5f); a[3] = rsqrtf(4); a[4] = fmaf(2, 3, 1);
	  a[5] = isnan(__int_as_float(0x7fc00000)) && isinf(__int_as_float(0x7f800000)) ? max(1.f, 2.f) : 0;
	}`}, out)
	for i, want := range []float64{math.E, math.Erf(0.5), math.Tanh(0.5), 0.5, 7, 2} {
		if math.Abs(float64(out[i])-want) > 1e-6*want {
			t.Errorf("function %d gives %v, want %v", i, out[i], want)
		}
	}
}

// A run that is known computes the same, and its accesses are not looked up.
func TestKnown(t *testing.T) {
	k := fake.Kernel{Source: `extern "C" __global__ void k(const float *a, float *b) { if (threadIdx.x < 3 || a[threadIdx.x] > 0) b[threadIdx.x % 3] = 2 * a[threadIdx.x % 3]; }`, Block: [3]int{4}}
	a, b := []float32{1, 2, 3}, make([]float32, 3)
	if err := fake.Try(k, a, b); err == nil || !strings.Contains(err.Error(), "it reads byte 12 of argument 0") {
		t.Error(err)
	}
	k.Known = true
	clear(b)
	if err := fake.Try(k, a, b); err != nil || !slices.Equal(b, []float32{2, 4, 6}) {
		t.Error(err, b)
	}
}

// TestAtOnce: kernels may be compiled and run from several goroutines.
func TestAtOnce(t *testing.T) {
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			a := make([]float32, 64)
			fake.Run(t, fake.Kernel{Source: "// " + t.Name() + time.Now().String() + "\n" + `extern "C" __global__ void k(float *a) { a[threadIdx.x] = threadIdx.x; }`, Block: [3]int{64}}, a)
			for i := range a {
				if a[i] != float32(i) {
					t.Fatalf("a[%d] = %v", i, a[i])
				}
			}
		})
	}
}
