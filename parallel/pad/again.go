package pad

import (
	"slices"

	"github.com/taso-go/taso/graph"
)

// maxDepth is how far back a tensor is made of padded ones.
const maxDepth = 16

// again makes a tensor anew with cells, of operands that have them: constants and what repeats
// a tensor with other sizes, products of padded operands, inputs as padded ones. nil: it is
// dearer than to add cells to it.
func (w *writer) again(t graph.Tensor, after []int) (*version, error) {
	if w.depth > maxDepth || w.g.Op(t.Node) == nil || !w.cheap(t, after) {
		return nil, nil
	}
	w.depth++
	defer func() { w.depth-- }()
	for _, from := range w.sources(t, after) {
		m, err := w.apply(t.Node, from, after)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		for _, v := range m.outs {
			if v.of == t && slices.Equal(v.after, after) {
				return v, nil
			}
		}
	}
	return nil, nil
}

// cheap reports whether a tensor can be made with cells at no more than it takes to add them to
// it, which is to write it once: what is then made twice, with cells and without, is no larger.
func (w *writer) cheap(t graph.Tensor, after []int) bool {
	if v := w.padded[t]; v != nil {
		return slices.Equal(v.after, after)
	}
	clear(w.twice)
	n, ok := w.costs(t, after, 0)
	return ok && n <= graph.NumElements(w.g.Sizes(t))
}

// costs are the elements that have to be made beside those that are there to make a tensor with
// cells, but for its own; false: it is not possible.
func (w *writer) costs(t graph.Tensor, after []int, depth int) (int, bool) {
	o := w.g.Op(t.Node)
	if o == nil || w.has(t, after) || len(w.g.Operands(t.Node)) == 0 {
		return 0, true
	}
	if depth > maxDepth {
		return 0, false
	}
	best, possible := 0, false
	for _, from := range w.sources(t, after) {
		sum, ok := 0, true
		for i, x := range w.g.Operands(t.Node) {
			if !ok || !some(from[i]) || w.has(x, from[i]) || w.twice[x] {
				continue
			}
			if heavy(o) {
				continue // what it reads may be padded
			}
			w.twice[x] = true
			var n int
			n, ok = w.costs(x, from[i], depth+1)
			if sum += n; w.readers[x] > 1 && w.g.Op(x.Node) != nil && !heavy(w.g.Op(x.Node)) {
				sum += graph.NumElements(w.g.Sizes(x)) // somebody else reads it without cells
			}
		}
		if ok && (!possible || sum < best) {
			best, possible = sum, true
		}
	}
	return best, possible
}

// has reports whether there is a version with such cells.
func (w *writer) has(t graph.Tensor, after []int) bool {
	if v := w.padded[t]; v != nil && slices.Equal(v.after, after) {
		return true
	}
	return slices.ContainsFunc(w.other[t], func(v *version) bool { return slices.Equal(v.after, after) })
}

// sources are the cells that operands may have where a result has some.
func (w *writer) sources(t graph.Tensor, after []int) (out [][][]int) {
	id := t.Node
	o, attrs, operands := w.g.Op(id), w.g.Attrs(id), w.g.Operands(id)
	ranks, none := make([]int, len(operands)), make([][]int, len(operands))
	for i, x := range operands {
		ranks[i] = len(w.g.Sizes(x))
		none[i] = make([]int, ranks[i])
	}
	full, found := slices.Clone(none), false
	for axis, n := range after {
		if n == 0 {
			continue
		}
		for _, a := range o.OperandAxes(attrs, ranks, axis) {
			if a.Operand < len(full) && a.Axis >= 0 && a.Axis < ranks[a.Operand] {
				full[a.Operand] = slices.Clone(full[a.Operand])
				full[a.Operand][a.Axis] = n
				found = true
			}
		}
	}
	if found {
		return [][][]int{full}
	}
	if len(operands) == 0 || o.Name == "broadcast" {
		out = append(out, none)
	}
	// A reshape, a broadcast of an axis that is there, or of a gather its places: as much more
	// along one axis.
	for axis, n := range after {
		if n == 0 {
			continue
		}
		size := w.g.Sizes(t)[axis]
		for k, x := range operands {
			for i, m := range w.g.Sizes(x) {
				if m > 1 && m*n%size == 0 && m*n/size > 0 {
					one := slices.Clone(none)
					one[k] = slices.Clone(none[k])
					one[k][i] = m * n / size
					out = append(out, one)
				}
			}
		}
	}
	return out
}
