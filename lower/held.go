package lower

import "github.com/taso-go/taso/graph"

// How a device holds elements. A tensor of the graph has a type, and a device has
// arithmetic in a few: what is held as a wider type is computed with in that one, and
// rounded, or wrapped, where it is cast and where it leaves.

// Wide is the type of float32, float64 and int64 that holds every element of a type:
// float32 for narrow floating-point numbers, int64 for integers and truth values. An
// integer of 64 bits without a sign is its bits.
func Wide(t graph.DType) graph.DType {
	switch {
	case t == graph.Float64:
		return graph.Float64
	case t.IsFloat():
		return graph.Float32
	}
	return graph.Int64
}

// held is as which type the target holds elements of a type.
func (t *Target) held(d graph.DType) graph.DType {
	if t.Held == nil {
		return d
	}
	return t.Held(d)
}

// tails reports whether kernels take a tail on elements of a type.
func (t *Target) tails(as string, d graph.DType) bool {
	return t.Tails[as] && (t.Tailed == nil || t.Tailed(t.held(d)))
}

// Keeps reports whether every element of one type is one of another, so that a cast
// between them changes no number.
func Keeps(from, to graph.DType) bool {
	switch {
	case from == to:
		return true
	case from.IsFloat():
		return to == graph.Float64 || to == graph.Float32 && from != graph.Float64
	case !to.IsInt():
		return false
	case from == graph.Bool:
		return true
	}
	lo, hi := from.IntRange()
	least, most := to.IntRange()
	return least <= lo && hi <= most
}
