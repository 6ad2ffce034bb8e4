package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// value is a value of the model: an input, a weight, a constant or an output
// of a step. Its type is always known.
type value struct {
	name  string // "" for values that lowering adds
	dtype graph.DType
	sizes []int

	// One of these says where it comes from; none: it is an input.
	step   *step
	weight *model.Weight // an initializer
	known  *constant     // also set once a weight has been looked into

	ones    *value // truth values as zeros and ones, if they were made of these
	out     int    // output of step
	literal bool   // known from the file's text, not an initializer
	uses    int    // nodes of the file that read it, and outputs that are it
}

func (v *value) typ() graph.TensorType { return graph.TensorType{DType: v.dtype, Sizes: v.sizes} }

func (v *value) String() string {
	if v.name == "" {
		return v.typ().String()
	}
	return fmt.Sprintf("%q %s", clip(v.name), v.typ())
}

func (v *value) rank() int { return len(v.sizes) }

func (v *value) elements() int { return graph.NumElements(v.sizes) }

// fixed reports whether the value is a weight or a constant.
func (v *value) fixed() bool { return v.weight != nil || v.known != nil }

// empty reports whether the value has no elements; only constants may.
func (v *value) empty() bool { return slices.Contains(v.sizes, 0) }

// constant is what is known of the value's elements: nil if they are not, or
// if there are too many to look into.
func (v *value) constant() (*constant, error) {
	if v.known != nil || v.weight == nil {
		return v.known, nil
	}
	if v.elements() > maxConstant {
		return nil, nil
	}
	raw, err := v.weight.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v, err)
	}
	c, err := decodeConstant(v.dtype, v.sizes, raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v, err)
	}
	v.known = c
	return c, nil
}

// step is a node of the graph that is being made.
type step struct {
	op    *graph.Op
	attrs graph.Attrs
	in    []*value
	outs  []*value

	opaque *Opaque // instead of op and attrs
	seq    int     // steps are made in this order
}

// valueOf is a value with known elements.
func valueOf(c *constant) *value {
	return &value{dtype: c.dtype, sizes: c.sizes, known: c, literal: true}
}

// weightValue is a value that is stored.
func weightValue(name string, w *model.Weight) *value {
	return &value{name: name, dtype: w.DType, sizes: w.Sizes, weight: w}
}

// apply adds a step. Named attributes that are not given take their default.
func (im *importer) apply(op string, attrs map[string]graph.Value, in ...*value) (*value, error) {
	o, ok := graph.Lookup(op)
	if !ok {
		return nil, unsupported("operator %s is not known here", op)
	}
	a, err := o.Attr(attrs)
	if err != nil {
		return nil, err
	}
	return im.applyAttrs(o, a, in...)
}

func (im *importer) applyAttrs(o *graph.Op, a graph.Attrs, in ...*value) (*value, error) {
	types := make([]graph.TensorType, len(in))
	for i, v := range in {
		if v.empty() {
			return nil, fmt.Errorf("operator %s: operand %s has no elements", o.Name, v)
		}
		if types[i] = v.typ(); o.DTypes == nil && v.dtype != in[0].dtype {
			return nil, fmt.Errorf("operator %s: %s and %s have different element types", o.Name, in[0], v)
		}
	}
	outs, err := graph.ApplyTypes(o, a, types, graph.Float32)
	if err != nil {
		return nil, err
	}
	s := &step{op: o, attrs: a, in: in, seq: im.next()}
	for i, t := range outs {
		s.outs = append(s.outs, &value{dtype: t.DType, sizes: t.Sizes, step: s, out: i})
	}
	return s.outs[0], nil
}

// Attribute values by their Go types.

type attrs = map[string]graph.Value

func intAttr(n int) graph.Value { return graph.IntValue(int64(n)) }

func tupleAttr(xs ...int) graph.Value {
	t := make([]int64, len(xs))
	for i, x := range xs {
		t[i] = int64(x)
	}
	return graph.TupleValue(t...)
}

func shapeAttr(sizes ...int) graph.Value { return graph.ShapeValue(graph.Sizes(sizes...)) }

// reshape gives a value other sizes; the same sizes need no step.
func (im *importer) reshape(v *value, sizes ...int) (*value, error) {
	if slices.Equal(v.sizes, sizes) {
		return v, nil
	}
	if v.known != nil && v.literal && im.folding() {
		c := *v.known
		c.sizes = slices.Clone(sizes)
		return valueOf(&c), nil
	}
	return im.apply("reshape", attrs{"shape": shapeAttr(sizes...)}, v)
}

// broadcast repeats a value to larger sizes.
func (im *importer) broadcast(v *value, sizes ...int) (*value, error) {
	if slices.Equal(v.sizes, sizes) {
		return v, nil
	}
	return im.apply("broadcast", attrs{"shape": shapeAttr(sizes...)}, v)
}

func (im *importer) transpose(v *value, perm ...int) (*value, error) {
	for i, p := range perm {
		if i != p {
			return im.apply("transpose", attrs{"perm": tupleAttr(perm...)}, v)
		}
	}
	return v, nil
}

func (im *importer) slice(v *value, axis, lo, hi int) (*value, error) {
	if lo == 0 && hi == v.sizes[axis] {
		return v, nil
	}
	return im.apply("slice", attrs{"axis": intAttr(axis), "lo": intAttr(lo), "hi": intAttr(hi)}, v)
}

// pad adds cells of one value around a tensor.
func (im *importer) pad(v *value, before, after []int, x float64) (*value, error) {
	if !slices.ContainsFunc(before, notZero) && !slices.ContainsFunc(after, notZero) {
		return v, nil
	}
	return im.apply("pad", attrs{"before": tupleAttr(before...), "after": tupleAttr(after...), "value": graph.NumberValue(x)}, v)
}

func notZero(n int) bool { return n != 0 }

// scale multiplies by a number.
func (im *importer) scale(v *value, by float64) (*value, error) {
	if !v.dtype.IsFloat() {
		return nil, unsupported("it is applied to %s", v.dtype)
	}
	c := floatScalar(by)
	c.dtype = v.dtype
	return im.apply("smul", nil, v, valueOf(c))
}

// scalar is a number of the element type of v, repeated to its sizes.
func (im *importer) scalar(v *value, x float64) (*value, error) {
	if !v.dtype.IsFloat() {
		return nil, unsupported("it is applied to %s", v.dtype)
	}
	c := floatScalar(x)
	c.dtype = v.dtype
	return im.broadcast(valueOf(c), v.sizes...)
}

// joint is what operands of these sizes broadcast to, ONNX's rule.
func joint(vs ...*value) ([]int, error) {
	var out []int
	for _, v := range vs {
		a, b := out, v.sizes
		if len(a) < len(b) {
			a, b = b, a
		}
		sum := slices.Clone(a)
		for i := range b {
			p := len(a) - len(b) + i
			switch {
			case sum[p] == b[i] || b[i] == 1:
			case sum[p] == 1:
				sum[p] = b[i]
			default:
				return nil, fmt.Errorf("sizes %v and %v do not broadcast", a, b)
			}
		}
		out = sum
	}
	return out, nil
}
