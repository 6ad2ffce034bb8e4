package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// A file may leave sizes of its inputs open. The options give them, but for that of
// the batch, which is 1 where nobody says otherwise. What is still open then is told
// at once, for all inputs, together with what the options name in vain.

// asked is what is known and what is not of the sizes of inputs.
type asked struct {
	taken map[string]bool      // names of the options that were of use
	later map[string]bool      // dimensions that are not the first axis of some input
	first map[string]namedAxis // the first axis of each open dimension with a name
	ones  map[string]bool      // dimensions that are a batch, and 1 because nobody said otherwise
	open  []openAxis
	bare  []string                        // inputs of which the file gives no shape
	known struct{ inputs, dims []string } // names, for hints
}

// namedAxis is an axis of an input.
type namedAxis struct {
	input      string
	axis, rank int
}

// openAxis is an axis whose size nobody gives.
type openAxis struct {
	input, dim string
	axis       int
	shape      string // of the input, with N where it is open
}

func newAsked(g *onnxpb.GraphProto) *asked {
	a := &asked{taken: map[string]bool{}, later: map[string]bool{}, ones: map[string]bool{}, first: map[string]namedAxis{}}
	for _, in := range g.GetInput() {
		if name := in.GetName(); len(a.known.inputs) < maxKnown && shellWord(name) == name {
			a.known.inputs = append(a.known.inputs, name)
		}
		dims := in.GetType().GetTensorType().GetShape().GetDim()
		for i, d := range dims {
			if _, ok := a.first[dimName(d)]; !ok && dimName(d) != "" {
				a.first[dimName(d)] = namedAxis{in.GetName(), i, len(dims)}
			}
			if name := dimName(d); name != "" && len(a.known.dims) < maxKnown && shellWord(name) == name && !slices.Contains(a.known.dims, name) {
				a.known.dims = append(a.known.dims, name)
			}
			if i > 0 {
				a.later[dimName(d)] = true
			}
		}
	}
	return a
}

// given notes the sizes of named dimensions that follow from the shapes of inputs,
// which also decide those of inputs before them.
func (im *importer) given(g *onnxpb.GraphProto) {
	for _, in := range g.GetInput() {
		shape := im.opt.Shapes[in.GetName()]
		dims := in.GetType().GetTensorType().GetShape().GetDim()
		if len(shape) != len(dims) {
			continue
		}
		for i, d := range dims {
			if name := dimName(d); name != "" {
				if _, ok := im.dims[name]; !ok {
					im.dims[name] = shape[i]
				}
			}
		}
	}
}

