package cpu_test

import (
	"testing"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/backendtest"
	"github.com/taso-go/taso/backends/cpu"
)

// TestConformance runs the suite with each set of kernels that the processor
// has.
func TestConformance(t *testing.T) {
	for _, name := range cpu.Tables() {
		t.Run(name, func(t *testing.T) {
			b, err := cpu.New(cpu.Options{Kernels: name})
			if err != nil {
				t.Fatal(err)
			}
			backendtest.Run(t, b)
		})
	}
}

var _ backends.Plan = (*cpu.Plan)(nil)
