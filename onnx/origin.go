package onnx

import (
	"slices"

	"github.com/taso-go/taso/internal/must"
)

// origin is a node that was lowered and could be computed while reading, as all its
// inputs are known or have an origin themselves. It is computed when somebody asks,
// which is where something depends on it that cannot be lowered: an exporter may
// write a position or a mask as a chain of nodes on weights.
type origin struct {
	call  *call
	opset int64 // of the node: that of a function differs
	outs  []*value
	tried bool
	known []*constant
}

// knowable reports whether all inputs of a node are known or have an origin.
func (c *call) knowable() bool {
	some := false
	for _, v := range c.in {
		if v == nil {
			continue
		}
		if v.open != nil || !v.fixed() && v.origin == nil || v.elements() > maxConstant {
			return false
		}
		some = true
	}
	return some
}

// remember notes where the outputs of a lowered node come from.
func (c *call) remember() {
	if c.im.inFold || c.im.own || !c.knowable() {
		return
	}
	o := &origin{call: c, opset: c.im.opset, outs: slices.Clone(c.outs)}
	for _, v := range c.outs {
		if v != nil && v.made && v.origin == nil {
			v.origin = o
		}
	}
}

// maxDemanded bounds the elements that are computed because somebody asked.
const maxDemanded = 1 << 24

// constant is what is known of an output's elements, or nil. A node that fails is not
// known: it was lowered, and what it means is said there.
func (o *origin) constant(v *value) *constant {
	if o == nil {
		return nil
	}
	im := o.call.im
	if !o.tried {
		o.tried = true
		for _, out := range o.outs {
			if out != nil && out.open == nil {
				im.demanded += out.elements()
			}
		}
		if im.demanded > maxDemanded {
			return nil
		}
		opset := im.opset
		im.opset = o.opset
		_ = must.Try(func() { o.known = o.call.evaluated() })
		im.opset = opset
	}
	if i := slices.Index(o.outs, v); i >= 0 && i < len(o.known) {
		return o.known[i]
	}
	return nil
}
