package onnx

import (
	"cmp"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// Sizes that stay variables while a model is read. Every size is a graph.Dim: a number, or a
// polynomial in the variables. The graph is made at sample sizes; attributes in which
// variables occur are kept beside it. What is decided while reading holds for all sizes of at
// least 1, or the node is refused.

// dynamic is what a model with dynamic sizes has beside its graph.
type dynamic struct {
	vars   []Variable
	opt    ReadOptions
	ranges map[string]Range
	named  map[string]graph.Dim // dimensions of the file by name
	at     *graph.Substitution  // the sample sizes
	attrs  map[graph.NodeID]graph.Attrs
}

// Variable is a size that the file leaves open.
type Variable struct {
	Name   string // in laws and certificates
	Dim    string // in the file, may be empty
	Input  string // the first input that has it
	Axis   int
	Sample int // the size at which the graph is made
	Range
}

// Dynamic says how a model is read whose sizes stay variables.
type Dynamic struct {
	Vars    []Variable
	Inputs  map[string][]graph.Dim       // sizes of the model's inputs
	Outputs [][]graph.Dim                // and of its outputs
	Attrs   map[graph.NodeID]graph.Attrs // of nodes whose attributes have variables
}

func dimsOf(sizes ...int) []graph.Dim {
	dims := make([]graph.Dim, len(sizes))
	for i, n := range sizes {
		dims[i] = graph.Int(int64(n))
	}
	return dims
}

// fixed are sizes as numbers, if none has variables.
func fixed(dims []graph.Dim) ([]int, bool) {
	sizes := make([]int, len(dims))
	for i, d := range dims {
		n, ok := d.Const()
		if !ok {
			return nil, false
		}
		sizes[i] = int(n)
	}
	return sizes, true
}

// numberOf is a size as a number, for what is read at fixed sizes only.
func numberOf(d graph.Dim) int {
	n, ok := d.Const()
	if !ok {
		must.Do(unsupported("size %s is dynamic", d))
	}
	return int(n)
}

// numbersOf are sizes as numbers, for what is read at fixed sizes only.
func numbersOf(dims []graph.Dim) []int {
	sizes := make([]int, len(dims))
	for i, d := range dims {
		sizes[i] = numberOf(d)
	}
	return sizes
}

// differ reports that two sizes are different for all values of the variables.
func (d *dynamic) differ(a, b graph.Dim) bool {
	x := a.Sub(b).Sub(graph.Int(1))
	return d.nonNegative(x) || d.nonNegative(x.Neg().Sub(graph.Int(2)))
}

// equalDims reports whether two sizes are the same. Both must be, or neither, for all values of
// the variables.
func (d *dynamic) equalDims(a, b graph.Dim) bool {
	if a != b && !d.differ(a, b) {
		must.Do(unsupported("whether %s is %s depends on the sizes", a, b))
	}
	return a == b
}

// atLeast reports whether a is b or more. It must be so, or not, for all values of the
// variables.
func (d *dynamic) atLeast(a, b graph.Dim) bool {
	x := a.Sub(b)
	if yes := d.nonNegative(x); yes || d.nonNegative(x.Neg().Sub(graph.Int(1))) {
		return yes
	}
	must.Do(unsupported("whether %s is at least %s depends on the sizes", a, b))
	return false
}

// nonNegative reports that x is 0 or more for all values of the variables: sound, not complete.
func (d *dynamic) nonNegative(x graph.Dim) bool {
	if x.NonNegative() {
		return true
	}
	if d == nil || x.TooLarge() {
		return false
	}
	terms, least := x.Terms()
	for _, t := range terms {
		lo, hi := int64(1), int64(1)
		for _, a := range t.Atoms {
			r := Range{1, maxDynamic}
			if a.Kind == graph.AtomVar {
				r = d.ranges[a.Name]
			} else if t.Coef < 0 {
				return false
			}
			var ok bool
			if lo, ok = graph.MulInt(lo, r.Lo); !ok {
				return false
			}
			if hi, ok = graph.MulInt(hi, r.Hi); !ok {
				return false
			}
		}
		at := lo
		if t.Coef < 0 {
			at = hi
		}
		part, ok := graph.MulInt(t.Coef, at)
		if !ok {
			return false
		}
		if least, ok = graph.AddInt(least, part); !ok {
			return false
		}
	}
	return least >= 0
}

// Range is what sizes a dimension may have.
type Range struct{ Lo, Hi int64 }

// maxDynamic is the largest size of a dynamic dimension. Files write more for the end of an
// axis.
const maxDynamic = 999_999_999

// product is the number of elements of these sizes.
func product(dims ...graph.Dim) graph.Dim {
	n := graph.Int(1)
	for _, d := range dims {
		n = n.Mul(d)
	}
	return n
}

// openShapes are the sizes of what an operator computes, nil if no size has variables.
func (im *importer) openShapes(o *graph.Op, a graph.Attrs, in []*value) [][]graph.Dim {
	if im.open == nil {
		return nil
	}
	open := false
	shapes := make([]graph.Shape, len(in))
	for i, v := range in {
		open = open || v.open != nil
		shapes[i] = graph.ShapeOf(v.dims()...)
	}
	for _, v := range a {
		v.Walk(func(graph.Atom) { open = true })
	}
	if !open {
		return nil
	}
	var f graph.Unifier
	outs, err := o.InferShapes(&f, a, shapes)
	if err != nil {
		must.Do(unsupported("at some sizes: %v", err))
	}
	for _, n := range f.Needs {
		if n.Rel != "<=" || !im.open.nonNegative(n.Right.Sub(n.Left)) {
			must.Do(unsupported("operator %s is defined at some sizes only: %s", o.Name, n))
		}
	}
	dims := make([][]graph.Dim, len(outs))
	for i, s := range outs {
		for _, it := range s {
			dims[i] = append(dims[i], it.Dim)
		}
	}
	return dims
}

// opened notes what variables occur in a new node.
func (im *importer) opened(outs []*value, shapes [][]graph.Dim, a graph.Attrs) {
	if shapes == nil {
		return
	}
	for i, v := range outs {
		if _, ok := fixed(shapes[i]); !ok {
			v.open = shapes[i]
		}
	}
	for _, v := range a {
		variables := false
		if v.Walk(func(graph.Atom) { variables = true }); variables {
			im.open.attrs[outs[0].tensor.Node] = a
			return
		}
	}
}

// sampleOf is the size at which the graph is made.
func (d *dynamic) sampleOf(x graph.Dim) int { return int(must.Get(x.Eval(d.at))) }

// samples are the sizes at which variables are taken, in their order: different, small, and
// no factor of one another.
var samples = []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}

