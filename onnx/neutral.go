package onnx

import (
	"slices"

	"github.com/taso-go/taso/internal/must"
)

// Operators that change nothing. On floating-point numbers that is for laws to say, which are
// proved. Laws do not speak of integers, of truth values and of choices, so nodes on these are
// read as their operand.

// simplifies reports whether a node may be read as its operand: not if it is one that we wrote,
// which is read as it is written.
func (c *call) simplifies() bool {
	return !c.im.own && !c.im.inFold
}

// neutrals are the numbers that change nothing as the second operand of an operator, and
// whether they do as the first one, too.
var neutrals = map[string]struct {
	number float64
	first  bool
}{
	"ewadd": {0, true}, "ewsub": {0, false}, "ewmul": {1, true}, "quo": {1, false},
	"bitor": {0, true}, "bitxor": {0, true}, "shl": {0, false}, "shr": {0, false},
	"And": {1, true}, "Or": {0, true}, "Xor": {0, true},
}

// neutral is the operand that an operator on integers or truth values gives, since the other one
// changes nothing; nil if there is none.
func (c *call) neutral(op string, x, y *value) *value {
	n, ok := neutrals[op]
	if !ok || !c.simplifies() || x.dtype.IsFloat() || x.dtype != y.dtype {
		return nil
	}
	sizes := c.im.open.jointOf(x.dims(), y.dims())
	if slices.Equal(x.dims(), sizes) && must.Get(y.everywhere(n.number)) {
		return x
	}
	if n.first && slices.Equal(y.dims(), sizes) && must.Get(x.everywhere(n.number)) {
		return y
	}
	return nil
}

// everywhere reports whether all elements are known to be a number, and there are some.
func (v *value) everywhere(x float64) (bool, error) {
	k, err := v.constant()
	if k == nil || err != nil || k.len() == 0 {
		return false, err
	}
	for i := range k.len() {
		if k.number(i) != x {
			return false, nil
		}
	}
	return true, nil
}

// counts reports whether numbers are 0, 1, 2 and so on.
func counts(xs []int64) bool {
	for i, x := range xs {
		if x != int64(i) {
			return false
		}
	}
	return true
}
