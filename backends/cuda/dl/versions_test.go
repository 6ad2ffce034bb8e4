//go:build cgo

package dl

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// What is there is taken if it is fit, and what is not is told in one line.
func TestInstalled(t *testing.T) {
	for name, o := range map[string]struct {
		fake.Options
		load, devices string // the errors, "" for none
		has           string // the libraries, when it can be loaded
		report        string
	}{
		"good":            {has: "driver 12.9, NVRTC 12.9, cuBLASLt 12.9.1, cuDNN 9.10.2"},
		"13":              {Options: fake.Options{Driver: 13000, CUDA: 13000}, has: "driver 13.0, NVRTC 13.0, cuBLASLt 13.0.1, cuDNN 9.10.2"},
		"11 under 12":     {Options: fake.Options{CUDA: 11040, Capability: 86}, has: "driver 12.9, NVRTC 11.4, cuBLASLt 11.4.1, cuDNN 9.10.2"},
		"old cuDNN":       {Options: fake.Options{CuDNN: 8907}, has: "driver 12.9, NVRTC 12.9, cuBLASLt 12.9.1, cuDNN 8.9.7"},
		"old driver":      {Options: fake.Options{Driver: 11020}, load: "CUDA driver is too old: it is of CUDA 11.2, want 11.4", report: "too old: CUDA 11.2, want 11.4"},
		"13 under 12":     {Options: fake.Options{CUDA: 13000}, load: "no NVRTC found", report: "not looked for: the driver is of CUDA 12"},
		"other cuDNN":     {Options: fake.Options{CuDNNCUDA: 11080}, has: "driver 12.9, NVRTC 12.9, cuBLASLt 12.9.1", report: "missing: cuDNN"},
		"no driver":       {Options: fake.Options{Without: []string{"driver"}}, load: "no CUDA driver found (looked in TASO_LIBCUDA=", report: "libcuda.so.1"},
		"no NVRTC":        {Options: fake.Options{Without: []string{"NVRTC"}}, load: "no NVRTC found, which compiles the kernels (looked in ", report: "missing: NVRTC"},
		"no cuDNN":        {Options: fake.Options{Without: []string{"cuDNN"}}, has: "driver 12.9, NVRTC 12.9, cuBLASLt 12.9.1", report: "missing: cuDNN, for convolutions; instead: generated kernels"},
		"driver's gap":    {Options: fake.Options{Without: []string{"cuGraphLaunch"}}, load: "no CUDA driver found", report: "has no function cuGraphLaunch"},
		"cuBLASLt's gap":  {Options: fake.Options{Without: []string{"cublasLtMatmul"}}, has: "driver 12.9, NVRTC 12.9, cuDNN 9.10.2", report: "has no function cublasLtMatmul"},
		"a gap that may":  {Options: fake.Options{Without: []string{"cuEventElapsedTime_v2"}}, has: "driver 12.9, NVRTC 12.9, cuBLASLt 12.9.1, cuDNN 9.10.2"},
		"no device":       {Options: fake.Options{NoDevice: true}, devices: "no CUDA device: cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected"},
		"driver mismatch": {Options: fake.Options{Init: 803}, devices: "no CUDA device: cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): system has unsupported"},
		"unheard-of code": {Options: fake.Options{Init: 12345}, devices: "no CUDA device: cuInit: driver's status 12345"},
	} {
		t.Run(name, func(t *testing.T) {
			fake.Libraries(t, o.Options)
			l, err := Load()
			same := func(what string, err error, want string) {
				t.Helper()
				if (err == nil) != (want == "") || err != nil && (!strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
					t.Errorf("%s: error %v, want %q", what, err, want)
				}
			}
			same("load", err, o.load)
			report := l.Report.String()
			if !strings.Contains(report, o.report) {
				t.Errorf("report has no %q:\n%s", o.report, report)
			}
			if o.has != "" {
				var has []string
				for _, lib := range libraries {
					if f, ok := l.Report.Library(lib); ok {
						has = append(has, string(lib)+" "+f.Version)
					}
				}
				if got := strings.Join(has, ", "); got != o.has {
					t.Errorf("has %s, want %s\n%s", got, o.has, report)
				}
			}
			if o.load != "" {
				return
			}
			_, err = l.Devices()
			same("devices", err, o.devices)
			if o.has != "" && l.Has(CuBLASLt) && l.Has(CuDNN) {
				if err := everything(t.TempDir(), func() {}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A device of another architecture gets code of its own, and no other.
func TestCapability(t *testing.T) {
	d, c := onFake(t, fake.Options{Capability: 86, Devices: 2})
	if got := d.Properties().Arch(); got != "sm_86" || d.Properties().SharedOptin != 99<<10 {
		t.Errorf("device %+v", d.Properties())
	}
	for arch, want := range map[string]string{
		"sm_80": "", "sm_86": "",
		"sm_89": "cuModuleLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU (209)", "sm_90": "cuModuleLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU (209)",
	} {
		cubin, err := d.Libraries().Compiler(arch, "").Compile(good)
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Module(cubin)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", arch, err)
		}
		if err != nil {
			continue
		}
		if _, err := m.Function("none", 0); err == nil || !strings.Contains(err.Error(), "kernel none: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500)") {
			t.Errorf("kernel that is not there: %v", err)
		}
		if _, err := m.Function("k", 100<<10); err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_VALUE") {
			t.Errorf("too much shared memory: %v", err)
		}
	}
	for _, bad := range []string{"", "text", "\x7fELF"} {
		if _, err := d.Module([]byte(bad + strings.Repeat("\x00", 100))[:len(bad)+min(len(bad)*50, 100)]); err == nil || d.Lost() != nil {
			t.Errorf("module of %q: %v", bad, err)
		}
	}
	// Two devices have memory of their own.
	other, err := Open(d.Libraries(), 1)
	if err != nil {
		t.Fatal(err)
	}
	upload(t, other, 1, 2)
	free, total, err := d.MemInfo()
	if err != nil || free != total {
		t.Errorf("%d of %d free, %v", free, total, err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(d.Libraries(), 2); err == nil || err.Error() != "no CUDA device 2: there are 2" {
		t.Errorf("device 2: %v", err)
	}
	if n := c.Called("cuDevicePrimaryCtxRetain"); n != 2 {
		t.Errorf("%d contexts", n)
	}
}
