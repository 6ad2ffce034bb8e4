package cuda_test

import (
	"errors"
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/cuda/fake"
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

// cases runs the cases of the suite that a test wants. Measurements issue kernels
// hundreds of times: the fake counts their time without running them.
func cases(t *testing.T, b *cuda.Backend, c *fake.Control, want func(backendtest.Case) bool) {
	all, err := backendtest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, x := range all {
		if !want(x) {
			continue
		}
		n++
		t.Run(x.Name, func(t *testing.T) {
			c.Empty(x.Name == "measure" || x.Name == "every operator costs something")
			defer c.Empty(false)
			err := x.Check(t.Context(), b)
			if un := (*backends.Unsupported)(nil); errors.As(err, &un) {
				t.Skip(err)
			}
			if err != nil {
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
	cases(t, b, c, func(backendtest.Case) bool { return true })
}
