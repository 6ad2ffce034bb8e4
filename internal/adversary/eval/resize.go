package eval

import (
	"slices"
	"strings"
)

// Images at another size.

// resizing is the method and the coordinates of a mode; ok is false of one that there is
// not.
func resizing(mode string) (method, coord string, ok bool) {
	for _, m := range []string{"linear", "nearest_floor", "nearest_ceil", "nearest_roundup", "nearest_round"} {
		if c, found := strings.CutPrefix(mode, m+"_"); found {
			return m, c, slices.Contains([]string{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}, c)
		}
	}
	return "", "", false
}

func resizeShape(a attrs, x []int64) ([][]int64, error) {
	to := a["sizes"].Tuple
	if _, _, ok := resizing(a["mode"].Name); !ok || len(to) != len(x) {
		return nil, undef("resize of %v to %v, mode %s", x, to, a["mode"].Name)
	}
	return one2(to...)
}

// sampled is where cell i of to cells lies among n cells: num/den, within the first and
// the last one.
func sampled(coord string, n, to, i int64) (num, den int64) {
	switch {
	case coord == "asymmetric":
		num, den = i*n, to
	case to == 1 && coord != "half_pixel":
		num, den = 0, 1
	case coord == "align_corners":
		num, den = i*(n-1), to-1
	default:
		num, den = (2*i+1)*n-to, 2*to
	}
	return min(max(num, 0), (n-1)*den), den
}

// weight is that of a cell, num/den.
type weight struct{ at, num, den int64 }

// weights are the cells along an axis that a cell of the result is made of.
func weights(method string, num, den int64) []weight {
	switch method {
	case "nearest_floor":
		return []weight{{floor(num, den), 1, 1}}
	case "nearest_ceil":
		return []weight{{-floor(-num, den), 1, 1}}
	case "nearest_round": // of two, the one below
		return []weight{{-floor(den-2*num, 2*den), 1, 1}}
	case "nearest_roundup":
		return []weight{{floor(2*num+den, 2*den), 1, 1}}
	}
	low := floor(num, den)
	above := num - low*den
	if above == 0 {
		return []weight{{low, 1, 1}}
	}
	return []weight{{low, den - above, den}, {low + 1, above, den}}
}

func (m *machine[V]) resize(n *node, idx []int64) V {
	x := n.args[0].shape
	method, coord, _ := resizing(n.a["mode"].Name)
	along := make([][]weight, len(x))
	counts := make([]int64, len(x))
	for i, size := range x {
		num, den := sampled(coord, size, n.shape[i], idx[i])
		along[i] = weights(method, num, den)
		counts[i] = int64(len(along[i]))
	}
	sum := m.f.Int(0)
	m.each(counts, func(k []int64) {
		at, v := make([]int64, len(x)), m.f.Int(1)
		for i, j := range k {
			w := along[i][j]
			at[i] = w.at
			v = m.f.Mul(v, m.f.Mul(m.f.Int(w.num), m.f.Inv(m.f.Int(w.den))))
		}
		sum = m.f.Add(sum, m.f.Mul(v, m.at(n.args[0], at)))
	})
	return sum
}
