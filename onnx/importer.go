package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op" // the operators that nodes are lowered to
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// importer reads one model.
type importer struct {
	file   *onnxpb.ModelProto
	src    source
	opt    ReadOptions
	report *Report
	opset  int64            // of the default domain; 0 if the model does not import it
	own    bool             // written by this package
	needs  map[string]int64 // versions of the domains imported by the model, or by the function being read
	steps  int
	dims   map[string]int // dimensions by name
	info   map[string]*onnxpb.TypeProto
	funcs  map[function]*onnxpb.FunctionProto
	depth  int   // of functions and branches being read
	budget int   // nodes that may still be read, functions being read at each call
	copied int64 // bytes of functions, at each call
	held   int64 // bytes of numbers that opaque nodes hold

	match *rewrite.Matcher[*value] // for what is spelled out
	added []float64                // numbers that are added under roots

	inputs []*value
	kept   map[*step]int // of opaque nodes, their places in the report
	// within folding, steps are evaluated at once, and no constants are made
	inFold bool
}

// function is what a function of the model is called by.
type function struct{ domain, name, overload string }

func functionOf(domain, name, overload string) function {
	if defaultDomain(domain) {
		domain = ""
	}
	return function{domain, name, overload}
}

func importsOf(list []*onnxpb.OperatorSetIdProto) map[string]int64 {
	m := map[string]int64{}
	for _, o := range list {
		if !defaultDomain(o.GetDomain()) {
			m[o.GetDomain()] = o.GetVersion()
		}
	}
	return m
}

// maxNodes bounds the nodes of a model, those of functions counted at each call.
const maxNodes = 1 << 20

func newImporter(p *onnxpb.ModelProto, src source, opt ReadOptions) (*importer, error) {
	im := &importer{file: p, src: src, opt: opt, dims: map[string]int{}, info: map[string]*onnxpb.TypeProto{},
		funcs: map[function]*onnxpb.FunctionProto{}, kept: map[*step]int{}, budget: maxNodes,
		report: &Report{Producer: strings.TrimSpace(p.GetProducerName() + " " + p.GetProducerVersion()),
			IR: p.GetIrVersion(), Fused: map[string]int{}, Missing: map[string]int{}}}
	if p.GetGraph() == nil {
		return nil, errors.New("read model: not an ONNX model: no graph")
	}
	im.own = p.GetProducerName() == producer
	im.needs = importsOf(p.GetOpsetImport())
	for _, o := range p.GetOpsetImport() {
		if !defaultDomain(o.GetDomain()) {
			continue
		}
		if im.opset != 0 && im.opset != o.GetVersion() {
			return nil, fmt.Errorf("read model: operator sets %d and %d at once", im.opset, o.GetVersion())
		}
		if im.opset = o.GetVersion(); im.opset < 1 {
			return nil, fmt.Errorf("read model: operator set %d", im.opset)
		}
	}
	if len(p.GetOpsetImport()) == 0 {
		if p.GetIrVersion() >= 3 {
			return nil, errors.New("read model: it names no operator set")
		}
		im.opset = 1
	}
	if im.opset > 0 && im.opset < oldestOpset || im.opset > newestOpset {
		return nil, fmt.Errorf("read model: operator set %d is not supported, only %d to %d", im.opset, oldestOpset, newestOpset)
	}
	im.report.Opset = im.opset
	for _, f := range p.GetFunctions() {
		key := functionOf(f.GetDomain(), f.GetName(), f.GetOverload())
		if im.funcs[key] != nil {
			return nil, fmt.Errorf("read model: there are two functions %q of the domain %q", clip(f.GetName()), clip(f.GetDomain()))
		}
		im.funcs[key] = f
	}
	return im, nil
}

func (im *importer) next() int {
	im.steps++
	return im.steps
}

// folding reports whether constants may be computed while reading.
func (im *importer) folding() bool { return !im.inFold }

// model reads the whole graph.
func (im *importer) model() (*model.Model, error) {
	g := im.file.GetGraph()
	im.report.Nodes = len(g.GetNode())
	env, err := im.environment(g)
	if err != nil {
		return nil, err
	}
	if err := im.nodes(g.GetNode(), env); err != nil {
		return nil, err
	}
	if len(g.GetOutput()) == 0 {
		return nil, errors.New("the graph has no outputs")
	}
	outs := make([]*value, len(g.GetOutput()))
	named := map[string]bool{}
	for i, o := range g.GetOutput() {
		if named[o.GetName()] {
			return nil, &Error{File: im.src.path, Node: fmt.Sprintf("output %q", clip(o.GetName())), Err: errors.New("there are two outputs of this name")}
		}
		named[o.GetName()] = true
		v := env.find(o.GetName())
		if v == nil {
			return nil, &Error{File: im.src.path, Node: fmt.Sprintf("output %q", clip(o.GetName())), Err: errors.New("nothing computes it")}
		}
		if v.empty() {
			return nil, &Error{File: im.src.path, Node: fmt.Sprintf("output %q", clip(o.GetName())), Err: fmt.Errorf("it has no elements: %s", v.typ())}
		}
		outs[i] = v
	}
	im.nameOutputs(g.GetOutput(), outs)
	return im.finish(g, outs)
}

