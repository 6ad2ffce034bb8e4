package machine

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/taso-go/taso/parallel"
)

// Algorithm is a way to do a collective.
type Algorithm string

const (
	// Ring sends in steps from each device to the next one, and from the last to the first.
	Ring Algorithm = "ring"
	// Tree halves the number of devices that take part in each step (binomial).
	Tree Algorithm = "tree"
	// Direct sends each device's part to where it goes in one step.
	Direct Algorithm = "direct"
	// Hierarchical does rings within nodes and between the devices of equal rank of all
	// nodes, so that the slow links carry 1/k of the bytes with k devices a node.
	Hierarchical Algorithm = "hierarchical"
	// Rings are several rings at once, which go around the group in steps of different sizes,
	// where links are left by one ring (Wang et al., "TopoOpt", NSDI 2023).
	Rings Algorithm = "rings"
)

// Flow is a message of a step.
type Flow struct {
	From, To int // devices
	Bytes    int64
}

// Round is messages that are sent at once, and how many times that happens, each time
// after the messages before arrived.
type Round struct {
	Times int64
	Flows []Flow
}

// Algorithms lists those that there are for a kind of collective, the usual one first;
// none for what is no collective of a group, such as a permutation.
func Algorithms(k parallel.Kind) []Algorithm {
	switch k {
	case parallel.AllReduce, parallel.ReduceScatter, parallel.AllGather:
		return []Algorithm{Ring, Tree, Direct, Hierarchical, Rings}
	case parallel.AllToAll:
		return []Algorithm{Ring, Direct}
	case parallel.Broadcast, parallel.ReduceTo, parallel.Scatter, parallel.Gather:
		return []Algorithm{Tree, Direct}
	case parallel.SendReceive:
		return []Algorithm{Direct}
	}
	return nil
}

// Rounds are the messages of a collective over a group of devices, in that order, of
// which the first is the root. bytes is what each device has before; of a scatter and a
// broadcast what the root has ([parallel.Collective]); of a send-receive what each device
// sends to each of its two neighbours. With n devices and b bytes, chunks c = ⌈b/n⌉:
//
//	               ring               tree                       direct
//	all-reduce     2(n-1) × c         2⌈log n⌉ × b               c to each, twice
//	reduce-scatter (n-1) × c          halving: b/2, b/4, ..      c to each
//	all-gather     (n-1) × b          doubling: b, 2b, 4b, ..    b to each
//	all-to-all     (n-1) × c                                     c to each
//	broadcast, reduce                 ⌈log n⌉ × b                b to or from each
//	scatter                           halving of what is left    c to each
//	gather                            doubling of what is there  b from each
//
// The formulas of rings are those of Patarasuk and Yuan (2009), of trees those of
// Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
// MPICH" (2005). Halving and doubling want a power of two; Hierarchical wants as many
// devices of each node. Rings are k rings, each with a k-th of the bytes, and k is at least
// 2. What cannot be done so is an error. One device sends nothing.
func (c *Cluster) Rounds(k parallel.Kind, a Algorithm, group []int, bytes int64) ([]Round, error) {
	if err := c.checkCollective(k, a, group, bytes); err != nil {
		return nil, err
	}
	steps, err := c.steps(k, a, group)
	return roundsOf(steps, bytes), err
}

// steps are the rounds over a group, whatever the number of bytes.
func (c *Cluster) steps(k parallel.Kind, a Algorithm, group []int) (out []step, err error) {
	switch n := len(group); {
	case n == 1:
		return nil, nil
	case a == Hierarchical:
		out, err = c.hierarchical(k, group)
	case a == Rings:
		out, err = c.rings(k, [][]int{group})
	case a == Tree:
		out, err = tree(k, group)
	case a == Direct:
		out = direct(k, group)
	default:
		out = ring(k, group)
	}
	if err != nil {
		return nil, fmt.Errorf("%s by %s over %d devices: %w", k, a, len(group), err)
	}
	return out, nil
}

// checkCollective wants a collective that there is, of a group of devices and a number of
// bytes that can be.
func (c *Cluster) checkCollective(k parallel.Kind, a Algorithm, group []int, bytes int64) error {
	if err := c.checkGroup(group); err != nil {
		return err
	}
	if !slices.Contains(Algorithms(k), a) {
		var names []string
		for _, b := range Algorithms(k) {
			names = append(names, string(b))
		}
		if names == nil {
			return fmt.Errorf("%s is no collective of a group: its messages are sent one by one", k)
		}
		return fmt.Errorf("%s has no algorithm %q, only %s", k, a, strings.Join(names, ", "))
	}
	return checkBytes(k, bytes, len(group))
}

// checkBytes wants no more bytes than can be sent between so many devices.
func checkBytes(k parallel.Kind, bytes int64, devices int) error {
	if bytes < 0 {
		return fmt.Errorf("%s of %d bytes", k, bytes)
	}
	if n := int64(devices); n > 1 && bytes > maxBytes/n/n {
		return fmt.Errorf("%s of %d bytes over %d devices: too many bytes", k, bytes, n)
	}
	return nil
}

