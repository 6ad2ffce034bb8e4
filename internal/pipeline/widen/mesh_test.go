package widen

import (
	"context"
	"testing"
)

// A step may give a layout whose mesh axis is not in front. That is no reason to panic.
func TestLayouts(t *testing.T) {
	_, _, err := Rules(context.Background(), set(t,
		"given A : [1, a, b] then combine[axis=0](A) == reduce(A)",
		"given A : [1] then reduce(A) == drop(A)"), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
}
