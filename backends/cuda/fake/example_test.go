//go:build cgo

package fake_test

import (
	"fmt"
	"strings"

	"github.com/taso-go/taso/backends/cuda/fake"
)

// A kernel runs thread by thread; a thread that goes astray is told.
func ExampleTry() {
	source := `extern "C" __global__ void k(const float *a, float *b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }`
	a, b := []float32{1, 2, 3}, make([]float32, 3)
	fmt.Println(fake.Try(fake.Kernel{Source: source, Block: [3]int{3}}, a, b), b)
	fmt.Println(fake.Try(fake.Kernel{Source: source, Block: [3]int{4}}, a, b))
	// Output:
	// <nil> [2 4 6]
	// kernel k, block (0,0,0), thread (3,0,0): it reads byte 12 of argument 0, which has 12 bytes
}

// Another process is given a machine with a driver that is too old.
func ExampleEnvironment() {
	env, err := fake.Environment(fake.Options{Driver: 11020})
	if err != nil {
		fmt.Println(err)
	}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "TASO_FAKE_DRIVER") {
			value = "=" + value
		} else {
			value = ""
		}
		fmt.Println(name + value)
	}
	// Output:
	// TASO_LIBCUDA
	// TASO_CUDA_LIBDIR
	// TASO_FAKE_DRIVER_VERSION=11020
	// TASO_FAKE_NVRTC_VERSION
	// TASO_FAKE_CUBLASLT_VERSION
	// TASO_FAKE_CUDNN_CUDA
}
