package cuda_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// chain is a model of n kernels.
func chain(b *testing.B, n int) (*model.Model, []backends.Tensor) {
	var text strings.Builder
	text.WriteString("x0 : float32[16, 16]\n")
	for i := range n {
		fmt.Fprintf(&text, "x%d = relu(x%d)\n", i+1, i)
	}
	fmt.Fprintf(&text, "return x%d", n)
	g, err := graph.ParseText("chain", text.String())
	if err != nil {
		b.Fatal(err)
	}
	return &model.Model{Name: "chain", Graph: g}, []backends.Tensor{backends.Float32s(make([]float32, 256), 16, 16)}
}

// BenchmarkRun is what the host does for one run, on a device for which nothing is to be
// computed: an input brought, a graph replayed, an output fetched.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			back, _ := open(b, cuda.Options{}, fake.Options{Empty: true})
			m, in := chain(b, n)
			p, err := back.Compile(b.Context(), m, backends.CompileOptions{NoFuse: true})
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			for b.Loop() {
				if _, err := p.Run(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCompile is a plan made and closed, whose kernels are in the cache.
func BenchmarkCompile(b *testing.B) {
	fake.Libraries(b)
	back, err := cuda.Open(cuda.Options{Cache: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer back.Close()
	m, _ := chain(b, 100)
	for b.Loop() {
		p, err := back.Compile(b.Context(), m, backends.CompileOptions{NoFuse: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if _, misses := back.Compiled(); misses != 1 {
		b.Errorf("%d kernels compiled, want the one that all are", misses)
	}
}
