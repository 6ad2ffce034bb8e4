package onnx

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/onnx/onnxpb"
)

// older gives a node the form that its operator has in an operator set that the file imports; ints are
// initializers of integers, by name.
func older(n *onnxpb.NodeProto, opset int64, ints map[string][]int64) error {
	for _, form := range olderForms {
		if opset >= form.since || !slices.Contains(form.ops, n.GetOpType()) || !defaultDomain(n.GetDomain()) {
			continue
		}
		for i, name := range form.attrs {
			at := i + 1
			if at >= len(n.Input) || n.Input[at] == "" {
				continue
			}
			xs, ok := ints[n.Input[at]]
			if !ok {
				return fmt.Errorf("%s of operator set %d takes %s as an attribute, and it is not known here", n.GetOpType(), opset, name)
			}
			n.Attribute = append(n.Attribute, intsAttribute(name, xs...))
		}
		n.Input = n.Input[:1]
	}
	return fits(n, opset)
}

// olderForms are operators whose operands behind the first were attributes before an
// operator set.
var olderForms = []struct {
	since int64
	ops   []string
	attrs []string
}{
	{13, []string{"Squeeze", "Unsqueeze", "ReduceSum"}, []string{"axes"}},
	{13, []string{"Split"}, []string{"split"}},
	{10, []string{"Slice"}, []string{"starts", "ends", "axes"}},
	{5, []string{"Reshape"}, []string{"shape"}},
}

// fits reports why a node is none of an operator set: the operator, an attribute or the
// number of operands is not there.
func fits(n *onnxpb.NodeProto, opset int64) error {
	o := operatorOf(n)
	if o == nil || !defaultDomain(n.GetDomain()) {
		return nil
	}
	d := o.at(opset)
	if d == nil {
		return fmt.Errorf("it has no %s", n.GetOpType())
	}
	for _, a := range n.GetAttribute() {
		if _, ok := d.attrs[a.GetName()]; !ok {
			return fmt.Errorf("its %s has no attribute %s", n.GetOpType(), a.GetName())
		}
	}
	if k := len(n.GetInput()); k > 0 {
		if _, ok := d.in.at(k - 1); !ok {
			return fmt.Errorf("its %s has fewer than %d inputs", n.GetOpType(), k)
		}
	}
	for i, v := range n.GetInput() {
		if p, ok := d.in.at(i); ok && v == "" && !p.optional {
			return fmt.Errorf("its %s needs its input %d, which newer ones do without", n.GetOpType(), i)
		}
	}
	return nil
}
