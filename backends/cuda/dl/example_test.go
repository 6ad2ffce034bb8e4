//go:build cgo

package dl_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/fake"
)

// pretend has this process use the fake libraries; without it, it would use the machine's.
func pretend() (undo func()) {
	env, err := fake.Environment(fake.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		os.Setenv(name, value)
	}
	return func() {
		for _, e := range env {
			name, _, _ := strings.Cut(e, "=")
			os.Unsetenv(name)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// A kernel is compiled, and launched from a plan on memory of the device.
func Example() {
	defer pretend()()
	l := must(dl.Load())
	d := must(dl.Open(l, 0))
	defer d.Close()
	arch := must(l.Arch(d.Properties()))
	cubin := must(l.Compiler(arch, "").Compile(`extern "C" __global__ void fill(float *x) { x[threadIdx.x] = threadIdx.x * 0.5f; }`))
	m := must(d.Module(cubin))
	kernel := must(m.Function("fill", 0))
	x := must(d.Alloc(16))
	p := must(d.NewPlan(0))
	if err := p.Launch(kernel, [3]int{1, 1, 1}, [3]int{4, 1, 1}, 0, []dl.Ref{dl.At(0, 0)}); err != nil {
		log.Fatal(err)
	}
	if err := p.Run([]dl.Ptr{x}); err != nil {
		log.Fatal(err)
	}
	out := make([]byte, 16)
	if err := d.CopyOut(out, x); err != nil {
		log.Fatal(err)
	}
	numbers := make([]float32, 4)
	must(binary.Decode(out, binary.LittleEndian, numbers))
	fmt.Println(d.Properties().Name, arch, numbers)
	// Output: Fake GPU sm_90 [0 0.5 1 1.5]
}

// The report tells what was found, and what for.
func ExampleLoad() {
	defer pretend()()
	l, err := dl.Load()
	if err != nil {
		fmt.Println(err)
	}
	for _, name := range []dl.Library{dl.Driver, dl.NVRTC, dl.CuBLASLt, dl.CuDNN} {
		if f, ok := l.Report.Library(name); ok {
			fmt.Println(f.Library, f.Version)
		}
	}
	// Output:
	// driver 12.9
	// NVRTC 12.9
	// cuBLASLt 12.9.1
	// cuDNN 9.10.2
}
