package onnx

import (
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Control flow whose course is known, and functions that the model defines,
// are read as if their nodes stood in place of the call.

func controlOperators() []*operator {
	return []*operator{
		{name: "If", versions: "1 11 13 16 19 21 23 24 25", attrs: "else_branch then_branch", lower: lowerIf, lists: mayList},
		{name: "Loop", versions: "1 11 13 16 19 21 23 24 25", attrs: "body", lower: lowerLoop, lists: mayList},
		// Before operator set 9 there was a batch, and sequences had lengths.
		{name: "Scan", versions: "!8 9 11 16 19 21 23 24 25", lower: lowerScan,
			attrs: "body !directions num_scan_inputs scan_input_axes scan_input_directions scan_output_axes scan_output_directions"},
	}
}

// maxCopied bounds what calls of functions copy, in bytes of the file.
const maxCopied = 1 << 26

// copies counts a copy of a function.
func (im *importer) copies(f *onnxpb.FunctionProto) {
	if im.copied += int64(proto.Size(f)); im.copied > maxCopied {
		must.Failf("functions copy more than %d bytes", maxCopied)
	}
}

// maxInline bounds functions within functions and branches within branches.
const maxInline = 16

// within reads what stands in place of a call, whose declared types hold there only.
func (im *importer) within(read func()) {
	info := im.info
	defer func() { im.depth, im.info = im.depth-1, info }()
	if im.depth++; im.depth > maxInline {
		must.Failf("functions or branches are nested deeper than %d", maxInline)
	}
	read()
}

// lowerIf reads the branch that is taken, if that is known.
func lowerIf(c *call) {
	c.need(1, 1)
	k := must.Get(c.in[0].constant())
	if k == nil {
		c.choose()
		return
	}
	if k.len() != 1 {
		must.Failf("the condition is %s", c.in[0])
	}
	name := "else_branch"
	if k.number(0) != 0 {
		name = "then_branch"
	}
	outs, b := c.branch(name)
	copy(c.outs, outs)
	c.im.branches[c.node] = b
}

// inline reads the body of a function of the model, with the call's attributes
// in place of the function's.
func (c *call) inline(f *onnxpb.FunctionProto) {
	if len(c.in) > len(f.GetInput()) || len(c.outs) > len(f.GetOutput()) {
		must.Failf("the function has %d inputs and %d outputs, the node %d and %d",
			len(f.GetInput()), len(f.GetOutput()), len(c.in), len(c.outs))
	}
	im := c.im
	im.within(func() {
		// The nodes are copied, with all that they hold.
		im.copies(f)
		opset, needs := im.opset, im.needs
		defer func() { im.opset, im.needs = opset, needs }()
		im.inlined++ // its names of dimensions are its own
		defer func() { im.inlined-- }()
		im.needs = importsOf(f.GetOpsetImport())
		for _, o := range f.GetOpsetImport() {
			if defaultDomain(o.GetDomain()) {
				if im.opset = o.GetVersion(); im.opset < oldestOpset || im.opset > newestOpset {
					must.Failf("operator set %d is not supported, only %d to %d", im.opset, oldestOpset, newestOpset)
				}
			}
		}
		// A function sees only its inputs.
		env := &scope{vals: map[string]*value{}}
		missing := map[string]bool{"": true}
		for i, name := range f.GetInput() {
			if v := c.optional(i); v != nil {
				env.define(name, v)
			} else {
				missing[name] = true
			}
		}
		given := map[string]*onnxpb.AttributeProto{}
		for _, a := range f.GetAttributeProto() {
			given[a.GetName()] = a
		}
		for name, a := range c.attr {
			given[name] = a
		}
		body := make([]*onnxpb.NodeProto, len(f.GetNode()))
		for i, n := range f.GetNode() {
			body[i] = proto.Clone(n).(*onnxpb.NodeProto)
			bind(body[i], given)
			for j, name := range body[i].Input {
				if missing[name] {
					body[i].Input[j] = ""
				}
			}
		}
		im.declare(f.GetValueInfo())
		im.nodes(body, env, f.GetOutput())
		for i := range c.outs {
			if c.outs[i] = env.find(f.GetOutput()[i]); c.outs[i] == nil && c.wanted(i) {
				must.Failf("the function does not compute its output %s", clip(f.GetOutput()[i]))
			}
		}
	})
}

// bind replaces references to a function's attributes by their values, or drops
// them where there is none.
func bind(n *onnxpb.NodeProto, given map[string]*onnxpb.AttributeProto) {
	var out []*onnxpb.AttributeProto
	for _, a := range n.Attribute {
		if a.GetRefAttrName() != "" {
			v, ok := given[a.GetRefAttrName()]
			if !ok {
				continue
			}
			b := proto.Clone(v).(*onnxpb.AttributeProto)
			b.Name = a.Name
			a = b
		}
		out = append(out, a)
	}
	n.Attribute = out
	eachGraph(n, func(g *onnxpb.GraphProto) {
		for _, m := range g.GetNode() {
			bind(m, given)
		}
	})
}
