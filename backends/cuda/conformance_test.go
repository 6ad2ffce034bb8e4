package cuda_test

import (
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/lower"
)

var _ backends.Plan = (*cuda.Plan)(nil)

// open opens a backend on the fake libraries. It is closed when the test ends.
func open(t testing.TB, o cuda.Options, f ...fake.Options) (*cuda.Backend, *fake.Control) {
	t.Helper()
	c := fake.Libraries(t, f...)
	o.NoCache = true // the fake keeps what it compiled
	b, err := cuda.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b, c
}

// cases runs the cases of the suite that a test wants, in a sample one form of each graph. Measurements issue kernels
// hundreds of times: the fake counts their time without running them.
func cases(t *testing.T, b *cuda.Backend, c *fake.Control, tolerance float64, want func(backendtest.Case) bool) {
	all, err := backendtest.CasesWithin(tolerance)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	var forms sweep.Forms
	for _, x := range all {
		if !want(x) || !forms.Keep(x.Name) {
			continue
		}
		n++
		t.Run(x.Name, func(t *testing.T) {
			c.Empty(x.Name == "measure" || x.Name == "every operator costs something")
			defer c.Empty(false)
			if err := x.Check(t.Context(), b); err != nil {
				t.Error(err)
			}
		})
	}
	if n == 0 {
		t.Error("no case")
	}
}

// TestConformance runs the suite on the fake device, with the libraries.
func TestConformance(t *testing.T) {
	b, c := open(t, cuda.Options{})
	cases(t, b, c, backendtest.Tolerance, func(backendtest.Case) bool { return true })
}

// TestModes runs the graphs in which a library computes in the modes that round its
// operands. The tolerances are of sums of a few hundred products of numbers up to 1.
func TestModes(t *testing.T) {
	for mode, tolerance := range map[string]float64{"tf32": 1e-2, "float16": 1e-2, "bfloat16": 8e-2} {
		t.Run(mode, func(t *testing.T) {
			b, c := open(t, cuda.Options{Math: mode})
			if got := b.Info().Math; got != mode {
				t.Errorf("info: %q", got)
			}
			rounded := 0
			cases(t, b, c, tolerance, func(x backendtest.Case) bool { return x.Graph != nil && byLibrary(t, x.Graph) })
			exact, err := backendtest.Cases()
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range exact {
				if x.Graph != nil && byLibrary(t, x.Graph) && x.Check(t.Context(), b) != nil {
					rounded++
					break
				}
			}
			if rounded == 0 {
				t.Error("the results are those of float32")
			}
		})
	}
}

// byLibrary says whether a library computes something of a graph.
func byLibrary(t *testing.T, g *graph.Graph) bool {
	p, err := lower.Graph(g, lower.CUDA(), lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range append(p.Once, p.Run...) {
		calls, _, err := kernel.Calls(p, &k, kernel.Libraries{CublasLt: true, Cudnn: true})
		if err != nil {
			return false // the conformance test tells
		}
		for _, c := range calls {
			if c.Launch == nil {
				return true
			}
		}
	}
	return false
}
