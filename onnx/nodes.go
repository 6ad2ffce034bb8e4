package onnx

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/onnx/onnxpb"
)

// errUnsupported is the reason why a node has no lowering. The node is then
// kept as it is.
type errUnsupported struct{ reason string }

func (e *errUnsupported) Error() string { return e.reason }

func unsupported(format string, args ...any) error {
	return &errUnsupported{fmt.Sprintf(format, args...)}
}

// lowering defines a node's outputs.
type lowering func(c *call) error

// lowerings by operator of the default domain. Filled by init functions in the
// files of the operators, because lowerings may read nodes of branches, which
// look up here.
var lowerings = map[string]lowering{}

func register(l map[string]lowering) {
	for op, f := range l {
		lowerings[op] = f
	}
}

// nodes reads the nodes of a graph, a branch or a function in an order in which
// operands come first.
func (im *importer) nodes(list []*onnxpb.NodeProto, env *scope) error {
	if im.budget -= len(list); im.budget < 0 {
		return fmt.Errorf("more than %d nodes", maxNodes)
	}
	order, err := im.order(list, env)
	if err != nil {
		return err
	}
	for _, n := range order {
		if err := im.node(n, env); err != nil {
			var e *Error
			if errors.As(err, &e) {
				return err
			}
			return &Error{File: im.src.path, Node: nodeName(n), Op: opName(n), Err: err}
		}
	}
	return nil
}

// order sorts nodes such that each comes after those whose outputs it reads,
// and otherwise as in the file. Files should be so ordered, and some are not.
func (im *importer) order(list []*onnxpb.NodeProto, env *scope) ([]*onnxpb.NodeProto, error) {
	fail := func(n *onnxpb.NodeProto, format string, args ...any) error {
		return &Error{File: im.src.path, Node: nodeName(n), Op: opName(n), Err: fmt.Errorf(format, args...)}
	}
	maker := map[string]int{}
	for i, n := range list {
		for _, o := range n.GetOutput() {
			if o == "" {
				continue
			}
			if _, twice := maker[o]; twice || env.vals[o] != nil {
				return nil, fail(n, "the value %q is defined twice", clip(o))
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
					return nil, fail(list[i], "nothing computes its input %q", clip(name))
				}
				continue
			}
			sorted = sorted && m < i
			waits[i]++
			users[m] = append(users[m], i)
		}
	}
	if sorted {
		return list, nil
	}
	var ready intHeap
	for i := range list {
		if waits[i] == 0 {
			ready.push(i)
		}
	}
	out := make([]*onnxpb.NodeProto, 0, len(list))
	for len(ready) > 0 {
		i := ready.pop()
		out = append(out, list[i])
		for _, u := range users[i] {
			if waits[u]--; waits[u] == 0 {
				ready.push(u)
			}
		}
	}
	if len(out) < len(list) {
		return nil, im.cycle(list, waits, reads, maker)
	}
	return out, nil
}

// cycle names a node that needs its own output: follow operands that are not
// there until a node comes again.
func (im *importer) cycle(list []*onnxpb.NodeProto, waits []int, reads [][]string, maker map[string]int) error {
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
	n := list[at]
	return &Error{File: im.src.path, Node: nodeName(n), Op: opName(n), Err: errors.New("it needs its own output: the graph has a cycle")}
}

// intHeap is a min-heap.
type intHeap []int

func (h *intHeap) push(x int) {
	*h = append(*h, x)
	a := *h
	for i := len(a) - 1; i > 0 && a[i] < a[(i-1)/2]; i = (i - 1) / 2 {
		a[i], a[(i-1)/2] = a[(i-1)/2], a[i]
	}
}

func (h *intHeap) pop() int {
	a := *h
	top := a[0]
	last := len(a) - 1
	a[0] = a[last]
	a = a[:last]
	*h = a
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			return top
		}
		if c+1 < last && a[c+1] < a[c] {
			c++
		}
		if a[i] <= a[c] {
			return top
		}
		a[i], a[c] = a[c], a[i]
		i = c
	}
}

// call is one node being read.
type call struct {
	im   *importer
	node *onnxpb.NodeProto
	env  *scope
	in   []*value // nil for an input that is left out
	outs []*value // in the order of the node's outputs
	attr map[string]*onnxpb.AttributeProto
}

