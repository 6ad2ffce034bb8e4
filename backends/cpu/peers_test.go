package cpu

import (
	"context"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cpu/peers"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"gonum.org/v1/gonum/blas"
	gonum "gonum.org/v1/gonum/blas/gonum"
)

// contender is one way to compute something.
type contender struct {
	name string
	run  func() error
}

// race runs all contenders in turns, b.N times, and reports the GFLOP/s of
// each one's fastest and median run. The machine's other work meets all alike.
func race(b *testing.B, flops float64, cs []contender) {
	times := make([][]time.Duration, len(cs))
	for _, c := range cs {
		if err := c.run(); err != nil {
			b.Fatalf("%s: %v", c.name, err)
		}
	}
	for b.Loop() {
		for i, c := range cs {
			t := time.Now()
			if err := c.run(); err != nil {
				b.Fatalf("%s: %v", c.name, err)
			}
			times[i] = append(times[i], time.Since(t))
		}
	}
	for i, c := range cs {
		slices.Sort(times[i])
		b.ReportMetric(flops/float64(times[i][0].Nanoseconds()), c.name+"-GFLOP/s")
		b.ReportMetric(flops/float64(times[i][len(times[i])/2].Nanoseconds()), c.name+"-median")
	}
}

// BenchmarkPeers compares with gonum and, where the machine has them, OpenBLAS
// and oneDNN: one thread each, in one run.
func BenchmarkPeers(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // gonum uses all otherwise
	if os.Getenv("OPENBLAS_CORETYPE") == "" {
		core := map[string]string{"avx512": "SkylakeX", "avx2": "Haswell"}[Tables()[0]]
		if core != "" {
			b.Setenv("OPENBLAS_CORETYPE", core)
		}
	}
	openblas, err := peers.OpenOpenBLAS()
	if err != nil {
		b.Logf("without OpenBLAS: %v", err)
	} else {
		b.Log(openblas.Config())
	}
	onednn, err := peers.OpenOneDNN()
	if err != nil {
		b.Logf("without oneDNN: %v", err)
	}
	b.Run("gemm1024", func(b *testing.B) { raceGemm(b, 1024, 1024, 1024, openblas, onednn) })
	b.Run("gemm64x768x3072", func(b *testing.B) { raceGemm(b, 64, 3072, 768, openblas, onednn) })
	b.Run("conv128x56x3", func(b *testing.B) { raceConv(b, 128, 56, 128, 3, openblas, onednn) })
	b.Run("conv256x14x3", func(b *testing.B) { raceConv(b, 256, 14, 256, 3, openblas, onednn) })
	b.Run("conv256x56x1", func(b *testing.B) { raceConv(b, 256, 56, 64, 1, openblas, onednn) })
}

// compiled is a contender that runs a graph; the inputs are copied in once.
func compiled(b *testing.B, name string, kernels string, text string) contender {
	g, err := graph.ParseText("bench", text)
	if err != nil {
		b.Fatal(err)
	}
	be, err := New(Options{Kernels: kernels})
	if err != nil {
		b.Fatal(err)
	}
	m := &model.Model{Name: name, Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	var in []backends.Tensor
	for i, id := range g.Inputs() {
		t := g.Type(id.Out(0))
		if g.IsWeight(id) {
			m.Weights[id] = model.Random(uint64(i), t.Sizes, 1)
			continue
		}
		x, err := backends.Random(uint64(i), t)
		if err != nil {
			b.Fatal(err)
		}
		in = append(in, x)
	}
	ctx := context.Background()
	p, err := be.Compile(ctx, m, backends.CompileOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	if _, err := p.Run(ctx, in); err != nil {
		b.Fatal(err)
	}
	return contender{name, func() error { return p.(*Plan).execute(ctx) }}
}

func random(n int) []float32 {
	x, _ := backends.Random(uint64(n), graph.TensorType{Sizes: []int{n}})
	return x.F32
}

func raceGemm(b *testing.B, m, n, k int, openblas *peers.OpenBLAS, onednn *peers.OneDNN) {
	x, y, z := random(m*k), random(k*n), random(m*n)
	sizes := func(r, c int) string { return graph.Sizes(r, c).String() }
	text := func(weight string) string {
		return "x : float32" + sizes(m, k) + "\nw : " + weight + "float32" + sizes(k, n) + "\ny = matmul(x, w)\nreturn y"
	}
	cs := []contender{
		compiled(b, "taso", "", text("")),
		compiled(b, "taso-weight", "", text("weight ")),
		{"gonum", func() error {
			gonum.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, x, k, y, n, 0, z, n)
			return nil
		}},
	}
	if openblas != nil {
		cs = append(cs, contender{"openblas", func() error {
			openblas.Gemm(m, n, k, x, y, z)
			return nil
		}})
	}
	if onednn != nil {
		cs = append(cs, contender{"onednn", func() error { return onednn.Gemm(m, n, k, x, y, z) }})
	}
	race(b, 2*float64(m)*float64(n)*float64(k), cs)
}

// raceConv: the libraries without a convolution multiply the matrix of windows,
// which is not counted as their work.
func raceConv(b *testing.B, c, h, o, k int, openblas *peers.OpenBLAS, onednn *peers.OneDNN) {
	text := "x : float32" + graph.Sizes(1, c, h, h).String() + "\nw : weight float32" + graph.Sizes(o, c, k, k).String() +
		"\ny = conv2d[pad=same_upper](x, w)\nreturn y"
	n, kk := h*h, c*k*k
	w, windows, y := random(o*kk), random(kk*n), random(o*n)
	cs := []contender{
		compiled(b, "taso", "", text),
		{"gonum-product", func() error {
			gonum.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, o, n, kk, 1, w, kk, windows, n, 0, y, n)
			return nil
		}},
	}
	if openblas != nil {
		cs = append(cs, contender{"openblas-product", func() error {
			openblas.Gemm(o, n, kk, w, windows, y)
			return nil
		}})
	}
	if onednn != nil {
		cv, err := onednn.Conv(c, h, h, o, k, k, k/2)
		if err != nil {
			b.Fatal(err)
		}
		cs = append(cs, contender{"onednn", cv.Run})
	}
	race(b, 2*float64(o)*float64(n)*float64(kk), cs)
}
