package extract

import "math/rand/v2"

// network makes an e-graph of the kind that saturation makes of a network of
// layers: each layer has siblings that are products of one input, merged ones for
// pairs and triples of these with cuts and joins both ways (cycles), rectifiers
// before and after merging, fused ones, and the sum of all siblings in every order
// of additions. Costs are picoseconds. In the part of layers that is linear the sum
// is not rectified, and the next layer's products also exist as sums of products of
// the parts: there nothing between the layers is needed in any case, and layers
// hang together. Some layers add the input of the layer before.
func network(seed uint64, layers, siblings int, linear float64) *Problem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &Problem{}
	us := func(lo, hi float64) int64 { return int64((lo + r.Float64()*(hi-lo)) * 1e6) }
	node := func(k ClassID, cost int64, kids ...ClassID) {
		p.AddNode(Node{Class: k, Cost: cost, Children: kids})
	}
	weight := func() ClassID {
		k := p.AddClass()
		p.AddNode(Node{Class: k, Kind: Fixed, Bytes: int64(r.IntN(1 << 20))})
		return k
	}
	x := p.AddClass()
	node(x, 0)
	skip := x
	var parts []ClassID // whose sum x is, if that may be distributed over
	for range layers {
		isLinear := r.Float64() < linear
		y, w := make([]ClassID, siblings), make([]ClassID, siblings)
		cost := make([]int64, siblings)
		out := make([]ClassID, siblings) // what is summed
		for i := range y {
			y[i], w[i], cost[i] = p.AddClass(), weight(), us(20, 200)
			node(y[i], cost[i], x, w[i])
			if len(parts) == 2 {
				a, b := p.AddClass(), p.AddClass()
				node(a, cost[i], parts[0], w[i])
				node(b, cost[i], parts[1], w[i])
				node(y[i], us(3, 6), a, b)
			}
			out[i] = y[i]
			if !isLinear {
				out[i] = p.AddClass()
				node(out[i], us(4, 8), y[i])
				node(out[i], cost[i]+us(0, 4), x, w[i])
			}
		}
		merge := func(set ...int) {
			var ys, ws, os []ClassID
			var total int64
			for _, i := range set {
				ys, ws, os, total = append(ys, y[i]), append(ws, w[i]), append(os, out[i]), total+cost[i]
			}
			m, mw := p.AddClass(), p.AddClass()
			p.AddNode(Node{Class: mw, Cost: us(1, 2), Bytes: 1 << 20, Children: ws})
			merged := int64(float64(total) * (0.6 + 0.5*r.Float64()))
			node(m, merged, x, mw)
			node(m, us(4, 9), ys...)
			for _, k := range ys {
				node(k, us(0, 3), m)
			}
			if isLinear {
				return
			}
			o := p.AddClass()
			node(o, us(6, 12), m)
			node(o, merged+us(0, 6), x, mw)
			node(o, us(4, 9), os...)
			for _, k := range os {
				node(k, us(0, 3), o)
			}
		}
		for i := range siblings {
			for j := range i {
				merge(j, i)
				for k := range j {
					if r.IntN(2) == 0 {
						merge(k, j, i)
					}
				}
			}
		}
		// Sums of all sets of siblings.
		sum := make([]ClassID, 1<<siblings)
		for s := 1; s < 1<<siblings; s++ {
			if s&(s-1) == 0 {
				for i := range siblings {
					if s == 1<<i {
						sum[s] = out[i]
					}
				}
				continue
			}
			sum[s] = p.AddClass()
			add := us(4, 8)
			for a := (s - 1) & s; a > s&^a; a = (a - 1) & s {
				node(sum[s], add, sum[a], sum[s&^a])
			}
		}
		all := sum[len(sum)-1]
		next := p.AddClass()
		parts = nil
		switch {
		case !isLinear && r.IntN(3) == 0:
			t := p.AddClass()
			node(t, us(4, 8), all, skip)
			node(next, us(4, 8), t)
			node(next, us(6, 12), all, skip)
		case !isLinear:
			node(next, us(4, 8), all)
		default:
			half := 1<<(siblings/2) - 1
			parts = []ClassID{sum[half], sum[(len(sum)-1)&^half]}
			node(next, 0, all)
		}
		skip, x = x, next
	}
	p.Roots = []ClassID{x}
	return p
}
