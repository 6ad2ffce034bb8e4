package onnx

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Opaque is the payload of an opaque node: an ONNX node that is written back as
// it was read, with other names for its inputs.
type Opaque struct {
	// Node is the node with all its numbers in memory.
	Node *onnxpb.NodeProto
	// Captured are values that graphs within the node read from outside. They
	// are operands of the node, behind those of Node.Input that are not left
	// out.
	Captured []string
	// Opset is the version of ONNX's operator set that the node was written
	// for.
	Opset int64
	// Domains are the versions of other operator sets that the node needs.
	Domains map[string]int64
	// Functions are those of the model that graphs within the node call, and
	// those that these call.
	Functions []*onnxpb.FunctionProto

	hash []byte
}

// Kind is the node's operator, with its domain if that is not ONNX's own.
func (o *Opaque) Kind() string {
	if defaultDomain(o.Node.GetDomain()) {
		return "onnx." + o.Node.GetOpType()
	}
	return o.Node.GetDomain() + "." + o.Node.GetOpType()
}

// Hash is of all that says what the node computes; names of its own inputs and
// outputs do not.
func (o *Opaque) Hash() []byte { return o.hash }

// seal computes the hash.
func (o *Opaque) seal() error {
	n := proto.Clone(o.Node).(*onnxpb.NodeProto)
	rename := map[string]string{}
	for i, name := range o.Captured {
		rename[name] = fmt.Sprintf("captured %d", i)
	}
	renameCaptured(n, rename)
	for i, name := range n.Input {
		if name != "" {
			n.Input[i] = fmt.Sprintf("input %d", i)
		}
	}
	for i, name := range n.Output {
		if name != "" {
			n.Output[i] = fmt.Sprintf("output %d", i)
		}
	}
	n.Name, n.DocString = nil, nil
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(n)
	if err != nil {
		return err
	}
	for _, f := range o.Functions {
		more, err := proto.MarshalOptions{Deterministic: true}.Marshal(f)
		if err != nil {
			return err
		}
		b = append(b, more...)
	}
	sum := sha256.Sum256(b)
	o.hash = sum[:16]
	return nil
}

// captured are the names that graphs within a node read from outside of it.
func captured(n *onnxpb.NodeProto) map[string]bool {
	var free map[string]bool
	eachGraph(n, func(g *onnxpb.GraphProto) {
		if free == nil {
			free = map[string]bool{}
		}
		freeNames(g, free)
	})
	return free
}

func eachGraph(n *onnxpb.NodeProto, f func(*onnxpb.GraphProto)) {
	for _, a := range n.GetAttribute() {
		if a.GetG() != nil {
			f(a.GetG())
		}
		for _, g := range a.GetGraphs() {
			f(g)
		}
	}
}

// freeNames adds the names that a graph reads and does not define.
func freeNames(g *onnxpb.GraphProto, free map[string]bool) {
	own := map[string]bool{"": true}
	for _, v := range g.GetInput() {
		own[v.GetName()] = true
	}
	for _, t := range g.GetInitializer() {
		own[t.GetName()] = true
	}
	for _, n := range g.GetNode() {
		for _, o := range n.GetOutput() {
			own[o] = true
		}
	}
	inner := map[string]bool{}
	for _, n := range g.GetNode() {
		for _, name := range n.GetInput() {
			inner[name] = true
		}
		eachGraph(n, func(h *onnxpb.GraphProto) { freeNames(h, inner) })
	}
	for _, o := range g.GetOutput() {
		inner[o.GetName()] = true
	}
	for name := range inner {
		if !own[name] {
			free[name] = true
		}
	}
}