// nameOutputs gives the graph's outputs their names, which steps that vanished
// (Identity) may have kept from them.
func (im *importer) nameOutputs(names []*onnxpb.ValueInfoProto, outs []*value) {
	own := map[string]bool{}
	for _, n := range names {
		own[n.GetName()] = true
	}
	for i, v := range outs {
		if v.step == nil || own[v.name] {
			continue
		}
		v.name = names[i].GetName()
		if o := v.step.opaque; o != nil {
			if o.Node.Output[v.out] = v.name; v.out == 0 {
				im.report.Opaque[im.kept[v.step]].Output = v.name
			}
		}
	}
}

// scope is the values by their names; a subgraph sees those around it.
type scope struct {
	outer *scope
	vals  map[string]*value
}

func (s *scope) find(name string) *value {
	for ; s != nil; s = s.outer {
		if v, ok := s.vals[name]; ok {
			return v
		}
	}
	return nil
}

// define names a value; a name has one value.
func (s *scope) define(name string, v *value) error {
	if _, ok := s.vals[name]; ok {
		return fmt.Errorf("the value %q is defined twice", clip(name))
	}
	s.vals[name] = v
	return nil
}

// environment reads the inputs and initializers of the main graph.
func (im *importer) environment(g *onnxpb.GraphProto) (*scope, error) {
	env := &scope{vals: map[string]*value{}}
	for _, t := range append(slices.Clone(g.GetValueInfo()), g.GetOutput()...) {
		im.info[t.GetName()] = t.GetType()
	}
	if err := im.initializers(g, env); err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	seen := map[string]bool{}
	for _, in := range g.GetInput() {
		name := in.GetName()
		at := func(err error) error {
			return &Error{File: im.src.path, Node: fmt.Sprintf("input %q", clip(name)), Err: err}
		}
		if name == "" {
			return nil, at(errors.New("no name"))
		}
		if seen[name] {
			return nil, at(errors.New("there are two inputs of this name"))
		}
		seen[name] = true
		if w, ok := im.opt.Constants[name]; ok {
			taken[name] = true
			v := weightValue(name, w)
			c, err := v.constant()
			if err != nil {
				return nil, at(err)
			}
			if c != nil {
				v.literal, v.weight = true, nil
			}
			env.vals[name] = v
			continue
		}
		if v := env.find(name); v != nil {
			// An initializer may be listed as an input.
			if err := declaredAs(v, in.GetType().GetTensorType()); err != nil {
				return nil, at(err)
			}
			continue
		}
		t, err := im.inputType(in, taken)
		if err != nil {
			return nil, at(err)
		}
		v := &value{name: name, dtype: t.DType, sizes: t.Sizes}
		im.inputs = append(im.inputs, v)
		env.vals[name] = v
	}
	unused := func(name, what string) error {
		if taken[name] {
			return nil
		}
		im.report.Unused = append(im.report.Unused, name)
		if im.opt.Some {
			return nil
		}
		return fmt.Errorf("a %s of the model", fmt.Sprintf(what, clip(name)))
	}
	for _, name := range slices.Sorted(maps.Keys(im.opt.Constants)) {
		if err := unused(name, "constant is given for %q, which is no input"); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(im.opt.Shapes)) {
		if err := unused(name, "shape is given for %q, which is no input and no dimension"); err != nil {
			return nil, err
		}
	}
	return env, nil
}

// declaredAs checks a weight against what the file says of an input of its name.
func declaredAs(v *value, t *onnxpb.TypeProto_Tensor) error {
	if t == nil {
		return nil
	}
	other := fmt.Errorf("it is declared otherwise than its weight, %s", v.typ())
	if e := elem(t.GetElemType()); e != onnxpb.TensorProto_UNDEFINED && e != elemOf(v.dtype) {
		return other
	}
	if t.GetShape() == nil {
		return nil
	}
	if len(t.GetShape().GetDim()) != v.rank() {
		return other
	}
	for i, d := range t.GetShape().GetDim() {
		if n := d.GetDimValue(); n > 0 && n != int64(v.sizes[i]) {
			return other
		}
	}
	return nil
}

