package onnx

import (
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// A dilated convolution is read as one with a larger kernel, with zeros in between. It is
// written as a dilated one again: a runtime does not skip zeros.

// Notes of kernels that have the names of those that the reader makes of them.
const (
	noteDilated    = "dilated"
	noteTransposed = "transposed"
)

// compact is a kernel as it is in the file: without the rows and columns of zeros in
// between, or that of a transposed convolution.
type compact struct {
	note      string
	by, sizes []int // how far apart its cells are, nil if transposed, and its sizes
	raw       []byte
}

// dilated finds kernels with zeros at regular places, of convolutions that nobody else
// reads. Paddings by name are left alone: not every runtime knows them here.
func (e *exporter) dilated() {
	g := e.g
	for id := range g.Nodes() {
		if op := g.Op(id); op == nil || op.Name != "conv2d" {
			continue
		}
		w := g.Operands(id)[1]
		weight := e.m.Weights[w.Node]
		if name, ok := e.attr(id, "pad").Name(); ok && name != "valid" || weight == nil || e.uses[w] != 1 || g.DType(w) != graph.Float32 {
			continue
		}
		if s := g.Sizes(w); s[2] < 3 && s[3] < 3 {
			continue
		}
		if c := compacted(must.Get(weight.Read()), g.Sizes(w)); c != nil {
			e.compact[w.Node] = c
		}
	}
}

// compacted is a kernel of four-byte elements without its zeros in between, nil if it has
// none.
func compacted(raw []byte, sizes []int) *compact {
	h, w := sizes[2], sizes[3]
	// What the places of all other elements, and the last one, are multiples of.
	rows, columns := h-1, w-1
	for i := 0; i < len(raw) && (rows > 1 || columns > 1); i += 4 {
		if raw[i]|raw[i+1]|raw[i+2]|raw[i+3] != 0 {
			rows, columns = gcd(rows, i/4/w%h), gcd(columns, i/4%w)
		}
	}
	rows, columns = max(rows, 1), max(columns, 1) // a single row or column
	if rows == 1 && columns == 1 {
		return nil
	}
	c := &compact{note: noteDilated, by: []int{rows, columns}, sizes: []int{sizes[0], sizes[1], (h-1)/rows + 1, (w-1)/columns + 1}}
	for i := 0; i < len(raw); i += 4 {
		if i/4/w%h%rows == 0 && i/4%w%columns == 0 {
			c.raw = append(c.raw, raw[i:i+4]...)
		}
	}
	return c
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