// renameCaptured gives other names to values that graphs within a node read
// from outside.
func renameCaptured(n *onnxpb.NodeProto, to map[string]string) {
	eachGraph(n, func(g *onnxpb.GraphProto) {
		free := map[string]bool{}
		freeNames(g, free)
		inside := map[string]string{}
		for name, other := range to {
			if free[name] {
				inside[name] = other
			}
		}
		for _, m := range g.GetNode() {
			for i, name := range m.Input {
				if other, ok := inside[name]; ok {
					m.Input[i] = other
				}
			}
			renameCaptured(m, inside)
		}
		for _, o := range g.GetOutput() {
			if other, ok := inside[o.GetName()]; ok {
				o.Name = &other
			}
		}
	})
}

// keep makes the node opaque. The types of its outputs must be known: from the
// file, or because the operator is known to keep shapes.
func (c *call) keep(reason string) error {
	im := c.im
	if im.inFold {
		return unsupported("%s", reason)
	}
	o := &Opaque{Node: proto.Clone(c.node).(*onnxpb.NodeProto), Opset: im.opset, Domains: map[string]int64{}}
	if err := im.inflate(o.Node); err != nil {
		return err
	}
	domains := map[string]bool{}
	domainsOf(c.node, domains)
	for d := range domains {
		if v, ok := im.needs[d]; ok {
			o.Domains[d] = v
		}
	}
	if err := im.functionsOf(o); err != nil {
		return err
	}
	s := &step{opaque: o, seq: im.next()}
	for _, v := range c.in {
		if v != nil {
			s.in = append(s.in, v)
		}
	}
	for name := range captured(c.node) {
		o.Captured = append(o.Captured, name)
	}
	slices.Sort(o.Captured)
	for _, name := range o.Captured {
		v := c.env.find(name)
		if v == nil {
			return fmt.Errorf("nothing computes %q, which its graphs read", clip(name))
		}
		s.in = append(s.in, v)
	}
	for _, v := range s.in {
		if v.empty() {
			return fmt.Errorf("%s, and its input %s has no elements", reason, v)
		}
	}
	// Outputs at the end that are left out need no types.
	out := o.Node.Output
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	o.Node.Output = out
	if len(out) == 0 {
		return errors.New("no outputs")
	}
	types, err := c.outputTypes(len(out))
	if err != nil {
		return fmt.Errorf("%s, and %w", reason, err)
	}
	if err := o.seal(); err != nil {
		return err
	}
	for i, t := range types {
		v := &value{dtype: t.DType, sizes: t.Sizes, step: s, out: i, name: out[i]}
		s.outs = append(s.outs, v)
		c.outs[i] = v
	}
	name := c.node.GetName()
	if name == "" {
		name = out[0]
	}
	im.kept[s] = len(im.report.Opaque)
	im.report.Opaque = append(im.report.Opaque, OpaqueNode{Name: name, Output: out[0], Op: opName(c.node), Reason: reason})
	im.report.Missing[opName(c.node)]++
	return nil
}

// functionsOf adds to an opaque node the functions that its graphs call.
func (im *importer) functionsOf(o *Opaque) error {
	if len(im.funcs) == 0 {
		return nil
	}
	seen := map[function]bool{}
	var visit func(n *onnxpb.NodeProto) error
	visit = func(n *onnxpb.NodeProto) error {
		key := functionOf(n.GetDomain(), n.GetOpType(), n.GetOverload())
		if f := im.funcs[key]; f != nil && !seen[key] {
			seen[key] = true
			if err := im.copies(f); err != nil {
				return err
			}
			f = proto.Clone(f).(*onnxpb.FunctionProto)
			for _, m := range f.GetNode() {
				if err := im.inflate(m); err != nil {
					return err
				}
				if err := visit(m); err != nil {
					return err
				}
			}
			o.Functions = append(o.Functions, f)
			for d, v := range importsOf(f.GetOpsetImport()) {
				if _, ok := o.Domains[d]; !ok {
					o.Domains[d] = v
				}
			}
		}
		var err error
		eachGraph(n, func(g *onnxpb.GraphProto) {
			for _, m := range g.GetNode() {
				if err == nil {
					err = visit(m)
				}
			}
		})
		return err
	}
	return visit(o.Node)
}