// node reads one node: fold it, lower it, or keep it.
func (im *importer) node(n *onnxpb.NodeProto, env *scope) error {
	c := &call{im: im, node: n, env: env, outs: make([]*value, len(n.GetOutput())), attr: map[string]*onnxpb.AttributeProto{}}
	for _, a := range n.GetAttribute() {
		if _, twice := c.attr[a.GetName()]; twice {
			return fmt.Errorf("two attributes %q", clip(a.GetName()))
		}
		if a.GetRefAttrName() != "" {
			return fmt.Errorf("attribute %q refers to %q outside of a function", clip(a.GetName()), clip(a.GetRefAttrName()))
		}
		c.attr[a.GetName()] = a
	}
	for _, name := range n.GetInput() {
		var v *value
		if name != "" {
			if v = env.find(name); v == nil {
				return fmt.Errorf("nothing computes its input %q", clip(name))
			}
			v.uses++
		}
		c.in = append(c.in, v)
	}
	if err := c.read(); err != nil {
		return err
	}
	for i, name := range n.GetOutput() {
		v := c.outs[i]
		if name == "" {
			continue
		}
		if v == nil {
			return fmt.Errorf("output %d is not known", i)
		}
		// Names within functions and branches may be in use outside.
		if v.name == "" && im.depth == 0 && (v.step != nil || v.fixed()) {
			v.name = name
		}
		if err := env.define(name, v); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) read() error {
	// A function of the model stands before an operator of that name.
	if f := c.im.funcs[functionOf(c.node.GetDomain(), c.node.GetOpType(), c.node.GetOverload())]; f != nil {
		return c.inline(f)
	}
	folded, err := c.fold()
	if err != nil {
		return err
	}
	if folded {
		c.im.report.Folded++
		return nil
	}
	reason := unsupported("the domain %q is not known", clip(c.node.GetDomain()))
	if defaultDomain(c.node.GetDomain()) {
		if c.im.opset == 0 {
			return errors.New("the model does not import ONNX's operator set")
		}
		if low, ok := lowerings[c.node.GetOpType()]; ok {
			reason = low(c)
		} else {
			reason = unsupported("there is no lowering for it")
		}
	}
	var u *errUnsupported
	if !errors.As(reason, &u) {
		return reason
	}
	return c.keep(u.reason)
}

// optional is input i, nil if it is left out.
func (c *call) optional(i int) *value {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// need requires between lo and hi inputs, of which the first lo are not left
// out, and returns them, nil where left out.
func (c *call) need(lo, hi int) ([]*value, error) {
	if len(c.in) > hi || len(c.in) < lo {
		if lo == hi {
			return nil, fmt.Errorf("%d inputs, want %d", len(c.in), lo)
		}
		return nil, fmt.Errorf("%d inputs, want %d to %d", len(c.in), lo, hi)
	}
	in := make([]*value, hi)
	copy(in, c.in)
	for i := range lo {
		if in[i] == nil {
			return nil, fmt.Errorf("input %d is missing", i)
		}
	}
	return in, nil
}

// one requires a node with a single output in use, and sets it.
func (c *call) set(v *value, err error) error {
	if err != nil {
		return err
	}
	if len(c.outs) == 0 {
		return errors.New("no outputs")
	}
	for i, name := range c.node.GetOutput() {
		if i > 0 && name != "" {
			return unsupported("output %d is in use", i)
		}
	}
	c.outs[0] = v
	return nil
}

// Attributes. A wrong type is an error.

func (c *call) has(name string) bool { return c.attr[name] != nil }

func (c *call) typed(name string, t onnxpb.AttributeProto_AttributeType, present bool) (*onnxpb.AttributeProto, error) {
	a := c.attr[name]
	if a == nil {
		return nil, nil
	}
	if a.GetType() != t && !(a.Type == nil && present) {
		return nil, fmt.Errorf("attribute %s is of type %s, want %s", name, a.GetType(), t)
	}
	return a, nil
}

func (c *call) int(name string, missing int64) (int64, error) {
	a, err := c.typed(name, onnxpb.AttributeProto_INT, c.attr[name].GetI() != 0 || c.attr[name] != nil && c.attr[name].I != nil)
	if a == nil {
		return missing, err
	}
	return a.GetI(), nil
}

func (c *call) float(name string, missing float64) (float64, error) {
	a, err := c.typed(name, onnxpb.AttributeProto_FLOAT, c.attr[name] != nil && c.attr[name].F != nil)
	if a == nil {
		return missing, err
	}
	return shortest(a.GetF()), nil
}

func (c *call) text(name, missing string) (string, error) {
	a, err := c.typed(name, onnxpb.AttributeProto_STRING, c.attr[name] != nil && c.attr[name].S != nil)
	if a == nil {
		return missing, err
	}
	return string(a.GetS()), nil
}

// ints is a list of integers, nil if it is missing.
func (c *call) ints(name string) ([]int, error) {
	a, err := c.typed(name, onnxpb.AttributeProto_INTS, true)
	if a == nil {
		return nil, err
	}
	return smallInts(a.GetInts())
}

func (c *call) floats(name string) ([]float64, error) {
	a, err := c.typed(name, onnxpb.AttributeProto_FLOATS, true)
	if a == nil {
		return nil, err
	}
	out := make([]float64, len(a.GetFloats()))
	for i, x := range a.GetFloats() {
		out[i] = float64(x)
	}
	return out, nil
}

// smallInts are integers that sums and products of sizes can hold.
func smallInts(xs []int64) ([]int, error) {
	out := make([]int, len(xs))
	for i, x := range xs {
		if x > 1<<40 || x < -1<<40 {
			return nil, fmt.Errorf("%d is too large", x)
		}
		out[i] = int(x)
	}
	return out, nil
}

// known are the elements of an input, which must be constant.
func (c *call) known(i int, what string) (*constant, error) {
	v := c.optional(i)
	if v == nil {
		return nil, nil
	}
	k, err := v.constant()
	if err != nil {
		return nil, err
	}
	if k == nil {
		return nil, unsupported("its %s is not constant", what)
	}
	return k, nil
}

// knownInts are the elements of an integer input; nil if it is left out. Those
// that mean "to the end" are cut to 40 bits.
func (c *call) knownInts(i int, what string) ([]int, error) {
	k, err := c.known(i, what)
	if k == nil || err != nil {
		return nil, err
	}
	if k.dtype.IsFloat() || k.rank() > 1 {
		return nil, fmt.Errorf("its %s is a %s%v", what, k.dtype, k.sizes)
	}
	return cut(k.ints), nil
}

func (k *constant) rank() int { return len(k.sizes) }

// bounds is a list of positions, an attribute or an input, in which large
// numbers stand for "to the end"; they are cut to 40 bits.
func (c *call) bounds(name string, i int) ([]int, error) {
	a, err := c.typed(name, onnxpb.AttributeProto_INTS, true)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return c.knownInts(i, name)
	}
	return cut(a.GetInts()), nil
}

// cut are integers that sums of sizes can hold, far beyond any size.
func cut(xs []int64) []int {
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(min(max(x, -1<<40), 1<<40))
	}
	return out
}

