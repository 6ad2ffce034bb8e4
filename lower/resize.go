package lower

import (
	"fmt"
	"strings"
)

// SourceCell is where output cell j of m lies on an axis of n: between cells
// lo and lo+1, by a fraction. A mode is a method and a kind of coordinates, as
// operator resize defines them.
func SourceCell(mode string, j, n, m int) (lo int, frac float32, err error) {
	method, coord := mode, ""
	for _, prefix := range []string{"linear_", "nearest_floor_", "nearest_ceil_", "nearest_roundup_", "nearest_round_"} {
		if rest, ok := strings.CutPrefix(mode, prefix); ok {
			method, coord = prefix[:len(prefix)-1], rest
			break
		}
	}
	// The coordinate is (num*j + add)/den, kept exact.
	num, add, den := n, 0, m
	switch coord {
	case "half_pixel", "pytorch_half_pixel":
		num, add, den = 2*n, n-m, 2*m
		if coord == "pytorch_half_pixel" && m == 1 {
			num, add, den = 0, 0, 1
		}
	case "align_corners":
		num, den = n-1, m-1
		if m == 1 {
			num, den = 0, 1
		}
	case "asymmetric":
	default:
		return 0, 0, fmt.Errorf("mode %s is not known", mode)
	}
	pos := num*j + add
	lo = pos / den
	if pos < lo*den {
		lo--
	}
	rest := pos - lo*den
	up := false
	switch method {
	case "linear":
		if pos > 0 && pos < (n-1)*den {
			return lo, float32(float64(rest) / float64(den)), nil
		}
	case "nearest_ceil":
		up = rest > 0
	case "nearest_round":
		up = 2*rest > den
	case "nearest_roundup":
		up = 2*rest >= den
	}
	if up {
		lo++
	}
	return min(max(lo, 0), n-1), 0, nil
}