// domainsOf adds the domains of a node and of those within it.
func domainsOf(n *onnxpb.NodeProto, to map[string]bool) {
	to[n.GetDomain()] = true
	eachGraph(n, func(g *onnxpb.GraphProto) {
		for _, m := range g.GetNode() {
			domainsOf(m, to)
		}
	})
}

// inflate reads the numbers that a node's tensors left in the file. All opaque
// nodes together hold no more than ReadOptions.MaxBytes: many may name the same
// bytes of a file, and each has a copy.
func (im *importer) inflate(n *onnxpb.NodeProto) error {
	var tensors []*onnxpb.TensorProto
	var collect func(n *onnxpb.NodeProto)
	collect = func(n *onnxpb.NodeProto) {
		for _, a := range n.GetAttribute() {
			if a.GetT() != nil {
				tensors = append(tensors, a.GetT())
			}
			tensors = append(tensors, a.GetTensors()...)
		}
		eachGraph(n, func(g *onnxpb.GraphProto) {
			tensors = append(tensors, g.GetInitializer()...)
			for _, m := range g.GetNode() {
				collect(m)
			}
		})
	}
	collect(n)
	for _, t := range tensors {
		if len(refsOf(t.ProtoReflect().GetUnknown())) == 0 && t.GetDataLocation() != onnxpb.TensorProto_EXTERNAL {
			continue
		}
		w, err := readWeight(t, im.src)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", clip(t.GetName()), err)
		}
		if im.held += w.Bytes(); im.held > im.opt.MaxBytes {
			return fmt.Errorf("tensor %q: nodes that are kept hold more than %d bytes of numbers", clip(t.GetName()), im.opt.MaxBytes)
		}
		raw, err := w.Read()
		if err != nil {
			return fmt.Errorf("tensor %q: %w", clip(t.GetName()), err)
		}
		t.RawData, t.FloatData, t.DoubleData = raw, nil, nil
		t.DataLocation, t.ExternalData = nil, nil
		t.ProtoReflect().SetUnknown(nil)
	}
	return nil
}

// outputTypes are the types of the first n outputs of a node that is not
// lowered.
func (c *call) outputTypes(n int) ([]graph.TensorType, error) {
	types := make([]graph.TensorType, n)
	var rule []graph.TensorType
	if f := typeRules[c.node.GetOpType()]; f != nil && defaultDomain(c.node.GetDomain()) {
		rule = f(c)
	}
	for i, name := range c.node.GetOutput()[:n] {
		if i < len(rule) && rule[i].Sizes != nil && graph.CheckSizes(rule[i].Sizes) == nil {
			types[i] = rule[i]
			continue
		}
		t, err := c.im.declared(c.im.info[name])
		if err != nil {
			return nil, fmt.Errorf("the type of its output %q is not known: %w", clip(name), err)
		}
		types[i] = t
	}
	return types, nil
}

// declared is a type as a value info gives it.
func (im *importer) declared(p *onnxpb.TypeProto) (graph.TensorType, error) {
	if p == nil {
		return graph.TensorType{}, errors.New("the file does not say it")
	}
	tt := p.GetTensorType()
	if tt == nil {
		return graph.TensorType{}, errors.New("it is not a tensor")
	}
	t, err := dtypeOf(elem(tt.GetElemType()))
	if err != nil {
		return graph.TensorType{}, err
	}
	if tt.GetShape() == nil {
		return graph.TensorType{}, errors.New("the file does not say its shape")
	}
	sizes := []int{}
	for i, d := range tt.GetShape().GetDim() {
		n := d.GetDimValue()
		if known, ok := im.dims[d.GetDimParam()]; ok && d.GetDimParam() != "" {
			n = int64(known)
		}
		if n < 1 || n > graph.MaxSize {
			return graph.TensorType{}, fmt.Errorf("the size of its axis %d is not fixed%s", i, dimNote(d.GetDimParam()))
		}
		sizes = append(sizes, int(n))
	}
	return graph.TensorType{DType: t, Sizes: sizes}, graph.CheckSizes(sizes)
}