// dynamicOf is what a model has beside its graph, nil at fixed sizes; from says which node of
// im.made each of its nodes is.
func (im *importer) dynamicOf(m *model.Model, from []graph.NodeID, outs []*value) *Dynamic {
	if im.open == nil {
		return nil
	}
	d := &Dynamic{Vars: im.open.vars, Inputs: map[string][]graph.Dim{}, Attrs: map[graph.NodeID]graph.Attrs{}}
	for _, v := range im.inputs {
		d.Inputs[v.name] = v.dims()
	}
	for _, v := range outs {
		d.Outputs = append(d.Outputs, v.dims())
	}
	for id := range m.Graph.Nodes() {
		if a := im.open.attrs[from[id]]; a != nil {
			d.Attrs[id] = a
		}
	}
	return d
}

// variable is a new size that the file leaves open.
func (d *dynamic) variable(dim, input string, axis int) graph.Dim {
	if x, ok := d.named[dim]; ok && dim != "" {
		return x
	}
	name := variableName(dim)
	for n := 1; ; n++ {
		if _, taken := d.at.Dims[name]; !taken {
			break
		}
		name = variableName(dim) + strings.Repeat("x", n)
	}
	r, ok := d.opt.Ranges[cmp.Or(dim, name)]
	if !ok {
		r = Range{1, maxDynamic}
	}
	sample := d.opt.Samples[cmp.Or(dim, name)]
	if sample == 0 {
		sample = samples[len(d.vars)%len(samples)]
	}
	d.vars = append(d.vars, Variable{Name: name, Dim: dim, Input: input, Axis: axis, Sample: sample, Range: r})
	d.at.Dims[name], d.ranges[name] = graph.Int(int64(sample)), r
	x := graph.Var(name)
	if dim != "" {
		d.named[dim] = x
	}
	return x
}

// variableName is a name of a dimension as the law language takes it: lower-case letters.
func variableName(dim string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, dim)
	name = strings.TrimLeft(name, "0123456789_")
	if name == "" {
		return "n"
	}
	return name
}
