package onnx

import (
	"maps"
	"slices"

	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// An If whose condition is constant always runs the same branch. [RewriteOptions].Clean writes
// the nodes of this branch in its place.

// taken is the branch of an If that its constant condition chooses, as it was read.
type taken struct {
	graph *onnxpb.GraphProto
	nodes []*onnxpb.NodeProto // operands first
	env   *scope
	vals  map[string]sourceValue // what the branch defines
}

// inlining makes a source in which branches stand in place of their Ifs.
type inlining struct {
	from, to *Source
	found    bool
	defined  map[string]int  // how often the file defines a name of a value, in any graph
	called   map[string]int  // the same of names of nodes
	names    *names          // all of these
	open     map[string]bool // values whose sizes or elements may depend on sizes that are open
}

// inlined returns the source with the taken branch in place of each If whose condition is
// constant, and s itself if there is none. Where sizes stay open, the condition must not
// depend on them: fix says that they do not stay open.
func (s *Source) inlined(fix bool) *Source {
	if len(s.branches) == 0 {
		return s
	}
	to := *s
	to.nodes, to.values = nil, maps.Clone(s.values)
	x := &inlining{from: s, to: &to, defined: map[string]int{}, called: map[string]int{}, names: newNames(), open: map[string]bool{}}
	x.count(s.file.GetGraph())
	for _, o := range s.open {
		x.open[o.Input] = !fix
	}
	for _, o := range s.axes {
		x.open[o.Input] = true
	}
	if x.list(s.nodes, s.values, nil); !x.found {
		return s
	}
	return &to
}

// count counts the names that a graph and the graphs within it define.
func (x *inlining) count(g *onnxpb.GraphProto) {
	value := func(name string) {
		x.defined[name]++
		x.names.claim(name)
	}
	for _, v := range g.GetInput() {
		value(v.GetName())
	}
	for _, t := range g.GetInitializer() {
		value(t.GetName())
	}
	for _, n := range g.GetNode() {
		x.called[n.GetName()]++
		x.names.claim(n.GetName())
		for _, o := range n.GetOutput() {
			value(o)
		}
		eachGraph(n, x.count)
	}
}

// list adds nodes of the main graph, or of a branch, whose values have the names of rename.
func (x *inlining) list(nodes []*onnxpb.NodeProto, vals map[string]sourceValue, rename func(string) string) {
	for _, n := range nodes {
		if b := x.from.branches[n]; b != nil {
			c := n.GetInput()[0]
			if rename != nil {
				c = rename(c)
			}
			if !x.open[c] {
				x.found = true
				x.branch(n, b, vals, rename)
				continue
			}
		}
		if rename != nil {
			n = proto.Clone(n).(*onnxpb.NodeProto)
			for _, o := range n.GetOutput() {
				if o != "" {
					x.to.values[rename(o)] = vals[o]
				}
			}
			renameNode(n, rename)
			if x.called[n.GetName()] > 1 {
				n.Name = proto.String(x.names.unique(n.GetName()))
			}
		}
		x.add(n)
	}
}

// add adds a node of the result.
func (x *inlining) add(n *onnxpb.NodeProto) {
	x.to.nodes = append(x.to.nodes, n)
	open := false
	for _, v := range n.GetInput() {
		open = open || x.open[v]
	}
	for v := range captured(n) {
		open = open || x.open[v]
	}
	for _, o := range n.GetOutput() {
		x.open[o] = open && o != ""
	}
}

// branch adds the nodes of a branch in place of its If. vals are values of the graph that the
// If is in, outer are their names in the result.
func (x *inlining) branch(n *onnxpb.NodeProto, b *taken, vals map[string]sourceValue, outer func(string) string) {
	if outer == nil {
		outer = func(v string) string { return v }
	}
	made := map[string]bool{}
	for _, m := range b.nodes {
		for _, o := range m.GetOutput() {
			made[o] = o != ""
		}
	}
	// A node that makes an output of the branch makes the output of the If.
	inner := map[string]string{}
	var copies []int
	for i, o := range n.GetOutput() {
		if o == "" {
			continue
		}
		v := b.graph.GetOutput()[i].GetName()
		if inner[v] == "" && made[v] && x.defined[outer(o)] <= 1 {
			inner[v] = outer(o)
		} else {
			copies = append(copies, i)
		}
		x.to.values[outer(o)] = vals[o]
	}
	for _, v := range slices.Sorted(maps.Keys(made)) {
		x.inside(v, inner)
	}
	for _, t := range b.graph.GetInitializer() {
		v := x.inside(t.GetName(), inner)
		x.to.values[v] = b.vals[t.GetName()]
		x.to.initial = append(x.to.initial, v)
	}
	for _, info := range slices.Concat(b.graph.GetValueInfo(), b.graph.GetOutput()) {
		if v := inner[info.GetName()]; v != "" {
			info = proto.Clone(info).(*onnxpb.ValueInfoProto)
			info.Name = proto.String(v)
			x.to.infos = append(x.to.infos, info)
		}
	}
	rename := func(v string) string {
		if to := inner[v]; to != "" {
			return to
		}
		return outer(v)
	}
	x.list(b.nodes, b.vals, rename)
	for _, i := range copies {
		from, to := rename(b.graph.GetOutput()[i].GetName()), outer(n.GetOutput()[i])
		x.add(&onnxpb.NodeProto{OpType: proto.String("Identity"), Name: proto.String(x.names.unique(to + "/identity")), Input: []string{from}, Output: []string{to}})
	}
}

// inside gives a value of a branch the name that it has in the result: its own, unless
// another value of the file has it too.
func (x *inlining) inside(v string, inner map[string]string) string {
	if inner[v] == "" && v != "" {
		inner[v] = v
		if x.defined[v] > 1 {
			inner[v] = x.names.unique(v)
		}
	}
	return inner[v]
}
