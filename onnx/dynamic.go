package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// Sizes that stay variables while a model is read. Every size is a graph.Dim: a number, or a
// polynomial in the variables. The graph is made at sample sizes; it also keeps the attributes in
// which variables occur. What is decided while reading holds for all sizes in the
// ranges of the variables, or the node is refused.

// dynamic is the sizes that a model leaves open, while it is read.
type dynamic struct {
	*graph.Sizing
	opt   ReadOptions
	vars  []Variable
	axes  []OpenSize           // of all inputs, at the samples
	named map[string]graph.Dim // dimensions of the file by name
	taken map[int64]bool       // sizes that no sample has

	summed bool // a variable has the name of a sum of two others
	apart  bool // an input with a default has a variable that others with its name do not have
	narrowing
}

// Variable is a size that the file leaves open. The dimension is the variable times the step; sample
// and range are of the variable. Sizes at which the file fails are not in the range.
type Variable struct {
	graph.SizeVar
	Dim   string // in the file, may be empty
	Input string // the first input that has it
	Axis  int
}

// Key is the name of the dimension in [ReadOptions].
func (v Variable) Key() string { return cmp.Or(v.Dim, v.Name) }

func newDynamic(opt ReadOptions, n narrowing, g *onnxpb.GraphProto) *dynamic {
	return &dynamic{Sizing: &graph.Sizing{}, opt: opt, named: map[string]graph.Dim{}, taken: sizesIn(g), narrowing: n}
}

// sizesIn are the sizes of weights and declared tensors.
func sizesIn(g *onnxpb.GraphProto) map[int64]bool {
	in := map[int64]bool{}
	for _, t := range g.GetInitializer() {
		for _, n := range t.GetDims() {
			in[n] = true
		}
	}
	for _, v := range slices.Concat(g.GetInput(), g.GetOutput(), g.GetValueInfo()) {
		for _, n := range v.GetType().GetTensorType().GetShape().GetDim() {
			in[n.GetDimValue()] = true
		}
	}
	return in
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
		must.Do(unsupported("size %s is dynamic", d.Words()))
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
	return d.sizing().NonNegative(x) || d.sizing().NonNegative(x.Neg().Sub(graph.Int(2)))
}

// Two kinds of questions are asked of sizes while a model is read.
//
// A decision chooses how the model goes on: both answers are legal models. It must have the
// same answer for all values of the variables ([dynamic.equalDims], [dynamic.atLeast]), or the
// node is refused; nothing is changed in order to get an answer.
//
// A requirement is what a node needs so that it is defined at all ([dynamic.require],
// [dynamic.same], [dynamic.whole], and the needs of operators): where it does not hold, the
// file fails. If it does not hold for all values of the variables, these are narrowed, see
// [importer.narrowed].

// equalDims decides whether two sizes are the same.
func (d *dynamic) equalDims(a, b graph.Dim) bool {
	if a != b && !d.differ(a, b) {
		must.Do(unsupported("whether %s is %s depends on the sizes", a.Words(), b.Words()))
	}
	return a == b
}

// atLeast decides whether a is b or more.
func (d *dynamic) atLeast(a, b graph.Dim) bool {
	yes, known := d.decided(a, b)
	if text := fmt.Sprintf("whether %s is at least %s depends on the sizes", a.Words(), b.Words()); !known && d != nil && !d.narrowing.open[text] {
		must.Do(&decision{a.Sub(b), text})
	} else if !known {
		must.Do(unsupported("%s%s", text, d.wayToDecide(a.Sub(b))))
	}
	return yes
}

// wayToDecide tells how the sign of a size may be the same for all values of the variables.
func (d *dynamic) wayToDecide(x graph.Dim) string {
	if d == nil {
		return ""
	}
	var keys []string
	for _, v := range d.vars {
		in := false
		x.Walk(func(a graph.Atom) { in = in || a.Kind == graph.AtomVar && a.Name == v.Name })
		if in {
			keys = append(keys, v.Key())
		}
	}
	return "; a --range of " + strings.Join(keys, " and ") + " may decide it"
}

// decided reports whether a is b or more, and whether that is so, or not, for all values of the
// variables.
func (d *dynamic) decided(a, b graph.Dim) (yes, known bool) {
	x := a.Sub(b)
	if d.sizing().NonNegative(x) {
		return true, true
	}
	return false, d.sizing().NonNegative(x.Neg().Sub(graph.Int(1)))
}

// require reports whether a is b or more, without which the file fails.
func (d *dynamic) require(a, b graph.Dim) bool {
	yes, known := d.decided(a, b)
	if !known {
		must.Do(&undefined{least: a.Sub(b), text: fmt.Sprintf("whether %s is at least %s depends on the sizes", a.Words(), b.Words())})
	}
	return yes
}

// same reports whether two sizes are the same, without which the file fails.
func (d *dynamic) same(a, b graph.Dim) bool {
	if a != b && !d.differ(a, b) {
		must.Do(disagree(a, b, fmt.Sprintf("whether %s is %s depends on the sizes", a.Words(), b.Words())))
	}
	return a == b
}

