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
const version = "4"

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
	op := g.Op(id)
	if op == nil {
		return b.types("an input", g.Name(id), "input", true, g.Type(id.Out(0)))
	}
	if kind, _, ok := g.Opaque(id); ok {
		return &backends.Unsupported{Backend: "cpu", Node: g.Name(id), Op: kind, Why: "its meaning is not known"}
	}
	if op.In == 0 {
		return b.types("a constant", g.Name(id), op.Name, true, g.Type(id.Out(0)))
	}
	for i, t := range g.Operands(id) {
		places := op.Places != nil && i > 0 // positions, and keys
		if err := b.types(fmt.Sprintf("operand %d", i), g.Name(id), op.Name, op.Moves || places, g.Type(t)); err != nil {
			return err
		}
	}
	for i := range g.NumOut(id) {
		if err := b.types("its result", g.Name(id), op.Name, op.Moves, g.Type(id.Out(i))); err != nil {
			return err
		}
	}
	return nil
}

func (b *Backend) types(what, node, op string, ints bool, t graph.TensorType) error {
	if t.DType == graph.Float32 || ints && t.DType == graph.Int64 {
		return nil
	}
	return &backends.Unsupported{Backend: "cpu", Node: node, Op: op, Why: fmt.Sprintf("%s is %s", what, t)}
}