// inputType is the declared type of an input, with sizes from the options, or else from its
// default, which may be nil. A size that nobody gives is noted, and 1. A dynamic size is any size,
// also of an input with a default: where sizes are fixed, the report names it.
func (im *importer) inputType(in *onnxpb.ValueInfoProto, standard *model.Weight) (graph.TensorType, []graph.Dim) {
	tt := in.GetType().GetTensorType()
	if tt == nil {
		must.Failf("it is not a tensor")
	}
	t := must.Get(dtypeOf(elem(tt.GetElemType())))
	dims := tt.GetShape().GetDim()
	given, ok := im.opt.Shapes[in.GetName()]
	if ok {
		im.asked.taken[in.GetName()] = true
		if tt.GetShape() == nil {
			must.Do(graph.CheckSizes(given))
			for i, n := range given {
				im.report.Open = append(im.report.Open, OpenSize{Input: in.GetName(), Axis: i, Size: n})
			}
			return graph.TensorType{DType: t, Sizes: given}, nil
		}
		if len(given) != len(dims) {
			must.Failf("the shape %v is given, but it has %d axes", given, len(dims))
		}
	}
	if tt.GetShape() == nil {
		im.asked.bare = append(im.asked.bare, in.GetName())
		return graph.TensorType{DType: t, Sizes: []int{}}, nil
	}
	sizes := make([]int, len(dims))
	var open []graph.Dim
	for i, d := range dims {
		name := dimName(d)
		n, fixed := dimSize(d)
		switch {
		case n > graph.MaxSize:
			must.Failf("size %d of axis %d is larger than %d", n, i, graph.MaxSize)
		case n < 0:
			must.Failf("size %d of axis %d is less than 0", n, i)
		}
		if by, ok := im.opt.Shapes[name]; ok && name != "" && len(by) == 1 {
			im.asked.taken[name] = true
			im.dims[name] = by[0]
		}
		assumed := false
		switch {
		case given != nil && fixed && int64(given[i]) != n:
			must.Failf("the shape %v is given, but axis %d has size %d", given, i, n)
		case given != nil:
			n = int64(given[i])
			if name != "" {
				if old, ok := im.dims[name]; ok && old != given[i] {
					must.Failf("dimension %q is %d and %d", clip(name), old, given[i])
				}
				im.dims[name] = given[i]
			}
		case fixed:
		default:
			known, ok := im.dims[name]
			ok = ok && name != ""
			batch, sure := im.batchAxis(dims)
			batched := im.opt.Batch > 0 && i == batch && (sure || standard == nil)
			if !ok && im.open != nil && !batched {
				if open == nil {
					open = make([]graph.Dim, len(dims))
				}
				if typical := typicalSize(len(dims), i, i == batch); standard != nil && i < len(standard.Sizes) {
					open[i] = im.open.ofDefault(name, in.GetName(), i, standard.Sizes[i], typical)
				} else {
					open[i] = im.dimension(name, in.GetName(), i, typical)
				}
				n = int64(im.open.sampleOf(open[i]))
				im.open.axes = append(im.open.axes, OpenSize{Input: in.GetName(), Axis: i, Dim: name, Size: int(n)})
				break
			}
			if !ok && standard != nil && !batched { // of the same rank: see declaredAs
				if known, ok = standard.Sizes[i], true; name != "" {
					im.dims[name] = known
				}
			}
			if !ok && i == batch && (sure || im.opt.Batch > 0) {
				if known = im.opt.Batch; known == 0 {
					known, assumed = 1, true
					im.asked.ones[name] = true
				} else {
					im.report.Batch++
				}
				if ok = true; name != "" {
					im.dims[name] = known
				}
			}
			if !ok {
				im.asked.open = append(im.asked.open, openAxis{in.GetName(), name, i, openShape(tt.GetShape())})
				known = 1
			}
			n = int64(known)
		}
		if variable := open != nil && open[i] != (graph.Dim{}); !fixed && !variable {
			assumed = assumed || name != "" && im.asked.ones[name]
			im.report.Open = append(im.report.Open, OpenSize{Input: in.GetName(), Axis: i, Dim: name, Size: int(n), Assumed: assumed})
		}
		sizes[i] = int(n)
	}
	must.Do(graph.CheckSizes(sizes))
	for i := range open {
		if open[i] == (graph.Dim{}) {
			open[i] = graph.Int(int64(sizes[i]))
		}
	}
	return graph.TensorType{DType: t, Sizes: sizes}, open
}

// dimension is a size that the file leaves open: a variable, or, where the file cannot be read
// otherwise, the sum of two dimensions of inputs that its name says, such as "past + sequence".
func (im *importer) dimension(name, input string, axis int, typical int64) graph.Dim {
	d := im.open
	if _, ok := d.named[name]; ok {
		return d.named[name]
	}
	// Variables that are given say whether it is one.
	_, own := d.opt.Variables[variableName(name)]
	sums := d.sums || len(d.opt.Variables) > 0 && !own
	sum, last := graph.Int(0), graph.Int(0)
	parts := strings.Split(name, " + ")
	for _, part := range parts {
		_, fixed := im.dims[part]
		_, given := im.opt.Shapes[part]
		at, ok := im.asked.first[part]
		if len(parts) != 2 || !ok || fixed || given {
			return d.variable(name, input, axis, typical)
		}
		if sums {
			last = d.variable(part, at.input, at.axis, typicalSize(at.rank, at.axis, false))
			sum = sum.Add(last)
		}
	}
	if !sums {
		d.summed = true
		return d.variable(name, input, axis, typical)
	}
	d.named[name] = sum
	terms, _ := last.Terms()
	v := d.find(terms[0].Atoms[0].Name)
	v.With = strings.TrimPrefix(v.With+", ", ", ") + fmt.Sprintf("dimension %q is %s", clip(name), sum)
	d.Note(v.SizeVar)
	return sum
}

