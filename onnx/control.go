package onnx

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// Control flow whose course is known, and functions that the model defines,
// are read as if their nodes stood in place of the call.

func init() {
	register(map[string]lowering{
		"If":   lowerIf,
		"Loop": notLowered("it is a loop"),
		"Scan": notLowered("it is a loop"),
	})
}

func notLowered(reason string) lowering {
	return func(*call) error { return unsupported("%s", reason) }
}

// maxCopied bounds what calls of functions copy, in bytes of the file.
const maxCopied = 1 << 26

// copies counts a copy of a function.
func (im *importer) copies(f *onnxpb.FunctionProto) error {
	if im.copied += int64(proto.Size(f)); im.copied > maxCopied {
		return fmt.Errorf("functions copy more than %d bytes", maxCopied)
	}
	return nil
}

// maxInline bounds functions within functions and branches within branches.
const maxInline = 16

func (im *importer) enter() error {
	if im.depth++; im.depth > maxInline {
		return fmt.Errorf("functions or branches are nested deeper than %d", maxInline)
	}
	return nil
}

// lowerIf reads the branch that is taken, if that is known.
func lowerIf(c *call) error {
	if _, err := c.need(1, 1); err != nil {
		return err
	}
	k, err := c.known(0, "condition")
	if err != nil {
		return err
	}
	if k.len() != 1 {
		return fmt.Errorf("the condition is %s", c.in[0])
	}
	name := "else_branch"
	if k.number(0) != 0 {
		name = "then_branch"
	}
	g := c.attr[name].GetG()
	if g == nil {
		return fmt.Errorf("no %s", name)
	}
	if len(g.GetOutput()) != len(c.outs) {
		return fmt.Errorf("its %s has %d outputs, the node %d", name, len(g.GetOutput()), len(c.outs))
	}
	if err := c.im.enter(); err != nil {
		return err
	}
	defer func() { c.im.depth-- }()
	env := &scope{outer: c.env, vals: map[string]*value{}}
	if err := c.im.initializers(g, env); err != nil {
		return err
	}
	info := c.im.info
	defer func() { c.im.info = info }()
	c.im.info = map[string]*onnxpb.TypeProto{}
	for _, t := range append(append([]*onnxpb.ValueInfoProto{}, g.GetValueInfo()...), g.GetOutput()...) {
		c.im.info[t.GetName()] = t.GetType()
	}
	if err := c.im.nodes(g.GetNode(), env); err != nil {
		return err
	}
	for i, o := range g.GetOutput() {
		if c.outs[i] = env.find(o.GetName()); c.outs[i] == nil {
			return fmt.Errorf("nothing computes the output %q of its %s", clip(o.GetName()), name)
		}
	}
	return nil
}

// inline reads the body of a function of the model, with the call's attributes
// in place of the function's.
func (c *call) inline(f *onnxpb.FunctionProto) error {
	if len(c.in) > len(f.GetInput()) || len(c.outs) > len(f.GetOutput()) {
		return fmt.Errorf("the function has %d inputs and %d outputs, the node %d and %d",
			len(f.GetInput()), len(f.GetOutput()), len(c.in), len(c.outs))
	}
	if err := c.im.enter(); err != nil {
		return err
	}
	defer func() { c.im.depth-- }()
	// The nodes are copied, with all that they hold.
	if err := c.im.copies(f); err != nil {
		return err
	}
	opset, needs := c.im.opset, c.im.needs
	defer func() { c.im.opset, c.im.needs = opset, needs }()
	c.im.needs = importsOf(f.GetOpsetImport())
	for _, o := range f.GetOpsetImport() {
		if defaultDomain(o.GetDomain()) {
			if c.im.opset = o.GetVersion(); c.im.opset < oldestOpset || c.im.opset > newestOpset {
				return fmt.Errorf("operator set %d is not supported, only %d to %d", c.im.opset, oldestOpset, newestOpset)
			}
		}
	}
	// A function sees only its inputs.
	env := &scope{vals: map[string]*value{}}
	for i, name := range f.GetInput() {
		if v := c.optional(i); v != nil {
			if err := env.define(name, v); err != nil {
				return err
			}
		}
	}
	given := map[string]*onnxpb.AttributeProto{}
	for _, a := range f.GetAttributeProto() {
		given[a.GetName()] = a
	}
	for name, a := range c.attr {
		given[name] = a
	}
	missing := map[string]bool{"": true}
	for i, name := range f.GetInput() {
		if c.optional(i) == nil {
			missing[name] = true
		}
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
	info := c.im.info
	defer func() { c.im.info = info }()
	c.im.info = map[string]*onnxpb.TypeProto{}
	for _, t := range f.GetValueInfo() {
		c.im.info[t.GetName()] = t.GetType()
	}
	if err := c.im.nodes(body, env); err != nil {
		return err
	}
	for i := range c.outs {
		if c.outs[i] = env.find(f.GetOutput()[i]); c.outs[i] == nil && c.node.GetOutput()[i] != "" {
			return errors.New("the function does not compute its output " + clip(f.GetOutput()[i]))
		}
	}
	return nil
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
