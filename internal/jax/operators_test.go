package jax

import (
	"slices"
	"testing"
)

func TestFunctions(t *testing.T) {
	if f := Function("slice"); f != "slice_" {
		t.Errorf("slice is %q", f)
	}
	if f := Function("windows"); f != "windows" {
		t.Errorf("windows is %q", f)
	}
	if f := Function("nothing"); f != "" {
		t.Errorf("nothing is %q", f)
	}
	got, err := Operators.With("relu", "poolmax", "gather")
	if want := []string{"borders", "fromfront", "gather", "poolmax", "relu", "windows"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := Operators.With("nothing"); err == nil {
		t.Error("there is a function called nothing")
	}
}