func (im *importer) initializers(g *onnxpb.GraphProto, env *scope) error {
	if len(g.GetSparseInitializer()) > 0 {
		return &Error{File: im.src.path, Node: fmt.Sprintf("weight %q", clip(g.GetSparseInitializer()[0].GetValues().GetName())),
			Err: errors.New("sparse initializers are not supported")}
	}
	for _, t := range g.GetInitializer() {
		at := func(err error) error {
			return &Error{File: im.src.path, Node: fmt.Sprintf("weight %q", clip(t.GetName())), Err: err}
		}
		if t.GetName() == "" {
			return at(errors.New("no name"))
		}
		w, err := readWeight(t, im.src)
		if err != nil {
			return at(err)
		}
		v := weightValue(t.GetName(), w)
		if im.own && strings.HasPrefix(t.GetDocString(), note) {
			if v2, ok := im.constantOperator(v, strings.TrimPrefix(t.GetDocString(), note)); ok {
				v2.name = t.GetName()
				v = v2
			}
		}
		if v.empty() {
			if _, err := v.constant(); err != nil {
				return at(err)
			}
		}
		if err := env.define(t.GetName(), v); err != nil {
			return at(err)
		}
	}
	return nil
}

// inputType is the declared type of an input, with sizes from the options.
func (im *importer) inputType(in *onnxpb.ValueInfoProto, taken map[string]bool) (graph.TensorType, error) {
	tt := in.GetType().GetTensorType()
	if tt == nil {
		return graph.TensorType{}, errors.New("it is not a tensor")
	}
	t, err := dtypeOf(elem(tt.GetElemType()))
	if err != nil {
		return graph.TensorType{}, err
	}
	given, ok := im.opt.Shapes[in.GetName()]
	if ok {
		taken[in.GetName()] = true
		if tt.GetShape() == nil {
			return graph.TensorType{DType: t, Sizes: given}, graph.CheckSizes(given)
		}
		if len(given) != len(tt.GetShape().GetDim()) {
			return graph.TensorType{}, fmt.Errorf("the shape %v is given, but it has %d axes", given, len(tt.GetShape().GetDim()))
		}
	}
	if tt.GetShape() == nil {
		return graph.TensorType{}, fmt.Errorf("the file does not say its shape: give it (--shape %s=…)", clip(in.GetName()))
	}
	sizes := make([]int, len(tt.GetShape().GetDim()))
	for i, d := range tt.GetShape().GetDim() {
		name := d.GetDimParam()
		n := d.GetDimValue()
		_, fixed := d.GetValue().(*onnxpb.TensorShapeProto_Dimension_DimValue)
		fixed = fixed && n > 0 // some tools write 0 or -1 for a size that is open
		if n > graph.MaxSize {
			return graph.TensorType{}, fmt.Errorf("size %d of axis %d is larger than %d", n, i, graph.MaxSize)
		}
		if by, ok := im.opt.Shapes[name]; ok && name != "" && len(by) == 1 {
			taken[name] = true
			im.dims[name] = by[0]
		}
		switch {
		case given != nil && fixed && int64(given[i]) != n:
			return graph.TensorType{}, fmt.Errorf("the shape %v is given, but axis %d has size %d", given, i, n)
		case given != nil:
			n = int64(given[i])
			if name != "" {
				if old, ok := im.dims[name]; ok && old != given[i] {
					return graph.TensorType{}, fmt.Errorf("dimension %q is %d and %d", clip(name), old, given[i])
				}
				im.dims[name] = given[i]
			}
		case fixed:
		default:
			known, ok := im.dims[name]
			if !ok || name == "" {
				return graph.TensorType{}, fmt.Errorf("the size of axis %d is not fixed%s: give it (--shape %s=%s)", i, dimNote(name), clip(in.GetName()), openShape(tt.GetShape()))
			}
			n = int64(known)
		}
		if !fixed {
			im.report.Open = append(im.report.Open, OpenSize{Input: in.GetName(), Axis: i, Dim: name, Size: int(n)})
		}
		sizes[i] = int(n)
	}
	return graph.TensorType{DType: t, Sizes: sizes}, graph.CheckSizes(sizes)
}

