package cpu

import (
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Functions of several elements at one place, of operands at any strides and of any type.

// rows are the result of such a kernel, row by row: n elements each, of which those of
// operand i are step[i] apart, and begin at the places that at gives.
type rows struct {
	n     int
	step  []int
	outer []int   // sizes of the axes before
	skip  [][]int // by axis, the strides of the operands
}

// newRows joins the axes that are one axis of all operands.
func newRows(sizes []int, operands []*value) rows {
	type line struct {
		n      int
		stride []int
	}
	var lines []line
	for k, n := range sizes {
		if n == 1 {
			continue
		}
		next := line{n: n}
		for _, v := range operands {
			next.stride = append(next.stride, v.Strides[k])
		}
		if last := len(lines) - 1; last >= 0 {
			one := true
			for i, s := range next.stride {
				one = one && lines[last].stride[i] == n*s
			}
			if one {
				next.n *= lines[last].n
				lines = lines[:last]
			}
		}
		lines = append(lines, next)
	}
	r := rows{n: 1, step: make([]int, len(operands))}
	if last := len(lines) - 1; last >= 0 {
		r.n, r.step, lines = lines[last].n, lines[last].stride, lines[:last]
	}
	for _, l := range lines {
		r.outer, r.skip = append(r.outer, l.n), append(r.skip, l.stride)
	}
	return r
}

// each calls f with the number of each row and the place of each operand's first element
// in it.
func (r *rows) each(f func(row int, at []int) error) error {
	at, idx := make([]int, len(r.step)), make([]int, len(r.outer))
	for row := range graph.NumElements(r.outer) {
		if err := f(row, at); err != nil {
			return err
		}
		for k := len(idx) - 1; k >= 0; k-- {
			idx[k]++
			back := idx[k] == r.outer[k]
			for i, s := range r.skip[k] {
				if at[i] += s; back {
					at[i] -= s * r.outer[k]
				}
			}
			if !back {
				break
			}
			idx[k] = 0
		}
	}
	return nil
}

// bindWhere chooses between two elements by a third; -0 is 0, and what is not a number is
// not.
func bindWhere(b *binder, k *lower.Kernel, s *step) error {
	in, y := b.values(k.In), b.value(k.Out[0])
	r := newRows(y.Sizes, in)
	s.run = func(ptr) error {
		if y.width() == 4 {
			return choose[uint32](&r, in, y)
		}
		return choose[uint64](&r, in, y)
	}
	return nil
}

func choose[T uint32 | uint64](r *rows, in []*value, y *value) error {
	sign := 0 // bits that do not count
	if y.DType != graph.Int64 {
		sign = 1
	}
	out := elements[T](y)
	return r.each(func(row int, at []int) error {
		to := out[row*r.n:][:r.n]
		var p [3][]T
		for i, v := range in {
			p[i] = all[T](bytesPtr(v.ptr(), v.width()*at[i]), (r.n-1)*r.step[i]+1)
		}
		c, x, z := p[0], p[1], p[2]
		switch {
		case r.step[0] == 1 && r.step[1] == 0 && r.step[2] == 1:
			first := x[0]
			for i, v := range z[:len(to)] {
				if c[i]<<sign != 0 {
					v = first
				}
				to[i] = v
			}
		case r.step[0] == 1 && r.step[1] == 1 && r.step[2] == 0:
			other := z[0]
			for i, v := range x[:len(to)] {
				if c[i]<<sign == 0 {
					v = other
				}
				to[i] = v
			}
		default:
			for i := range to {
				v := z[i*r.step[2]]
				if c[i*r.step[0]]<<sign != 0 {
					v = x[i*r.step[1]]
				}
				to[i] = v
			}
		}
		return nil
	})
}

// bindSeveral is an operator whose entry is a function of the elements of its operands
// ([graph.Several]).
func bindSeveral(b *binder, k *lower.Kernel, s *step) error {
	in, y, a := b.values(k.In), b.value(k.Out[0]), b.attrs(k.Node)
	shapes := make([]graph.Shape, len(in))
	e, err := a.Op.Entry(&graph.Space{}, a.Values, shapes, nil)
	if err != nil {
		return err
	}
	if e.Direct == nil {
		return fmt.Errorf("operator %s: its entry is no function of elements", a.Op.Name)
	}
	of := make([]int, len(e.Direct.Args)) // the operands that are the arguments
	for i, x := range e.Direct.Args {
		if x.Kind != graph.ExprRead {
			return fmt.Errorf("operator %s: argument %d is no element", a.Op.Name, i)
		}
		of[i] = x.In
	}
	f, r := e.Direct.Fn, newRows(y.Sizes, in)
	floats := func(args []float64) (float64, error) { return f.Float(args), nil }
	switch y.DType {
	case graph.Float32:
		s.run = func(ptr) error { return several(&r, in, of, elements[float32](y), floats) }
	case graph.Float64:
		s.run = func(ptr) error { return several(&r, in, of, elements[float64](y), floats) }
	default:
		s.run = func(ptr) error {
			defer wrap(y.Type, elements[int64](y))
			return several(&r, in, of, elements[int64](y), func(args []int64) (int64, error) {
				if y.Type == graph.Uint64 && slices.ContainsFunc(args, func(n int64) bool { return n < 0 }) {
					return 0, fmt.Errorf("%s of integers beyond 2^63: there is no kernel", f.Name)
				}
				if f.Int == nil {
					return 0, fmt.Errorf("%s of integers: there is no kernel", f.Name)
				}
				n, ok := f.Int(args)
				if !ok {
					return 0, fmt.Errorf("%s of %v has no value", f.Name, args)
				}
				return n, nil
			})
		}
	}
	return nil
}

// several computes with arguments of type A what is held as T.
func several[T float32 | float64 | int64, A float64 | int64](r *rows, in []*value, of []int, out []T, f func(args []A) (A, error)) error {
	args, p := make([]A, len(of)), make([][]T, len(in))
	return r.each(func(row int, at []int) error {
		for i, v := range in {
			p[i] = all[T](bytesPtr(v.ptr(), v.width()*at[i]), (r.n-1)*r.step[i]+1)
		}
		for j := range r.n {
			for i, k := range of {
				args[i] = A(p[k][j*r.step[k]])
			}
			x, err := f(args)
			if err != nil {
				return err
			}
			out[row*r.n+j] = T(x)
		}
		return nil
	})
}

// bindCompare is bindSeveral for comparisons, of which masks are made: the same without
// calls for each element.
func bindCompare(b *binder, k *lower.Kernel, s *step) error {
	in, y := b.values(k.In), b.value(k.Out[0])
	r := newRows(y.Sizes, in)
	s.run = func(ptr) error {
		switch {
		case y.DType == graph.Float32:
			return compared[float32](&r, in, y, k.As)
		case y.DType == graph.Float64:
			return compared[float64](&r, in, y, k.As)
		case y.Type == graph.Uint64:
			return compared[uint64](&r, in, y, k.As)
		}
		return compared[int64](&r, in, y, k.As)
	}
	return nil
}

func compared[T float32 | float64 | int64 | uint64](r *rows, in []*value, y *value, as string) error {
	out := elements[T](y)
	return r.each(func(row int, at []int) error {
		var p [2][]T
		for i, v := range in {
			p[i] = all[T](bytesPtr(v.ptr(), v.width()*at[i]), (r.n-1)*r.step[i]+1)
		}
		to, a, b, sa, sb := out[row*r.n:][:r.n], p[0], p[1], r.step[0], r.step[1]
		clear(to)
		switch as {
		case "ewless":
			for i := range to {
				if a[i*sa] < b[i*sb] {
					to[i] = 1
				}
			}
		case "ewlessequal":
			for i := range to {
				if a[i*sa] <= b[i*sb] {
					to[i] = 1
				}
			}
		default:
			for i := range to {
				if a[i*sa] == b[i*sb] {
					to[i] = 1
				}
			}
		}
		return nil
	})
}