// batchAxis is the axis of an input that is its batch: one whose name says so, else
// the first. sure: it is taken for it even if nobody gives a batch: its name says so,
// or nothing speaks against it: the input has further axes, and no other input has
// that dimension at another place, as it has that of a sequence.
func (im *importer) batchAxis(dims []*onnxpb.TensorShapeProto_Dimension) (axis int, sure bool) {
	for i, d := range dims {
		if strings.Contains(strings.ToLower(d.GetDimParam()), "batch") {
			return i, true
		}
	}
	if len(dims) == 0 {
		return -1, false
	}
	name := dimName(dims[0])
	_, fixed := dimSize(dims[0])
	return 0, len(dims) > 1 && !fixed && (name == "" || !im.asked.later[name])
}

// dimSize is the size of a dimension, and whether the file fixes it. Some tools write -1
// for one that is open; 0 is a size.
func dimSize(d *onnxpb.TensorShapeProto_Dimension) (size int64, fixed bool) {
	n, ok := d.GetValue().(*onnxpb.TensorShapeProto_Dimension_DimValue)
	if !ok || n.DimValue == -1 {
		return 0, false
	}
	return n.DimValue, true
}

// dimName is the name of a dimension, which is the same wherever it stands. Marks such as
// "?" and "-1", and "None", stand for no name: each is a dimension of its own.
func dimName(d *onnxpb.TensorShapeProto_Dimension) string {
	name := d.GetDimParam()
	if name == "None" || !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	return name
}

// typed is a constant with the declared type and sizes of its input. Numbers that the type
// does not hold are an error; other sizes are a warning, because files declare wrong ones.
func (im *importer) typed(name string, w *model.Weight, t *onnxpb.TypeProto_Tensor) *model.Weight {
	if e := elem(t.GetElemType()); e != onnxpb.TensorProto_UNDEFINED {
		typ := must.Get(dtypeOf(e))
		raw, _, err := model.Convert(must.Get(w.Read()), w.DType, typ)
		if err != nil {
			must.Failf("the constant for it: %w", err)
		}
		w = model.FromBytes(typ, w.Sizes, raw)
	}
	if t.GetShape() == nil {
		return w
	}
	dims := t.GetShape().GetDim()
	sizes, ok := im.fitted(w, dims)
	if !ok {
		im.warn("the constant for input %q has sizes %v, but the file declares %s", clip(name), w.Sizes, im.dimsText(dims))
		return w
	}
	return model.FromBytes(w.DType, sizes, must.Get(w.Read()))
}

// fitted is the declared sizes with those of a constant where they are open. A number, or
// numbers in a row, may have any sizes of as many elements.
func (im *importer) fitted(w *model.Weight, dims []*onnxpb.TensorShapeProto_Dimension) (sizes []int, ok bool) {
	sizes = make([]int, len(dims))
	same, open, known := len(dims) == len(w.Sizes), -1, int64(1)
	for i, d := range dims {
		n, fixed := im.sizeOf(d)
		switch {
		case same && fixed && n != int64(w.Sizes[i]):
			return nil, false
		case same:
			n = int64(w.Sizes[i])
		case !fixed && open >= 0, len(w.Sizes) > 1:
			return nil, false
		case !fixed:
			open, n = i, 1
		}
		sizes[i] = int(n)
		known *= n
	}
	if open >= 0 && known > 0 {
		sizes[open] = int(w.Elements() / known)
	}
	return sizes, graph.Product(sizes...) == w.Elements()
}

// dimsText lists declared sizes, "?" where they are open.
func (im *importer) dimsText(dims []*onnxpb.TensorShapeProto_Dimension) string {
	sizes := make([]string, len(dims))
	for i, d := range dims {
		sizes[i] = "?"
		if n, known := im.sizeOf(d); known {
			sizes[i] = strconv.FormatInt(n, 10)
		}
	}
	return "[" + strings.Join(sizes, ", ") + "]"
}

