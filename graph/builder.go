package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Builder makes a Graph node by node. The zero value is ready. Since a node
// can only refer to nodes that exist, the graph cannot have a cycle. The first
// error is kept, and Finish returns it: callers may check there only.
type Builder struct {
	g     *Graph
	named map[string]NodeID
	blank []NodeID // nodes that Finish names
	err   error
}

func (b *Builder) init() {
	if b.g == nil {
		b.g, b.named = empty(), map[string]NodeID{}
	}
}

func (b *Builder) fail(err error) error {
	if b.err == nil {
		b.err = err
	}
	return err
}

// claim reserves a node's name; "" is given a name by Finish.
func (b *Builder) claim(name string) error {
	id := NodeID(len(b.g.op))
	if name == "" {
		b.blank = append(b.blank, id)
		return nil
	}
	if _, taken := b.named[name]; taken {
		return fmt.Errorf("node %s: the name is taken", quoteName(name))
	}
	b.named[name] = id
	return nil
}

// AddInput adds an input of an element type and concrete sizes, each at least
// 0; no sizes are a scalar. The name must not be empty or taken.
func (b *Builder) AddInput(name string, t DType, sizes ...int) (Tensor, error) {
	b.init()
	if name == "" {
		return Tensor{}, b.fail(errors.New("input without a name"))
	}
	if t >= numDTypes {
		return Tensor{}, b.fail(fmt.Errorf("input %s: element type %s is not known", quoteName(name), t))
	}
	if err := CheckSizes(sizes); err != nil {
		return Tensor{}, b.fail(fmt.Errorf("input %s: %w", quoteName(name), err))
	}
	if err := b.claim(name); err != nil {
		return Tensor{}, b.fail(err)
	}
	own := append([]int{}, sizes...)
	return b.g.push(nil, nil, name, []DType{t}, nil, [][]int{own}).Out(0), nil
}

// AddWeight adds an input that belongs to the model, like [Builder.AddInput].
func (b *Builder) AddWeight(name string, t DType, sizes ...int) (Tensor, error) {
	w, err := b.AddInput(name, t, sizes...)
	if err == nil {
		b.g.weight[w.Node] = true
	}
	return w, err
}

// Apply adds an application of op to tensors of the graph and returns the new
// node. The element types of its outputs are the operator's to say (Op.DTypes);
// for most, operands must agree, and outputs are as they are; float32 where
// there are none ([Builder.Constant] takes another). An empty name is replaced
// by one of the form t7 in Finish.
func (b *Builder) Apply(name string, op *Op, attrs Attrs, in ...Tensor) (NodeID, error) {
	return b.add(name, op, attrs, in, Float32)
}

// Constant adds an application of an operator without inputs whose elements
// are of type t.
func (b *Builder) Constant(name string, t DType, op *Op, attrs Attrs) (NodeID, error) {
	return b.add(name, op, attrs, nil, t)
}

// Copy adds a node of another graph, with its name: an input, or an application to the
// tensors in, one for each of its operands and of its type.
// Dynamic sizes stay so, with the sample sizes of this graph if it has its own ([Builder.Vary]).
func (b *Builder) Copy(g *Graph, id NodeID, in []Tensor) (NodeID, error) {
	b.init()
	if g.sizing != nil && b.g.sizing == nil {
		b.g.sizing = g.sizing
	}
	t := id.Out(0)
	if kind, payload, ok := g.Opaque(id); ok {
		outs, shapes := make([]TensorType, g.NumOut(id)), make([]Shape, g.NumOut(id))
		for i := range outs {
			outs[i], shapes[i] = g.Type(id.Out(i)), g.Shape(id.Out(i))
		}
		return b.OpaqueOpen(g.Name(id), kind, payload, in, outs, shapes)
	}
	if g.Op(id) != nil {
		return b.add(g.Name(id), g.Op(id), g.OpenAttrs(id), in, g.DType(t))
	}
	if g.IsWeight(id) {
		x, err := b.AddWeight(g.Name(id), g.DType(t), g.Sizes(t)...)
		return x.Node, err
	}
	x, err := b.AddOpen(g.Name(id), g.DType(t), g.Shape(t))
	return x.Node, err
}

// Rename names a node that has no name yet.
func (b *Builder) Rename(id NodeID, name string) error {
	b.init()
	i := slices.Index(b.blank, id)
	switch _, taken := b.named[name]; {
	case i < 0:
		return b.fail(fmt.Errorf("node %d has a name, or is not there", id))
	case name == "" || taken:
		return b.fail(fmt.Errorf("node %s: the name is empty or taken", quoteName(name)))
	}
	b.blank = slices.Delete(b.blank, i, i+1)
	b.g.name[id], b.named[name] = name, id
	return nil
}