// openShape is a declared shape with N where a size is open: what --shape wants.
func openShape(s *onnxpb.TensorShapeProto) string {
	var parts []string
	for i, d := range s.GetDim() {
		part := "N"
		if d.GetDimValue() > 0 {
			part = strconv.FormatInt(d.GetDimValue(), 10)
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

// finish makes the graph of all that the outputs need.
func (im *importer) finish(g *onnxpb.GraphProto, outs []*value) (*model.Model, error) {
	b, err := im.build(outs)
	if err != nil {
		return nil, err
	}
	m := &model.Model{Name: g.GetName(), Graph: b.graph, Weights: b.weights,
		Doc: im.file.GetDocString(), Producer: im.report.Producer}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

// built is a finished graph.
type built struct {
	graph   *graph.Graph
	weights map[graph.NodeID]*model.Weight
	weightV []*value // the values of the weights, in the order of the inputs
}

// build adds the inputs, the weights that are needed and the steps that are
// needed, in the order in which they were made.
func (im *importer) build(outs []*value) (*built, error) {
	var steps []*step
	var weights []*value
	seen := map[*value]bool{}
	seenStep := map[*step]bool{}
	stack := slices.Clone(outs)
	slices.Reverse(stack)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		if v.step == nil {
			if v.fixed() {
				weights = append(weights, v)
			}
			continue
		}
		if !seenStep[v.step] {
			seenStep[v.step] = true
			steps = append(steps, v.step)
			for i := len(v.step.in) - 1; i >= 0; i-- {
				stack = append(stack, v.step.in[i])
			}
		}
	}
	slices.SortFunc(steps, func(a, b *step) int { return a.seq - b.seq })
	weights = orderWeights(steps, weights)

	var gb graph.Builder
	at := map[*value]graph.Tensor{}
	names := newNames()
	for _, v := range im.inputs {
		names.claim(v.name)
		t, err := gb.AddInput(v.name, v.dtype, v.sizes...)
		if err != nil {
			return nil, err
		}
		at[v] = t
	}
	// The names of outputs come before those of anything else.
	for _, v := range outs {
		if v.step != nil && v.out == 0 {
			names.claim(v.name)
		}
	}
	res := &built{weights: map[graph.NodeID]*model.Weight{}, weightV: weights}
	isOut := map[*value]bool{}
	for _, v := range outs {
		isOut[v] = v.step != nil
	}
	for _, v := range weights {
		name := v.name
		if name == "" {
			name = "constant"
		}
		t, err := gb.AddWeight(names.unique(name), v.dtype, v.sizes...)
		if err != nil {
			return nil, err
		}
		at[v] = t
		if v.weight != nil {
			res.weights[t.Node] = v.weight
		} else {
			res.weights[t.Node] = v.known.weight()
		}
	}
	for _, s := range steps {
		in := make([]graph.Tensor, len(s.in))
		for i, v := range s.in {
			in[i] = at[v]
		}
		name := s.outs[0].name
		if name != "" && !isOut[s.outs[0]] {
			name = names.unique(name)
		}
		var id graph.NodeID
		var err error
		switch {
		case s.opaque != nil:
			types := make([]graph.TensorType, len(s.outs))
			for i, v := range s.outs {
				types[i] = v.typ()
			}
			id, err = gb.Opaque(name, s.opaque.Kind(), s.opaque, in, types)
		case len(in) == 0:
			id, err = gb.Constant(name, s.outs[0].dtype, s.op, s.attrs)
		default:
			id, err = gb.Apply(name, s.op, s.attrs, in...)
		}
		if err != nil {
			return nil, err
		}
		for i, v := range s.outs {
			at[v] = id.Out(i)
		}
	}
	ts := make([]graph.Tensor, len(outs))
	for i, v := range outs {
		ts[i] = at[v]
	}
	var err error
	res.graph, err = gb.Finish(ts...)
	return res, err
}

// orderWeights sorts weights by their first use.
func orderWeights(steps []*step, weights []*value) []*value {
	first := map[*value]int{}
	n := 0
	for _, s := range steps {
		for _, v := range s.in {
			if _, ok := first[v]; !ok {
				first[v] = n
				n++
			}
		}
	}
	slices.SortStableFunc(weights, func(a, b *value) int {
		x, ok1 := first[a]
		y, ok2 := first[b]
		switch {
		case ok1 && ok2:
			return x - y
		case ok1:
			return -1
		case ok2:
			return 1
		}
		return 0
	})
	return weights
}

// names hands out names that are not taken.
type names struct{ taken map[string]bool }

func newNames() *names { return &names{taken: map[string]bool{}} }

func (n *names) claim(name string) { n.taken[name] = true }

// unique is name, or name with a number behind it, and claims it.
func (n *names) unique(name string) string {
	s := name
	for i := 1; n.taken[s]; i++ {
		s = fmt.Sprintf("%s_%d", name, i)
	}
	n.taken[s] = true
	return s
}
