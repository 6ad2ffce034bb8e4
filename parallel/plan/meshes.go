package plan

import (
	"context"
	"fmt"
	"slices"
)

// manyNodes is from how many nodes on a training step is laid out on a few meshes only.
const manyNodes = 1000

// meshes are the ways to count the devices along axes that are looked at, the widest steps
// first: all devices along one axis; along two, of which the last one counts a divisor of
// the devices of a node, or whole nodes, so that all its groups lie over nodes in one way;
// and along three of which the last two are the devices of a node. An axis of which no
// size of the training step is a multiple would have all its members compute the same:
// meshes with such a one are left out. Of a training step of more than manyNodes nodes there
// are three: one axis, and two of which the last one is a node, or the fewest of its
// devices.
func (j *Job) meshes() ([]*Mesh, error) {
	return j.shared().meshes.Get(context.Background(), struct{}{}, j.countings)
}

func (j *Job) countings() (out []*Mesh, err error) {
	n, per := j.Devices, min(j.Devices, j.Cluster.PerNode())
	all := [][]int{{n}}
	least := 0
	many := j.Training.Graph.Len() > manyNodes
	for _, b := range divisors(n) {
		if least == 0 {
			least = b
		}
		if many && b != least && b != per {
			continue
		}
		if per%b == 0 || b%per == 0 {
			all = append(all, []int{n / b, b})
		}
	}
	if n%per == 0 && n > per && !many {
		for _, b := range divisors(per) {
			all = append(all, []int{n / per, per / b, b})
		}
	}
	seen := map[string]bool{}
	for _, degrees := range all {
		key := fmt.Sprint(degrees)
		if seen[key] || slices.ContainsFunc(degrees, func(d int) bool { return !j.Training.divisible(d) }) {
			continue
		}
		seen[key] = true
		m, err := NewMesh(j.Cluster, degrees...)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%d devices: no size of the training step is a multiple of it, or of the degrees of a mesh of as many: %w", n, ErrMeans)
	}
	return out, nil
}

// divisors are those of n but 1 and n, in order.
func divisors(n int) (out []int) {
	for d := 2; d < n; d++ {
		if n%d == 0 {
			out = append(out, d)
		}
	}
	return out
}

// divisible reports whether a size of a tensor is a multiple of a degree.
func (t *Training) divisible(degree int) bool {
	for id := range t.Graph.Nodes() {
		for k := range t.Graph.NumOut(id) {
			for _, n := range t.Graph.Sizes(id.Out(k)) {
				if n%degree == 0 {
					return true
				}
			}
		}
	}
	return false
}
