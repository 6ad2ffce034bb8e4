package lower

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// IsView reports whether an operator only looks at its operand's elements in
// another order or in part, so that its results may be views: of a reshape if
// the operand lies so that it has strides (see [Views]), of the others in any case.
func IsView(op *graph.Op) bool {
	return op.Name == "reshape" || strided[op.Name] != nil
}

// strided say how the results of views lie over their operand.
var strided = map[string]func(a Attrs, x *Value, out []graph.TensorType) ([]Value, error){
	"transpose": transposed, "slice": sliced, "split": parted, "broadcast": repeated,
}

// Views are the results of a view of x. A reshape has none where it joins axes that do
// not lie one behind the other: heads of attention that were brought to the front, say.
func Views(a Attrs, x *Value, out []graph.TensorType) ([]Value, error) {
	if f := strided[a.Op.Name]; f != nil {
		return f(a, x, out)
	}
	strides, ok := x.reshaped(out[0].Sizes)
	if !ok {
		return nil, fmt.Errorf("operator %s: axes that are joined do not lie one behind the other", a.Op.Name)
	}
	return []Value{x.View(0, out[0].Sizes, strides)}, nil
}

// reshaped are the strides of x in other sizes with as many elements, if it has any. Both
// lists of sizes are cut from the front into the shortest pieces of as many elements; the
// axes of a piece of x must be one axis, of any stride.
func (v *Value) reshaped(to []int) (strides []int, ok bool) {
	if v.Dense() {
		return graph.Strides(to), true
	}
	strides = make([]int, len(to))
	for i, j := 0, 0; i < len(v.Sizes) || j < len(to); {
		x, y, n, m := i, j, 1, 1
		if i < len(v.Sizes) {
			n, i = v.Sizes[i], i+1
		}
		if j < len(to) {
			m, j = to[j], j+1
		}
		for n != m {
			if n < m {
				n, i = n*v.Sizes[i], i+1
			} else {
				m, j = m*to[j], j+1
			}
		}
		step, ok := v.joined(x, i)
		if !ok {
			return nil, false
		}
		for k := j - 1; k >= y; k-- {
			strides[k] = step
			step *= to[k]
		}
	}
	return strides, true
}

// joined is the stride of axes first to last-1 as one axis.
func (v *Value) joined(first, last int) (stride int, ok bool) {
	n, inner := 1, 0
	for k := last - 1; k >= first; k-- {
		switch {
		case v.Sizes[k] == 1:
			continue
		case n == 1:
			inner = v.Strides[k]
		case v.Strides[k] != n*inner:
			return 0, false
		}
		n *= v.Sizes[k]
	}
	return inner, true
}

func transposed(a Attrs, x *Value, out []graph.TensorType) ([]Value, error) {
	perm, err := a.Ints("perm")
	if err != nil {
		return nil, err
	}
	strides := make([]int, len(perm))
	for i, p := range perm {
		if p < 0 || p >= len(x.Strides) {
			return nil, fmt.Errorf("permutation %v of %d axes", perm, len(x.Strides))
		}
		strides[i] = x.Strides[p]
	}
	return []Value{x.View(0, out[0].Sizes, strides)}, nil
}

func sliced(a Attrs, x *Value, out []graph.TensorType) ([]Value, error) {
	axis, err := a.Int("axis")
	if err != nil {
		return nil, err
	}
	lo, err := a.Int("lo")
	if err != nil {
		return nil, err
	}
	return []Value{x.View(lo*x.Strides[axis], out[0].Sizes, x.Strides)}, nil
}

func parted(a Attrs, x *Value, out []graph.TensorType) ([]Value, error) {
	axis, err := a.Int("axis")
	if err != nil {
		return nil, err
	}
	lo := 0
	var vs []Value
	for _, t := range out {
		vs = append(vs, x.View(lo*x.Strides[axis], t.Sizes, x.Strides))
		lo += t.Sizes[axis]
	}
	return vs, nil
}

// repeated: the operand's axes are aligned with the last ones of the result.
func repeated(_ Attrs, x *Value, out []graph.TensorType) ([]Value, error) {
	to := out[0].Sizes
	strides := make([]int, len(to))
	shift := len(to) - len(x.Sizes)
	for i := range x.Sizes {
		if x.Sizes[i] != 1 || to[shift+i] == 1 {
			strides[shift+i] = x.Strides[i]
		}
	}
	return []Value{x.View(0, to, strides)}, nil
}

// ReducedSpan says how a reduction over some axes of a tensor is one over
// neighbours: the elements before, in and behind them, axes of size 1 counting
// nowhere. If they are no neighbours the axes must first be put in the order
// perm, in which the reduced ones come last; otherwise perm is nil.
func ReducedSpan(sizes, axes []int) (span [3]int, perm []int) {
	rank := len(sizes)
	reduced := make([]bool, rank)
	first, last := rank, -1
	for _, k := range axes {
		reduced[k] = true
		if sizes[k] > 1 {
			first, last = min(first, k), max(last, k)
		}
	}
	for k := first; k < last; k++ {
		if reduced[k] || sizes[k] == 1 {
			continue
		}
		n := 1
		for k, r := range reduced {
			if !r {
				perm = append(perm, k)
			}
		}
		for k, r := range reduced {
			if r {
				perm, n = append(perm, k), n*sizes[k]
			}
		}
		return [3]int{graph.NumElements(sizes) / n, n, 1}, perm
	}
	if last < 0 {
		return [3]int{graph.NumElements(sizes), 1, 1}, nil
	}
	return spanOf(sizes, first, last+1), nil
}

// spanOf is the elements before, in and behind axes first to last-1.
func spanOf(sizes []int, first, last int) [3]int {
	return [3]int{graph.NumElements(sizes[:first]), graph.NumElements(sizes[first:last]), graph.NumElements(sizes[last:])}
}
