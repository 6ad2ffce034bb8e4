package cpu_test

import (
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/internal/sweep"
)

// TestConformance runs the suite with each set of kernels that the processor
// has. In a sample each set runs one form of each graph, and each set another one.
func TestConformance(t *testing.T) {
	cases, err := backendtest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	types, err := backendtest.Types()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range cpu.Tables() {
		t.Run(name, func(t *testing.T) {
			b, err := cpu.New(cpu.Options{Kernels: name})
			if err != nil {
				t.Fatal(err)
			}
			forms := sweep.Forms{Offset: i}
			for _, c := range append(cases, types...) {
				if !forms.Keep(c.Name) {
					continue
				}
				t.Run(c.Name, func(t *testing.T) {
					if err := c.Check(t.Context(), b); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}

var _ backends.Plan = (*cpu.Plan)(nil)
