package grad

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/suggest"
)

// Loss says how far the outputs of a graph are from their labels, in one number; with
// several outputs, the sum of theirs.
type Loss uint8

const (
	// CrossEntropy takes an output for scores of classes along an axis, without softmax,
	// and its label, of its sizes, for the distribution that there should be: the average
	// of -sum(label * log softmax(output)).
	CrossEntropy Loss = iota
	// Classes is CrossEntropy with labels that are positions of classes: int64, of the
	// output's sizes without the axis.
	Classes
	// MeanSquare is the average of (output - label)², the label being of the output's
	// sizes.
	MeanSquare
)

var losses = map[string]Loss{"crossentropy": CrossEntropy, "classes": Classes, "meansquare": MeanSquare}

// LossNames lists the names that [ParseLoss] takes.
func LossNames() []string { return []string{"crossentropy", "classes", "meansquare"} }

// ParseLoss is the loss of a name.
func ParseLoss(name string) (Loss, error) {
	l, ok := losses[name]
	if !ok {
		return 0, fmt.Errorf("unknown loss %q%s", name, suggest.OneOf(name, LossNames()))
	}
	return l, nil
}

// String is the name of the loss.
func (l Loss) String() string { return LossNames()[min(int(l), 2)] }

// axisOf is the axis of an output along which its classes are: counted from the end if
// it is negative.
func axisOf(axis int, sizes []int) (int, error) {
	at := axis
	if at < 0 {
		at += len(sizes)
	}
	if at < 0 || at >= len(sizes) {
		return 0, fmt.Errorf("no axis %d of classes among sizes %v", axis, sizes)
	}
	return at, nil
}

// labelOf is the type of the label of an output.
func (l Loss) labelOf(y graph.TensorType, axis int) (graph.TensorType, error) {
	if l == MeanSquare {
		return y, nil
	}
	at, err := axisOf(axis, y.Sizes)
	if err != nil || l == CrossEntropy {
		return y, err
	}
	return graph.TensorType{DType: graph.Int64, Sizes: append(append([]int{}, y.Sizes[:at]...), y.Sizes[at+1:]...)}, nil
}

// write writes the loss of one output. Nodes in fixed do not matter to the derivative.
func (l Loss) write(c *graph.Calc, y, label graph.Tensor, axis int, fixed map[graph.NodeID]bool) graph.Tensor {
	sizes := c.Sizes(y)
	all := make([]int, len(sizes))
	for i := range all {
		all[i] = i
	}
	if l == MeanSquare {
		d := c.Sub(y, label)
		return c.Mean(c.Mul(d, d), false, all...)
	}
	at, _ := axisOf(axis, sizes)
	if l == Classes {
		label = oneHot(c, y, label, at)
	}
	// Scores are counted from the largest one, so that none is too large for exp; the
	// loss does not depend on where they are counted from.
	most := c.Op("reducemax", graph.Named{"axes": graph.TupleValue(at), "keep": graph.IntValue(1)}, y)
	fixed[most.Node] = true
	z := c.Sub(y, c.Broadcast(most, sizes...))
	log := c.Op("log", nil, c.Sum(c.Op("exp", nil, z), true, at))
	likely := c.Sub(z, c.Broadcast(log, sizes...))
	return c.Times(c.Sum(c.Mul(label, likely), false, all...), -1, graph.NumElements(sizes)/sizes[at])
}

// oneHot is 1 at the class of each label, along an axis of y.
func oneHot(c *graph.Calc, y, label graph.Tensor, axis int) graph.Tensor {
	sizes := c.Sizes(y)
	rows := c.Const(y, "imatmul", graph.Named{"n": graph.IntValue(sizes[axis])})
	hot := c.Op("gather", graph.Named{"axis": graph.IntValue(0)}, rows, label)
	perm := make([]int, len(sizes)) // the classes are the last axis
	for i := range perm {
		switch {
		case i < axis:
			perm[i] = i
		case i == axis:
			perm[i] = len(sizes) - 1
		default:
			perm[i] = i - 1
		}
	}
	return c.Transpose(hot, perm...)
}
