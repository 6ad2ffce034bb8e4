package cuda_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/model"
)

func ExampleParseName() {
	opt, err := cuda.ParseName("cuda:1:tf32")
	if err != nil {
		panic(err)
	}
	fmt.Println("device", opt.Device, "in", opt.Math)
	_, err = cuda.ParseName("cuda:float8")
	fmt.Println(err)
	// Output:
	// device 1 in tf32
	// backend "cuda:float8": "float8" is neither the number of a device nor one of tf32, float16, bfloat16, once each
}

// A model is compiled once and run as often as wanted; where there is no GPU, the error
// says so in one line.
func ExampleOpen() {
	run := func(ctx context.Context, m *model.Model, in []backends.Tensor) ([]backends.Tensor, error) {
		b, err := cuda.Open(cuda.Options{})
		if err != nil {
			return nil, err
		}
		defer b.Close()
		p, err := b.Compile(ctx, m, backends.CompileOptions{})
		if err != nil {
			return nil, err
		}
		defer p.Close()
		return p.Run(ctx, in)
	}
	_ = run
}
