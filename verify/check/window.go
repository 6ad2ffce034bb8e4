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
		return t.ceiling(h, big.NewInt(stride.tuple[axis])), nil
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
		if _, ok := k.number(); ok {
			// The last place lies room cells behind the first: so many strides, rounded down, and
			// one. Rounded down it is x/s, where (x+1)/s rounded up is one more.
			return t.ceiling(room.plusInt(1), big.NewInt(s)), nil
		}
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

// ceiling is h/s rounded up, for s > 0. Every coefficient is s times a quotient and a rest: the
// quotients come out, since every monomial is a whole number. The rests are 0 to s-1, so
// that equal sizes are the same.
func (t *sizes) ceiling(h size, s *big.Int) size {
	var out, rest size
	for _, m := range h {
		q, r := new(big.Int).DivMod(m.coef, s, new(big.Int))
		out, rest = out.plus(size{{q, m.atoms}}.dropped()), rest.plus(size{{r, m.atoms}}.dropped())
	}
	if n, ok := rest.number(); ok { // rounded up: 1, or 0 of 0
		return out.plusInt(int64(n.Sign()))
	}
	by := value{kind: graph.KindTuple, tuple: []int64{s.Int64(), s.Int64()}}
	return out.plus(t.atom(atomFunc, "strided", sizeValue(rest), by, sizeValue(nil)))
}

// dropped is a size of one monomial without it if its coefficient is 0.
func (a size) dropped() size {
	if a[0].coef.Sign() == 0 {
		return nil
	}
	return a
}
