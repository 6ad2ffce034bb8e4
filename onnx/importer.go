package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op" // the operators that nodes are lowered to
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// importer reads one model. What fails leaves it by package must.
type importer struct {
	file   *onnxpb.ModelProto
	src    source
	opt    ReadOptions
	report *Report
	opset  int64            // of the default domain; 0 if the model does not import it
	own    bool             // what is being read was written by this package: the file, or the node, by its note
	needs  map[string]int64 // versions of the domains imported by the model, or by the function being read
	dims   map[string]int   // dimensions by name
	asked  *asked           // sizes of inputs
	open   *dynamic         // sizes that stay variables, nil if there are none
	info   map[string]*onnxpb.TypeProto
	funcs  map[function]*onnxpb.FunctionProto
	depth  int // of functions and branches being read
	// inlined is the depth of functions alone
	inlined int
	budget  int   // nodes that may still be read, functions being read at each call
	copied  int64 // bytes of functions, at each call
	held    int64 // bytes of numbers that opaque nodes hold

	once  *notedOnce // what the node that is being read says of constants and operators
	noted noted

	demanded int // elements that were computed because somebody asked

	match *rewrite.Matcher[graph.Tensor] // for what is spelled out
	added []float64                      // numbers that are added under roots

	made   graph.Builder           // the graph, with what turns out not to be needed
	values map[graph.Tensor]*value // by their tensors
	inputs []*value
	filled map[graph.Tensor]int64 // see model.Model.Filled
	named  map[string]int64       // the same by the names of the graph's nodes
	kept   map[graph.NodeID]int   // of opaque nodes, their places in the report
	// branches are those that constant conditions choose
	branches map[*onnxpb.NodeProto]*taken
	// standard are the defaults of inputs, by name
	standard map[string]*model.Weight
	// within folding, operators are evaluated at once, and no constants are made
	inFold   bool
	foldWork int64 // operations of the node that is folded
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

func newImporter(p *onnxpb.ModelProto, src source, opt ReadOptions, n narrowing) (*importer, error) {
	im := &importer{file: p, src: src, opt: opt, dims: map[string]int{}, info: map[string]*onnxpb.TypeProto{},
		funcs: map[function]*onnxpb.FunctionProto{}, values: map[graph.Tensor]*value{}, filled: map[graph.Tensor]int64{}, named: map[string]int64{}, kept: map[graph.NodeID]int{}, branches: map[*onnxpb.NodeProto]*taken{}, standard: map[string]*model.Weight{}, budget: maxNodes,
		report: &Report{Constants: map[string]*model.Weight{}, Producer: strings.TrimSpace(p.GetProducerName() + " " + p.GetProducerVersion()),
			IR: p.GetIrVersion(), Fused: map[string]int{}, Missing: map[string]int{}}}
	if p.GetGraph() == nil {
		return nil, errors.New("read model: not an ONNX model: no graph")
	}
	im.own = p.GetProducerName() == producer
	im.needs = importsOf(p.GetOpsetImport())
	if opt.Dynamic {
		im.open = newDynamic(opt, n, p.GetGraph())
		must.Do(im.made.Vary(im.open.Sizing))
	}
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

// folding reports whether constants may be computed while reading.
func (im *importer) folding() bool { return !im.inFold }

// at runs steps; an error of them is one of the place that is named.
func (im *importer) at(what, name string, steps func()) {
	if err := must.Try(steps); err != nil {
		must.Do(&Error{File: im.src.path, Node: fmt.Sprintf("%s %q", what, clip(name)), Err: err})
	}
}

// model reads the whole graph.
func (im *importer) model() (m *model.Model, err error) {
	defer must.Catch(&err)
	g := im.file.GetGraph()
	im.report.Nodes = len(g.GetNode())
	env := im.environment(g)
	nodes := im.nodes(g.GetNode(), env, namesOf(g.GetOutput()))
	if len(g.GetOutput()) == 0 {
		must.Failf("the graph has no outputs")
	}
	outs := make([]*value, len(g.GetOutput()))
	named := map[string]bool{}
	for i, o := range g.GetOutput() {
		im.at("output", o.GetName(), func() {
			v := env.find(o.GetName())
			switch {
			case named[o.GetName()]:
				must.Failf("there are two outputs of this name")
			case v == nil:
				must.Failf("nothing computes it")
			case v.list != nil:
				must.Failf("it is a sequence of tensors")
			}
			named[o.GetName()], outs[i] = true, v
			im.contradiction(o, v)
			im.report.Outputs = append(im.report.Outputs, o.GetName())
		})
	}
	im.nameOutputs(g.GetOutput(), outs)
	m, from := im.modelOf(g.GetName(), outs)
	if im.open != nil {
		im.report.Dynamic = im.open.vars
	}
	im.report.Source = im.sourceOf(m, from, env, nodes)
	return m, nil
}

func namesOf(list []*onnxpb.ValueInfoProto) (names []string) {
	for _, o := range list {
		names = append(names, o.GetName())
	}
	return names
}

// nameOutputs gives the graph's outputs their names, which nodes that vanished
// (Identity) may have kept from them.
func (im *importer) nameOutputs(names []*onnxpb.ValueInfoProto, outs []*value) {
	own := map[string]bool{}
	for _, n := range names {
		own[n.GetName()] = true
	}
	for i, v := range outs {
		if !v.made || own[v.name] {
			continue
		}
		v.name = names[i].GetName()
		if _, payload, ok := im.made.Graph().Opaque(v.tensor.Node); ok {
			if payload.(*Opaque).Node.Output[v.tensor.Out] = v.name; v.tensor.Out == 0 {
				im.report.Opaque[im.kept[v.tensor.Node]].Output = v.name
			}
		}
	}
}

// scope is the values by their names; a subgraph sees those around it.
type scope struct {
	outer *scope
	vals  map[string]*value
	read  map[string]bool // names that nodes within read, and those of outputs
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
func (s *scope) define(name string, v *value) {
	if _, ok := s.vals[name]; ok {
		must.Failf("the value %q is defined twice", clip(name))
	}
	s.vals[name] = v
}

// environment reads the inputs and initializers of the main graph.
func (im *importer) environment(g *onnxpb.GraphProto) *scope {
	env := &scope{vals: map[string]*value{}}
	im.declare(g.GetValueInfo(), g.GetOutput())
	im.initializers(g, env)
	im.asked = newAsked(g)
	im.given(g)
	seen := map[string]bool{}
	for _, in := range g.GetInput() {
		im.at("input", in.GetName(), func() {
			if in.GetName() == "" {
				must.Failf("no name")
			}
			if seen[in.GetName()] {
				must.Failf("there are two inputs of this name")
			}
			seen[in.GetName()] = true
			im.input(in, env)
		})
	}
	im.answer()
	if n := len(im.report.Defaults); n > 0 {
		names := slices.Clone(im.report.Defaults[:min(n, 4)])
		for i, name := range names {
			names[i] = strconv.Quote(clip(name))
		}
		if n > 4 {
			names[3] = fmt.Sprintf("%d more", n-3)
		}
		im.warn("inputs with a default in the file are taken to be constant: %s", strings.Join(names, ", "))
	}
	if im.opt.Batch > 0 && im.report.Batch == 0 && !im.opt.Some {
		must.Failf("batch %d: no input has a dynamic batch", im.opt.Batch)
	}
	return env
}

// declare notes the types that a graph, a branch or a function gives its values.
func (im *importer) declare(lists ...[]*onnxpb.ValueInfoProto) {
	im.info = map[string]*onnxpb.TypeProto{}
	for _, t := range slices.Concat(lists...) {
		im.info[t.GetName()] = t.GetType()
	}
}

// input reads an input: its value is given, or is an initializer, or is fed.
func (im *importer) input(in *onnxpb.ValueInfoProto, env *scope) {
	name := in.GetName()
	if w, ok := im.opt.Constants[name]; ok {
		im.asked.taken[name] = true
		w = im.typed(name, w, in.GetType().GetTensorType())
		im.report.Constants[name] = w
		v := weightValue(name, w)
		if must.Get(v.constant()) != nil {
			v.literal, v.weight = true, nil
		}
		env.vals[name] = v
		return
	}
	var standard *model.Weight
	if v := env.find(name); v != nil {
		// Up to version 3 of the format all initializers had to be listed as inputs. Since
		// then one that is may be given another value than its default.
		declaredAs(v, in.GetType().GetTensorType())
		if im.file.GetIrVersion() <= 3 {
			return
		}
		if im.opt.Defaults {
			im.report.Defaults = append(im.report.Defaults, name)
			return
		}
		if standard = v.weight; standard == nil {
			standard = v.known.weight()
		}
	}
	t, open := im.inputType(in, standard)
	v := &value{name: name, dtype: t.DType, sized: t.Sizes, open: open}
	im.enter(v, must.Get(im.made.AddOpen(im.inputName(), t.DType, graph.ShapeOf(v.dims()...))))
	if standard != nil && slices.Equal(standard.Sizes, t.Sizes) {
		im.standard[name] = standard
	}
	im.inputs = append(im.inputs, v)
	env.vals[name] = v
}

// contradiction warns of an output that the file declares otherwise than it is computed.
func (im *importer) contradiction(o *onnxpb.ValueInfoProto, v *value) {
	t := o.GetType().GetTensorType()
	if t == nil {
		return
	}
	e, dims := elem(t.GetElemType()), t.GetShape().GetDim()
	other := e != onnxpb.TensorProto_UNDEFINED && e != elemOf(v.dtype) || t.GetShape() != nil && len(dims) != v.rank()
	for i, d := range dims {
		n, known := im.sizeOf(d)
		if known && i < v.rank() {
			is, number := v.size(i).Const()
			other = other || number && n != is
		}
	}
	if !other {
		return
	}
	name := strings.ToLower(e.String())
	if typ, err := dtypeOf(e); err == nil {
		name = typ.String()
	}
	im.warn("output %q is declared as %s%s, but computed as %s", clip(o.GetName()), name, im.dimsText(dims), v.typeText())
}

func (im *importer) warn(format string, args ...any) {
	im.report.Warnings = append(im.report.Warnings, fmt.Sprintf(format, args...))
}

// declaredAs checks a weight against what the file says of an input of its name.
func declaredAs(v *value, t *onnxpb.TypeProto_Tensor) {
	e := elem(t.GetElemType())
	dims := t.GetShape().GetDim()
	other := e != onnxpb.TensorProto_UNDEFINED && e != elemOf(v.dtype) || t.GetShape() != nil && len(dims) != v.rank()
	for i, d := range dims {
		n, fixed := dimSize(d)
		other = other || fixed && i < v.rank() && n != int64(v.sized[i])
	}
	if other {
		must.Failf("it is declared otherwise than its weight, %s", v.typ())
	}
}

func (im *importer) initializers(g *onnxpb.GraphProto, env *scope) {
	for _, t := range g.GetSparseInitializer() {
		im.at("weight", t.GetValues().GetName(), func() { must.Failf("sparse initializers are not supported") })
	}
	for _, t := range g.GetInitializer() {
		im.at("weight", t.GetName(), func() {
			if t.GetName() == "" {
				must.Failf("no name")
			}
			v := weightValue(t.GetName(), must.Get(readWeight(t, im.src)))
			if text, ok := strings.CutPrefix(t.GetDocString(), note); ok {
				v.compact = text == noteTransposed
				if v2 := im.constantOperator(v, text); v2 != nil {
					v2.name = t.GetName()
					v = v2
				}
			}
			if v.empty() {
				must.Get(v.constant())
			}
			env.define(t.GetName(), v)
		})
	}
}
