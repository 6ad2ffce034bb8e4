package onnx

import (
	"github.com/taso-go/taso/graph"
)

// Comparisons and choices by them, and functions of integers.

// truthful are the operators that ONNX has as truth values and we as zeros and ones.
var truthful = map[string]bool{"isnan": true, "isinf": true, "ewless": true, "ewlessequal": true, "ewequal": true}

// writeTruths writes a node of truth values; what chooses by them reads these, and all
// others zeros and ones.
func writeTruths(onnx string) writer {
	return func(e *exporter, id graph.NodeID) {
		truth := e.fresh(id, "truth")
		e.truths[id] = truth
		e.emit(onnx, e.spread(id), truth)
		if e.uses[id.Out(0)] > e.chosen[id] {
			e.emit("Cast", []string{truth}, e.out(id), intAttribute("to", int64(elemOf(e.g.DType(id.Out(0))))))
		}
	}
}

// choices counts for each node of zeros and ones how many nodes choose by them.
func (e *exporter) choices() {
	for id := range e.g.Nodes() {
		if op := e.g.Op(id); op != nil && op.Name == "ewwhere" && !e.covered[id] && e.as[id] == nil {
			of := e.condition(id)
			switch op := e.g.Op(of.Node); {
			case op != nil && truthful[op.Name]:
				e.chosen[of.Node]++
			case e.single(of, "cast") && e.plainTruth(e.g.Operands(of.Node)[0]):
				e.takes(of)
			}
		}
	}
}

// plainTruth reports whether a tensor is truth values of which nothing else is known, so
// that a choice by them reads as a cast of them.
func (e *exporter) plainTruth(t graph.Tensor) bool {
	op := e.g.Op(t.Node)
	return e.g.DType(t) == graph.Bool && (op == nil && !e.g.IsWeight(t.Node) || op != nil && op.Name != "cast")
}

// condition is what a choice is made by, before it is broadcast if the node does it itself.
func (e *exporter) condition(id graph.NodeID) graph.Tensor {
	is := e.g.Operands(id)[0]
	if e.covered[is.Node] && e.g.Op(is.Node).Name == "broadcast" {
		is = e.g.Operands(is.Node)[0]
	}
	return is
}

func writeWhere(e *exporter, id graph.NodeID) {
	in, is := e.spread(id), e.condition(id)
	switch truth := e.truths[is.Node]; {
	case truth != "":
		in[0] = truth
	case e.covered[is.Node]: // a cast of truth values
		in[0] = e.of(e.g.Operands(is.Node)[0])
	case e.g.DType(is) != graph.Bool:
		truth = e.fresh(id, "truth")
		e.emit("Cast", []string{in[0]}, truth, intAttribute("to", int64(elemOf(graph.Bool))))
		in[0] = truth
	}
	e.emit("Where", in, e.out(id))
}

// bitwise are the functions of integers that ONNX has since operator set 18.
var bitwise = map[string]string{"bitand": "BitwiseAnd", "bitor": "BitwiseOr", "bitxor": "BitwiseXor"}

// function is the name of the function that an ewint is.
func (e *exporter) function(id graph.NodeID) string {
	fn, _ := e.attr(id, "fn").Name()
	return fn
}

func writeInt(e *exporter, id graph.NodeID) {
	fn := e.function(id)
	in, out := e.spread(id), e.out(id)
	switch fn {
	case "quo":
		e.emit("Div", in, out)
	case "rem":
		e.emit("Mod", in, out, intAttribute("fmod", 1))
	case "mod":
		e.emit("Mod", in, out)
	case "shl", "shr":
		e.emit("BitShift", in, out, textAttribute("direction", map[string]string{"shl": "LEFT", "shr": "RIGHT"}[fn]))
	default:
		e.emit(bitwise[fn], in, out)
	}
}
