package kernel

import (
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// mostCalls is up to how many calls a batch is made of whose matrices do not lie at one
// distance from each other.
const mostCalls = 16

// calls are the products as calls of cuBLASLt, one for each batch whose matrices lie at
// one distance; nil if it cannot read the operands as they lie, or there would be many.
func (p *product) calls() []Matmul {
	none := Ref{Value: lower.None}
	m := Matmul{M: p.m, N: p.n, K: p.k, Batch: 1, A: p.a.ref, B: p.b.ref, D: p.d, C: none, Bias: none, LDD: p.n, StrideD: p.m * p.n}
	var ok [2]bool
	m.TransA, m.LDA, ok[0] = readable(p.m, p.k, p.a.rs, p.a.cs)
	m.TransB, m.LDB, ok[1] = readable(p.k, p.n, p.b.rs, p.b.cs)
	if !ok[0] || !ok[1] || max(p.m, p.n, p.k, m.LDA, m.LDB) > math.MaxInt32 {
		return nil
	}
	// The largest axis is the batch, the others are gone through.
	largest := -1
	for i, ax := range p.axes {
		if largest < 0 || ax.n > p.axes[largest].n {
			largest = i
		}
	}
	sizes := make([]int, len(p.axes))
	for i, ax := range p.axes {
		sizes[i] = ax.n
		if i == largest {
			m.Batch, m.StrideA, m.StrideB, m.StrideD, sizes[i] = ax.n, ax.a, ax.b, ax.d, 1
		}
	}
	if m.Batch > math.MaxInt32 || graph.NumElements(sizes) > mostCalls {
		return nil
	}
	var ms []Matmul
	graph.Each(sizes, func(_ int, idx []int) {
		c := m
		for i, at := range idx {
			c.A.Offset += int64(4 * at * p.axes[i].a)
			c.B.Offset += int64(4 * at * p.axes[i].b)
			c.D.Offset += int64(4 * at * p.axes[i].d)
		}
		ms = append(ms, c)
	})
	return ms
}

// readable says how a matrix can be read along its memory: as it is, or transposed, with
// so many elements from one stored row to the next. Rows that overlap cannot be read.
func readable(rows, cols, rs, cs int) (trans bool, ld int, ok bool) {
	if rows == 1 {
		rs = max(cols*cs, cols) // any
	}
	if cols == 1 {
		cs = max(rows*rs, rows)
	}
	switch {
	case (cs == 1 || cols == 1) && rs >= cols:
		return false, rs, true
	case (rs == 1 || rows == 1) && cs >= rows:
		return true, cs, true
	}
	return false, 0, false
}

// byCublas adds calls of cuBLASLt, which do the beginning of the tail, and the rest of it.
func (b *binder) byCublas(k *lower.Kernel, ms []Matmul) error {
	e := absorbed(k.Tail, lower.Col)
	for i := range ms {
		m := &ms[i]
		if m.C = e.full; m.C.Value != lower.None {
			m.C.Offset = m.D.Offset
		}
		m.Bias, m.Relu = e.bias, e.relu
		back, err := b.fallback(func() error { return b.multiplied(m, k.Out[0]) })
		if err != nil {
			return err
		}
		b.calls = append(b.calls, Call{Node: b.node, Matmul: m, Fallback: back})
	}
	return b.chained(k, e.rest)
}

// multiplied adds a kernel that does what a call of cuBLASLt does; y is the value in
// which its result is, or a part of it.
func (b *binder) multiplied(m *Matmul, y lower.ValueID) error {
	p := product{m: m.M, n: m.N, k: m.K, d: m.D, a: matrix{m.A, m.LDA, 1}, b: matrix{m.B, m.LDB, 1}}
	if m.TransA {
		p.a.rs, p.a.cs = 1, m.LDA
	}
	if m.TransB {
		p.b.rs, p.b.cs = 1, m.LDB
	}
	if m.Batch > 1 {
		p.axes = []batchAxis{{m.Batch, m.StrideA, m.StrideB, m.StrideD}}
	}
	s := b.source(m.A.Value, m.B.Value, y)
	return b.multiply(s, &p, func(v, at, col string) (string, error) { return s.finish(m.C, m.Bias, m.Relu, v, at, col) })
}
