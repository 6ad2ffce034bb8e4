package graph

import (
	"errors"
	"fmt"

	"github.com/taso-go/taso/internal/must"
)

// Backward is an application in a graph under construction through which the
// derivatives of a number, such as a loss, are taken back: an operator's Grad has those
// by its results and writes those by its operands ([Op.Grad]), as terms of ordinary
// operators. It is called inside of [Calc.Do].
type Backward struct {
	*Calc
	Attrs Attrs
	In    []Tensor // operands
	Out   []Tensor // results
	// D are the derivatives by the results, of their sizes and element types; the zero
	// Tensor is a derivative that is 0 everywhere. One at least is not.
	D []Tensor
	// Want says which operands' derivatives are asked for; others need not be written.
	Want []bool
}

// Backward writes the derivatives by the operands of an application of op: one for each
// operand, with the zero Tensor for those that are not asked for, of which the result
// does not depend, or whose derivative is 0 everywhere. A derived operator is
// differentiated as what it expands to. The error names an operator that has no
// derivative.
func (op *Op) Backward(b *Backward) (in []Tensor, err error) {
	err = b.Do(func() { in = op.backward(b) })
	if errors.Is(err, errNoGrad) {
		return nil, fmt.Errorf("operator %s has no derivative", op.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("derivative of operator %s: %w", op.Name, err)
	}
	return in, nil
}

// errNoGrad is what backward leaves with where an operator has no derivative.
var errNoGrad = errors.New("no derivative")

func (op *Op) backward(b *Backward) []Tensor {
	switch {
	case op.Grad != nil:
		return op.Grad(b)
	case op.Expand == nil:
		must.Do(errNoGrad)
	}
	in := make([]Shape, len(b.In))
	for i, x := range b.In {
		in[i] = Sizes(b.Sizes(x)...)
	}
	out := make([]Tensor, len(b.In))
	for i, d := range b.D {
		if d == (Tensor{}) {
			continue
		}
		p, _, err := op.Primitive(b.Attrs, in, i)
		must.Do(err)
		part := &Backward{Calc: b.Calc, Attrs: p.Attrs, In: b.In, Out: b.Out[i : i+1], D: b.D[i : i+1], Want: b.Want}
		for k, x := range p.Op.backward(part) {
			out[k] = b.Total(out[k], x)
		}
	}
	return out
}