// sizing is the variables, nil if there are none.
func (d *dynamic) sizing() *graph.Sizing {
	if d == nil {
		return nil
	}
	return d.Sizing
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
	_, err := im.open.Apply(o, a, shapes)
	var need *graph.NeedError
	var size *graph.SizeError
	switch {
	case errors.As(err, &need) && need.Need.Rel == "<=":
		must.Do(&undefined{least: need.Need.Right.Sub(need.Need.Left), text: err.Error()})
	case errors.As(err, &need):
		must.Do(indivisible(need.Need.Right, need.Need.Left, err.Error()))
	case errors.As(err, &size) && !im.open.differ(size.A, size.B):
		must.Do(disagree(size.A, size.B, err.Error()))
	case err != nil:
		// If it fails at the samples too, the operator says why.
		types := make([]graph.TensorType, len(in))
		for i, v := range in {
			types[i] = v.typ()
		}
		must.Get(graph.ApplyTypes(o, im.atSamples(a), types, graph.Float32))
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

// samples are the sizes that variables are tried at first, in their order: different, small,
// and no factor of one another.
var samples = []int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}

// typicalSize is the size that an axis typically has in a run.
func typicalSize(rank, axis int, batch bool) int64 {
	switch {
	case batch:
		return 1
	case rank >= 4 && axis >= 2:
		return 224
	}
	return 128
}

// variable is a new size that the file leaves open; typical is a size that it often has.
func (d *dynamic) variable(dim, input string, axis int, typical int64) graph.Dim {
	if x, ok := d.named[dim]; ok && dim != "" {
		return x
	}
	name := d.free(dim)
	key := cmp.Or(dim, name)
	r, ok := d.opt.Ranges[key]
	if !ok {
		r = graph.Range{Lo: 1, Hi: maxDynamic}
	}
	own, given := d.opt.Variables[name]
	step := int64(cmp.Or(d.step[name], own.Step, d.opt.Steps[key], 1))
	if step < 1 || step > maxDynamic {
		must.Failf("step %d of dimension %q", step, clip(key))
	}
	r.Lo, r.Hi = max(r.Lo, d.least[name]), min(r.Hi, maxDynamic)
	if most, ok := d.most[name]; ok {
		r.Hi = min(r.Hi, most)
	}
	r.Lo, r.Hi = -graph.FloorDiv(-r.Lo, step), graph.FloorDiv(r.Hi, step)
	if given {
		r.Lo, r.Hi = max(r.Lo, own.Lo), min(r.Hi, own.Hi)
	}
	if r.Lo > r.Hi {
		must.Failf("no size of dimension %q is in its range, a multiple of its step %d, and one at which the model is defined", clip(key), step)
	}
	v := Variable{graph.SizeVar{Name: name, Sample: d.sample(key, r, step, typical), Range: r, Step: int(step)}, dim, input, axis}
	if n := int64(own.Sample); n >= r.Lo && n <= r.Hi && n > 0 { // that of the other file
		v.Sample = own.Sample
	}
	must.Do(d.Add(v.SizeVar))
	d.vars = append(d.vars, v)
	x := graph.Var(name).Scale(step)
	if dim != "" {
		d.named[dim] = x
	}
	return x
}

// free is a name for a variable that no other has.
func (d *dynamic) free(dim string) string {
	name := variableName(dim)
	for n := 1; d.Has(name) || law.Reserved(name); n++ {
		name = variableName(dim) + strings.Repeat("x", n)
	}
	return name
}

// ofDefault is the size of an axis of an input with a default. It is a variable of its own, also if
// other inputs have a dimension of that name: who leaves the input out has the size of the default
// there. Where the file cannot be read so, it is theirs, and a note says for which size the default
// is.
func (d *dynamic) ofDefault(dim, input string, axis, size int, typical int64) graph.Dim {
	shared, had := d.named[dim]
	_, own := d.opt.Variables[d.free(dim)]
	if dim == "" || d.shared || had && len(d.opt.Variables) > 0 && !own {
		x := d.variable(dim, input, axis, typical)
		if terms, _ := x.Terms(); dim != "" && len(terms) > 0 {
			v := d.find(terms[0].Atoms[0].Name)
			v.With = strings.TrimPrefix(v.With+", ", ", ") + fmt.Sprintf("the default of %q is for %s = %d", clip(input), clip(dim), size)
			d.Note(v.SizeVar)
		}
		return x
	}
	delete(d.named, dim)
	x := d.variable(dim, input, axis, typical)
	if delete(d.named, dim); had {
		d.named[dim] = shared
	}
	d.apart = true
	return x
}

// sample is the value of a variable at which the graph is made: the one that is asked for, or
// the next that is in the range. Else it is small, and no other variable and nothing in the file
// has this size, so that no size is taken for another by chance.
func (d *dynamic) sample(key string, r graph.Range, step, typical int64) int {
	if n := int64(d.opt.Samples[key]); n != 0 {
		if n < 1 || n > maxDynamic {
			must.Failf("sample %d of dimension %q", n, clip(key))
		}
		return int(min(max(-graph.FloorDiv(-n, step), r.Lo), r.Hi))
	}
	if d.opt.Typical {
		return int(min(max(-graph.FloorDiv(-typical, step), r.Lo), r.Hi))
	}
	try := slices.Clone(samples)
	for n := r.Lo; n <= r.Hi && n < r.Lo+1000; n++ {
		try = append(try, n)
	}
	for _, n := range try {
		if n >= r.Lo && n <= r.Hi && !d.taken[n*step] {
			d.taken[n*step] = true
			return int(n)
		}
	}
	return int(r.Lo)
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