// maxBytes bounds the bytes that all devices send, so that sums stay in 64 bits.
const maxBytes = 1 << 60

// Together are the rounds of a collective of several groups at once, such as all of those
// along an axis of a mesh: round by round, side by side. Groups that lie in other ways over
// nodes may have other rounds: then a round is as often as that of any of them, and the time
// is not less than it would be. Groups are in any order: a ring goes as [Cluster.Ring] does;
// several of each group are chosen for all groups together.
func (c *Cluster) Together(k parallel.Kind, a Algorithm, groups [][]int, bytes int64) (all []Round, err error) {
	for _, g := range groups {
		if err := c.checkCollective(k, a, g, bytes); err != nil {
			return nil, err
		}
	}
	steps, err := c.together(k, a, groups)
	return roundsOf(steps, bytes), err
}

// together are the rounds of groups that are checked, whatever the number of bytes.
func (c *Cluster) together(k parallel.Kind, a Algorithm, groups [][]int) (all []step, err error) {
	if a == Rings && len(groups) > 1 {
		if all, err = c.rings(k, groups); err != nil {
			return nil, fmt.Errorf("%s by %s of %d groups: %w", k, a, len(groups), err)
		}
		return all, nil
	}
	for n, g := range groups {
		if a == Ring {
			if g, err = c.Ring(g); err != nil {
				return nil, err
			}
		}
		steps, err := c.steps(k, a, g)
		if err != nil {
			return nil, err
		}
		for i := range steps {
			if i == len(all) {
				steps[i].flows = slices.Grow(steps[i].flows, len(steps[i].flows)*(len(groups)-1-n))
				all = append(all, steps[i])
				continue
			}
			all[i].times = max(all[i].times, steps[i].times)
			all[i].flows = append(all[i].flows, steps[i].flows...)
		}
	}
	return all, nil
}

// step is a round with amounts instead of bytes.
type step struct {
	times int64
	flows []leg
}

// leg is a message of a step.
type leg struct {
	from, to int
	amount   amount
}

// roundsOf are the steps of a collective of so many bytes.
func roundsOf(steps []step, bytes int64) (out []Round) {
	for _, s := range steps {
		r := Round{Times: s.times, Flows: make([]Flow, len(s.flows))}
		for i, f := range s.flows {
			r.Flows[i] = Flow{f.from, f.to, f.amount.of(bytes)}
		}
		out = append(out, r)
	}
	return out
}

// amount is what a message carries of the bytes of a collective: the largest of n parts, of
// that the largest of m, so many times.
type amount struct {
	n, m  int
	times int64
}

// all are the bytes of a collective.
var all = amount{1, 1, 1}

func (a amount) of(bytes int64) int64 { return chunk(chunk(bytes, a.n), a.m) * a.times }

// chunk is the largest of so many parts of an amount that is taken once, and is a part of a part
// at most.
func (a amount) chunk(n int) amount {
	if a.n == 1 {
		return amount{n, 1, 1}
	}
	return amount{a.n, n, 1}
}

// by is so many times an amount.
func (a amount) by(n int) amount {
	a.times *= int64(n)
	return a
}

// chunk is the largest of n parts.
func chunk(bytes int64, n int) int64 { return (bytes + int64(n) - 1) / int64(n) }

// around sends from each device to the one that is stride further.
func around(group []int, stride int, each amount) []leg {
	out := make([]leg, 0, len(group))
	for i, d := range group {
		out = append(out, leg{d, group[(i+stride)%len(group)], each})
	}
	return out
}

func ring(k parallel.Kind, group []int) []step {
	n := len(group)
	steps := int64(n - 1)
	switch k {
	case parallel.AllReduce:
		return []step{{2 * steps, around(group, 1, all.chunk(n))}}
	case parallel.ReduceScatter:
		return []step{{steps, around(group, 1, all.chunk(n))}}
	case parallel.AllGather:
		return []step{{steps, around(group, 1, all)}}
	}
	// All-to-all: in step s to the device that is s further.
	var out []step
	for s := 1; s < n; s++ {
		out = append(out, step{1, around(group, s, all.chunk(n))})
	}
	return out
}

// each is a message from every device to every other one, to the next one first: were all
// to begin with the same device, they would wait for each other there.
func each(group []int, of amount) []leg {
	out := make([]leg, 0, len(group)*(len(group)-1))
	for stride := 1; stride < len(group); stride++ {
		for i, d := range group {
			out = append(out, leg{d, group[(i+stride)%len(group)], of})
		}
	}
	return out
}

