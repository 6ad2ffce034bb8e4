package saturate

import (
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/bank"
)

// cutter takes a network apart. A node belongs to one part; what depends on
// weights only belongs to each part that reads it.
type cutter struct {
	net   *bank.Bank
	dtype graph.DType // the floating-point type of most nodes: parts have nodes of this type only
	most  int         // nodes of a part that is not cut further
	cross func(user, maker *graph.Op) int
	uses  map[bank.Tensor][]bank.Node // by nodes of parts, in the order of these
}

// inside reports whether laws may be used on a node: it has a meaning, may be taken
// apart, has one output, and is of the type that the parts have.
func (c *cutter) inside(n bank.Node) bool {
	op, _, _, _, _ := bank.Free{Bank: c.net}.Node(c.net.Out(n, 0))
	if op == nil || c.net.NumOut(n) != 1 || c.net.Type(c.net.Out(n, 0)).DType != c.dtype {
		return false
	}
	for i, t := range c.net.Operands(n) {
		// Element types change at some operators: those are outside.
		if i == 0 && c.net.Type(t).DType != c.dtype {
			return false
		}
	}
	return true
}

// mainType is the floating-point type that most nodes compute; ok is false if none
// does.
func mainType(net *bank.Bank) (best graph.DType, ok bool) {
	count := map[graph.DType]int{}
	net.Nodes(func(n bank.Node) bool {
		if t := net.Type(net.Out(n, 0)).DType; t.IsReal() {
			count[t]++
		}
		return true
	})
	for _, t := range graph.DTypes() { // Float32 is the first
		if count[t] > count[best] {
			best = t
		}
	}
	return best, count[best] > 0
}

