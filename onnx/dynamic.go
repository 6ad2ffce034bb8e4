package onnx

import (
	"cmp"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/law"
)

// Sizes that stay variables while a model is read. Every size is a graph.Dim: a number, or a
// polynomial in the variables. The graph is made at sample sizes; attributes in which
// variables occur are kept beside it. What is decided while reading holds for all sizes of at
// least 1, or the node is refused.

// dynamic is the sizes that a model leaves open, while it is read.
type dynamic struct {
	*graph.Sizing
	opt   ReadOptions
	vars  []Variable
	axes  []OpenSize           // of all inputs, at the samples
	named map[string]graph.Dim // dimensions of the file by name
}

// Variable is a size that the file leaves open.
type Variable struct {
	graph.SizeVar
	Dim   string // in the file, may be empty
	Input string // the first input that has it
	Axis  int
}

// key is the name of the variable in [ReadOptions].
func (v Variable) key() string { return cmp.Or(v.Dim, v.Name) }

func newDynamic(opt ReadOptions) *dynamic {
	return &dynamic{Sizing: &graph.Sizing{}, opt: opt, named: map[string]graph.Dim{}}
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
	if d == nil {
		return x.NonNegative()
	}
	return d.Sizing.NonNegative(x)
}

// maxDynamic is the largest size of a dynamic dimension.
const maxDynamic = graph.Unbounded

// product is the number of elements of these sizes.
func product(dims ...graph.Dim) graph.Dim {
	n := graph.Int(1)
	for _, d := range dims {
		n = n.Mul(d)
	}
	return n
}

// openFits requires that an operator can be applied at all sizes. A builder that was asked for
// what does not fit is of no use any more.
func (im *importer) openFits(o *graph.Op, a graph.Attrs, in []*value) {
	if im.open == nil {
		return
	}
	shapes, varies := make([]graph.Shape, len(in)), a.Varies()
	for i, v := range in {
		shapes[i], varies = graph.ShapeOf(v.dims()...), varies || v.open != nil
	}
	if !varies {
		return
	}
	if _, err := im.open.Apply(o, a, shapes); err != nil {
		must.Do(unsupported("at some sizes: %v", err))
	}
}

// openDims are the sizes of a shape if some are variables, nil else.
func openDims(s graph.Shape) []graph.Dim {
	if _, ok := s.Concrete(); ok {
		return nil
	}
	dims := make([]graph.Dim, len(s))
	for i, it := range s {
		dims[i] = it.Dim
	}
	return dims
}

// atSamples are attributes at the sample sizes.
func (im *importer) atSamples(a graph.Attrs) graph.Attrs {
	if im.open == nil {
		return a
	}
	return a.Subst(im.open.Samples())
}

// sampleOf is the size at which the graph is made.
func (d *dynamic) sampleOf(x graph.Dim) int { return int(must.Get(x.Eval(d.Samples()))) }

// samples are the sizes at which variables are taken, in their order: different, small, and
// no factor of one another.
var samples = []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}

// variable is a new size that the file leaves open.
func (d *dynamic) variable(dim, input string, axis int) graph.Dim {
	if x, ok := d.named[dim]; ok && dim != "" {
		return x
	}
	name := variableName(dim)
	for n := 1; d.Has(name) || law.Reserved(name); n++ {
		name = variableName(dim) + strings.Repeat("x", n)
	}
	r, ok := d.opt.Ranges[cmp.Or(dim, name)]
	if !ok {
		r, ok = d.opt.Ranges[name] // as a certificate names it
	}
	if !ok {
		r = graph.Range{Lo: 1, Hi: maxDynamic}
	}
	sample := d.opt.Samples[cmp.Or(dim, name)]
	if sample == 0 {
		sample = samples[len(d.vars)%len(samples)]
	}
	v := Variable{graph.SizeVar{Name: name, Sample: sample, Range: r}, dim, input, axis}
	must.Do(d.Add(v.SizeVar))
	d.vars = append(d.vars, v)
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
