package check

import (
	"fmt"

	"github.com/taso-go/taso/graph"
)

// permutes reports whether each of the numbers below their count is there once.
func permutes(p []int64) bool {
	seen := make([]bool, len(p))
	for _, x := range p {
		if x < 0 || x >= int64(len(p)) || seen[x] {
			return false
		}
		seen[x] = true
	}
	return true
}

// permutation is the value of a product of permutation variables, the last of which is
// applied first, or the axis that it takes an axis to. All of them stand for permutations
// of one number of axes that are written out.
func (e *env) permutation(v graph.Value) (out value, err error) {
	of, at, isAxis := v.Axis()
	if !isAxis {
		of = v
	}
	var product []int64 // takes i to product[i]
	for k, f := range of.PermVars() {
		w, err := e.value(f.Var)
		if err != nil {
			return out, err
		}
		n := len(w.tuple)
		if w.kind != graph.KindTuple || !permutes(w.tuple) || k > 0 && n != len(product) {
			return out, fmt.Errorf("%s: %s is not a permutation of as many axes that is written out", v, w)
		}
		next := make([]int64, n)
		for i, x := range w.tuple {
			switch {
			case f.Inverse && k == 0:
				next[x] = int64(i)
			case f.Inverse:
				next[x] = product[i]
			case k == 0:
				next[i] = x
			default:
				next[i] = product[x]
			}
		}
		product = next
	}
	if !isAxis {
		return value{kind: graph.KindTuple, tuple: product}, nil
	}
	axis, err := e.size(at)
	if err != nil {
		return out, err
	}
	n, known := axis.number()
	if !known || n.Sign() < 0 || !n.IsInt64() || n.Int64() >= int64(len(product)) {
		return out, fmt.Errorf("%s: %s is no axis", v, axis)
	}
	return sizeValue(num(product[n.Int64()])), nil
}
