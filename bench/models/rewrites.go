package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
)

// Rewrites of products of matrices, and of what follows a merged operator.
// Each names the laws of variants.rules that its steps are instances of.

// part is a piece of a merged result: positions lo to hi-1.
type part struct{ lo, hi int }

// merged is a group of operators that one operator stands for.
type merged struct {
	members []graph.NodeID
	built   bool
	whole   tensor
}

// grouped collects nodes by key, in order; groups of one are left out.
func grouped(e *edit, key func(id graph.NodeID) (string, bool)) map[graph.NodeID]*merged {
	byKey := map[string]*merged{}
	of := map[graph.NodeID]*merged{}
	for id := range e.old.Graph.Nodes() {
		if e.old.Graph.Op(id) == nil {
			continue
		}
		k, ok := key(id)
		if !ok {
			continue
		}
		if byKey[k] == nil {
			byKey[k] = &merged{}
		}
		byKey[k].members = append(byKey[k].members, id)
		of[id] = byKey[k]
	}
	for id, m := range of {
		if len(m.members) < 2 {
			delete(of, id)
		}
	}
	return of
}

// take gives a member its part of the merged result, which build makes when the
// first member is reached: all members read the same tensor and weights, so
// everything is there by then.
func (m *merged) take(e *edit, id graph.NodeID, axis int, build func() tensor) tensor {
	if !m.built {
		m.whole, m.built = build(), true
		e.count++
	}
	lo := 0
	for _, v := range m.members {
		n := e.old.Graph.Sizes(v.Out(0))[axis]
		if v == id {
			return e.slice(e.old.Graph.Name(id)+"_part", m.whole, axis, lo, lo+n)
		}
		lo += n
	}
	return tensor{} // not reached: id is a member
}

// mergeMatmuls makes one product of the products that read the same tensor from
// the left and a weight each from the right, those whose names keep accepts
// (nil: all): merge_products.
func mergeMatmuls(keep func(name string) bool) rewrite {
	return func(e *edit) func(graph.NodeID) (tensor, bool) {
		g := e.old.Graph
		of := grouped(e, func(id graph.NodeID) (string, bool) {
			if !e.is(id, "matmul") || keep != nil && !keep(g.Name(id)) {
				return "", false
			}
			x, w := e.operand(id, 0), e.operand(id, 1)
			return fmt.Sprint(x), e.isWeight(w) && len(g.Sizes(w)) == 2
		})
		return func(id graph.NodeID) (tensor, bool) {
			m := of[id]
			if m == nil {
				return tensor{}, false
			}
			return m.take(e, id, 1, func() tensor {
				var ws []tensor
				for _, v := range m.members {
					ws = append(ws, e.to[e.operand(v, 1)])
				}
				name := g.Name(m.members[0]) + "_merged"
				return e.apply(name, "matmul", nil, e.to[e.operand(id, 0)], e.join(name+"_w", 1, ws))
			}), true
		}
	}
}

// splitMatmuls makes two products of each that has a weight on the right, each
// for half of the columns: merge_products backwards, split_columns.
func splitMatmuls(e *edit) func(graph.NodeID) (tensor, bool) {
	g := e.old.Graph
	return func(id graph.NodeID) (tensor, bool) {
		if !e.is(id, "matmul") {
			return tensor{}, false
		}
		x, w := e.to[e.operand(id, 0)], e.to[e.operand(id, 1)]
		if !e.isWeight(e.operand(id, 1)) || len(w.sizes) != 2 || w.sizes[1] < 2 {
			return tensor{}, false
		}
		e.count++
		name, n := g.Name(id), w.sizes[1]
		half := func(side string, lo, hi int) tensor {
			part := e.compute(name+"_w_"+side, "slice", attrs{"axis": number(1), "lo": number(lo), "hi": number(hi)}, w)
			return e.apply(name+"_"+side, "matmul", nil, x, part)
		}
		l, r := half("left", 0, n/2), half("right", n/2, n)
		return e.apply(name+"_joined", "concat", attrs{"axis": number(1)}, l, r), true
	}
}

// sumProducts makes one product of a sum of two products with weights: the left
// factors beside each other times the weights on top of each other:
// sum_products. Equal pairs of left factors are joined once.
func sumProducts(e *edit) func(graph.NodeID) (tensor, bool) {
	g := e.old.Graph
	product := func(t graph.Tensor) bool {
		return e.is(t.Node, "matmul") && e.isWeight(e.operand(t.Node, 1)) && len(g.Sizes(t)) == 2
	}
	joined := map[[2]graph.Tensor]tensor{}
	return func(id graph.NodeID) (tensor, bool) {
		if !e.is(id, "ewadd") || !product(e.operand(id, 0)) || !product(e.operand(id, 1)) {
			return tensor{}, false
		}
		e.count++
		p, q := e.operand(id, 0).Node, e.operand(id, 1).Node
		pair := [2]graph.Tensor{e.operand(p, 0), e.operand(q, 0)}
		xy, ok := joined[pair]
		name := g.Name(id)
		if !ok {
			xy = e.apply(name+"_inputs", "concat", attrs{"axis": number(1)}, e.new(pair[:]...)...)
			joined[pair] = xy
		}
		w := e.join(name+"_w", 0, e.new(e.operand(p, 1), e.operand(q, 1)))
		return e.apply(name+"_product", "matmul", nil, xy, w), true
	}
}

