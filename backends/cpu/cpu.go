package cpu

import (
	"fmt"
	"strings"
	"sync"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/procstat"
)

// version names the kernels; it changes when their speed does.
const version = "5"

// Options configures New; the zero value is the default.
type Options struct {
	// Kernels selects a table by name: avx512, avx2, plain or go; "": the best
	// one that the processor has.
	Kernels string
}

// Backend is the processor. It holds no resources: Close does nothing.
type Backend struct {
	t      table
	device string
	spare  spare // between two measurements
}

var _ backends.Backend = (*Backend)(nil)

// Tables lists the kernels that this processor can run, best first.
func Tables() []string {
	var names []string
	for _, t := range allTables() {
		names = append(names, t.name())
	}
	return names
}

var allTables = sync.OnceValue(tables)

// New is the backend for this processor.
func New(opt Options) (*Backend, error) {
	for _, t := range allTables() {
		if opt.Kernels == "" || opt.Kernels == t.name() {
			return &Backend{t: t, device: procstat.Processor()}, nil
		}
	}
	return nil, fmt.Errorf("backend cpu: no kernels %q on this processor, only %s", opt.Kernels, strings.Join(Tables(), ", "))
}

// Info names the processor and the kernels.
func (b *Backend) Info() backends.Info {
	return backends.Info{Name: "cpu", Device: b.device, Version: version + "-" + b.t.name(), Threads: 1}
}

// Close releases memory that is kept between measurements.
func (b *Backend) Close() error {
	b.spare.free()
	return nil
}

// Supports reports why a node cannot be run.
func (b *Backend) Supports(g *graph.Graph, id graph.NodeID) error {
	return backends.Known("cpu", g, id, nil)
}
