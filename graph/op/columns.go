package op

import "github.com/taso-go/taso/graph"

// What operators declare of themselves in several places.

// cheap marks a function of one element that takes a few instructions.
func cheap(o *graph.Op) *graph.Op {
	o.Class = "pointwise"
	return o
}

// nonNegative marks a function of one element that is nowhere negative.
func nonNegative(o *graph.Op) *graph.Op {
	o.NonNegative = true
	return o
}

// afterFirst: all operands but the first usually are weights.
func afterFirst(operand int, _ []int) bool { return operand > 0 }
