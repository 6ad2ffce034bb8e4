package verifymodels

import (
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
)

// Weights of integers that are no float64s are not taken for others.
func TestLargeIntegers(t *testing.T) {
	for _, n := range []int64{1<<53 + 1, -1<<53 - 1, 1 << 53} {
		w := model.FromInt64([]int{1}, []int64{n})
		x, err := loadWeight(floats{}, w)
		if exact := n == 1<<53; exact != (err == nil) || exact && x.Data[0] != float64(n) {
			t.Errorf("%d is %v, %v", n, x.Data, err)
		}
	}
	w := model.FromBytes(graph.Uint64, []int{1}, []byte{255, 255, 255, 255, 255, 255, 255, 255})
	if _, err := loadWeight(floats{}, w); err == nil {
		t.Error("2^64-1 is a float64")
	}
}
