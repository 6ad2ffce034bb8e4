package onnx

import (
	"bytes"
	"net/url"

	"github.com/taso-go/taso/graph"
)

// Comparisons, which are read as arithmetic (compare.go), are comparisons again: one
// kernel of a runtime in place of four or five, of which ONNX Runtime needs 30 times as
// long for those of a number and a tensor whose last axis is 1.

// comparison is a comparison that is spelled out.
type comparison struct {
	op   string         // "": of the absolute value of a difference, which is x
	x, y graph.Tensor   // what is compared
	over []graph.Tensor // those between, which are covered
	huge graph.Tensor
}

// coverNegated finds one less a comparison: "not greater", or equal.
func (e *exporter) coverNegated(id graph.NodeID) {
	if e.g.Op(id).Name != "ewsub" {
		return
	}
	one, v := e.g.Operands(id)[0], e.g.Operands(id)[1]
	over := []graph.Tensor{v}
	if e.single(one, "broadcast") {
		over = append(over, one)
		one = e.g.Operands(one.Node)[0]
	}
	c, ok := e.compared(v)
	if !ok || !e.single(v, "clip") || !e.isNumber(one, 1) {
		return
	}
	if c.op == "" {
		d := e.g.Operands(c.x.Node)
		c.op, c.x, c.y = "Equal", d[0], d[1]
	} else {
		c.op = "LessOrEqual"
	}
	e.compares(id, c, over, " "+noteOne+"="+url.QueryEscape(e.g.Name(one.Node)))
}

// coverPositive finds comparisons.
func (e *exporter) coverPositive(id graph.NodeID) {
	if c, ok := e.compared(id.Out(0)); ok && c.op != "" {
		e.compares(id, c, nil, "")
	}
}

// compared recognizes what is 1 where a difference, or its absolute value, is positive.
func (e *exporter) compared(v graph.Tensor) (c comparison, ok bool) {
	g := e.g
	if op := g.Op(v.Node); op == nil || op.Name != "clip" || g.DType(v) != graph.Float32 ||
		e.attr(v.Node, "lo") != graph.NumberValue(0) || e.attr(v.Node, "hi") != graph.NumberValue(1) {
		return c, false
	}
	scaled := g.Operands(v.Node)[0]
	if !e.single(scaled, "smul") {
		return c, false
	}
	d := g.Operands(scaled.Node)[0]
	c.huge, c.over = g.Operands(scaled.Node)[1], []graph.Tensor{scaled, d}
	if !e.isNumber(c.huge, huge) {
		return c, false
	}
	if e.single(d, "abs") {
		c.x = g.Operands(d.Node)[0]
		c.over = append(c.over, c.x)
		return c, e.single(c.x, "ewsub")
	}
	if !e.single(d, "ewsub") {
		return c, false
	}
	c.op, c.x, c.y = "Greater", g.Operands(d.Node)[0], g.Operands(d.Node)[1]
	return c, true
}

// isNumber reports whether a tensor is a weight that is this number.
func (e *exporter) isNumber(t graph.Tensor, x float64) bool {
	w := e.m.Weights[t.Node]
	if w == nil || w.DType != graph.Float32 || len(w.Sizes) != 0 {
		return false
	}
	raw, err := w.Read()
	return err == nil && bytes.Equal(raw, floatScalar(x).encode())
}

// compares emits a comparison at the node id.
func (e *exporter) compares(id graph.NodeID, c comparison, over []graph.Tensor, more string) {
	e.takes(append(over, c.over...)...)
	e.as[id] = func() {
		truth := e.fresh(id, "truth")
		n := e.emit(c.op, []string{e.of(c.x), e.of(c.y)}, truth)
		mark(n, noteHuge+"="+url.QueryEscape(e.g.Name(c.huge.Node))+more)
		e.emit("Cast", []string{truth}, e.out(id), intAttribute("to", int64(elemOf(graph.Float32))))
	}
}
