//go:build cgo

package dl

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// A kernel that goes wrong loses the device: every call tells of the first failure, and closing works.
func TestKernelFails(t *testing.T) {
	for name, k := range map[string]struct{ body, code, problem string }{
		"behind":     {"x[16] = 1;", "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "writes byte 64 of allocation"},
		"nowhere":    {"*(float *)8 = x[0];", "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "in no memory"},
		"misaligned": {"*(float *)((char *)x + 1) = 1;", "CUDA_ERROR_MISALIGNED_ADDRESS (716)", "no multiple"},
		"trap":       {"__trap();", "CUDA_ERROR_LAUNCH_FAILED (719)", "__trap()"},
		"race":       {"x[0] = threadIdx.x;", "CUDA_ERROR_LAUNCH_FAILED (719)", "race"},
	} {
		t.Run(name, func(t *testing.T) {
			d, c := onFake(t, fake.Options{Own: true})
			f := kernelOf(t, d, `extern "C" __global__ void k(float *x) { `+k.body+` }`, "k", 0)
			at := upload(t, d, make([]float32, 16)...)
			p, err := d.NewPlan(0)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Launch(f, [3]int{1, 1, 1}, [3]int{2, 1, 1}, 0, []Ref{At(0, 0)}); err != nil {
				t.Fatal(err)
			}
			// Issuing does not wait, and does not fail.
			if err := p.Issue([]Ptr{at}); err != nil {
				t.Fatal(err)
			}
			err = d.Sync()
			var lost *LostError
			if !errors.As(err, &lost) || !strings.HasPrefix(err.Error(), "device lost: Fake GPU: cuStreamSynchronize: "+k.code) {
				t.Fatalf("error %v", err)
			}
			for _, later := range []error{p.Run([]Ptr{at}), d.CopyOut(make([]byte, 4), at), d.Lost(), d.Fill(at, 0, 4)} {
				if !errors.Is(later, lost) {
					t.Errorf("later: %v", later)
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if leaks := c.Leaks(); leaks != nil {
				t.Error(leaks)
			}
			problems := c.Problems()
			if len(problems) != 1 || !strings.Contains(problems[0], k.problem) {
				t.Errorf("problems %q", problems)
			}
		})
	}
}

// The fakes notice what no test of this package may do.
func TestNoticed(t *testing.T) {
	d, c := onFake(t, fake.Options{Own: true})
	at := upload(t, d, 1, 2, 3, 4)
	expect := func(want string) {
		t.Helper()
		got := c.Problems()
		if len(got) == 0 || !strings.Contains(got[len(got)-1], want) {
			t.Errorf("problems %q, want %q", got, want)
		}
	}
	if _, f := sysAlloc(d.dev, 8); f == nil || f.code != 201 { // this thread is not the device's
		t.Errorf("%+v", f)
	}
	expect("cuMemAlloc_v2 is called on a thread without a context")
	on := func(f func() *failure) *failure {
		var got *failure
		if err := d.Do(func() error { got = f(); return nil }); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if f := on(func() *failure { return sysFill(d.dev, at, 0, 17) }); f == nil || f.code != 1 {
		t.Errorf("%+v", f)
	}
	expect("they go beyond allocation")
	p, err := d.NewPlan(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Fill(At(0, 0), 7, 16); err != nil {
		t.Fatal(err)
	}
	if err := p.Issue([]Ptr{at}); err != nil {
		t.Fatal(err)
	}
	on(func() *failure { delete(d.memory, at); return sysFree(d.dev, at) })
	expect("is freed while there is work that did not run")
	err = d.Sync()
	var lost *LostError
	if !errors.As(err, &lost) {
		t.Errorf("use of freed memory: %v", err)
	}
	c.Reset()
	d, c = onFake(t, fake.Options{Own: true})
	at = upload(t, d, 1, 2, 3, 4)
	on(func() *failure { delete(d.memory, at); return sysFree(d.dev, at) })
	on(func() *failure { return sysFree(d.dev, at) })
	expect("cuMemFree")
	on(func() *failure { return sysFill(d.dev, at, 0, 4) })
	expect("that is the freed allocation")
	if _, err := d.Alloc(64); err != nil {
		t.Error(err)
	}
	if leaks := strings.Join(c.Leaks(), ", "); !strings.Contains(leaks, "1 of allocation") || !strings.Contains(leaks, "1 of context") {
		t.Errorf("leaks %s", leaks)
	}
}

// Between them, what is done in these tests calls every function that is loaded.
func TestEveryFunction(t *testing.T) {
	text, err := os.ReadFile("abi.h")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, o := range []fake.Options{{}, {Without: []string{"cuEventElapsedTime_v2"}}} {
		c := fake.Libraries(t, o)
		if err := everything(t.TempDir(), func() {}); err != nil {
			t.Fatal(err)
		}
		c.Fail(fake.Failure{Call: c.Count() + slot(c, "cublasLtMatmul")}) // what asks how the device is
		if err := everything(t.TempDir(), func() {}); err == nil {
			t.Error("nothing failed")
		}
		for _, call := range c.Calls() {
			name, _, _ := strings.Cut(call, ":")
			used[name] = true
		}
	}
	names := regexp.MustCompile(`(?m)^  [FO]\([^,()]+, (\w+),`).FindAllStringSubmatch(string(text), -1)
	if len(names) < 80 {
		t.Errorf("only %d functions in abi.h", len(names))
	}
	uncounted := []string{"cuGetErrorName", "cuGetErrorString", "nvrtcGetErrorString", "cudnnGetErrorString"} // of failures
	for _, n := range uncounted {
		used[n] = true
	}
	// Of what is left, the other tests have: a source that does not compile, and no algorithm that fits.
	for _, n := range []string{"nvrtcGetProgramLogSize", "nvrtcGetProgramLog", "cudnnGetConvolutionForwardWorkspaceSize"} {
		used[n] = true
	}
	for _, n := range names {
		if !used[n[1]] {
			t.Errorf("%s is never called", n[1])
		}
	}
}

// slot is the number of the first call of a function.
func slot(c *fake.Control, function string) int {
	for i, call := range c.Calls() {
		if call == function {
			return i + 1
		}
	}
	return 0
}
