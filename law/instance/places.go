package instance

import "github.com/taso-go/taso/graph"

// Placed reports whether all elements of nodes that have to be places are, of elements
// as a ring computed them. If not, some side is not defined, and what was computed of it
// says nothing.
func Placed[T any](in *Instance, val [][]T, integer func(T) (int64, bool)) bool {
	for i := range in.Nodes {
		at, size, ok := in.Places(i)
		if !ok {
			continue
		}
		for _, x := range val[at] {
			if k, ok := integer(x); !ok || k < int64(-size) || k >= int64(size) {
				return false
			}
		}
	}
	return true
}

// Places says of node i that it is defined only where the elements of a node are places
// along an axis of some size: integers from -size to size-1. ok is false if it is
// decided by sizes.
func (in *Instance) Places(i int) (node, size int, ok bool) {
	t, s := in.Nodes[i].Term, &in.Steps[i]
	if t.Op == nil || t.Op.Places == nil || s.Err != nil {
		return 0, 0, false
	}
	shapes := make([]graph.Shape, len(s.in))
	for k, sizes := range s.in {
		shapes[k] = graph.Sizes(sizes...)
	}
	operand, d, err := t.Op.Places(s.attrs, shapes)
	n, known := d.Const()
	if err != nil || !known {
		return 0, 0, false
	}
	return in.Nodes[i].Args[operand], int(n), true
}
