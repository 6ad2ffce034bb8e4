package onnx

import (
	"iter"
	"maps"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// paths follows the values of a file.
type paths struct {
	s     *Source
	maker map[string]int            // nodes by their outputs
	reads [][]string                // names that nodes read
	below map[string][]graph.Tensor // what of the graph a value that is no tensor of it is made of
}

func newPaths(s *Source) *paths {
	p := &paths{s: s, maker: map[string]int{}, reads: make([][]string, len(s.nodes)), below: map[string][]graph.Tensor{}}
	for i, n := range s.nodes {
		for _, o := range n.GetOutput() {
			if o != "" {
				p.maker[o] = i
			}
		}
		for _, v := range n.GetInput() {
			if v != "" {
				p.reads[i] = append(p.reads[i], v)
			}
		}
		p.reads[i] = append(p.reads[i], slices.Sorted(maps.Keys(captured(n)))...)
	}
	return p
}

// under are the tensors of the graph that a value is, or is made of if it is none.
func (p *paths) under(v string) []graph.Tensor {
	if t := p.s.values[v].tensor; t.Node != 0 {
		return []graph.Tensor{t}
	}
	if ts, ok := p.below[v]; ok {
		return ts
	}
	i, made := p.maker[v]
	if !made || p.s.values[v].known() {
		return nil
	}
	p.below[v] = nil
	seen := map[graph.Tensor]bool{}
	for _, u := range p.reads[i] {
		for _, t := range p.under(u) {
			if !seen[t] {
				seen[t] = true
				p.below[v] = append(p.below[v], t)
			}
		}
	}
	return p.below[v]
}

// within are the nodes of the graph that a node of the file was read as.
func (p *paths) within(i int, n *onnxpb.NodeProto) iter.Seq[graph.NodeID] {
	return func(yield func(graph.NodeID) bool) {
		stop, seen := map[graph.Tensor]bool{}, map[graph.NodeID]bool{}
		for _, v := range p.reads[i] {
			for _, t := range p.under(v) {
				stop[t] = true
			}
		}
		g, more := p.s.model.Graph, true
		var visit func(t graph.Tensor)
		visit = func(t graph.Tensor) {
			id := t.Node
			if !more || stop[t] || seen[id] || g.Op(id) == nil {
				return
			}
			seen[id] = true
			if more = yield(id); !more {
				return
			}
			for _, x := range g.Operands(id) {
				visit(x)
			}
		}
		for _, o := range n.GetOutput() {
			if t := p.s.values[o].tensor; o != "" && t.Node != 0 {
				visit(t)
			}
		}
	}
}

// mostApart is how many nodes of the graph a node of the file may be read as for moves to
// take it apart. What is more is an operator for which runtimes have a kernel: written in
// pieces it would be slower.
const mostApart = 8

// repeating are operators that run graphs within them, or one step after the other.
var repeating = map[string]bool{"LSTM": true, "GRU": true, "RNN": true, "Loop": true, "Scan": true, "If": true}

// Whole are the nodes of the graph, by name, that belong to a node of the file which is
// better kept whole: a recurrent layer, a loop, and what else is read as many nodes. Calls of
// the file's own functions are none of them. clean: an If that [RewriteOptions].Clean replaces is
// none of them either, nor what is in it only because of it.
func (s *Source) Whole(clean bool) map[string]bool {
	if clean {
		s = s.inlined(false)
	}
	p, whole := newPaths(s), map[string]bool{}
	for i, n := range s.nodes {
		if operatorOf(n) == nil {
			continue
		}
		ids := slices.Collect(p.within(i, n))
		if len(ids) > mostApart || len(ids) > 1 && repeating[n.GetOpType()] {
			for _, id := range ids {
				whole[s.model.Graph.Name(id)] = true
			}
		}
	}
	return whole
}
