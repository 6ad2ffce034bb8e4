package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/fake"
)

func TestJudge(t *testing.T) {
	failed := errors.New("no CUDA driver found")
	at := func(cgo bool, kernel string, driver dl.Try) *dl.Libraries {
		driver.Library = dl.Driver
		l := &dl.Libraries{Report: dl.Report{Cgo: cgo, Kernel: kernel, Tries: []dl.Try{driver, {Library: dl.NVRTC, Path: "libnvrtc.so.12"}}}}
		return l
	}
	none := dl.Try{Path: "libcuda.so.1", Absent: true}
	there := dl.Try{Path: "/usr/lib/wsl/lib/libcuda.so.1", Result: "file too short"}
	for _, c := range []struct {
		name  string
		libs  *dl.Libraries
		asked []string
		state State
		why   string
	}{
		{"nothing here", at(true, "", none), nil, Absent, "no CUDA driver found"},
		{"folders of libraries alone", at(true, "", none), []string{dl.EnvLibraries}, Absent, "no CUDA driver found"},
		{"asked for a driver", at(true, "", none), []string{dl.EnvDriver}, Broken, "no CUDA driver found"},
		{"a file that does not load", at(true, "", there), nil, Broken, "no CUDA driver found"},
		{"a container without its GPUs", at(true, "570.1", none), nil, Broken, "kernel module 570.1 is there, and its library is not"},
		{"no cgo", at(false, "570.1", there), []string{dl.EnvDriver}, Absent, "no CUDA driver found"},
	} {
		got := judge(t.Context(), c.libs, failed, c.asked)
		if got.State != c.state || !strings.Contains(got.Why, c.why) || len(got.Devices) != 0 {
			t.Errorf("%s: %s, %q", c.name, got.State, got.Why)
		}
	}
}

// run is the report, as text and as JSON, on the libraries that the environment names.
func run(t *testing.T) (*Report, string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	r, err := Run(t.Context(), Options{Version: "v9", Z3: "4.9"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if strings.Contains(f, "\n") {
			t.Errorf("a finding of several lines: %q", f)
		}
	}
	if data, err := json.Marshal(r); err != nil || !strings.Contains(string(data), fmt.Sprintf(`"state":%q`, r.CUDA.State)) {
		t.Errorf("as JSON %s, %v", data, err)
	}
	return r, b.String()
}

func TestWorks(t *testing.T) {
	c := fake.Libraries(t, fake.Options{Devices: 2, Unchecked: true})
	r, text := run(t)
	if c.Called("cublasLtMatmul") < 2 || c.Called("cudnnConvolutionForward")+c.Called("cudnnConvolutionBiasActivationForward") < 2 || c.Called("cuLaunchKernel") < 2 {
		t.Error("the trial does not reach every library on every device")
	}
	if r.CUDA.State != OK || len(r.Findings) != 0 || len(r.CUDA.Devices) != 2 {
		t.Fatalf("%s\n%v", text, r.Findings)
	}
	for _, want := range []string{
		"taso v9 (", "Z3 ", "4.9\n", "ok: --backend cuda, or with products and convolutions in another mode cuda:tf32, cuda:float16, cuda:bfloat16\n",
		"\ndevice 1: " + r.CUDA.Devices[1].Name + ": works\n", "kernels for sm_90; driver of CUDA 12.9", " GiB of memory on ",
		"looked for CUDA's libraries, by TASO_LIBCUDA and TASO_CUDA_LIBDIR:\n", "12.9.1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if f := r.Folders[0]; f.Files == 0 || f.Bytes == 0 {
		t.Errorf("the kernels that were compiled are not in %+v", f)
	}
}

// Without cuDNN and cuBLASLt generated kernels take their place: that is told, and no
// fault.
func TestWithoutLibraries(t *testing.T) {
	fake.Libraries(t, fake.Options{Without: []string{"cuBLASLt", "cuDNN"}, Unchecked: true})
	r, text := run(t)
	if r.CUDA.State != OK || len(r.Findings) != 0 || !strings.Contains(text, "missing: cuDNN, for convolutions; instead: generated kernels\n") {
		t.Errorf("%s\n%v", text, r.Findings)
	}
}

func TestBroken(t *testing.T) {
	for _, c := range []struct {
		name, want string
		o          fake.Options
	}{
		{"an old driver", "CUDA driver is too old: it is of CUDA 11.0, want 11.4", fake.Options{Driver: 11000}},
		{"no device", "no CUDA device", fake.Options{NoDevice: true}},
		{"no compiler", "no NVRTC found", fake.Options{Without: []string{"NVRTC"}}},
		{"libraries of a later major", "no NVRTC found", fake.Options{Driver: 12040, CUDA: 13000}},
		{"a driver without a function", "no CUDA driver found", fake.Options{Without: []string{"cuLaunchKernel"}}},
		{"a driver that does not start", "803", fake.Options{Init: 803}},
		{"a device that NVRTC does not know", "knows no architecture", fake.Options{Capability: 399}},
		{"no memory", "out of device memory", fake.Options{Memory: 1 << 10}},
		{"a device that is lost", "device lost", fake.Options{Fail: fake.Failure{Call: 60, Lose: true}, Own: true, Unchecked: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake.Libraries(t, c.o)
			r, text := run(t)
			if r.CUDA.State != Broken || len(r.Findings) != 1 || !strings.Contains(r.Findings[0], c.want) {
				t.Errorf("%s\n%q", text, r.Findings)
			}
			if !strings.Contains(text, "broken: "+r.CUDA.Why+"\n") {
				t.Errorf("%q is not in\n%s", r.CUDA.Why, text)
			}
		})
	}
}

func TestSize(t *testing.T) {
	dir := t.TempDir()
	for name, n := range map[string]int{"a": 3, "sub/b": 4} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, n), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if f := size("things", dir); f.Files != 2 || f.Bytes != 7 {
		t.Errorf("%+v", f)
	}
	if f := size("things", filepath.Join(dir, "none")); f.Files != 0 || f.Bytes != 0 {
		t.Errorf("%+v", f)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Run(ctx, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", r, err)
	}
}

func ExampleRun() {
	r, err := Run(context.Background(), Options{Version: "v1", Z3: "4.8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Version, len(r.CUDA.Modes), len(r.Folders))
	// Output: v1 3 2
}
