package machine

import (
	"errors"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/parallel"
)

// maxRings bounds the rings of a collective.
const maxRings = 16

// rings are the rounds of a collective over groups, each by several rings: of k rings each
// carries a k-th of the bytes, all side by side.
func (c *Cluster) rings(k parallel.Kind, groups [][]int) ([]step, error) {
	strides := c.strides(groups)
	if len(strides) < 2 {
		return nil, errors.New("no second ring lets bytes arrive sooner")
	}
	part := all.chunk(len(strides))
	var out []step
	for _, g := range groups {
		times, sent := int64(len(g)-1), part
		switch k {
		case parallel.AllReduce:
			times, sent = 2*times, part.chunk(len(g))
		case parallel.ReduceScatter:
			sent = part.chunk(len(g))
		}
		if out == nil {
			out = []step{{}}
		}
		out[0].times = max(out[0].times, times)
		for _, s := range strides {
			out[0].flows = append(out[0].flows, around(g, s, sent)...)
		}
	}
	return out, nil
}

// strides are by how many places devices of a ring are apart in its group: numbers that have
// no divisor in common with the number of devices, so that the ring comes to all of them. They
// are chosen one after another, that which adds least to the link that carries most, of these
// that of fewest hops, as long as bytes arrive sooner with it; rings that share no link are
// as many times faster as they are many. The groups, of which none is empty, send at once.
//
// In TopoOpt such rings are called TotientPerms.
func (c *Cluster) strides(groups [][]int) []int {
	n := len(groups[0])
	for _, g := range groups {
		n = min(n, len(g))
	}
	type candidate struct {
		stride, hops int
		load         map[int]int64 // messages by link
	}
	var left []*candidate
	for s := 1; s < n; s++ {
		if slices.ContainsFunc(groups, func(g []int) bool { return graph.GCD(int64(s), int64(len(g))) != 1 }) {
			continue
		}
		x := &candidate{stride: s, load: map[int]int64{}}
		for _, g := range groups {
			for i, d := range g {
				to := g[(i+s)%len(g)]
				r := c.row(d)
				for v := to; v != d; v = c.Links[r.last[v]].From {
					x.hops++
					if i := r.last[v]; c.Links[i].Bandwidth > 0 {
						x.load[i]++
					}
				}
			}
		}
		left = append(left, x)
	}
	var out []int
	load := map[int]int64{}
	most := Time(0) // of a link, if each message had so many bytes
	const unit = 1 << 20
	for len(left) > 0 && len(out) < maxRings {
		var best *candidate
		least := MaxTime
		for _, x := range left {
			busy := most
			for i, n := range x.load {
				busy = max(busy, TimeOf((load[i]+n)*unit, c.Links[i].Bandwidth))
			}
			if best == nil || busy < least || busy == least && x.hops < best.hops {
				best, least = x, busy
			}
		}
		// With one more ring each carries less: least over k+1 against most over k.
		if k := int64(len(out)); k > 0 && least.times(k) >= most.times(k+1) {
			break
		}
		out, most = append(out, best.stride), least
		for i, n := range best.load {
			load[i] += n
		}
		left = slices.DeleteFunc(left, func(x *candidate) bool { return x == best })
	}
	return out
}
