package parallel

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/taso-go/taso/graph"
)

// place lays the mesh axes along dimensions of a mesh that is as small as this finds:
// axes of one tensor along different ones, others along one if they can be, above all an
// axis that is made of what was left where another one ended. An axis that is split into
// two lies along the dimensions of both, so that nothing has to move.
//
// The error names a tensor two axes of which operators make one: its members along them
// would have to change places.
func (in *inference) place(p *PCG) error {
	var c *colours
	if !in.cyclic() {
		c = in.colouring()
	}
	if c == nil {
		// An axis and a part of it meet on a tensor, or are one: parts lie elsewhere.
		for i := range in.axes {
			in.axes[i].parts = nil
		}
		if c = in.colouring(); c == nil {
			return in.twice()
		}
	}
	for i, size := range c.sizes {
		p.Mesh = append(p.Mesh, Dimension{dimensionName(i), size})
	}
	in.number = make([]int, len(in.axes))
	for a := range in.axes {
		if in.find(a) != a {
			continue
		}
		in.number[a] = len(p.Axes)
		ax := Axis{Size: in.axes[a].size}
		for _, l := range in.leaves(a) {
			ax.Along = append(ax.Along, Digit{c.dim[l], in.axes[l].size})
		}
		p.Axes = append(p.Axes, ax)
	}
	return nil
}

// twice names a tensor that has an axis twice.
func (in *inference) twice() error {
	for id := range in.g.Nodes() {
		for k, axes := range in.of[id] {
			for i, a := range axes {
				for j, b := range axes[:i] {
					if in.find(a) == in.find(b) {
						t := id.Out(k)
						return fmt.Errorf("%s, axes %d and %d: operators carry them along to the same axis of another tensor, so that members would have to change places",
							in.mesh(t), j, i)
					}
				}
			}
		}
	}
	return fmt.Errorf("mesh axes have no place on devices") // twice is called only if there is one
}

// dimensionName is a, b, ..., z, a1, ...
func dimensionName(i int) string {
	name := string(rune('a' + i%26))
	if i >= 26 {
		name += strconv.Itoa(i / 26)
	}
	return name
}

// leaves are the axes that an axis is divided into, to the end.
func (in *inference) leaves(a int) []int {
	a = in.find(a)
	if in.axes[a].parts == nil {
		return []int{a}
	}
	return append(in.leaves(in.axes[a].parts[0]), in.leaves(in.axes[a].parts[1])...)
}

// cyclic reports whether an axis is a part of itself, as one of two of which the other has
// size 1 may be.
func (in *inference) cyclic() bool {
	state := make([]int8, len(in.axes)) // 1: being visited, 2: done
	var visit func(a int) bool
	visit = func(a int) bool {
		a = in.find(a)
		if state[a] == 0 {
			state[a] = 1
			for _, b := range in.axes[a].parts {
				if visit(b) {
					return true
				}
			}
			state[a] = 2
		}
		return state[a] == 1
	}
	for a := range in.axes {
		if visit(a) {
			return true
		}
	}
	return false
}

// colours says along which dimension each axis that is not divided lies.
type colours struct {
	dim   map[int]int
	sizes []int // of the dimensions
}

// colouring gives axes that meet on a tensor different dimensions, in the order in which
// they were made; nil if an axis meets a part of itself.
func (in *inference) colouring() *colours {
	meets := make([]map[int]bool, len(in.axes))
	for _, outs := range in.of {
		for _, axes := range outs {
			var all []int
			for _, a := range axes {
				all = append(all, in.leaves(a)...)
			}
			for i, a := range all {
				if meets[a] == nil {
					meets[a] = map[int]bool{}
				}
				for j, b := range all {
					if i == j {
						continue
					}
					if a == b {
						return nil
					}
					meets[a][b] = true
				}
			}
		}
	}
	c := &colours{dim: map[int]int{}}
	on := [][]int{} // axes by dimension
	like := in.likes()
	for a := range in.axes {
		if in.find(a) != a || in.axes[a].parts != nil || meets[a] == nil {
			continue
		}
		size, hint := in.axes[a].size, -1
		if l := like[a]; l >= 0 {
			if d, ok := c.dim[l]; ok {
				hint = d
			}
		}
		best, cost := -1, 0
		for d := range on {
			if slices.ContainsFunc(on[d], func(b int) bool { return meets[a][b] }) {
				continue
			}
			k := 2 * (max(c.sizes[d], size) - min(c.sizes[d], size))
			if size > c.sizes[d] {
				k += 1 << 32 // a larger mesh
			}
			if d != hint {
				k++
			}
			if best < 0 || k < cost {
				best, cost = d, k
			}
		}
		if best < 0 {
			best = len(on)
			on, c.sizes = append(on, nil), append(c.sizes, size)
		}
		on[best], c.sizes[best] = append(on[best], a), max(c.sizes[best], size)
		c.dim[a] = best
	}
	return c
}

// likes are, by root, the axis that ended where the axis was made, if both are undivided.
func (in *inference) likes() []int {
	like := make([]int, len(in.axes))
	for a := range like {
		like[a] = -1
	}
	for a := range in.axes {
		r := in.find(a)
		if l := in.axes[a].like; l >= 0 && like[r] < 0 && in.axes[in.find(l)].parts == nil {
			like[r] = in.find(l)
		}
	}
	return like
}

// coordinates are a device's places along the dimensions of the mesh; the first dimension
// is the most significant in the number of a device.
func (p *PCG) coordinates(device int) []int {
	at := make([]int, len(p.Mesh))
	for i := len(p.Mesh) - 1; i >= 0; i-- {
		at[i] = device % p.Mesh[i].Size
		device /= p.Mesh[i].Size
	}
	return at
}

func (p *PCG) device(at []int) int {
	n := 0
	for i, d := range p.Mesh {
		n = n*d.Size + at[i]
	}
	return n
}

// Member is the member of a tensor that a device has: its place along each of the
// tensor's mesh axes. A tensor lies at place 0 of the dimensions along which it has no axis.
func (p *PCG) Member(t graph.Tensor, device int) (place []int, ok bool) {
	return p.memberAt(p.Layout(t), p.coordinates(device))
}

func (p *PCG) memberAt(l Layout, at []int) (place []int, ok bool) {
	used := make([]bool, len(at))
	for _, s := range l {
		n := 0
		for _, d := range p.Axes[s.Axis].Along {
			if used[d.Dim] = true; at[d.Dim] >= d.Size {
				return nil, false
			}
			n = n*d.Size + at[d.Dim]
		}
		place = append(place, n)
	}
	for i, u := range used {
		if !u && at[i] > 0 {
			return nil, false
		}
	}
	return place, true
}

// holder is the device that has a member.
func (p *PCG) holder(l Layout, place []int) int {
	at := make([]int, len(p.Mesh))
	for i, s := range l {
		p.set(at, s.Axis, place[i])
	}
	return p.device(at)
}

// set moves coordinates to a place along a mesh axis.
func (p *PCG) set(at []int, axis, place int) {
	along := p.Axes[axis].Along
	for i := len(along) - 1; i >= 0; i-- {
		at[along[i].Dim] = place % along[i].Size
		place /= along[i].Size
	}
}

// group are the devices that differ from coordinates along one mesh axis only, in the
// order of their places there, and which of them has the coordinates.
func (p *PCG) group(axis int, at []int) (devices []int, me int) {
	here := p.device(at)
	for i := range p.Axes[axis].Size {
		b := slices.Clone(at)
		p.set(b, axis, i)
		devices = append(devices, p.device(b))
		if devices[i] == here {
			me = i
		}
	}
	return devices, me
}
