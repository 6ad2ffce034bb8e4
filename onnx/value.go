package onnx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// value is a value of the model: an input, a weight, a constant or what an
// operator of the graph computes. Its type is always known. Or it is a sequence of such
// values, while reading.
type value struct {
	name  string // "" for values that lowering adds
	dtype graph.DType
	sized []int       // its sizes in the graph that is made
	open  []graph.Dim // its sizes, if some of them are variables
	ints  []graph.Dim // its elements: integers of which some depend on variables
	from  []graph.Dim // of floats that are cast integers: these; some depend on variables

	// tensor is the value in the graph; none of a weight or a constant that no
	// operator was applied to so far.
	tensor graph.Tensor
	made   bool          // by a node of the graph
	weight *model.Weight // an initializer
	known  *constant     // also set once a weight has been looked into

	list    []*value // a sequence of tensors, which has no type; not nil, if it is one
	ones    *value   // truth values as zeros and ones, if they were made of these
	literal bool     // known from the file's text, not an initializer
	compact bool     // a kernel that has the name of the one that is made of it
	uses    int      // nodes of the file that read it, and outputs that are it
	fused   bool     // found in a decomposed form
	origin  *origin
}

// sizes are the sizes as numbers, for what is read at fixed sizes only.
func (v *value) sizes() []int {
	if v.open != nil {
		must.Do(unsupported("%s has dynamic sizes", v))
	}
	return v.sized
}

// dims are the sizes, which may have variables.
func (v *value) dims() []graph.Dim {
	if v.open != nil {
		return v.open
	}
	return dimsOf(v.sized...)
}

// size is the size of an axis.
func (v *value) size(axis int) graph.Dim { return v.dims()[axis] }

// typ is the type in the graph that is made.
func (v *value) typ() graph.TensorType { return graph.TensorType{DType: v.dtype, Sizes: v.sized} }

func (v *value) String() string {
	if v.name == "" {
		return v.typeText()
	}
	return fmt.Sprintf("%q %s", clip(v.name), v.typeText())
}

// typeText is the type with the variables of sizes.
func (v *value) typeText() string {
	if v.open != nil {
		sizes := make([]string, len(v.open))
		for i, d := range v.open {
			sizes[i] = d.Words()
		}
		return v.dtype.String() + "[" + strings.Join(sizes, ", ") + "]"
	}
	return v.typ().String()
}

func (v *value) rank() int { return len(v.sized) }

func (v *value) elements() int { return graph.NumElements(v.sizes()) }

// fixed reports whether the value is a weight or a constant.
func (v *value) fixed() bool { return v.weight != nil || v.known != nil }

// empty reports whether the value has no elements.
func (v *value) empty() bool { return slices.Contains(v.sized, 0) }

// constant is what is known of the value's elements: nil if they are not, or
// if there are too many to look into.
func (v *value) constant() (*constant, error) {
	if v.known != nil || v.open != nil || v.ints != nil || v.elements() > maxConstant {
		return v.known, nil
	}
	if v.weight == nil {
		return v.origin.constant(v), nil
	}
	raw, err := v.weight.Read()
	if err == nil {
		v.known, err = decodeConstant(v.dtype, v.sizes(), raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v, err)
	}
	return v.known, nil
}

// valueOf is a value with known elements.
func valueOf(c *constant) *value {
	return &value{dtype: c.dtype, sized: c.sizes, known: c, literal: true}
}

// weightValue is a value that is stored.
func weightValue(name string, w *model.Weight) *value {
	return &value{name: name, dtype: w.DType, sized: w.Sizes, weight: w}
}

// tensor is a value in the graph that is being made. A weight or a constant
// becomes an input of it when it is first asked for. All nodes have the names
// that their values have only when the graph is finished.
func (im *importer) tensor(v *value) graph.Tensor {
	if v.tensor.Node == 0 && v.ints != nil {
		v.tensor = im.tensor(im.spelledOut(v))
	}
	if v.tensor.Node == 0 {
		im.enter(v, must.Get(im.made.AddWeight(im.inputName(), v.dtype, v.sizes()...)))
	}
	return v.tensor
}

