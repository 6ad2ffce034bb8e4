package kernel_test

import (
	"os"
	"testing"

	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/kernel"
)

// TestNVRTC compiles every distinct source of the suite with NVIDIA's compiler, which
// needs no GPU: TASO_NVRTC is the folder of libnvrtc.so, such as nvidia/cuda_nvrtc/lib of
// the wheel nvidia-cuda-nvrtc-cu12. Each is compiled for the oldest architecture that this
// compiler knows, some for newer ones too.
func TestNVRTC(t *testing.T) {
	dir := os.Getenv("TASO_NVRTC")
	if dir == "" {
		t.Skip("TASO_NVRTC is not set")
	}
	t.Setenv("TASO_CUDA_LIBDIR", dir)
	libs, err := dl.Load()
	if !libs.Has(dl.NVRTC) {
		t.Fatalf("%v; tried %+v", err, libs.Report.Tries)
	}
	var compilers []*dl.Compiler
	for _, arch := range []string{"sm_75", "sm_80", "sm_90"} {
		compilers = append(compilers, libs.Compiler(arch, ""))
	}
	sources := map[string]bool{}
	bytes := 0
	eachCall(t, func(name string, c, _ kernel.Call) {
		for _, c := range append([]kernel.Call{c}, c.Fallback...) {
			if c.Launch == nil || sources[c.Launch.Source] {
				continue
			}
			sources[c.Launch.Source] = true
			for i, compiler := range compilers {
				if i > 0 && len(sources)%8 != 0 {
					break
				}
				cubin, err := compiler.Compile(c.Launch.Source)
				if err != nil {
					t.Errorf("%s for %s: %v in:\n%s", name, compiler.Arch(), err, c.Launch.Source)
				}
				bytes += len(cubin)
			}
		}
	})
	found, _ := libs.Report.Library(dl.NVRTC)
	t.Logf("NVRTC %s: %d sources, %d bytes of CUBIN", found.Version, len(sources), bytes)
}
