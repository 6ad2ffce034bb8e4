package onnx

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Opaque is the payload of an opaque node: an ONNX node that is written back as
// it was read, with other names for its inputs.
type Opaque struct {
	// Node is the node with all its numbers in memory.
	Node *onnxpb.NodeProto
	// Unread are the names of outputs behind those of Node that nobody reads, and whose
	// types are not known. They are written: the operator may have to have them.
	Unread []string
	// Captured are values that graphs within the node read from outside. They
	// are operands of the node, behind those of Node.Input that are not left
	// out.
	Captured []string
	// Opset is the version of ONNX's operator set that the node was written
	// for.
	Opset int64
	// Irregular: the node is not as ONNX defines its operator in that version, so what
	// it means in another one is not known.
	Irregular bool
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

// Hash is of all that says what the node computes, as is the form that its operator
// has in its operator set; names of its own inputs and outputs do not.
func (o *Opaque) Hash() []byte { return o.hash }

// seal computes the hash.
func (o *Opaque) seal() {
	n := proto.Clone(o.Node).(*onnxpb.NodeProto)
	// Values from outside are numbered, unless names within are such numbers.
	if !defines(n, capturedPrefix) {
		rename := map[string]string{}
		for i, name := range o.Captured {
			rename[name] = fmt.Sprint(capturedPrefix, i)
		}
		renameCaptured(n, rename)
	}
	number := func(names []string, what string) {
		for i, name := range names {
			if name != "" {
				names[i] = fmt.Sprintf("%s %d", what, i)
			}
		}
	}
	number(n.Input, "input")
	number(n.Output, "output")
	n.Name, n.DocString = nil, nil
	text := must.Get(deterministic.Marshal(n))
	for _, f := range o.Functions {
		text = append(text, must.Get(deterministic.Marshal(f))...)
	}
	// What a name means may depend on the operator set.
	eachOf(n, func(m *onnxpb.NodeProto) { text = append(text, formOf(m, o.Opset)) })
	for _, d := range slices.Sorted(maps.Keys(o.Domains)) {
		text = fmt.Appendf(text, "%q %d", d, o.Domains[d])
	}
	sum := sha256.Sum256(text)
	o.hash = sum[:16]
}

// capturedPrefix begins the names that values from outside have in a hash.
const capturedPrefix = "captured "

// defines reports whether a graph within a node defines a name that begins so.
func defines(n *onnxpb.NodeProto, prefix string) (found bool) {
	is := func(name string) { found = found || strings.HasPrefix(name, prefix) }
	var visit func(n *onnxpb.NodeProto)
	visit = func(n *onnxpb.NodeProto) {
		eachGraph(n, func(g *onnxpb.GraphProto) {
			for _, v := range g.GetInput() {
				is(v.GetName())
			}
			for _, t := range g.GetInitializer() {
				is(t.GetName())
			}
			for _, m := range g.GetNode() {
				for _, o := range m.GetOutput() {
					is(o)
				}
				visit(m)
			}
		})
	}
	visit(n)
	return found
}

// eachOf calls f for a node and for those within it.
func eachOf(n *onnxpb.NodeProto, f func(*onnxpb.NodeProto)) {
	f(n)
	eachNode(n, func(m *onnxpb.NodeProto) { eachOf(m, f) })
}

// deterministic writes equal messages as equal bytes.
var deterministic = proto.MarshalOptions{Deterministic: true}

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

// keep makes the node opaque. The types of its outputs must be known, see
// [call.outputTypes].
func (c *call) keep(reason string) {
	im := c.im
	if im.inFold {
		must.Do(unsupported("%s", reason))
	}
	o := &Opaque{Node: proto.Clone(c.node).(*onnxpb.NodeProto), Opset: im.opset, Domains: map[string]int64{},
		Irregular: c.op != nil && c.op.domain == "" && !c.regular}
	im.inflate(o.Node)
	domains := map[string]bool{}
	domainsOf(c.node, domains)
	for d := range domains {
		if v, ok := im.needs[d]; ok {
			o.Domains[d] = v
		}
	}
	im.functionsOf(o)
	var in []*value
	for _, v := range c.in {
		if v != nil {
			in = append(in, v)
		}
	}
	o.Captured = slices.Sorted(maps.Keys(captured(c.node)))
	for _, name := range o.Captured {
		v := c.env.find(name)
		if v == nil {
			must.Failf("nothing computes %q, which its graphs read", clip(name))
		}
		in = append(in, v)
	}
	for _, v := range in {
		if v.list != nil {
			must.Failf("%s, and it reads a sequence of tensors", reason)
		}
	}
	// Outputs at the end that nobody reads need no types.
	out := o.Node.Output
	for len(out) > 1 && (c.op == nil || c.op.lower == nil) && !c.wanted(len(out)-1) {
		out = out[:len(out)-1]
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	o.Unread, o.Node.Output = slices.Clone(o.Node.Output[len(out):]), out
	for n := len(o.Unread); n > 0 && o.Unread[n-1] == ""; n-- {
		o.Unread = o.Unread[:n-1]
	}
	if len(out) == 0 {
		must.Failf("no outputs")
	}
	types, err := c.outputTypes(len(out))
	if err != nil {
		must.Failf("%s, and %w%s", reason, err, c.conditionHelp())
	}
	o.seal()
	ts := make([]graph.Tensor, len(in))
	for i, v := range in {
		ts[i] = im.tensor(v)
	}
	at, shapes := make([]graph.TensorType, len(types)), make([]graph.Shape, len(types))
	for i, t := range types {
		at[i].DType, shapes[i] = t.dtype, graph.ShapeOf(t.dims...)
	}
	id := must.Get(im.made.OpaqueOpen("", o.Kind(), o, ts, at, shapes))
	copy(c.outs, im.entered(id))
	for i, name := range out {
		c.outs[i].name = name
	}
	name := c.node.GetName()
	if name == "" {
		name = out[0]
	}
	im.kept[id] = len(im.report.Opaque)
	im.report.Opaque = append(im.report.Opaque, OpaqueNode{Name: name, Output: out[0], Op: opName(c.node), Reason: reason})
	im.report.Missing[opName(c.node)]++
}

// functionsOf adds to an opaque node the functions that its graphs call.
func (im *importer) functionsOf(o *Opaque) {
	if len(im.funcs) == 0 {
		return
	}
	seen := map[function]bool{}
	var visit func(n *onnxpb.NodeProto)
	visit = func(n *onnxpb.NodeProto) {
		key := functionOf(n.GetDomain(), n.GetOpType(), n.GetOverload())
		if f := im.funcs[key]; f != nil && !seen[key] {
			seen[key] = true
			im.copies(f)
			f = proto.Clone(f).(*onnxpb.FunctionProto)
			for _, m := range f.GetNode() {
				im.inflate(m)
				visit(m)
			}
			o.Functions = append(o.Functions, f)
			for d, v := range importsOf(f.GetOpsetImport()) {
				if _, ok := o.Domains[d]; !ok {
					o.Domains[d] = v
				}
			}
		}
		eachNode(n, visit)
	}
	visit(o.Node)
}

// eachNode calls f with the nodes of the graphs within a node.
func eachNode(n *onnxpb.NodeProto, f func(*onnxpb.NodeProto)) {
	eachGraph(n, func(g *onnxpb.GraphProto) {
		for _, m := range g.GetNode() {
			f(m)
		}
	})
}

// domainsOf adds the domains of a node and of those within it.
func domainsOf(n *onnxpb.NodeProto, to map[string]bool) {
	to[n.GetDomain()] = true
	eachNode(n, func(m *onnxpb.NodeProto) { domainsOf(m, to) })
}

// inflate reads the numbers that a node's tensors left in the file. All opaque
// nodes together hold no more than ReadOptions.MaxBytes: many may name the same
// bytes of a file, and each has a copy.
func (im *importer) inflate(n *onnxpb.NodeProto) {
	for _, a := range n.GetAttribute() {
		for _, t := range slices.Concat([]*onnxpb.TensorProto{a.GetT()}, a.GetTensors()) {
			im.inflateTensor(t)
		}
	}
	eachGraph(n, func(g *onnxpb.GraphProto) {
		for _, t := range g.GetInitializer() {
			im.inflateTensor(t)
		}
		for _, m := range g.GetNode() {
			im.inflate(m)
		}
	})
}

func (im *importer) inflateTensor(t *onnxpb.TensorProto) {
	if t == nil || len(refsOf(t.ProtoReflect().GetUnknown())) == 0 && t.GetDataLocation() != onnxpb.TensorProto_EXTERNAL {
		return
	}
	err := must.Try(func() {
		w := must.Get(readWeight(t, im.src))
		if im.held += w.Bytes(); im.held > im.opt.MaxBytes {
			must.Failf("nodes that are kept hold more than %d bytes of numbers", im.opt.MaxBytes)
		}
		t.RawData, t.FloatData, t.DoubleData = pack(w.DType, must.Get(w.Read())), nil, nil
	})
	if err != nil {
		must.Failf("tensor %q: %w", clip(t.GetName()), err)
	}
	t.DataLocation, t.ExternalData = nil, nil
	t.ProtoReflect().SetUnknown(nil)
}

// outputTypes are the types of the first n outputs of a node that is not
// lowered: by the operator's rule if it has one, as the file declares them, or those on which
// both branches of an If agree. They hold for all values of the variables of sizes.
func (c *call) outputTypes(n int) ([]openType, error) {
	types := make([]openType, n)
	var rule []openType
	var silent error // why the rule says nothing
	if c.regular && c.op.types != nil {
		silent = must.Try(func() { rule = c.op.types(c) })
	}
	for i, name := range c.node.GetOutput()[:n] {
		if i < len(rule) && rule[i].dims != nil && checkDims(rule[i].dims) == nil {
			types[i] = rule[i]
			continue
		}
		var err error
		if types[i], err = c.im.declared(c.im.info[name]); err != nil && i < len(c.agreed) && c.agreed[i] != nil {
			types[i], err = *c.agreed[i], nil
		}
		if err == nil && slices.Contains(types[i].dims, graph.Int(0)) {
			// Whatever it computes would be equal to anything else.
			err = errors.New("the file says that it has no elements, which nothing shows")
		}
		if err != nil && c.im.open != nil && silent != nil {
			if narrows(silent) {
				must.Do(silent) // at fewer sizes it says something
			}
			err = fmt.Errorf("%w, and it does not follow: %v", err, silent)
		}
		if err != nil {
			return nil, fmt.Errorf("the type of its output %q is not known: %w", clip(name), err)
		}
	}
	return types, nil
}

// checkDims checks the sizes of a type that has no variables.
func checkDims(dims []graph.Dim) error {
	if sizes, ok := fixed(dims); ok {
		return graph.CheckSizes(sizes)
	}
	return nil
}

// sizeOf is the size of a declared dimension, and whether it is known.
func (im *importer) sizeOf(d *onnxpb.TensorShapeProto_Dimension) (size int64, ok bool) {
	if known, ok := im.dims[dimName(d)]; ok && dimName(d) != "" {
		return int64(known), true
	}
	return dimSize(d)
}

// Untyped is the cause of an error that shape inference may mend: a node is kept as
// it is, and the file does not say the type or the shape of what it computes.
type Untyped struct{ what string }

// Error is one line.
func (u *Untyped) Error() string { return "the file does not say " + u.what }

// declared is a type as a value info gives it. A dimension that the file leaves open has to
// have the name of one that an input has: it is the same wherever the name stands.
func (im *importer) declared(p *onnxpb.TypeProto) (t openType, err error) {
	tt := p.GetTensorType()
	switch {
	case p == nil:
		return t, &Untyped{"it"}
	case tt == nil:
		return t, errors.New("it is not a tensor")
	}
	if t.dtype, err = dtypeOf(elem(tt.GetElemType())); err != nil {
		return t, err
	}
	if tt.GetShape() == nil {
		return t, &Untyped{"its shape"}
	}
	t.dims = []graph.Dim{}
	for i, d := range tt.GetShape().GetDim() {
		if im.open != nil && dimName(d) != "" && im.inlined == 0 {
			if x, ok := im.open.named[dimName(d)]; ok {
				t.dims = append(t.dims, x)
				continue
			}
		}
		n, ok := im.sizeOf(d)
		if !ok || n < 0 || n > graph.MaxSize {
			return t, fmt.Errorf("the size of its axis %d is not fixed%s", i, dimNote(d.GetDimParam()))
		}
		t.dims = append(t.dims, graph.Int(n))
	}
	return t, checkDims(t.dims)
}