func (im *importer) enter(v *value, t graph.Tensor) {
	v.tensor = t
	im.values[t] = v
}

// inputName is a name for an input until the graph is finished.
func (im *importer) inputName() string { return strconv.Itoa(im.made.Graph().Len()) }

// entered are the outputs of a new node as values.
func (im *importer) entered(id graph.NodeID) []*value {
	g := im.made.Graph()
	outs := make([]*value, g.NumOut(id))
	for i := range outs {
		t := id.Out(i)
		outs[i] = &value{dtype: g.DType(t), sized: g.Sizes(t), open: openDims(g.Shape(t)), made: true}
		im.enter(outs[i], t)
	}
	return outs
}

// apply adds an operator and returns its first output. Named attributes that are
// not given take their default.
func (im *importer) apply(op string, attrs map[string]graph.Value, in ...*value) *value {
	o, ok := graph.Lookup(op)
	if !ok {
		must.Do(unsupported("operator %s is unknown", op))
	}
	return im.applyAttrs(o, must.Get(o.Attr(attrs)), in...)[0]
}

// applyAttrs adds an operator and returns its outputs.
func (im *importer) applyAttrs(o *graph.Op, a graph.Attrs, in ...*value) []*value {
	in = im.namedOnce(in)
	types := make([]graph.TensorType, len(in))
	at := im.atSamples(a)
	for i, v := range in {
		if types[i] = v.typ(); o.DTypes == nil && v.dtype != in[0].dtype {
			must.Failf("operator %s: %s and %s have different element types", o.Name, in[0], v)
		}
	}
	// A builder that was asked for what does not fit is of no use any more. Samples may be too
	// small, which is no error: variables come first.
	im.openFits(o, a, in)
	to := must.Get(graph.ApplyTypes(o, at, types, graph.Float32))
	if im.inFold {
		return im.evaluate(o, a, in, to)
	}
	if outs := im.again(o, a, in); outs != nil {
		return outs
	}
	ts := make([]graph.Tensor, len(in))
	for i, v := range in {
		ts[i] = im.tensor(v)
	}
	return im.entered(must.Get(im.made.Apply("", o, a, ts...)))
}

// Attribute values by their Go types.

type attrs = map[string]graph.Value

// do applies an operator without attributes, or with its defaults.
func (im *importer) do(op string, in ...*value) *value { return im.apply(op, nil, in...) }

// reshape gives a value other sizes; the same sizes need no operator.
func (im *importer) reshape(v *value, sizes ...int) *value { return im.reshapeTo(v, dimsOf(sizes...)) }

func (im *importer) reshapeTo(v *value, dims []graph.Dim) *value {
	if slices.Equal(v.dims(), dims) {
		return v
	}
	if sizes, ok := fixed(dims); ok && v.known != nil && v.literal && im.folding() {
		c := *v.known
		c.sizes = sizes
		return valueOf(&c)
	}
	return im.reshaped(v, dims)
}

// reshaped is a reshape even where none is needed, and of a constant, whose
// numbers are then stored as they were.
func (im *importer) reshaped(v *value, dims []graph.Dim) *value {
	return im.apply("reshape", attrs{"shape": graph.ShapeValue(graph.ShapeOf(dims...))}, v)
}

// broadcast repeats a value to larger sizes.
func (im *importer) broadcast(v *value, sizes ...int) *value {
	return im.broadcastTo(v, dimsOf(sizes...))
}

func (im *importer) broadcastTo(v *value, dims []graph.Dim) *value {
	if slices.Equal(v.dims(), dims) {
		return v
	}
	return im.apply("broadcast", attrs{"shape": graph.ShapeValue(graph.ShapeOf(dims...))}, v)
}