// answer ends the reading of inputs: what is open, and what the options name in vain.
func (im *importer) answer() {
	a := im.asked
	var vain []string
	note := func(names []string, what string, known []string) {
		for _, name := range names {
			if a.taken[name] {
				continue
			}
			im.report.Unused = append(im.report.Unused, name)
			vain = append(vain, fmt.Sprintf(what, clip(name))+suggest.DidYouMean(name, known))
		}
	}
	note(slices.Sorted(maps.Keys(im.opt.Constants)), "constant %q: the model has no such input", a.known.inputs)
	note(slices.Sorted(maps.Keys(im.opt.Shapes)), "shape %q: the model has no such input or named dimension", slices.Concat(a.known.inputs, a.known.dims))
	says := a.says()
	if says != "" {
		vain = append([]string{says}, vain...)
	}
	if says != "" || len(vain) > 0 && !im.opt.Some {
		must.Failf("%s", strings.Join(vain, "; "))
	}
}

// maxKnown is how many names are kept for hints, of inputs and of dimensions.
const maxKnown = 256

// maxOpen is how many open sizes are told by name.
const maxOpen = 16

// says lists what is open and how it can be given; "" if nothing is.
func (a *asked) says() string {
	var what, flags []string
	seen := map[string]bool{}
	add := func(flag string, text func() string) {
		if seen[flag] {
			return
		}
		if seen[flag] = true; len(seen) <= maxOpen {
			what, flags = append(what, text()), append(flags, "--shape "+shellWord(flag))
		}
	}
	for _, name := range a.bare {
		add(name+"=N,…", func() string { return fmt.Sprintf("all of %q, which has no shape in the file", clip(name)) })
	}
	for _, o := range a.open {
		if o.dim != "" {
			add(o.dim+"=N", func() string { return fmt.Sprintf("%q (%s)", clip(o.dim), a.places(o.dim)) })
			continue
		}
		add(o.input+"="+o.shape, func() string { return fmt.Sprintf("axis %s of %q", a.unnamed(o.input), clip(o.input)) })
	}
	if len(what) == 0 {
		return ""
	}
	more := ""
	if len(seen) > maxOpen {
		more = fmt.Sprintf(" and %d more", len(seen)-maxOpen)
	}
	return "dynamic dimensions need a size: " + strings.Join(what, ", ") + more + "; use " + strings.Join(flags, " ")
}

// places says where a dimension occurs, such as: axis 1 of "ids".
func (a *asked) places(dim string) string {
	var list []string
	for _, o := range a.open {
		if o.dim == dim {
			list = append(list, fmt.Sprintf("axis %d of %q", o.axis, clip(o.input)))
		}
	}
	if len(list) > 4 {
		list = append(list[:3], fmt.Sprintf("%d more", len(list)-3))
	}
	return strings.Join(list, ", ")
}

// unnamed lists the open axes of an input that have no name.
func (a *asked) unnamed(input string) string {
	var list []string
	for _, o := range a.open {
		if o.input == input && o.dim == "" && len(list) < maxOpen {
			list = append(list, strconv.Itoa(o.axis))
		}
	}
	return strings.Join(list, ", ")
}

// shellWord is a word as it can be typed into a shell.
func shellWord(s string) string {
	s = clip(s)
	if strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+=/,:…", r))
	}) {
		return strconv.Quote(s)
	}
	return s
}

// openShape is a declared shape with N where a size is open: what --shape wants.
func openShape(s *onnxpb.TensorShapeProto) string {
	var parts []string
	for i, d := range s.GetDim() {
		part := "N"
		if n, fixed := dimSize(d); fixed {
			part = strconv.FormatInt(n, 10)
		}
		if i == 8 {
			part = "…"
		}
		if parts = append(parts, part); i == 8 {
			break
		}
	}
	return strings.Join(parts, ",")
}

func dimNote(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", clip(name))
}
