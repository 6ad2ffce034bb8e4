package feed

import (
	"fmt"
	"math"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// Convert is the elements of a type, little-endian, as those of another. Integers
// and truth values must be kept exactly, or it is an error that names the first
// that is not; floating-point numbers are rounded to floating-point numbers of fewer
// bits, and rounded is how many were changed by it. A finite number that would
// become infinite is an error.
func Convert(raw []byte, from, to graph.DType) (out []byte, rounded int, err error) {
	if from == to {
		return raw, 0, nil
	}
	step := from.Bytes()
	if step == 0 || to.Bytes() == 0 || len(raw)%step != 0 {
		return nil, 0, fmt.Errorf("%d bytes are no elements of type %s, or %s is not known", len(raw), from, to)
	}
	out = make([]byte, 0, len(raw)/step*to.Bytes())
	for i := 0; i < len(raw); i += step {
		n, x := model.Element(from, raw[i:])
		if !from.IsFloat() {
			x = float64(n)
		}
		ok := true
		switch {
		case to.IsFloat() && from.IsFloat():
			y := model.Round(to, x)
			ok = math.IsInf(x, 0) || !math.IsInf(y, 0)
			if y != x && !math.IsNaN(x) {
				rounded++
			}
		case to.IsFloat():
			// 2^63 - 1 is 2^63 as a number, and would come back as another integer.
			y := model.Round(to, x)
			ok = y < 1<<63 && int64(y) == n
		case from.IsFloat():
			ok = x == math.Trunc(x) && x >= -1<<63 && x < 1<<63
			if n = int64(x); ok {
				ok = model.Wrap(to, n) == n
			}
		default:
			ok = model.Wrap(to, n) == n
		}
		if !ok {
			element := fmt.Sprint(n)
			if from.IsFloat() {
				element = fmt.Sprint(x)
			}
			return nil, 0, fmt.Errorf("element %d is %s, which %s does not hold", i/step, element, to)
		}
		out = model.AppendElement(out, to, n, x)
	}
	return out, rounded, nil
}