func (im *importer) transpose(v *value, perm ...int) *value {
	if slices.IsSorted(perm) {
		return v
	}
	return im.apply("transpose", attrs{"perm": graph.TupleValue(perm...)}, v)
}

func (im *importer) slice(v *value, axis, lo, hi int) *value {
	return im.sliceTo(v, axis, graph.Int(int64(lo)), graph.Int(int64(hi)))
}

func (im *importer) sliceTo(v *value, axis int, lo, hi graph.Dim) *value {
	if lo == graph.Int(0) && hi == v.size(axis) {
		return v
	}
	return im.apply("slice", attrs{"axis": graph.IntValue(axis), "lo": graph.DimValue(lo), "hi": graph.DimValue(hi)}, v)
}

// pad adds cells of one value around a tensor.
func (im *importer) pad(v *value, before, after []int, x float64) *value {
	if zeros(before) && zeros(after) {
		return v
	}
	return im.apply("pad", attrs{"before": graph.TupleValue(before...), "after": graph.TupleValue(after...), "value": graph.NumberValue(x)}, v)
}

func zeros(xs []int) bool { return all(xs, 0) }

// all reports whether all elements are x.
func all(xs []int, x int) bool {
	return !slices.ContainsFunc(xs, func(y int) bool { return y != x })
}

// resized is a weight as one of other sizes, with the same elements in the same order.
// What is in the graph already, or no weight, has none: nil.
func (v *value) resized(sizes []int) *value {
	if v.weight == nil || v.tensor.Node != 0 {
		return nil
	}
	w := v.weight
	return weightValue(v.name, &model.Weight{DType: w.DType, Sizes: sizes, Load: w.Read, Finite: w.Finite})
}

// upTo are the numbers lo to hi-1.
func upTo(lo, hi int) []int {
	var xs []int
	for i := lo; i < hi; i++ {
		xs = append(xs, i)
	}
	return xs
}

// element is a constant scalar of the element type of v.
func element(v *value, x float64) *value {
	if !v.dtype.IsFloat() {
		must.Do(unsupported("input %s is not supported", v.dtype))
	}
	return valueOf(&constant{dtype: v.dtype, floats: []float64{model.Round(v.dtype, x)}})
}

// scale multiplies by a number.
func (im *importer) scale(v *value, by float64) *value { return im.do("smul", v, element(v, by)) }

// scalar is a number of the element type of v, repeated to its sizes.
func (im *importer) scalar(v *value, x float64) *value {
	return im.broadcastTo(element(v, x), v.dims())
}

// ofChannels are the sizes of n numbers, one for each channel, the second of rank
// axes.
func ofChannels(n, rank int) []int {
	sizes := slices.Repeat([]int{1}, rank)
	sizes[1] = n
	return sizes
}

// joint is what operands of these sizes broadcast to, ONNX's rule.
func joint(all ...[]int) []int {
	list := make([][]graph.Dim, len(all))
	for i, sizes := range all {
		list[i] = dimsOf(sizes...)
	}
	sizes, _ := fixed((*dynamic)(nil).jointOf(list...))
	return sizes
}

// jointOf is joint for sizes that may have variables. Two that may be equal, or not, have no
// joint size for all values of the variables.
func (d *dynamic) jointOf(all ...[]graph.Dim) []graph.Dim {
	var out []graph.Dim
	one := graph.Int(1)
	for _, dims := range all {
		a, b := out, dims
		if len(a) < len(b) {
			a, b = b, a
		}
		sum := slices.Clone(a)
		for i := range b {
			p := len(a) - len(b) + i
			switch {
			case sum[p] == b[i] || b[i] == one:
			case sum[p] == one:
				sum[p] = b[i]
			case d.differ(sum[p], b[i]):
				must.Failf("sizes %v and %v do not broadcast", a, b)
			default:
				must.Do(disagree(sum[p], b[i], fmt.Sprintf("sizes %v and %v do not broadcast at all sizes", a, b)))
			}
		}
		out = sum
	}
	return out
}