func (b *Builder) add(name string, op *Op, attrs Attrs, in []Tensor, t DType) (NodeID, error) {
	b.init()
	who := name
	if who == "" {
		who = "t" + strconv.Itoa(len(b.g.op))
	}
	wrap := func(err error) (NodeID, error) {
		return 0, b.fail(fmt.Errorf("node %s: %w", quoteName(who), err))
	}
	if op == nil {
		return wrap(errors.New("no operator"))
	}
	if t >= numDTypes {
		return wrap(fmt.Errorf("operator %s: element type %s is not known", op.Name, t))
	}
	types := make([]TensorType, len(in))
	for i, x := range in {
		if err := b.exists(x); err != nil {
			return wrap(fmt.Errorf("operator %s: operand %d: %w", op.Name, i, err))
		}
		types[i] = b.g.Type(x)
		if op.DTypes == nil && types[i].DType != types[0].DType {
			return wrap(fmt.Errorf("operator %s: operands %s and %s have different element types",
				op.Name, b.g.describe(in[0]), b.g.describe(x)))
		}
	}
	shapes, at, err := b.openShapes(op, attrs, in)
	if err != nil {
		return wrap(err)
	}
	outs, err := ApplyTypes(op, at, types, t)
	if err != nil {
		return wrap(err)
	}
	sizes := make([][]int, len(outs))
	outTypes := make([]DType, len(outs))
	for i, o := range outs {
		sizes[i], outTypes[i] = o.Sizes, o.DType
	}
	if err := b.claim(name); err != nil {
		return 0, b.fail(err)
	}
	id := b.g.push(op, append(Attrs{}, at...), name, outTypes, in, sizes)
	if shapes != nil {
		b.g.keepAttrs(id, append(Attrs{}, attrs...))
		for i, s := range shapes {
			b.g.keepShape(id.Out(i), s)
		}
	}
	return id, nil
}

// ApplyTypes are the types of what op computes from operands of these types, all
// concrete; t is the element type where there are no operands. The error says why
// they do not fit, or that an attribute is not concrete.
func ApplyTypes(op *Op, attrs Attrs, in []TensorType, t DType) ([]TensorType, error) {
	sizes := make([][]int, len(in))
	types := make([]DType, len(in))
	for i, x := range in {
		sizes[i], types[i] = x.Sizes, x.DType
		if i == 0 {
			t = x.DType
		} else if op.DTypes == nil && x.DType != t {
			return nil, fmt.Errorf("operator %s: operands %s and %s have different element types", op.Name, in[0], x)
		}
	}
	if len(attrs) != len(op.Params) {
		return nil, fmt.Errorf("operator %s: %d attributes, want %d", op.Name, len(attrs), len(op.Params))
	}
	for i, p := range op.Params {
		if err := checkConcrete(p, attrs[i]); err != nil {
			return nil, fmt.Errorf("operator %s: attribute %s: %w", op.Name, p.Name, err)
		}
	}
	outs, err := InferSizes(op, attrs, sizes)
	if err != nil {
		return nil, err
	}
	out := make([]TensorType, len(outs))
	for i, s := range outs {
		if err := CheckSizes(s); err != nil {
			return nil, fmt.Errorf("operator %s: output %d: %w", op.Name, i, err)
		}
		out[i] = TensorType{t, s}
	}
	if op.DTypes != nil {
		dtypes, err := op.DTypes(attrs, types)
		if err != nil {
			return nil, fmt.Errorf("operator %s: %w", op.Name, err)
		}
		for i := range out {
			out[i].DType = dtypes[i]
		}
	}
	return out, nil
}

// InferSizes are the sizes of what op computes from operands of these sizes, any of
// which may be 0. Operators between a mesh of devices and tensors take no empty ones.
func InferSizes(op *Op, attrs Attrs, in [][]int) ([][]int, error) {
	shapes := make([]Shape, len(in))
	for i, s := range in {
		shapes[i] = Sizes(s...)
	}
	f := Unifier{empty: op.Layout == LayoutNone}
	shapes, err := op.InferShapes(&f, attrs, shapes)
	if err != nil {
		return nil, err
	}
	if len(f.Needs) > 0 {
		return nil, fmt.Errorf("operator %s: not decided: %s", op.Name, NeedsString(f.Needs))
	}
	out := make([][]int, len(shapes))
	for i, s := range shapes {
		sizes, ok := s.Concrete()
		if !ok {
			return nil, fmt.Errorf("operator %s: output %d: shape %s is not concrete", op.Name, i, s)
		}
		out[i] = sizes
	}
	return out, nil
}

