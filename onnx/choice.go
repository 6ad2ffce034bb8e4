package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// Branches between which a condition chooses that is not known while reading: both are
// computed, and what they give is chosen from. So what neither branch would do alone must
// not happen: nothing in them may fail, nor may they differ in what they give.

// choose reads both branches.
func (c *call) choose() {
	im := c.im
	not := func(format string, args ...any) {
		must.Do(unsupported("its condition is not constant, and %s", fmt.Sprintf(format, args...)))
	}
	if c.in[0].dtype != graph.Bool || c.in[0].elements() != 1 {
		must.Failf("the condition is %s", c.in[0])
	}
	held, done := im.held, false
	defer func() {
		if !done {
			im.held = held // what was kept is forgotten, and kept again with the node
		}
	}()
	c.attempt(func() {
		var outs [2][]*value
		why := "" // the first reason not to compute both
		for i, name := range []string{"then_branch", "else_branch"} {
			opaque, first := len(im.report.Opaque), im.made.Graph().Len()
			// Whoever takes the other branch must not see an error of this one.
			err := must.Try(func() { outs[i], _ = c.branch(name) })
			reason := ""
			var e *Error
			switch {
			case errors.As(err, &e):
				reason = fmt.Sprintf("its %s is not read: %s: %v", name, e.Node, e.Err)
			case err != nil:
				reason = fmt.Sprintf("its %s is not read: %v", name, err)
			case len(im.report.Opaque) > opaque:
				o := im.report.Opaque[opaque]
				reason = fmt.Sprintf("its %s contains %s: %s", name, o.Op, o.Reason)
			default:
				if fails := im.mayFail(graph.NodeID(first)); fails != "" {
					reason = fmt.Sprintf("in its %s %s", name, fails)
				}
			}
			if why == "" {
				why = reason
			}
		}
		c.agree(outs)
		if why != "" {
			not("%s", why)
		}
		for i := range c.outs {
			if !c.wanted(i) {
				continue
			}
			x, y := outs[0][i], outs[1][i]
			switch {
			case x.list != nil || y.list != nil:
				not("output %d of its branches is a sequence", i)
			case x.dtype != y.dtype || !slices.Equal(x.dims(), y.dims()):
				not("output %d of its branches is %s or %s", i, x.typeText(), y.typeText())
			}
			if c.outs[i] = x; x == y {
				continue
			}
			truth := x.dtype == graph.Bool
			if truth {
				x, y = im.chooses(x, graph.Float32), im.chooses(y, graph.Float32)
			}
			is := im.reshape(im.chooses(c.in[0], x.dtype))
			if c.outs[i] = im.do("ewwhere", im.broadcastTo(is, x.dims()), x, y); truth {
				c.outs[i] = im.cast(c.outs[i], graph.Bool)
			}
		}
	})
	done = true
}

// agree notes the types of outputs for which both branches have the same.
func (c *call) agree(outs [2][]*value) {
	if outs[0] == nil || outs[1] == nil {
		return
	}
	c.agreed = make([]*openType, len(c.outs))
	for i, x := range outs[0] {
		y := outs[1][i]
		if x.list == nil && y.list == nil && x.dtype == y.dtype && slices.Equal(x.dims(), y.dims()) {
			c.agreed[i] = &openType{x.dtype, x.dims()}
		}
	}
}

// conditionHelp says which inputs of the model to give values, so that the condition of an If
// is constant. It says nothing if there are many, or none.
func (c *call) conditionHelp() string {
	im, g := c.im, c.im.made.Graph()
	if c.node.GetOpType() != "If" || len(c.in) == 0 || c.in[0] == nil {
		return ""
	}
	var names []string
	seen := map[graph.NodeID]bool{}
	var visit func(t graph.Tensor)
	visit = func(t graph.Tensor) {
		if t.Node == 0 || seen[t.Node] {
			return
		}
		seen[t.Node] = true
		if g.Op(t.Node) != nil {
			for _, x := range g.Operands(t.Node) {
				visit(x)
			}
		} else if v := im.values[t]; slices.Contains(im.inputs, v) {
			names = append(names, v.name)
		}
	}
	visit(c.in[0].tensor)
	if len(names) == 0 || len(names) > 2 {
		return ""
	}
	help := "; if its condition is always the same, give what it depends on:"
	for _, name := range names {
		help += " --constant " + shellWord(name+"=VALUE")
	}
	return help
}

// branch reads a branch: its outputs, and how it was read.
func (c *call) branch(name string) (outs []*value, b *taken) {
	g := c.attr[name].GetG()
	if g == nil {
		must.Failf("no %s", name)
	}
	if len(g.GetOutput()) != len(c.outs) {
		must.Failf("its %s has %d outputs, the node %d", name, len(g.GetOutput()), len(c.outs))
	}
	c.im.within(func() {
		env := &scope{outer: c.env, vals: map[string]*value{}}
		var nodes []*onnxpb.NodeProto
		outs, nodes = c.im.graphWithin(g, env, name)
		b = &taken{graph: g, nodes: nodes, env: env}
	})
	return outs, b
}

// mayFail says which node behind one, if any, has no result for some numbers: one that
// reads or adds at places that are not known to be there, divides integers by what may be
// 0, or takes a negative power of them.
func (im *importer) mayFail(after graph.NodeID) string {
	g := im.made.Graph()
	for id := after + 1; int(id) <= g.Len(); id++ {
		o := g.Op(id)
		if o == nil {
			continue
		}
		switch {
		case o.Places != nil:
			shapes := make([]graph.Shape, o.In)
			for i, t := range g.Operands(id) {
				shapes[i] = graph.ShapeOf(im.values[t].dims()...)
			}
			at, size, err := o.Places(g.OpenAttrs(id), shapes)
			n, ok := size.Const()
			if err != nil || !ok || !im.inside(g.Operands(id)[at], n) {
				return "an index is computed and might be out of range"
			}
		case (o.Name == "ewint" || o.Name == "ewpow") && !g.DType(id.Out(0)).IsFloat():
			return "an integer division, shift or power might be undefined"
		}
	}
	return ""
}

// inside reports whether all positions are known, and are on an axis of n.
func (im *importer) inside(t graph.Tensor, n int64) bool {
	v := im.values[t]
	if v == nil {
		return false
	}
	k := must.Get(v.constant())
	if k == nil {
		return false
	}
	for _, p := range k.ints {
		if p < -n || p >= n {
			return false
		}
	}
	return true
}