func direct(k parallel.Kind, group []int) []step {
	n := len(group)
	var flows []leg
	times := int64(1)
	switch k {
	case parallel.AllReduce:
		times, flows = 2, each(group, all.chunk(n))
	case parallel.ReduceScatter, parallel.AllToAll:
		flows = each(group, all.chunk(n))
	case parallel.AllGather:
		flows = each(group, all)
	case parallel.Scatter, parallel.Broadcast:
		each := all
		if k == parallel.Scatter {
			each = all.chunk(n)
		}
		for _, d := range group[1:] {
			flows = append(flows, leg{group[0], d, each})
		}
	case parallel.Gather, parallel.ReduceTo:
		for _, d := range group[1:] {
			flows = append(flows, leg{d, group[0], all})
		}
	case parallel.SendReceive:
		for i := range n - 1 {
			flows = append(flows, leg{group[i], group[i+1], all})
		}
		for i := range n - 1 {
			flows = append(flows, leg{group[i+1], group[i], all})
		}
	}
	return []step{{times, flows}}
}

// tree halves or doubles who takes part.
func tree(k parallel.Kind, group []int) ([]step, error) {
	n := len(group)
	levels := bits.Len(uint(n - 1)) // ⌈log n⌉
	// down sends from the root to the leaves; of(size) is what goes to a part of so many
	// devices.
	down := func(of func(size int) amount) []step {
		var out []step
		for l := levels - 1; l >= 0; l-- {
			var flows []leg
			for i := 0; i+1<<l < n; i += 2 << l {
				flows = append(flows, leg{group[i], group[i+1<<l], of(min(1<<l, n-i-1<<l))})
			}
			out = append(out, step{1, flows})
		}
		return out
	}
	up := func(rounds []step) []step {
		slices.Reverse(rounds)
		for _, r := range rounds {
			for i, f := range r.flows {
				r.flows[i] = leg{f.to, f.from, f.amount}
			}
		}
		return rounds
	}
	whole := func(int) amount { return all }
	part := func(size int) amount { return all.chunk(n).by(size) }
	switch k {
	case parallel.Broadcast:
		return down(whole), nil
	case parallel.ReduceTo:
		return up(down(whole)), nil
	case parallel.AllReduce:
		return append(up(down(whole)), down(whole)...), nil
	case parallel.Scatter:
		return down(part), nil
	case parallel.Gather:
		return up(down(func(size int) amount { return all.by(size) })), nil
	}
	if n&(n-1) != 0 {
		return nil, fmt.Errorf("%d is no power of two", n)
	}
	// Recursive doubling, and halving in the opposite order: partners differ in one bit.
	var out []step
	for l := range levels {
		size := all.by(1 << l)
		if k == parallel.ReduceScatter {
			size = all.chunk(n).by(1 << l)
		}
		var flows []leg
		for i := range n {
			flows = append(flows, leg{group[i], group[i^1<<l], size})
		}
		out = append(out, step{1, flows})
	}
	if k == parallel.ReduceScatter {
		slices.Reverse(out)
	}
	return out, nil
}

// hierarchical is rings within nodes, and rings of the devices of equal rank.
func (c *Cluster) hierarchical(k parallel.Kind, group []int) ([]step, error) {
	var nodes [][]int
	at := map[int]int{}
	for _, d := range group {
		v := c.Vertices[d].Node
		if _, ok := at[v]; !ok {
			at[v] = len(nodes)
			nodes = append(nodes, nil)
		}
		nodes[at[v]] = append(nodes[at[v]], d)
	}
	g, size := len(nodes), len(nodes[0])
	for _, x := range nodes {
		if len(x) != size {
			return nil, fmt.Errorf("%d devices are of one node and %d of another", size, len(x))
		}
	}
	if g == 1 || size == 1 { // one level
		return ring(k, group), nil
	}
	inside := func(each amount) (flows []leg) {
		for _, x := range nodes {
			flows = append(flows, around(x, 1, each)...)
		}
		return flows
	}
	across := func(each amount) (flows []leg) {
		for i := range size {
			var rank []int
			for _, x := range nodes {
				rank = append(rank, x[i])
			}
			flows = append(flows, around(rank, 1, each)...)
		}
		return flows
	}
	in, out := int64(size-1), int64(g-1)
	share := all.chunk(size)
	switch k {
	case parallel.AllReduce:
		return []step{{in, inside(share)}, {2 * out, across(share.chunk(g))}, {in, inside(share)}}, nil
	case parallel.ReduceScatter:
		return []step{{in, inside(share)}, {out, across(share.chunk(g))}}, nil
	}
	return []step{{out, across(all)}, {in, inside(all.by(g))}}, nil // all-gather
}

// Ring orders a group such that neighbours are near: from the first device on always to
// the nearest that is left, by hops, then the wider way, then the lower number.
func (c *Cluster) Ring(group []int) ([]int, error) {
	if err := c.checkGroup(group); err != nil {
		return nil, err
	}
	left := slices.Clone(group[1:])
	slices.Sort(left)
	out := []int{group[0]}
	for len(left) > 0 {
		from := out[len(out)-1]
		r := c.row(from)
		best, wide := 0, int64(0)
		for i, d := range left {
			if h := r.hops[left[best]]; i > 0 && r.hops[d] > h {
				continue
			} else if w := r.width[d]; i == 0 || r.hops[d] < h || w > wide {
				best, wide = i, w
			}
		}
		out = append(out, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return out, nil
}
