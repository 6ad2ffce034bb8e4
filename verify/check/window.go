package check

import (
	"fmt"
	"math/big"

	"github.com/taso-go/taso/graph"
)

// The size functions:
//
//	window(h, k, stride, pad, axis)  places of a window of k cells on h cells
//	strided(h, stride, axis)         h over the stride, rounded up
//	step(dilation, axis)             what the dilation is along the axis
//
// They have a value for all whole arguments; below 1 it is no size.

// apply is a size function of values, worked out where they are known.
func (t *sizes) apply(name string, args []value) (size, error) {
	bad := func() error { return fmt.Errorf("size function %s of %v is not known", name, args) }
	n := map[string]int{"window": 5, "strided": 3, "step": 2}[name]
	if n == 0 || len(args) != n {
		return nil, bad()
	}
	axis, isSize := args[n-1].isSize()
	if !isSize || !axis.isInt(0) && !axis.isInt(1) {
		return nil, bad()
	}
	i := 0
	if axis.isInt(1) {
		i = 1
	}
	if name == "step" {
		return t.step(args[0], i)
	}
	h, ok := args[0].isSize()
	if !ok {
		return nil, bad()
	}
	if name == "strided" {
		return t.strided(h, args[1], i)
	}
	k, ok := args[1].isSize()
	if !ok {
		return nil, bad()
	}
	return t.window(h, k, args[2], args[3], i)
}

func (t *sizes) strided(h size, stride value, axis int) (size, error) {
	if err := sortOf(stride, graph.SortStride); err != nil {
		return nil, err
	}
	if stride.kind == graph.KindTuple {
		s := big.NewInt(stride.tuple[axis])
		if n, ok := h.number(); ok {
			// Rounded up: minus the quotient, rounded down, of -n.
			q := floor(new(big.Int).Neg(n), s)
			return whole(q.Neg(q)), nil
		}
		if h.dividedBy(s) {
			q, _ := h.over(whole(s))
			return q, nil
		}
	}
	return t.atom(atomFunc, "strided", sizeValue(h), stride, sizeValue(num(int64(axis)))), nil
}

func (t *sizes) window(h, k size, stride, pad value, axis int) (size, error) {
	if err := sortOf(pad, graph.SortPadding); err != nil {
		return nil, err
	}
	if err := sortOf(stride, graph.SortStride); err != nil {
		return nil, err
	}
	if sortOf(pad, graph.SortSame) == nil {
		return t.strided(h, stride, axis)
	}
	if pad.kind == graph.KindTuple { // as on an image that is larger
		h = h.plusInt(pad.tuple[axis]).plusInt(pad.tuple[axis+2])
		pad = value{kind: graph.KindName, name: graph.Valid}
	}
	if pad.kind == graph.KindName && stride.kind == graph.KindTuple {
		room, s := h.minus(k), stride.tuple[axis]
		if s == 1 {
			return room.plusInt(1), nil
		}
		// Multiples of the stride come out of the quotient, which is rounded down.
		rest := room.minus(room.constant())
		if step := big.NewInt(s); rest.dividedBy(step) {
			q, _ := rest.over(whole(step))
			n, _ := room.constant().number()
			return q.plus(whole(floor(n, step))).plusInt(1), nil
		}
		// Only the room and the stride count: one cell has that room on as many cells less.
		h, k, axis = room.plusInt(1), num(1), 0
		stride = value{kind: graph.KindTuple, tuple: []int64{s, s}}
	}
	return t.atom(atomFunc, "window", sizeValue(h), sizeValue(k), stride, pad, sizeValue(num(int64(axis)))), nil
}

func (t *sizes) step(dilation value, axis int) (size, error) {
	if err := sortOf(dilation, graph.SortStride); err != nil {
		return nil, err
	}
	if dilation.kind == graph.KindTuple {
		return num(dilation.tuple[axis]), nil
	}
	return t.atom(atomFunc, "step", dilation, sizeValue(num(int64(axis)))), nil
}

// floor is n / s rounded down, for s > 0.
func floor(n, s *big.Int) *big.Int { return new(big.Int).Div(n, s) }
