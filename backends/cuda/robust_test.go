package cuda_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/graph"
)

// TestNoWorkspace: what libraries cannot do without memory is done by generated
// kernels.
func TestNoWorkspace(t *testing.T) {
	b, c := open(t, cuda.Options{Workspace: -1})
	cases(t, b, c, backendtest.Tolerance, func(x backendtest.Case) bool {
		return x.Graph != nil && strings.Contains(x.Name, "tail") && byLibrary(t, x.Graph)
	})
	// A bias without an activation behind it is done by one algorithm, which wants some.
	g, err := graph.ParseText("bias", `
x : float32[2, 8, 9, 9]
w : weight float32[8, 8, 3, 3]
b : weight float32[1, 8, 1, 1]
c = conv2d[pad=same_upper](x, w)
bb = broadcast[shape=[2, 8, 9, 9]](b)
d = ewadd(c, bb)
return d`)
	if err != nil {
		t.Fatal(err)
	}
	const fused = "cudnnConvolutionBiasActivationForward"
	before := c.Called(fused)
	if err := backendtest.Agree(t.Context(), b, g, backends.CompileOptions{}); err != nil {
		t.Error(err)
	}
	if c.Called(fused) > before {
		t.Error("it was done without")
	}
	with, err := cuda.Open(cuda.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer with.Close()
	if err := backendtest.Agree(t.Context(), with, g, backends.CompileOptions{}); err != nil {
		t.Error(err)
	}
	if c.Called(fused) == before {
		t.Error("it is not done with")
	}
}

// TestShortMemory gives the device less and less memory. A model runs, by other
// algorithms in the end, or an error says what it needs; nothing is lost.
func TestShortMemory(t *testing.T) {
	b, c := open(t, cuda.Options{}, fake.Options{Unchecked: true})
	l := life{c: c}
	l.m, l.in = mixedModel(t)
	free, total, err := b.Device().MemInfo()
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Compile(t.Context(), l.m, backends.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	needs := p.PeakBytes()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	idle := b.Device().Live()
	ran, failed := 0, 0
	var least int64
	for left := needs + 4096; left >= 0; left -= needs / 32 {
		c.Memory(total - free + left)
		p, err := b.Compile(t.Context(), l.m, backends.CompileOptions{})
		var short *dl.MemoryError
		switch {
		case err == nil:
			if err := l.run(t.Context(), p); err != nil {
				t.Fatalf("%d bytes left: %v", left, err)
			}
			least = p.PeakBytes()
			if least > left {
				t.Errorf("%d bytes left, %d used", left, least)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			ran++
		case !errors.As(err, &short) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "for constants"):
			t.Fatalf("%d bytes left: %v", left, err)
		default:
			failed++
		}
		if live := b.Device().Live(); live != idle {
			t.Fatalf("%d bytes left: %+v lives, before %+v", left, live, idle)
		}
	}
	if ran < 10 || failed < 1 || least >= needs {
		t.Errorf("with plenty it uses %d bytes; it ran %d times, at last in %d, and failed %d times", needs, ran, least, failed)
	}
	c.Memory(total)
	if p, err = b.Compile(t.Context(), l.m, backends.CompileOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := l.run(t.Context(), p); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestFaultWord: an index that is too large is an error of its node, in a first run and
// in a replay, and not of the run after it.
func TestFaultWord(t *testing.T) {
	b, _ := open(t, cuda.Options{})
	m, in := mixedModel(t)
	p, err := b.Compile(t.Context(), m, backends.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	good := in[1]
	for _, i := range []int64{0, 4, 3, -5, -4, 1 << 40, 2} {
		in[1] = backends.Int64s([]int64{i, i}, 2)
		_, err := p.Run(t.Context(), in)
		if fits := i >= -4 && i < 4; fits != (err == nil) {
			t.Errorf("index %d: %v", i, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "node g (gather)") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("index %d: %v", i, err)
		}
	}
	in[1] = good
	if _, err := p.Run(t.Context(), in); err != nil {
		t.Error(err)
	}
}

// TestClosedBefore: plans outlive their backend without harm.
func TestClosedBefore(t *testing.T) {
	fake.Libraries(t)
	b, err := cuda.Open(cuda.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	m, in := mixedModel(t)
	p, err := b.Compile(t.Context(), m, backends.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Run(t.Context(), in); !errors.Is(err, dl.ErrClosed) {
		t.Errorf("run: %v", err)
	}
	if p.Profile() != nil {
		t.Error("a profile")
	}
	if _, err := b.Compile(t.Context(), m, backends.CompileOptions{}); !errors.Is(err, dl.ErrClosed) {
		t.Errorf("compile: %v", err)
	}
	if _, err := b.Measure(t.Context(), product(t), quick); !errors.Is(err, dl.ErrClosed) {
		t.Errorf("measure: %v", err)
	}
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
