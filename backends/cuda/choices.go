package cuda

import (
	"fmt"
	"sync"

	"github.com/taso-go/taso/backends/cuda/dl"
)

// choices are the algorithms that were fastest, by the shape of the call.
type choices struct {
	mu sync.Mutex
	m  map[string]choice
}

// A choice is number at of count algorithms: a list of another length, made in less
// workspace, is another list.
type choice struct{ at, count int }

func (c *choices) get(shape string, count int) (at int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.m[shape]
	return x.at, ok && x.count == count
}

func (c *choices) put(shape string, at, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[string]choice{}
	}
	c.m[shape] = choice{at, count}
}

// shapeOfMatmul is what the library's list of algorithms depends on: everything but
// where the operands lie. Of that it sees how addresses are aligned.
func shapeOfMatmul(m dl.Matmul) string {
	m.A, m.B, m.C, m.D, m.Bias = alignment(m.A), alignment(m.B), alignment(m.C), alignment(m.D), alignment(m.Bias)
	return fmt.Sprintf("matmul %+v", m)
}

// shapeOfConv is the same for a convolution.
func shapeOfConv(c dl.Conv) string {
	c.X, c.Filter, c.Bias, c.Z, c.Y = alignment(c.X), alignment(c.Filter), alignment(c.Bias), alignment(c.Z), alignment(c.Y)
	return fmt.Sprintf("conv %+v", c)
}

// alignment is a reference that says only whether it is there, and its place modulo
// what bases are multiples of.
func alignment(r dl.Ref) dl.Ref {
	if r.Base < 0 {
		return dl.None
	}
	return dl.At(0, r.Offset%256)
}
