package cuda_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
)

// TestRefused runs and measures where libraries offer algorithms that they refuse when
// they are issued: the next of the list is taken, and kernels behind the last.
func TestRefused(t *testing.T) {
	g, err := graph.ParseText("refused", `
x : float32[2, 8, 9, 9]
w : weight float32[8, 8, 3, 3]
b : weight float32[1, 8, 1, 1]
u : weight float32[9, 20]
v : weight float32[20, 16]
a : float32[2, 8, 9, 16]
c = conv2d[pad=same_upper](x, w)
bb = broadcast[shape=[2, 8, 9, 9]](b)
d = ewadd(c, bb)
e = ewadd(d, x)
f = relu(e)
k = conv2d[pad=valid](f, w)
p = matmul(u, v)
pp = broadcast[shape=[2, 8, 9, 16]](p)
m = matmul(f, pp)
n = ewadd(m, a)
return n, k`)
	if err != nil {
		t.Fatal(err)
	}
	conv, _ := g.Find("k")
	for _, refuse := range []int{1, 2, 100} {
		t.Run(fmt.Sprint(refuse), func(t *testing.T) {
			b, c := open(t, cuda.Options{}, fake.Options{Refuse: refuse})
			for _, o := range []backends.CompileOptions{{}, {NoFuse: true}} {
				if err := backendtest.Agree(t.Context(), b, g, o); err != nil {
					t.Errorf("%+v: %v", o, err)
				}
			}
			if c.Called("cudnnConvolutionBiasActivationForward") == 0 || c.Called("cublasLtMatmul") < 2 {
				t.Error("no library was asked")
			}
			before := c.Called("cudnnConvolutionForward")
			c.Empty(true)
			if s, err := b.Measure(t.Context(), cost.At(g, conv), backends.MeasureOptions{Budget: time.Microsecond}); err != nil || s.Check() != nil {
				t.Errorf("measure: %v, %v", s, err)
			}
			if asked := c.Called("cudnnConvolutionForward") > before; asked != (refuse < 100) {
				t.Errorf("measured by the library: %v", asked)
			}
		})
	}
}