// order lists the nodes that run, inside parts or not, operands first, so that the
// users of a tensor stand near to each other: next comes always the node one of
// whose operands has been in use for longest.
func (c *cutter) order() []bank.Node {
	var nodes []bank.Node
	waits := map[bank.Node]int{} // operands that run and are not there yet
	users := map[bank.Node][]bank.Node{}
	c.net.Nodes(func(n bank.Node) bool {
		if c.net.Fixed(n) {
			return true
		}
		nodes = append(nodes, n)
		seen := map[bank.Node]bool{}
		for _, t := range c.net.Operands(n) {
			if m, _ := c.net.NodeOf(t); !c.net.Fixed(m) && c.net.Op(m) != nil && !seen[m] {
				seen[m] = true
				waits[n]++
				users[m] = append(users[m], n)
			}
		}
		return true
	})
	opened := map[bank.Tensor]int{} // when a tensor was first used
	out := make([]bank.Node, 0, len(nodes))
	var ready []bank.Node
	for _, n := range nodes {
		if waits[n] == 0 {
			ready = append(ready, n)
		}
	}
	const never = int(^uint(0) >> 1)
	for len(ready) > 0 {
		best, since := 0, never
		for i, n := range ready {
			at := never
			for _, t := range c.net.Operands(n) {
				if m, _ := c.net.NodeOf(t); c.net.Fixed(m) {
					continue
				}
				if o, ok := opened[t]; ok {
					at = min(at, o)
				}
			}
			if at < since || at == since && n < ready[best] {
				best, since = i, at
			}
		}
		n := ready[best]
		ready = slices.Delete(ready, best, best+1)
		for _, t := range c.net.Operands(n) {
			if _, ok := opened[t]; !ok {
				opened[t] = len(out)
			}
		}
		out = append(out, n)
		for _, u := range users[n] {
			if waits[u]--; waits[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	return out
}

// parts cuts the network. An operand that several nodes of the order read is not cut
// from any of them, unless these are further apart than a part is long, so that what
// could be merged stays together; what remains is cut where the fewest laws reach
// across, and only as far as parts are too long. Where cuts are decided by what is
// around them alone, layers that repeat are cut alike.
func (c *cutter) parts(ps *pieces) []part {
	order := c.order()
	at := map[bank.Node]int{}
	for i, n := range order {
		at[n] = i
	}
	// closed[i] counts the operands that forbid a cut in front of node i.
	closed := make([]int, len(order)+1)
	weight := make([]int, len(order)+1)
	c.uses = map[bank.Tensor][]bank.Node{}
	var tensors []bank.Tensor
	for _, n := range order {
		for _, t := range c.net.Operands(n) {
			if m, _ := c.net.NodeOf(t); c.net.Fixed(m) {
				continue
			}
			us := c.uses[t]
			if len(us) == 0 {
				tensors = append(tensors, t)
			}
			if len(us) == 0 || us[len(us)-1] != n {
				c.uses[t] = append(us, n)
			}
		}
	}
	for _, t := range tensors {
		us := c.uses[t]
		first, last := at[us[0]], at[us[len(us)-1]]
		if last-first > c.most {
			continue // such as a mask that all layers read
		}
		for i := first + 1; i <= last; i++ {
			closed[i]++
		}
		m, _ := c.net.NodeOf(t)
		if c.net.Op(m) == nil || !c.inside(m) {
			continue
		}
		for _, u := range us {
			if !c.inside(u) {
				continue
			}
			w := c.cross(c.net.Op(u), c.net.Op(m))
			for i := at[m] + 1; i <= at[u]; i++ {
				weight[i] += w
			}
		}
	}
	var out []part
	var cut func(lo, hi int)
	cut = func(lo, hi int) {
		least, found := 0, false
		for i := lo + 1; i < hi; i++ {
			if closed[i] == 0 && (!found || weight[i] < least) {
				least, found = weight[i], true
			}
		}
		if !found || least > 0 && hi-lo <= c.most {
			if p, ok := c.part(ps, order[lo:hi]); ok {
				out = append(out, p)
			}
			return
		}
		from := lo
		for i := lo + 1; i <= hi; i++ {
			if i == hi || closed[i] == 0 && weight[i] == least {
				cut(from, i)
				from = i
			}
		}
	}
	if len(order) > 0 {
		cut(0, len(order))
	}
	return out
}

// part makes a part of nodes; ok is false if there is nothing in it to be rewritten.
func (c *cutter) part(ps *pieces, nodes []bank.Node) (p part, ok bool) {
	pc := &piece{dtype: c.dtype, sizing: c.net.Sizing()}
	in := map[bank.Node]bool{}
	for _, n := range nodes {
		if c.inside(n) {
			in[n] = true
		}
	}
	if len(in) == 0 {
		return p, false
	}
	place := map[bank.Tensor]ref{}
	var visit func(t bank.Tensor) ref
	visit = func(t bank.Tensor) ref {
		if r, ok := place[t]; ok {
			return r
		}
		n, _ := c.net.NodeOf(t)
		if !in[n] && !(c.net.Fixed(n) && c.net.Op(n) != nil && c.inside(n)) {
			p.inputs = append(p.inputs, t)
			pc.inputs = append(pc.inputs, input{c.net.Type(t), c.net.Shape(t), c.net.Fixed(n)})
			place[t] = ^ref(len(pc.inputs) - 1)
			return place[t]
		}
		a := app{op: c.net.Op(n), attrs: c.net.OpenAttrs(n)}
		for _, o := range c.net.Operands(n) {
			a.args = append(a.args, visit(o))
		}
		pc.nodes = append(pc.nodes, a)
		place[t] = ref(len(pc.nodes) - 1)
		return place[t]
	}
	isOut := map[bank.Tensor]bool{}
	for _, t := range c.net.Outputs() {
		isOut[t] = true
	}
	for _, n := range nodes {
		if !in[n] {
			continue
		}
		t := c.net.Out(n, 0)
		r := visit(t)
		if isOut[t] || slices.ContainsFunc(c.uses[t], func(u bank.Node) bool { return !in[u] }) {
			p.outputs = append(p.outputs, t)
			pc.outputs = append(pc.outputs, r)
		}
	}
	p.piece = ps.add(pc)
	return p, true
}
