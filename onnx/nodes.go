package onnx

import (
	"container/heap"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// errUnsupported is the reason why a node has no lowering. The node is then
// kept as it is.
type errUnsupported struct{ reason string }

func (e *errUnsupported) Error() string { return e.reason }

func unsupported(format string, args ...any) error {
	return &errUnsupported{fmt.Sprintf(format, args...)}
}

// nodes reads the nodes of a graph, a branch or a function in an order in which
// operands come first, and returns them in it; outs are the names of its outputs.
func (im *importer) nodes(list []*onnxpb.NodeProto, env *scope, outs []string) []*onnxpb.NodeProto {
	env.read = map[string]bool{}
	for _, name := range outs {
		env.read[name] = true
	}
	if im.budget -= len(list); im.budget < 0 {
		must.Failf("more than %d nodes", maxNodes)
	}
	list = im.order(list, env)
	for _, n := range list {
		im.atNode(n, func() { im.node(n, env) })
	}
	return list
}

// atNode runs steps; an error of them is one of the node, unless it is of a node
// within it.
func (im *importer) atNode(n *onnxpb.NodeProto, steps func()) {
	err := must.Try(steps)
	var e *Error
	if err != nil && !errors.As(err, &e) {
		err = &Error{File: im.src.path, Node: nodeName(n), Op: opName(n), Err: err}
	}
	must.Do(err)
}

// order sorts nodes such that each comes after those whose outputs it reads,
// and otherwise as in the file. Files should be so ordered, and some are not.
func (im *importer) order(list []*onnxpb.NodeProto, env *scope) []*onnxpb.NodeProto {
	fail := func(n *onnxpb.NodeProto, format string, args ...any) {
		im.atNode(n, func() { must.Failf(format, args...) })
	}
	maker := map[string]int{}
	for i, n := range list {
		for _, o := range n.GetOutput() {
			if o == "" {
				continue
			}
			if _, twice := maker[o]; twice || env.vals[o] != nil {
				fail(n, "the value %q is defined twice", clip(o))
			}
			maker[o] = i
		}
	}
	reads := make([][]string, len(list))
	for i, n := range list {
		reads[i] = append(reads[i], n.GetInput()...)
		for name := range captured(n) {
			reads[i] = append(reads[i], name)
		}
		for _, name := range reads[i] {
			env.read[name] = true
		}
	}
	sorted := true
	waits := make([]int, len(list)) // operands that are not there yet
	users := make([][]int, len(list))
	for i := range list {
		for _, name := range reads[i] {
			if name == "" {
				continue
			}
			m, ok := maker[name]
			if !ok {
				if env.find(name) == nil {
					fail(list[i], "nothing computes its input %q", clip(name))
				}
				continue
			}
			sorted = sorted && m < i
			waits[i]++
			users[m] = append(users[m], i)
		}
	}
	if sorted {
		return list
	}
	ready := &places{} // of nodes whose operands are there, the first in the file first
	for i := range list {
		if waits[i] == 0 {
			heap.Push(ready, i)
		}
	}
	out := make([]*onnxpb.NodeProto, 0, len(list))
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		out = append(out, list[i])
		for _, u := range users[i] {
			if waits[u]--; waits[u] == 0 {
				heap.Push(ready, u)
			}
		}
	}
	if len(out) < len(list) {
		fail(list[onCycle(waits, reads, maker)], "it needs its own output: the graph has a cycle")
	}
	return out
}

// onCycle is a node that needs its own output: follow operands that are not there
// until a node comes again.
func onCycle(waits []int, reads [][]string, maker map[string]int) int {
	at := 0
	for waits[at] == 0 {
		at++
	}
	seen := map[int]bool{}
	for !seen[at] {
		seen[at] = true
		for _, name := range reads[at] {
			if m, ok := maker[name]; ok && waits[m] > 0 {
				at = m
				break
			}
		}
	}
	return at
}

// places is a heap of places in a list.
type places struct{ sort.IntSlice }

func (p *places) Push(x any) { p.IntSlice = append(p.IntSlice, x.(int)) }

func (p *places) Pop() any {
	last := len(p.IntSlice) - 1
	x := p.IntSlice[last]
	p.IntSlice = p.IntSlice[:last]
	return x
}

// call is one node being read.
type call struct {
	im   *importer
	node *onnxpb.NodeProto
	op   *operator // nil if there is no record of it
	env  *scope
	in   []*value // nil for an input that is left out
	outs []*value // in the order of the node's outputs
	attr map[string]*onnxpb.AttributeProto

	regular bool // the node has the form of the published definition
	// agreed are the types of an If's outputs for which both branches have the same, else nil
	agreed []*openType
}

