package onnx

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// Source is a model file as it was read, with the tensor of the graph that each value of
// the main graph is. [Rewrite] makes another file of it, which keeps what did not change.
type Source struct {
	src    source
	file   *onnxpb.ModelProto // its structure: long arrays are left in the file
	model  *model.Model
	nodes  []*onnxpb.NodeProto // operands first
	values map[string]sourceValue
	// open are the sizes that the file leaves open and that were fixed, given its inputs that were
	// given a value.
	open  []OpenSize
	axes  []OpenSize // those that are variables, at the samples
	given map[string]*model.Weight
	vars  []Variable // dynamic sizes; nil: the model was read at fixed sizes
	// defaults are the inputs that were taken to be the constants that the file has for them.
	defaults []string
	opt      ReadOptions
	branches map[*onnxpb.NodeProto]*taken // of Ifs whose condition is constant
	// See [Source.inlined]: weights and declared types of branches that stand in place of an If.
	initial []string
	infos   []*onnxpb.ValueInfoProto
}

// ReadResult reads a file that [Rewrite] made, as the source was read: for fixed sizes, or for
// the same ranges of dynamic ones.
func (s *Source) ReadResult(path string) (*model.Model, error) {
	if s.vars == nil {
		return s.ReadAt(path, s.open)
	}
	opt := s.opt
	opt.Some, opt.Constants = true, nil // they are in the file
	opt.Samples, opt.Variables = map[string]int{}, map[string]graph.SizeVar{}
	for _, v := range s.vars {
		opt.Samples[v.Key()], opt.Variables[v.Name] = v.Sample*v.Step, v.SizeVar
	}
	m, _, err := Read(path, opt)
	return m, err
}

// leavesOpen reports whether the file leaves sizes open.
func (s *Source) leavesOpen() bool { return len(s.open)+len(s.axes) > 0 }

// Dynamic are the sizes that are variables; none of a model that was read at fixed sizes.
func (s *Source) Dynamic() []Variable { return slices.Clone(s.vars) }

// sourceValue is a value of the main graph.
type sourceValue struct {
	tensor graph.Tensor // in the graph of the model; the zero tensor if no output needs it
	fixed  *value       // what is known of its elements, nil if nothing is
	sizes  *value       // integers that depend on dynamic sizes, nil if it is something else
}

// known reports whether the value can be made without its node.
func (v sourceValue) known() bool { return v.fixed != nil || v.sizes != nil }

// sourceOf records what was read. from says which node of im.made each node of the model is.
func (im *importer) sourceOf(m *model.Model, from []graph.NodeID, env *scope, nodes []*onnxpb.NodeProto) *Source {
	s := &Source{src: im.src, file: im.file, model: m, nodes: nodes,
		open: slices.Clone(im.report.Open), given: im.report.Constants, defaults: im.report.Defaults, opt: im.opt, branches: im.branches}
	if im.open != nil && len(im.open.vars) > 0 {
		s.axes, s.vars = im.open.axes, im.open.vars
	}
	to := map[graph.NodeID]graph.NodeID{}
	for id := range m.Graph.Nodes() {
		to[from[id]] = id
	}
	valuesOf := func(env *scope) map[string]sourceValue {
		vals := map[string]sourceValue{}
		for name, v := range env.vals {
			var sv sourceValue
			if at := to[v.tensor.Node]; at != 0 && v.tensor.Node != 0 {
				sv.tensor = graph.Tensor{Node: at, Out: v.tensor.Out}
			}
			if v.list == nil && v.fixed() {
				sv.fixed = v
			} else if v.ints != nil {
				sv.sizes = v
			}
			vals[name] = sv
		}
		return vals
	}
	s.values = valuesOf(env)
	for _, b := range im.branches {
		b.vals, b.env = valuesOf(b.env), nil
	}
	return s
}

// stored is what is known of a value's elements, as a weight.
func (v *value) stored() *model.Weight {
	if v.weight != nil {
		return v.weight
	}
	return v.known.weight()
}

// Cleanable reports whether the file has nodes that [RewriteOptions].Clean leaves out, or Ifs
// that it replaces. With inputs that were given a value, or taken to have their default, the
// former do not count: these inputs would go.
func (s *Source) Cleanable() bool {
	if s.inlined(false) != s {
		return true
	}
	if len(s.given)+len(s.defaults) > 0 {
		return false
	}
	w := newRewriting(newPaths(s), match(s.model, s.model), s.model, &opened{values: map[string]bool{}, nodes: map[int]bool{}})
	w.clean = true
	w.decide()
	for _, o := range s.file.GetGraph().GetOutput() {
		w.demand(o.GetName())
	}
	return slices.Contains(w.copied, false)
}