func (b *Builder) exists(t Tensor) error {
	if t.Node == 0 || int(t.Node) >= len(b.g.op) {
		return fmt.Errorf("there is no node %d", t.Node)
	}
	if int(t.Out) >= b.g.NumOut(t.Node) {
		name := b.g.name[t.Node]
		if name == "" {
			name = "t" + strconv.Itoa(int(t.Node))
		}
		return fmt.Errorf("node %s has no output %d", quoteName(name), t.Out)
	}
	return nil
}

// Sizes are the sizes of a tensor added so far, nil for one that is not there.
func (b *Builder) Sizes(t Tensor) []int {
	if b.g == nil || b.exists(t) != nil {
		return nil
	}
	return b.g.Sizes(t)
}

// DType is the element type of a tensor added so far, Float32 for one that is
// not there.
func (b *Builder) DType(t Tensor) DType {
	if b.g == nil || b.exists(t) != nil {
		return Float32
	}
	return b.g.DType(t)
}

// Graph is the graph as far as it is built, without outputs: to be looked at
// before the next node is added.
func (b *Builder) Graph() *Graph {
	b.init()
	return b.g
}

// Finish names the outputs, at least one, and returns the graph, or the first
// error of any call. The builder is then empty again.
func (b *Builder) Finish(outputs ...Tensor) (*Graph, error) {
	b.init()
	for i, t := range outputs {
		if err := b.exists(t); err != nil {
			_ = b.fail(fmt.Errorf("output %d: %w", i, err))
		}
	}
	if len(outputs) == 0 {
		_ = b.fail(errors.New("graph without outputs"))
	}
	g, err := b.g, b.err
	for _, id := range b.blank {
		name := "t" + strconv.Itoa(int(id))
		for _, taken := b.named[name]; taken; _, taken = b.named[name] {
			name += "_"
		}
		g.name[id], b.named[name] = name, id
	}
	*b = Builder{}
	if err != nil {
		return nil, err
	}
	g.outputs = append([]Tensor{}, outputs...)
	return g, nil
}

// CheckSizes reports sizes that no tensor of a graph may have; it guards every
// later product of sizes.
func CheckSizes(sizes []int) error {
	if len(sizes) > MaxRank {
		return fmt.Errorf("%d axes, more than %d", len(sizes), MaxRank)
	}
	n := 1 // elements, axes of size 0 left out: what strides are made of
	for _, s := range sizes {
		if s < 0 || s > MaxSize {
			return fmt.Errorf("shape %s: size %d is not in 0 to %d", Sizes(sizes...), s, MaxSize)
		}
		if n > MaxElements/max(s, 1) {
			return fmt.Errorf("shape %s: more than %d elements", Sizes(sizes...), MaxElements)
		}
		n *= max(s, 1)
	}
	return nil
}

// checkConcrete requires an attribute value without variables, of the kind
// that the parameter's sort asks for. Which names and numbers fit is for shape
// inference to say.
func checkConcrete(p Param, v Value) error {
	if v.Kind() == KindVar {
		return fmt.Errorf("%s is a variable", v)
	}
	if err := p.checkKind(v); err != nil {
		return err
	}
	switch v.Kind() {
	case KindDim:
		d, _ := v.Dim()
		return checkInt(d)
	case KindTuple:
		xs, _ := v.Tuple()
		if len(xs) > MaxRank {
			return fmt.Errorf("%d numbers, more than %d", len(xs), MaxRank)
		}
		for _, x := range xs {
			if err := checkInt(Int(x)); err != nil {
				return err
			}
		}
	case KindShape:
		s, _ := v.Shape()
		sizes, ok := s.Concrete()
		if !ok {
			return fmt.Errorf("shape %s is not concrete", s)
		}
		return CheckSizes(sizes)
	}
	return nil
}

func checkInt(d Dim) error {
	n, ok := d.Const()
	if !ok {
		return fmt.Errorf("%s is not a number", d)
	}
	if n > MaxSize || n < -MaxSize {
		return fmt.Errorf("%d is not in -%d to %d", n, MaxSize, MaxSize)
	}
	return nil
}

func addSat(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Product is the product of non-negative numbers, or the largest int64 where
// that is exceeded: for estimates of work, which must not wrap around.
func Product(ns ...int) int64 {
	p := int64(1)
	for _, n := range ns {
		if n == 0 {
			return 0
		}
	}
	for _, n := range ns {
		if p > math.MaxInt64/int64(n) {
			return math.MaxInt64
		}
		p *= int64(n)
	}
	return p
}
