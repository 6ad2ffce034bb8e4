package verifymodels

import (
	"math"

	"github.com/taso-go/taso/graph/interp"
)

// compare enters the outputs of a run: of each output the run stays that deviates
// most, relative to its own largest element.
func (n *Numbers) compare(a, b []interp.Tensor[float64]) {
	for i := range n.Outputs {
		o := &n.Outputs[i]
		now := deviation(o.Sizes, a[i].Data, b[i].Data)
		nans := o.NaNs + now.NaNs
		if now.Relative > o.Relative || o.Relative == 0 && now.Largest > o.Largest {
			o.Largest, o.Absolute, o.Relative, o.At, o.A, o.B = now.Largest, now.Absolute, now.Relative, now.At, now.A, now.B
		}
		o.NaNs = nans
	}
}

// deviation compares the elements of one output.
func deviation(sizes []int, xs, ys []float64) (o Output) {
	for j, x := range xs {
		y := ys[j]
		if x == y || math.IsNaN(x) && math.IsNaN(y) {
			if finite(x) {
				o.Largest = max(o.Largest, math.Abs(x))
			}
			continue
		}
		d := math.Abs(x - y)
		if !finite(d) {
			o.NaNs++
			continue
		}
		o.Largest = max(o.Largest, math.Abs(x), math.Abs(y))
		if d > o.Absolute {
			o.Absolute, o.A, o.B, o.At = d, x, y, index(sizes, j)
		}
	}
	if o.Absolute > 0 {
		o.Relative = o.Absolute / o.Largest
	}
	return o
}
