package plan

import (
	"encoding/binary"
	"slices"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
)

// solved is a region for which there is a choice, which is that of regions that are alike.
type solved struct {
	r    *region
	res  *extract.Result
	made []*maker
}

// alike is all by which the problems of two regions of a pass differ, as a key: of each
// operator what strategies it has and what they take, who reads what, and of each tensor
// how large it is, along which axes it lies, how it may lie where it comes in, and as what
// others want it. Names and numbers of nodes are not in it. So of layers that are alike only
// the first one's problem is written.
func (a *pass) alike(r *region) (string, error) {
	number := map[graph.Tensor]int{}
	for _, list := range [][]graph.Tensor{r.read, r.made} {
		for _, t := range list {
			if _, ok := number[t]; !ok {
				number[t] = len(number)
			}
		}
	}
	var b []byte
	put := func(list ...int) {
		for _, x := range list {
			b = binary.AppendVarint(b, int64(x))
		}
	}
	flag := func(list ...bool) {
		for _, x := range list {
			b = append(b, map[bool]byte{true: 1}[x])
		}
	}
	role := func(r parallel.Role, ok bool) {
		flag(ok)
		put(int(r.Kind), r.Axis, r.Level, r.Before, r.After, r.Blocks)
	}
	put(len(r.nodes), len(r.read), len(r.made))
	for _, id := range r.nodes {
		put(len(a.of[id]))
		for k, st := range a.of[id] {
			if a.numbers[st] == 0 {
				a.numbers[st] = len(a.numbers) + 1
			}
			time, err := a.timeOf(id, k, st)
			if err != nil {
				return "", err
			}
			put(a.numbers[st], int(time))
		}
		put(len(a.g.Operands(id)))
		for _, t := range a.g.Operands(id) {
			put(number[t])
		}
		put(a.g.NumOut(id))
	}
	for _, list := range [][]graph.Tensor{r.read, r.made} {
		for _, t := range list {
			put(number[t], int(a.g.DType(t)))
			put(len(a.g.Sizes(t)))
			put(a.g.Sizes(t)...)
			put(len(a.lay.Mesh(t)))
			put(a.lay.Mesh(t)...)
			as, ok := a.regions.border[t]
			role(as, ok)
			i, final := a.becomes[t]
			flag(a.g.Op(t.Node) == nil, a.between[t], a.fresh != nil && a.fresh[t.Node], final)
			if in, ok := a.next[i]; final {
				flag(ok)
				as, ok = a.at[in]
				role(as, ok)
			}
			if _, ok := a.from[t]; ok {
				_, isWeight := a.weight(t)
				lies := a.residents(t)
				flag(true, isWeight)
				put(len(lies))
				for _, as := range lies {
					role(as, true)
				}
			}
		}
	}
	return string(b), nil
}

// as translates what a node of a problem stands for from one region to another that is alike.
func (m *maker) as(from, to *region) *maker {
	if m == nil || from == to {
		return m
	}
	out := *m
	if m.node > 0 {
		out.node = to.nodes[slices.Index(from.nodes, m.node)]
	}
	if m.at != nil {
		at := *m.at
		if i := slices.Index(from.read, at.t); i >= 0 {
			at.t = to.read[i]
		} else {
			at.t = to.made[slices.Index(from.made, at.t)]
		}
		out.at = &at
	}
	return &out
}

// timeOf is the time of a node by one of its strategies, which is looked up from the second
// time on.
func (a *pass) timeOf(id graph.NodeID, k int, st *parallel.Strategy) (machine.Time, error) {
	if a.times[id] == nil {
		a.times[id] = slices.Repeat([]machine.Time{-1}, len(a.of[id]))
	}
	if a.times[id][k] < 0 {
		time, err := a.prices.op(id, st, a.degree)
		if err != nil {
			return 0, err
		}
		a.times[id][k] = time
	}
	return a.times[id][k], nil
}