// lift moves what is done to all parts of a tensor before the tensor is cut:
// functions (lift_function), sums of parts with the same bounds (lift_sum), of
// parts and biases (lift_bias), batch norms (lift_batchnorm). Parts that are put
// together again are the tensor (put_together).
func lift(e *edit) func(graph.NodeID) (tensor, bool) {
	of := grouped(e, func(id graph.NodeID) (string, bool) {
		x, ok := e.pieceOf(e.operandOrZero(id))
		if !ok {
			return "", false
		}
		op, g := e.old.Graph.Op(id), e.old.Graph
		key := fmt.Sprintf("%s %s %v ", op.Name, op.FormatAttrs(g.Attrs(id)), x.of)
		switch op.Name {
		case "relu", "sigmoid", "tanh", "gelu", "clip":
			return key, true
		case "batchnorm":
			return key, x.axis == 1
		case "ewadd":
			if y, ok := e.pieceOf(e.operand(id, 1)); ok {
				return key + fmt.Sprint(y.of), y.axis == x.axis && y.part == x.part
			}
			b, _, ok := e.bias(e.operand(id, 1), x.axis)
			return key + "bias " + fmt.Sprint(len(g.Sizes(b))), ok
		}
		return "", false
	})
	for id, m := range of {
		if !e.tiles(m.members) {
			delete(of, id)
		}
	}
	return func(id graph.NodeID) (tensor, bool) {
		if t, ok := e.together(id); ok {
			e.count++
			return t, true
		}
		m := of[id]
		if m == nil {
			return tensor{}, false
		}
		x, _ := e.pieceOf(e.operand(id, 0))
		return m.take(e, id, x.axis, func() tensor { return e.lifted(m.members, x) }), true
	}
}

// lifted applies what is done to the pieces to the whole.
func (e *edit) lifted(members []graph.NodeID, x piece) tensor {
	g := e.old.Graph
	first := members[0]
	op, name := g.Op(first).Name, g.Name(first)+"_lifted"
	in := []tensor{e.to[x.of]}
	switch op {
	case "batchnorm":
		for k := 1; k < 5; k++ {
			var ps []tensor
			for _, v := range members {
				ps = append(ps, e.to[e.operand(v, k)])
			}
			in = append(in, e.join(fmt.Sprintf("%s_%d", name, k), 0, ps))
		}
	case "ewadd":
		if y, ok := e.pieceOf(e.operand(first, 1)); ok {
			in = append(in, e.to[y.of])
			break
		}
		var bs []tensor
		axis := 0
		for _, v := range members {
			b, a, _ := e.bias(e.operand(v, 1), x.axis)
			bs, axis = append(bs, e.to[b]), a
		}
		b := e.join(name+"_b", axis, bs)
		in = append(in, e.apply(name+"_all", "broadcast", attrs{"shape": shape(in[0].sizes...)}, b))
	}
	return e.apply(name, op, e.attrsOf(first), in...)
}

// piece is a slice of a tensor.
type piece struct {
	of   graph.Tensor
	axis int
	part
}

// pieceOf says which slice an old tensor is.
func (e *edit) pieceOf(t graph.Tensor) (piece, bool) {
	if t.Node == 0 || !e.is(t.Node, "slice") {
		return piece{}, false
	}
	return piece{e.operand(t.Node, 0), e.intAttr(t.Node, "axis"),
		part{e.intAttr(t.Node, "lo"), e.intAttr(t.Node, "hi")}}, true
}

func (e *edit) operandOrZero(id graph.NodeID) graph.Tensor {
	if len(e.old.Graph.Operands(id)) == 0 {
		return graph.Tensor{}
	}
	return e.operand(id, 0)
}

// bias says whether an old tensor is a weight that is repeated, but not along
// the axis, counted in the repeated tensor: the weight, and the axis in it.
func (e *edit) bias(t graph.Tensor, axis int) (w graph.Tensor, in int, ok bool) {
	if !e.is(t.Node, "broadcast") {
		return w, 0, false
	}
	g := e.old.Graph
	w = e.operand(t.Node, 0)
	in = axis - (len(g.Sizes(t)) - len(g.Sizes(w)))
	if e.is(w.Node, "reshape") { // of a bias to [1, c, 1, 1]
		ok = e.isWeight(e.operand(w.Node, 0))
	} else {
		ok = e.isWeight(w)
	}
	return w, in, ok && in >= 0 && g.Sizes(w)[in] == g.Sizes(t)[axis]
}

// tiles reports whether the pieces that nodes read are a tensor, in order.
func (e *edit) tiles(members []graph.NodeID) bool {
	at := 0
	var x piece
	for _, v := range members {
		x, _ = e.pieceOf(e.operand(v, 0))
		if x.lo != at {
			return false
		}
		at = x.hi
	}
	return at == e.old.Graph.Sizes(x.of)[x.axis]
}

// together finds neighbouring pieces that a node puts together again.
func (e *edit) together(id graph.NodeID) (tensor, bool) {
	if !e.is(id, "concat") {
		return tensor{}, false
	}
	g := e.old.Graph
	x, ok1 := e.pieceOf(e.operand(id, 0))
	y, ok2 := e.pieceOf(e.operand(id, 1))
	axis := e.intAttr(id, "axis")
	if !ok1 || !ok2 || x.of != y.of || x.axis != axis || y.axis != axis || x.hi != y.lo {
		return tensor{}, false
	}
	whole := e.to[x.of]
	if x.lo == 0 && y.hi == whole.sizes[axis] {
		return whole, true
	}
	return e.slice(g.Name(id)+"_pieces", whole, axis, x.lo, y.hi), true
}

// named accepts names that have one of these parts.
func named(parts ...string) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return hasPart(name, p) })
	}
}

// hasPart reports whether a name in snake case has a part.
func hasPart(name, part string) bool { return slices.Contains(strings.Split(name, "_"), part) }
