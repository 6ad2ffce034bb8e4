package interp_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/graph/op"
)

// Every result is a float32, and near that of float64 arithmetic.
func TestSingle(t *testing.T) {
	var s interp.Single
	var f interp.Float
	if got := s.Rat(1, 3); got != float32(1)/3 {
		t.Errorf("1/3 is %v", got)
	}
	if got := s.Add(1<<24, 1); got != 1<<24 {
		t.Errorf("2^24 + 1 is %v: it is not rounded", got)
	}
	if got := s.Max([]float32{1, float32(math.NaN()), 3}); !math.IsNaN(float64(got)) {
		t.Errorf("the largest of what is not a number is %v", got)
	}
	if got := s.Max([]float32{1, 4, 3}); got != 4 {
		t.Errorf("the largest is %v", got)
	}
	for _, x := range []float32{-2, 0, 0.5} {
		if _, ok := s.Integer(x); ok != (x != 0.5) {
			t.Errorf("is %v an integer: %t", x, ok)
		}
		if got, want := s.Fn("tanh", x), float32(f.Fn("tanh", float64(x))); got != want {
			t.Errorf("tanh(%v) is %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(float64(s.Fn("nosuch", 1))) {
		t.Error("an unknown function has a value")
	}
}

func ExampleSingle() {
	x := interp.Tensor[float32]{Sizes: []int{1, 2}, Data: []float32{1 << 24, 1}}
	y := interp.Tensor[float32]{Sizes: []int{2, 1}, Data: []float32{1, 1}}
	z, err := interp.Apply(interp.Single{}, op.MatMul, nil, []interp.Tensor[float32]{x, y})
	fmt.Println(z[0].Data[0] == 1<<24, err) // in float64 it would be one more
	// Output: true <nil>
}