// intsOrInput is a list that was an attribute in old operator sets and is an
// input in new ones.
func (c *call) intsOrInput(name string, i int) ([]int, error) {
	if c.has(name) {
		return c.ints(name)
	}
	return c.knownInts(i, name)
}

// axis is an axis number that may count from the end.
func axis(a, rank int) (int, error) {
	if a < -rank || a >= rank {
		return 0, fmt.Errorf("axis %d of a tensor with %d axes", a, rank)
	}
	if a < 0 {
		a += rank
	}
	return a, nil
}

// axes are distinct axes, in their order in the list.
func axesOf(list []int, rank int) ([]int, error) {
	out := make([]int, len(list))
	seen := map[int]bool{}
	for i, a := range list {
		x, err := axis(a, rank)
		if err != nil {
			return nil, err
		}
		if seen[x] {
			return nil, fmt.Errorf("axis %d is named twice", a)
		}
		seen[x] = true
		out[i] = x
	}
	return out, nil
}

// axisAttr is the attribute axis for a tensor of the given rank.
func (c *call) axisAttr(missing, rank int) (int, error) {
	a, err := c.int("axis", int64(missing))
	if err != nil {
		return 0, err
	}
	if a < -1<<20 || a > 1<<20 {
		return 0, fmt.Errorf("axis %d of a tensor with %d axes", a, rank)
	}
	return axis(int(a), rank)
}
