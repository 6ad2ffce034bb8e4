package bank

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/graph/intern"
)

// Clone is a copy of the bank: the same nodes under the same numbers, so that what is
// done to both alike gives the same numbers again. It shares nothing that either
// changes, and may serve another goroutine. There must be no mark.
func (b *Bank) Clone() *Bank {
	c := *b
	c.Table = b.Table.clone()
	c.nodes, c.slots, c.args, c.tensors = slices.Clone(b.nodes), slices.Clone(b.slots), slices.Clone(b.args), slices.Clone(b.tensors)
	c.inputs, c.outputs = slices.Clone(b.inputs), slices.Clone(b.outputs)
	c.origin, c.opaque, c.table = maps.Clone(b.origin), maps.Clone(b.opaque), maps.Clone(b.table)
	c.log, c.work, c.back, c.moved, c.Merged = nil, nil, nil, nil, nil
	c.linear = linear{linearState: linearState{epoch: b.linear.epoch}}
	return &c
}

func (t *Table) clone() *Table {
	c := *t
	c.num = intern.Clone(&t.num)
	c.syms, c.types = slices.Clone(t.syms), slices.Clone(t.types)
	c.symAt, c.typeAt, c.known = maps.Clone(t.symAt), maps.Clone(t.typeAt), maps.Clone(t.known)
	return &c
}