// node reads one node: fold it, lower it, or keep it.
func (im *importer) node(n *onnxpb.NodeProto, env *scope) {
	outer := im.own
	defer func() { im.own = outer }()
	im.own = im.own || strings.HasPrefix(n.GetDocString(), note)
	c := &call{im: im, node: n, op: operatorOf(n), env: env, outs: make([]*value, len(n.GetOutput())), attr: map[string]*onnxpb.AttributeProto{}}
	for _, a := range n.GetAttribute() {
		if _, twice := c.attr[a.GetName()]; twice {
			must.Failf("two attributes %q", clip(a.GetName()))
		}
		if a.GetRefAttrName() != "" {
			must.Failf("attribute %q refers to %q outside of a function", clip(a.GetName()), clip(a.GetRefAttrName()))
		}
		c.attr[a.GetName()] = a
	}
	for _, name := range n.GetInput() {
		var v *value
		if name != "" {
			if v = env.find(name); v == nil {
				must.Failf("nothing computes its input %q", clip(name))
			}
			v.uses++
		}
		c.in = append(c.in, v)
	}
	if im.funcs[functionOf(n.GetDomain(), n.GetOpType(), n.GetOverload())] == nil {
		c.noLists()
	}
	c.read()
	for i, name := range n.GetOutput() {
		v := c.outs[i]
		if name == "" {
			continue
		}
		if v == nil && !c.wanted(i) {
			continue
		}
		if v == nil {
			must.Failf("output %d is not known", i)
		}
		// Names within functions and branches may be in use outside.
		if v.name == "" && im.depth == 0 && (v.made || v.fixed()) {
			v.name = name
		}
		env.define(name, v)
	}
}

func (c *call) read() {
	// A function of the model stands before an operator of that name.
	if f := c.im.funcs[functionOf(c.node.GetDomain(), c.node.GetOpType(), c.node.GetOverload())]; f != nil {
		c.inline(f)
		return
	}
	reason := must.Try(c.accepted)
	known := reason == nil
	if known {
		if c.fold() {
			c.im.report.Folded++
			return
		}
		reason = c.lowered()
	}
	var u *errUnsupported
	if !errors.As(reason, &u) {
		must.Do(reason)
		if c.op.domain == "" {
			c.remember()
		}
		return
	}
	if known && c.foldKnown() {
		return
	}
	c.keep(u.reason)
}

// lowered lowers the node, or says why not.
func (c *call) lowered() error {
	if c.op.lower == nil {
		return unsupported("this operator is not supported")
	}
	outer := c.im.once
	c.im.once = c.noteOfOnce()
	defer func() { c.im.once = outer }()
	return must.Try(func() { c.op.lower(c) })
}

// optional is input i, nil if it is left out.
func (c *call) optional(i int) *value {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// need requires between lo and hi inputs, of which the first lo are not left
// out, and returns them, nil where left out. Inputs behind these are not understood.
func (c *call) need(lo, hi int) []*value {
	for _, v := range c.in[min(hi, len(c.in)):] {
		if v != nil {
			must.Do(unsupported("it has %d inputs, only the first %d are supported", len(c.in), hi))
		}
	}
	if len(c.in) < lo {
		if lo == hi {
			must.Failf("%d inputs, want %d", len(c.in), lo)
		}
		must.Failf("%d inputs, want %d to %d", len(c.in), lo, hi)
	}
	in := make([]*value, hi)
	copy(in, c.in)
	for i := range lo {
		if in[i] == nil {
			must.Failf("input %d is missing", i)
		}
	}
	return in
}

// wanted reports whether somebody reads an output: many files name all that a node has.
func (c *call) wanted(i int) bool {
	outs := c.node.GetOutput()
	return i < len(outs) && outs[i] != "" && (c.env == nil || c.env.read[outs[i]])
}

// set requires a node with a single output, and sets it.
func (c *call) set(v *value) {
	for i, name := range c.node.GetOutput() {
		if i > 0 && name != "" {
			must.Do(unsupported("optional output %d is not supported", i))
		}
	}
	c.first(v)
}

// first sets the first of several outputs, of which nobody reads the others.
func (c *call) first(v *value) {
	if len(c.outs) == 0 {
		must.Failf("no outputs")
	}
	for i := range c.outs {
		if i > 0 && c.wanted(i) {
			must.Do(unsupported("optional output %d is not supported", i))
		}
	}
	c.outs[0] = v
}
