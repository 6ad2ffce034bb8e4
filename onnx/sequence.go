package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
)

// Sequences of tensors. The graph has none: a sequence is a list of values while reading,
// whose length is known, and operators on it are no nodes.

func sequenceOperators() []*operator {
	return []*operator{
		// The type of elements says nothing of an empty sequence.
		{name: "SequenceEmpty", versions: "11", attrs: "~dtype", lower: lowerSequenceEmpty, lists: onlyLists},
		{name: "SequenceConstruct", versions: "11", lower: lowerSequenceConstruct, lists: onlyLists},
		{name: "SequenceInsert", versions: "11", lower: lowerSequenceInsert, lists: onlyLists},
		{name: "SequenceErase", versions: "11", lower: lowerSequenceErase, lists: onlyLists},
		{name: "SequenceAt", versions: "11", lower: lowerSequenceAt, lists: onlyLists},
		{name: "SequenceLength", versions: "11", lower: lowerSequenceLength, lists: onlyLists},
		{name: "ConcatFromSequence", versions: "11", attrs: "axis new_axis", lower: lowerConcatFromSequence, lists: onlyLists},
		{name: "SplitToSequence", versions: "11 24", attrs: "axis keepdims", lower: lowerSplitToSequence, lists: onlyLists},
		{name: "OptionalHasElement", versions: "15 18", lower: lowerHasElement, lists: mayList},
		{name: "OptionalGetElement", versions: "15 18", lower: lowerIdentity, lists: mayList},
	}
}

// listOf is a sequence.
func listOf(vs []*value) *value { return &value{list: append([]*value{}, vs...)} }

// noLists fails where a node takes a sequence and its operator does not.
func (c *call) noLists() {
	if c.op != nil && c.op.lists != noLists {
		return
	}
	for i, v := range c.in {
		if v != nil && v.list != nil {
			must.Failf("its input %d is a sequence of tensors", i)
		}
	}
}

// listIn is the sequence that is input 0.
func (c *call) listIn() []*value {
	if c.in[0].list == nil {
		must.Failf("its input 0 is no sequence, but %s", c.in[0])
	}
	return c.in[0].list
}

// place is the position that input i names, of n; back is that of none.
func (c *call) place(i, n, back int) int {
	if c.optional(i) == nil {
		return back
	}
	k := c.known(i, "position")
	if k.len() != 1 || k.dtype.IsFloat() {
		must.Failf("its position is %s%v", k.dtype, k.sizes)
	}
	at := k.ints[0]
	if at < 0 {
		at += int64(n)
	}
	if at < 0 || at > int64(n) {
		must.Failf("position %d of %d", k.ints[0], n)
	}
	return int(at)
}

// member checks that a value can be in a sequence with others.
func member(list []*value, v *value) {
	switch {
	case v.list != nil:
		must.Failf("a sequence of sequences")
	case len(list) > 0 && list[0].dtype != v.dtype:
		must.Failf("a sequence of %s and %s", list[0].dtype, v.dtype)
	}
}

func lowerSequenceEmpty(c *call) {
	c.need(0, 0)
	c.set(listOf(nil))
}

func lowerSequenceConstruct(c *call) {
	n := max(len(c.in), 1)
	in := c.need(n, n)
	for _, v := range in {
		member(in, v)
	}
	c.set(listOf(in))
}

func lowerSequenceInsert(c *call) {
	in := c.need(2, 3)
	list := c.listIn()
	member(list, in[1])
	c.set(listOf(slices.Insert(slices.Clone(list), c.place(2, len(list), len(list)), in[1])))
}

func lowerSequenceErase(c *call) {
	c.need(1, 2)
	list := c.listIn()
	at := c.place(1, len(list), len(list)-1)
	if at < 0 || at >= len(list) {
		must.Failf("position %d of %d", at, len(list))
	}
	c.set(listOf(slices.Delete(slices.Clone(list), at, at+1)))
}

func lowerSequenceAt(c *call) {
	c.need(2, 2)
	list := c.listIn()
	at := c.place(1, len(list), 0)
	if at >= len(list) {
		must.Failf("position %d of %d", at, len(list))
	}
	c.set(list[at])
}

func lowerSequenceLength(c *call) {
	c.need(1, 1)
	c.set(valueOf(intScalar(len(c.listIn()))))
}

func lowerConcatFromSequence(c *call) {
	c.need(1, 1)
	if !c.has("axis") {
		must.Failf("no axis")
	}
	parts := slices.Clone(c.listIn())
	if len(parts) == 0 {
		must.Failf("the sequence is empty")
	}
	rank := parts[0].rank()
	if c.flag("new_axis") {
		a := c.axisAttr(0, rank+1)
		for i, v := range parts {
			if v.rank() != rank {
				must.Failf("tensors with %d and %d axes", rank, v.rank())
			}
			parts[i] = c.im.reshapeTo(v, slices.Insert(slices.Clone(v.dims()), a, graph.Int(1)))
		}
		c.set(c.im.stacked(a, parts))
		return
	}
	c.set(c.im.stacked(c.axisAttr(0, rank), parts))
}

func lowerSplitToSequence(c *call) {
	v := c.need(1, 2)[0]
	a := c.axisAttr(0, v.rank())
	size := numberOf(v.size(a))
	k := c.known(1, "split")
	var parts []int
	switch {
	case k == nil || k.rank() == 0:
		each := 1
		if k != nil {
			each = int(min(max(only(k, "split"), 0), graph.MaxSize))
		}
		if each < 1 {
			must.Failf("parts of %d", each)
		}
		if (size+each-1)/each > maxNodes {
			must.Failf("more than %d parts", maxNodes)
		}
		for at := 0; at < size; at += each {
			parts = append(parts, min(each, size-at))
		}
	default:
		sum := 0
		for _, n := range c.knownInts(1, "split") {
			if n < 1 || n > size-sum {
				must.Failf("parts %v of size %d", k.ints, size)
			}
			sum += n
			parts = append(parts, n)
		}
		if sum != size {
			must.Failf("parts %v of size %d", k.ints, size)
		}
	}
	var list []*value
	at := 0
	for _, n := range parts {
		part := c.im.slice(v, a, at, at+n)
		if k == nil && c.int("keepdims", 1) == 0 {
			part = c.im.reshapeTo(part, slices.Delete(slices.Clone(v.dims()), a, a+1))
		}
		list, at = append(list, part), at+n
	}
	c.set(listOf(list))
}
